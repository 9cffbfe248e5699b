package engine

import (
	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/plain"
	"github.com/pagemcp/pagemcp/wasm/schema"
)

// A Request is one request, with the members of its params that the engine reads.
type Request struct {
	engine  *Engine
	client  *Client
	who     Principal
	call    sink.Call
	method  sink.Method
	session revision // of the connection when the request came; 0: none
	rev     revision // decides the shape of the answer; 0 until the era is decided
	mayWait bool     // runs in a goroutine of its own
	owned   bool     // is not used again for another request, nor is the memory of its params

	// From params, as JSON text or nil if absent. All of it, and the strings
	// below, share memory with params: whatever outlives the request is cloned.
	envelope
	filter    []byte // notifications, of subscriptions/listen
	requested []byte // protocolVersion, of initialize
	levelText []byte // level, of logging/setLevel
	arguments []byte // of prompts/get and tools/call
	ref       []byte // and the two after it: of completion/complete
	argument  []byte
	context   []byte
	inputs    []byte // inputResponses
	state     []byte // requestState

	uri       string
	hasURI    bool
	cursor    string
	hasCursor bool
	name      string
}

// An envelope is the _meta of a request, with its members as JSON text.
type envelope struct {
	meta          []byte // all of it
	version       []byte // protocolVersion
	capabilities  []byte // clientCapabilities
	principal     []byte // on whose behalf a gateway sends it
	info          []byte // clientInfo; of initialize, that of params
	level         level  // logLevel; 0: none
	wantsDeclared bool   // hop.KeyDeclared
}

// read reads the members of params that methods use. The methods check for missing
// ones.
func (req *Request) read(params []byte) *jsonrpc.Error {
	if len(params) == 0 {
		return nil
	}
	members, named := jsonrpc.Scan(params), req.engine.method(req.method).Named
	for members.Next() {
		value, ok := members.Value, true
		if isNull(value) { // as many clients write an optional member that is absent
			continue
		}
		switch string(members.Name) {
		case "_meta":
			if value[0] != '{' {
				return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "_meta must be an object"}
			}
			if err := req.envelope.read(value); err != nil {
				return err
			}
		case "uri":
			req.uri, ok = schema.TextOf(value)
			req.hasURI = ok
		case "cursor":
			req.cursor, ok = schema.TextOf(value)
			req.hasCursor = ok
		case "notifications":
			req.filter = value
		case "protocolVersion":
			req.requested = value
		case "capabilities": // of initialize
			if req.method == initializeMethod {
				req.context = value
			}
		case "clientInfo":
			if req.method == initializeMethod {
				req.info = value
			}
		case "arguments":
			req.arguments = value
		case "level":
			req.levelText = value
		case "ref":
			req.ref = value
		case "argument":
			req.argument = value
		case "context":
			req.context = value
		case "inputResponses":
			if !validResponses(value) {
				return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "inputResponses must be an object of objects"}
			}
			req.inputs = value
		case "requestState":
			_, ok = schema.TextOf(value)
			req.state = value
		default:
			if named == string(members.Name) {
				req.name, ok = schema.TextOf(value)
			}
		}
		if !ok {
			return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: string(members.Name) + " must be a string"}
		}
	}
	return members.Err()
}

func isNull(value []byte) bool { return string(value) == "null" }

// validResponses: R-090.
func validResponses(value []byte) bool {
	s := jsonrpc.Scan(value)
	for s.Next() {
		if s.Value[0] != '{' {
			return false
		}
	}
	return s.Err() == nil
}

func (v *envelope) read(meta []byte) *jsonrpc.Error {
	v.meta = meta
	members := jsonrpc.Scan(meta)
	for members.Next() {
		if isNull(members.Value) {
			continue
		}
		switch string(members.Name) {
		case hop.KeyVersion:
			v.version = members.Value
		case hop.KeyCapabilities:
			v.capabilities = members.Value
		case hop.KeyPrincipal:
			v.principal = members.Value
		case hop.KeyClientInfo:
			v.info = members.Value
		case hop.KeyDeclared:
			v.wantsDeclared = true
		case hop.KeyLogLevel:
			var ok bool
			if v.level, ok = levelOf(members.Value); !ok {
				return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "_meta " + hop.KeyLogLevel + " is not a level"}
			}
		case "progressToken":
			if c := members.Value[0]; c != '"' && c != '-' && (c < '0' || c > '9') {
				return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "_meta progressToken must be a string or a number"}
			}
		}
	}
	return nil
}

// clientName returns the name in the clientInfo of the request, or of its session; "" if there
// is none. It is cut and cleaned: users see it.
func (req *Request) clientName() string {
	if req.rev != modern {
		return req.client.declaredName()
	}
	return nameIn(req.info)
}

func nameIn(clientInfo []byte) string {
	if len(clientInfo) == 0 || clientInfo[0] != '{' {
		return ""
	}
	name, _ := jsonrpc.Text(jsonrpc.Member(clientInfo, "name"))
	return plain.Text(name, plain.MaxName)
}

// URI returns the URI that a request names in the canonical form, checked before any lookup. Answers have
// the spelling of the client, req.uri.
func (req *Request) URI() (string, error) {
	if !req.hasURI {
		return "", BadParams("uri is missing")
	}
	canonical, err := schema.Canonical(req.uri)
	if err != nil {
		return "", BadParams("uri " + err.Error())
	}
	return canonical, nil
}
