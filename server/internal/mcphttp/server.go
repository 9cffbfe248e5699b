// Package mcphttp answers MCP over Streamable HTTP: requests of 2026-07-28, and
// sessions of the older revisions. It serves engines that its user provides as
// [Endpoints].
package mcphttp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// An Server answers Streamable HTTP, both eras on one URL.
// MCP 2026-07-28 and 2025-11-25, basic/transports.
type Server struct {
	Endpoints Endpoints
	Gate      *access.Gate
	Sessions  *Sessions
	Lenient   bool // clients need no handshake
}

// Serve answers r, which has passed the guard, from the endpoint at path. The order of
// its checks decides which error a client gets that makes several mistakes.
func (m *Server) Serve(w http.ResponseWriter, r *http.Request, path string) {
	hasSession := len(r.Header.Values(SessionHeader)) > 0
	switch {
	case r.Method == http.MethodPost:
	case (r.Method == http.MethodGet || r.Method == http.MethodDelete) && hasSession:
	default:
		allow := "POST"
		if hasSession {
			allow = "GET, POST, DELETE"
		}
		w.Header().Set("Allow", allow)
		http.Error(w, "POST a JSON-RPC message; GET and DELETE need Mcp-Session-Id", http.StatusMethodNotAllowed)
		return
	}
	who, ok := m.Gate.Admit(w, r)
	if !ok {
		return
	}
	at, ok := m.Endpoints.Acquire(who.Owner, path)
	if !ok {
		w.Header().Set("Retry-After", "5") // seconds
		http.Error(w, "too many pages are asked for at once", http.StatusTooManyRequests)
		return
	}
	defer at.Release()
	post := &request{server: m, at: at, w: w, r: r, client: access.Client{Principal: who.Principal, Door: path}}
	switch r.Method {
	case http.MethodGet:
		post.openSessionStream()
	case http.MethodDelete:
		post.endSession()
	default:
		post.serve()
	}
}

// A request is one HTTP request at an endpoint.
type request struct {
	server *Server
	at     Endpoint
	w      http.ResponseWriter
	r      *http.Request
	client access.Client

	method, name string // of the message, once it is known
}

func (p *request) serve() {
	if !isJSON(p.r.Header) {
		p.reject("Content-Type must be application/json", http.StatusUnsupportedMediaType)
		return
	}
	body, ok := p.body()
	if !ok {
		return
	}
	version, versionOK := header(p.r.Header, VersionHeader)
	if !versionOK && len(p.r.Header.Values(VersionHeader)) > 0 {
		p.fail(http.StatusBadRequest, "", message.InvalidRequest("MCP-Protocol-Version stands twice"))
		return
	}
	if elements, isArray := jsonrpc.Elements(body); isArray {
		p.batch(elements)
		return
	}
	x := p.at.Engine.Examine(body)
	p.method, p.name = x.Method, x.Name
	switch {
	case x.Malformed != nil:
		p.fail(http.StatusBadRequest, x.ID, x.Malformed)
	case x.Kind == jsonrpc.Request && x.Modern:
		p.modern(x, body)
	case x.Modern: // a notification; over HTTP it can only be about nothing, cancelling is closing
		p.w.WriteHeader(http.StatusAccepted)
	case version == engine.LatestModern && x.Kind == jsonrpc.Request:
		p.fail(http.StatusBadRequest, x.ID, engine.MissingEnvelope())
	case version == engine.LatestModern && x.Kind == jsonrpc.Notification:
		p.w.WriteHeader(http.StatusAccepted)
	case version == engine.LatestModern:
		p.fail(http.StatusBadRequest, "", message.InvalidRequest("A response is not accepted here"))
	case version != "" && engine.ClassicVersion(version) != version:
		p.fail(http.StatusBadRequest, x.ID, message.InvalidRequest("MCP-Protocol-Version is not supported"))
	default:
		p.classic(x, body)
	}
}

// body reads the request to its end: without that net/http does not notice when
// the client goes.
func (p *request) body() ([]byte, bool) {
	tooLarge := func() {
		p.fail(http.StatusRequestEntityTooLarge, "", message.InvalidRequest("The message is larger than 1 MiB"))
	}
	if p.r.ContentLength > limits.MaxMessage {
		tooLarge()
		return nil, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(p.w, p.r.Body, limits.MaxMessage))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		tooLarge()
	case err != nil:
		p.reject("the body did not arrive", http.StatusBadRequest)
	}
	return body, err == nil
}

// fail refuses a message that no engine gets.
func (p *request) fail(status int, id jsonrpc.ID, err *jsonrpc.Error) {
	p.note(access.OutcomeOf(err))
	writeError(p.w, status, id, err)
}

// reject refuses an HTTP request that is none of MCP.
func (p *request) reject(text string, status int) {
	p.note(strconv.Itoa(status))
	http.Error(p.w, text, status)
}

// note notes what no engine has served; what one has, its port notes.
func (p *request) note(outcome string) {
	p.server.Gate.Audit.Note(access.Entry{
		Who: p.client.Principal, Door: p.client.Door, Verb: cmp.Or(p.method, p.r.Method), URI: p.name, Outcome: outcome,
	})
}

// modern serves a request of 2026-07-28. It is a whole conversation: one message
// goes into an engine, its answer comes out, and closing the response closes the
// port, which abandons everything.
func (p *request) modern(x engine.Examination, body []byte) {
	if mismatch := checkHeaders(p.r.Header, x); mismatch != nil {
		p.fail(http.StatusBadRequest, x.ID, mismatch)
		return
	}
	if x.Unserved != nil {
		p.fail(modernStatus(message.Head{Failed: true}, jsonrpc.AppendError(nil, x.ID, x.Unserved)), x.ID, x.Unserved)
		return
	}
	if mismatch := p.checkParams(x); mismatch != nil {
		p.fail(http.StatusBadRequest, x.ID, mismatch)
		return
	}
	listen := x.Method == "subscriptions/listen"
	stream := takesStream(p.r.Header)
	if listen {
		stream = accepts(p.r.Header, EventStreamType) // it has no other answer
	}
	if listen && !stream {
		p.fail(http.StatusNotAcceptable, x.ID, message.InvalidRequest("subscriptions/listen needs Accept: text/event-stream"))
		return
	}
	p.once(x, body, stream, modernStatus, listen)
}

// once serves one request on a port of its own.
func (p *request) once(x engine.Examination, body []byte, stream bool, status func(message.Head, []byte) int, listen bool) {
	leave, ok := p.server.Gate.Limits.Enter(p.client.Principal, "client "+access.ClientName(x.Method, body), listen)
	if !ok {
		p.fail(http.StatusTooManyRequests, x.ID, message.Busy("Too many requests in flight"))
		return
	}
	defer leave()
	ctx, cancel := context.WithCancel(engine.WithPrincipal(p.r.Context(), engine.Principal(p.client.Principal)))
	defer cancel()
	near, far := jsonrpc.Pipe()
	defer far.Close()
	go p.at.Engine.Serve(engine.WithDelivery(ctx), p.server.Gate.Port(near, p.at.Engine, p.client)) // ends when far closes
	if err := far.Write(ctx, body); err != nil {
		return
	}
	box, ended := newMailbox(), make(chan struct{})
	go func() { // ends when far closes
		defer close(ended)
		for {
			msg, err := far.Read(ctx)
			if err != nil {
				return
			}
			box.put(msg, message.HeadOf(msg))
		}
	}()
	a := &response{w: p.w, box: box, ended: ended, id: x.ID, want: 1, stream: stream, status: status}
	a.run(ctx) // an error means that nobody is there to be told
}
