package engine

import "github.com/pagemcp/pagemcp/wasm/jsonrpc"

// An Examination is what is known of a message before it is served, for bindings that
// have to choose a status first. The code that serves makes it, so that both read the
// same bytes in the same way.
type Examination struct {
	Kind    jsonrpc.Kind
	ID      jsonrpc.ID
	Method  string
	Of      Method // what is known of it
	Modern  bool   // has the envelope of 2026-07-28, valid or not, or a method that only it has
	Version string // protocolVersion in the envelope; decoded
	Name    string // the member of params in Of.Named

	// Params is JSON text that shares memory with the message, or nil. What depends on the
	// params of a message reads them here, and does not parse the message again.
	Params []byte

	// Arguments are params.arguments of tools/call: JSON text that shares memory
	// with the message, or nil.
	Arguments []byte

	// Malformed is the error of a message, or of its envelope, that is not
	// valid. Unserved is that of a modern request with a version or method that
	// is not served here. HTTP checks its headers after the first and before the
	// second.
	Malformed *jsonrpc.Error
	Unserved  *jsonrpc.Error

	// For Direct.Send, which does not read the message again.
	message jsonrpc.Message
	refusal *jsonrpc.Error // of message
	request *Request       // with its params read; nil for responses, and messages with a refusal
	problem *jsonrpc.Error // of the params
}

// IsMessage reports whether the text is a message of JSON-RPC, valid for MCP or not.
func (x *Examination) IsMessage() bool { return x.refusal == nil }

// Examine reads a message as the engine will. What depends on a connection's
// session is left open.
func (e *Engine) Examine(message []byte) Examination {
	if len(message) > e.options.MaxMessage {
		return Examination{Malformed: tooLarge(), refusal: tooLarge()}
	}
	msg, refusal := jsonrpc.Parse(message)
	x := Examination{Kind: msg.Kind, ID: msg.ID, Method: msg.Method, Params: msg.Params, Malformed: refusal, message: msg, refusal: refusal}
	if refusal != nil || msg.Kind == jsonrpc.Response {
		return x
	}
	req := &Request{engine: e, method: e.methodByName(msg.Method), owned: true}
	m := e.method(req.method)
	x.Of = *m
	x.request, x.problem = req, req.read(msg.Params)
	if x.Malformed = x.problem; x.Malformed != nil {
		return x
	}
	x.Version, _ = jsonrpc.Text(req.version)
	if x.Name = req.name; m.Named == "uri" {
		x.Name = req.uri
	}
	if req.method == callToolMethod {
		x.Arguments = req.arguments
	}
	x.Modern = req.version != nil || m.envelope
	switch {
	case msg.Kind != jsonrpc.Request:
	case req.version != nil:
		if x.Malformed = req.checkEnvelope(); x.Malformed == nil {
			x.Unserved = req.decide()
		}
	case m.envelope:
		x.Malformed = MissingEnvelope()
	}
	return x
}
