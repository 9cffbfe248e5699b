package mcphttp

import (
	"net/http"

	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// classic serves a message of the older revisions.
func (r *request) classic(x engine.Examination, body []byte) {
	if len(r.http.Header.Values(SessionHeader)) == 0 {
		switch {
		case x.Kind == jsonrpc.Request && x.Method == "initialize":
			r.beginSession(x, body)
		case x.Kind == jsonrpc.Request && r.server.Lenient:
			r.serveOnce(x, body, acceptsStream(r.http.Header), classicStatus, false)
		case x.Kind == jsonrpc.Request: // rows 7 and 10: the engine says what is missing
			r.serveOnce(x, body, acceptsStream(r.http.Header), sessionlessStatus, false)
		case r.server.Lenient: // there is nothing that it could be about
			r.w.WriteHeader(http.StatusAccepted)
		default:
			r.fail(http.StatusBadRequest, "", message.InvalidRequest("Mcp-Session-Id is missing"))
		}
		return
	}
	s := r.session()
	if s == nil {
		return
	}
	defer s.release()
	if x.Kind != jsonrpc.Request {
		if s.forward(x, body) != nil {
			r.unknownSession()
			return
		}
		r.w.WriteHeader(http.StatusAccepted)
		return
	}
	r.callInSession(s, [][]byte{body}, false)
}

// batch serves an array, which only 2025-03-26 has.
func (r *request) batch(elements [][]byte) {
	if len(r.http.Header.Values(SessionHeader)) > 0 {
		s := r.session()
		if s == nil {
			return
		}
		defer s.release()
		if s.record.Version == "2025-03-26" && len(elements) > 0 {
			r.callInSession(s, elements, true)
			return
		}
	}
	r.fail(http.StatusBadRequest, "", message.InvalidRequest("A message must be an object"))
}

// ask sends messages into a session and waits for the answers of those that are
// requests. A client that goes meanwhile has not cancelled them.
func (r *request) callInSession(s *session, messages [][]byte, batch bool) {
	release, ok := r.server.Gate.Limits.Acquire(r.client.Principal, "session "+s.hash, false)
	if !ok {
		r.fail(http.StatusTooManyRequests, "", message.Busy("Too many requests in flight"))
		return
	}
	defer release()
	box, stream := newMailbox(), acceptsStream(r.http.Header)
	remaining := 0
	var first jsonrpc.ID
	examined := make([]engine.Examination, len(messages))
	for i, msg := range messages {
		x := r.endpoint.Engine.Examine(msg)
		examined[i] = x
		switch {
		case x.Kind != jsonrpc.Request:
			continue
		case batch && x.Method == "initialize":
			r.fail(http.StatusBadRequest, "", message.InvalidRequest("initialize cannot be in a batch"))
			return
		case x.ID == "":
			r.fail(http.StatusBadRequest, "", message.InvalidRequest("A request has no valid id"))
			return
		}
		remaining, first = remaining+1, x.ID
	}
	if !s.registerAll(examined, messages, box, !stream) { // decision 6.15: without id, for that would settle the older one
		r.fail(http.StatusBadRequest, "", message.InvalidRequest("This id still waits for its answer"))
		return
	}
	for i, msg := range messages {
		if s.forward(examined[i], msg) != nil {
			s.detach(box)
			r.unknownSession()
			return
		}
	}
	if remaining == 0 {
		r.w.WriteHeader(http.StatusAccepted)
		return
	}
	answer := &response{
		w: r.w, mailbox: box, ended: s.done, id: first, remaining: remaining, batch: batch,
		stream: stream, status: classicStatus, pending: s.pending, requeue: s.requeue,
	}
	if answer.run(r.http.Context()) != nil {
		s.detach(box)
	}
}

// session returns the session that the request names, or answers 404. Whoever
// gets it has to leave it.
func (r *request) session() *session {
	id, ok := header(r.http.Header, SessionHeader)
	if !ok {
		r.fail(http.StatusBadRequest, "", message.InvalidRequest("Mcp-Session-Id stands twice"))
		return nil
	}
	s := r.server.Sessions.acquire(id, r.client.Principal, r.endpoint)
	if s == nil {
		r.unknownSession()
	}
	return s
}

// unknownSession is for ids that were never given out, were ended, or have
// expired; not after a restart, for clients do not begin anew by themselves.
func (r *request) unknownSession() {
	r.fail(http.StatusNotFound, "", message.InvalidRequest("There is no such session"))
}

// begin opens a session. Its id is in the header of the answer.
func (r *request) beginSession(x engine.Examination, body []byte) {
	s, id, result := r.server.Sessions.begin(r.http.Context(), r.endpoint, r.client, x, body)
	if s == nil {
		if result == nil {
			r.fail(http.StatusTooManyRequests, x.ID, message.Busy("Too many sessions"))
			return
		}
		writeJSON(r.w, classicStatus(message.HeadOf(result), result), result)
		return
	}
	defer s.release()
	r.w.Header().Set(SessionHeader, id)
	writeJSON(r.w, http.StatusOK, result)
}

// endSession answers DELETE.
func (r *request) endSession() {
	s := r.session()
	if s == nil {
		return
	}
	defer s.release()
	r.server.Sessions.end(s)
	r.w.WriteHeader(http.StatusNoContent)
}

// openSessionStream answers GET: the stream of a session, for what belongs to no
// request.
func (r *request) openSessionStream() {
	if version, ok := header(r.http.Header, VersionHeader); ok && engine.ClassicVersion(version) != version {
		r.fail(http.StatusBadRequest, "", message.InvalidRequest("MCP-Protocol-Version is not supported"))
		return
	}
	if !accepts(r.http.Header, EventStreamType) {
		r.reject("GET needs Accept: text/event-stream", http.StatusNotAcceptable)
		return
	}
	s := r.session()
	if s == nil {
		return
	}
	defer s.release()
	if !s.stream(r.w, r.http) {
		r.reject("this session has a stream already", http.StatusConflict)
	}
}
