package engine

import (
	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// decide finds the era of a request, by the request and by what the connection has
// seen before. testdata/transcripts has an era-row-NN for each case; the numbers are in
// the comments.
func (req *Request) decide() *jsonrpc.Error {
	session, e := req.session, req.engine
	if req.version != nil { // 1: always modern, even initialize
		if err := req.checkEnvelope(); err != nil {
			return err // 2
		}
		req.rev = modern
		if string(req.version) != `"`+LatestModern+`"` {
			if version, _ := jsonrpc.Text(req.version); version != LatestModern {
				return unsupported(req.version) // 3, 4
			}
		}
		if !e.serves(req.method, inModern) {
			return methodNotFound()
		}
		return nil
	}
	switch {
	case req.method == initializeMethod:
		if session != 0 { // 6
			req.rev = session
			return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "This connection is initialized already"}
		}
		req.rev = latestClassic // 5
		return nil
	case req.method == pingMethod: // 7
		req.rev = max(session, oldest)
		return nil
	case e.method(req.method).envelope: // 8
		return MissingEnvelope()
	}
	if session == 0 && e.options.Lenient {
		switch req.method {
		case subscribeMethod, unsubscribeMethod: // which need a session to deliver to
			if e.serves(req.method, inClassic) {
				return &jsonrpc.Error{
					Code:    jsonrpc.CodeInvalidParams,
					Message: "Send initialize first, and over HTTP its Mcp-Session-Id with this request: a subscription belongs to a session",
				}
			}
		}
		session = latestClassic
	}
	if session == 0 { // 10
		return &jsonrpc.Error{
			Code:    jsonrpc.CodeInvalidParams,
			Message: "Send initialize first, or _meta with " + hop.KeyVersion + " and " + hop.KeyCapabilities,
		}
	}
	req.rev = session // 9
	if !e.serves(req.method, inClassic) {
		return methodNotFound()
	}
	return nil
}

// checkEnvelope reports whether a request with a protocolVersion in its _meta has
// the rest of the envelope: R-035. clientInfo is optional: R-036.
func (req *Request) checkEnvelope() *jsonrpc.Error {
	switch {
	case req.version[0] != '"':
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "_meta " + hop.KeyVersion + " must be a string"}
	case req.capabilities == nil:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "_meta lacks " + hop.KeyCapabilities}
	case req.capabilities[0] != '{':
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "_meta " + hop.KeyCapabilities + " must be an object"}
	}
	return nil
}

// MissingEnvelope is the error for a message that has to be modern, for example
// by its HTTP header, and has no envelope.
func MissingEnvelope() *jsonrpc.Error {
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeInvalidParams,
		Message: "_meta lacks " + hop.KeyVersion + " and " + hop.KeyCapabilities,
	}
}

func methodNotFound() *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Method not found"}
}
