// Package mcphttp serves MCP over Streamable HTTP: requests of 2026-07-28, and sessions
// of the classic revisions. Its user provides the engines as [Endpoints].
package mcphttp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Server serves Streamable HTTP, all revisions on one URL. MCP 2026-07-28 and
// 2025-11-25, basic/transports.
type Server struct {
	Endpoints Endpoints
	Gate      *access.Gate
	Sessions  *Sessions
	Ending    context.Context // listens get their result when it ends, and streams of sessions end
}

// Serve serves r, which has passed the guard, from the endpoint at path. The order of
// the checks decides which error a request with several mistakes gets.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, path string) {
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
	caller, ok := s.Gate.Admit(w, r)
	if !ok {
		return
	}
	endpoint, err := s.Endpoints.Acquire(caller.Owner, path)
	if err != nil {
		w.Header().Set("Retry-After", "5") // seconds
		http.Error(w, err.Error()+": retry later", http.StatusTooManyRequests)
		return
	}
	defer endpoint.Release()
	unbound := r.Context()
	ctx, unbind := caller.Bind(unbound)
	defer unbind()
	r = r.WithContext(ctx)
	req := &request{server: s, endpoint: endpoint, w: w, http: r, unbound: unbound, caller: caller, client: caller.Client(path)}
	switch r.Method {
	case http.MethodGet:
		ctx, cancel := context.WithCancel(ctx)
		defer caller.AfterStream(cancel)()
		defer context.AfterFunc(s.Ending, cancel)()
		req.http = r.WithContext(ctx)
		req.openSessionStream()
	case http.MethodDelete:
		req.endSession()
	default:
		req.serve()
	}
}

// A request is one HTTP request at an endpoint.
type request struct {
	server   *Server
	endpoint Endpoint
	w        http.ResponseWriter
	http     *http.Request
	unbound  context.Context // of http, without the end of the caller's credentials
	caller   access.Caller
	client   access.Client

	endBody func() // releases the body from the limits

	method, name, page, trace string // of the message, for the audit log
}

func (r *request) serve() {
	if !isJSON(r.http.Header) {
		r.reject("Content-Type must be application/json", http.StatusUnsupportedMediaType)
		return
	}
	release, over := r.acquireBody()
	if over != nil {
		r.exceeded("", over)
		return
	}
	r.endBody = sync.OnceFunc(release)
	defer r.endBody()
	body, ok := r.body()
	if !ok {
		return
	}
	version, versionOK := header(r.http.Header, VersionHeader)
	if !versionOK && len(r.http.Header.Values(VersionHeader)) > 0 {
		r.fail(http.StatusBadRequest, "", message.InvalidRequest("MCP-Protocol-Version occurs more than once"))
		return
	}
	if elements, isArray := jsonrpc.Elements(body); isArray {
		r.array(elements)
		return
	}
	x := r.endpoint.Engine.Examine(body)
	r.method, r.name, r.trace = x.Method, x.Name, r.server.Gate.TraceOf(x)
	r.page = access.PageConcerned(r.client.Endpoint, x)
	switch {
	case x.Malformed != nil:
		r.fail(http.StatusBadRequest, x.ID, x.Malformed)
	case x.Kind == jsonrpc.Request && x.Modern:
		r.modern(x, body)
	case x.Modern: // a notification has no effect: over HTTP closing the stream cancels
		r.w.WriteHeader(http.StatusAccepted)
	case version == engine.LatestModern && x.Kind == jsonrpc.Request:
		r.fail(http.StatusBadRequest, x.ID, engine.MissingEnvelope())
	case version == engine.LatestModern && x.Kind == jsonrpc.Notification:
		r.w.WriteHeader(http.StatusAccepted)
	case version == engine.LatestModern:
		r.fail(http.StatusBadRequest, "", message.InvalidRequest("A response is not accepted here"))
	case version != "" && engine.ClassicVersion(version) != version:
		r.fail(http.StatusBadRequest, x.ID, message.InvalidRequest("MCP-Protocol-Version is not supported: send that of the result of initialize"))
	default:
		r.classic(x, body)
	}
}

// body reads the whole body, as net/http detects a disconnect only after that.
func (r *request) body() ([]byte, bool) {
	tooLarge := func() {
		r.fail(http.StatusRequestEntityTooLarge, "", message.InvalidRequest("The message is larger than 1 MiB"))
	}
	if r.http.ContentLength > limits.MaxMessage {
		tooLarge()
		return nil, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(r.w, r.http.Body, limits.MaxMessage))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		tooLarge()
	case err != nil:
		r.reject("the request body could not be read", http.StatusBadRequest)
	}
	return body, err == nil
}

// acquireBody takes a large body from the limits before it is read: a client could otherwise
// have any number of them read at a time.
func (r *request) acquireBody() (release func(), over *limits.Exceeded) {
	if length := r.http.ContentLength; 0 <= length && length <= limits.SmallBody {
		return func() {}, nil
	}
	return r.take(limits.Bodies)
}

// take counts what this request uses until release is called.
func (r *request) take(all ...limits.What) (release func(), over *limits.Exceeded) {
	release = func() {}
	for _, what := range all {
		one, over := r.server.Gate.Limits.Take(r.http.Context(), r.client.User(), what)
		if over != nil {
			release()
			return nil, over
		}
		before := release
		release = func() { one(); before() }
	}
	return release, nil
}

// fail rejects a message before it reaches an engine.
func (r *request) fail(status int, id jsonrpc.ID, err *jsonrpc.Error) {
	r.audit(access.OutcomeOf(err), "")
	writeError(r.w, status, id, err)
}

// exceeded rejects a request over a limit.
func (r *request) exceeded(id jsonrpc.ID, over *limits.Exceeded) {
	if seconds := over.Seconds(); seconds > 0 {
		r.w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	err := message.Busy(over.Text)
	r.audit(access.OutcomeOf(err), access.ReasonRate)
	writeError(r.w, http.StatusTooManyRequests, id, err)
}

// reject rejects an HTTP request that contains no message.
func (r *request) reject(text string, status int) {
	r.audit(strconv.Itoa(status), "")
	http.Error(r.w, text, status)
}

// audit records a request that no engine has served; the port records the others.
func (r *request) audit(outcome, reason string) {
	r.server.Gate.Audit.Record(access.Entry{
		Principal: r.client.Principal, Owner: r.client.Owner, Endpoint: r.client.Endpoint,
		Verb: cmp.Or(r.method, r.http.Method), URI: r.name, App: r.page, Right: r.server.Gate.RightOf(r.endpoint.Engine, r.method, r.name),
		Outcome: outcome, Reason: reason, Trace: r.trace,
	})
}

// modern serves a request of 2026-07-28, as a client of its own: a disconnect ends it, which
// cancels the request.
func (r *request) modern(x engine.Examination, body []byte) {
	if mismatch := checkHeaders(r.http.Header, x); mismatch != nil {
		r.fail(http.StatusBadRequest, x.ID, mismatch)
		return
	}
	if x.Unserved != nil {
		r.fail(modernStatus(message.Head{Failed: true}, jsonrpc.AppendError(nil, x.ID, x.Unserved)), x.ID, x.Unserved)
		return
	}
	if !r.authorize(x) {
		return
	}
	if mismatch := r.checkParams(x); mismatch != nil {
		r.fail(http.StatusBadRequest, x.ID, mismatch)
		return
	}
	listen := x.Method == engine.MethodListen
	stream := acceptsStream(r.http.Header)
	if listen {
		stream = accepts(r.http.Header, EventStreamType) // a subscription has no JSON response, so a wildcard suffices
	}
	if listen && !stream {
		r.fail(http.StatusNotAcceptable, x.ID, message.InvalidRequest(x.Method+" needs Accept: text/event-stream"))
		return
	}
	r.serveOnce(x, body, stream, modernStatus, listen)
}

// serveOnce serves one request as a client of its own.
func (r *request) serveOnce(x engine.Examination, body []byte, stream bool, status func(message.Head, []byte) int, listen bool) {
	r.client.Caller = "client " + access.ClientName(x)
	if listen {
		release, over := r.take(limits.Streams, limits.Listens)
		if over != nil {
			r.exceeded(x.ID, over)
			return
		}
		defer release()
		r.endBody() // a stream outlives it
	}
	ctx, cancel := r.serveContext(listen)
	defer cancel()
	direct := r.server.Gate.Direct(ctx, r.endpoint.Engine, r.client)
	defer direct.Close()
	direct.Send(x, body, direct.Outbox())
	answer := &response{w: r.w, direct: direct, out: direct.Outbox(), id: x.ID, stream: stream, status: status}
	answer.run(ctx) // on an error the client has disconnected
}

// serveContext returns the context of a request that is a client of its own. It ends with the
// HTTP request and the credentials of the caller, and a listen with the gateway. A listen gets
// its result then, and limits.ShutdownTime to write it.
func (r *request) serveContext(listen bool) (context.Context, context.CancelFunc) {
	if !listen {
		return r.http.Context(), func() {} // ends with Serve: see Caller.Bind
	}
	end, ended := context.WithCancel(r.server.Ending)
	unbind := r.caller.AfterStream(ended)
	ctx, cancel := context.WithCancel(engine.WithEnd(r.unbound, end))
	stop := context.AfterFunc(end, func() { time.AfterFunc(limits.ShutdownTime, cancel) })
	return ctx, func() { unbind(); stop(); cancel(); ended() }
}
