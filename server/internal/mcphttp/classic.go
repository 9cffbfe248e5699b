package mcphttp

import (
	"net/http"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// classic serves a message of the classic revisions.
func (r *request) classic(x engine.Examination, body []byte) {
	if len(r.http.Header.Values(SessionHeader)) == 0 { // some clients never send it: R-328
		switch {
		case x.Kind == jsonrpc.Request && x.Method == engine.MethodInitialize:
			r.beginSession(x, body)
		case x.Kind != jsonrpc.Request: // it refers to no request
			r.w.WriteHeader(http.StatusAccepted)
		case r.authorize(x):
			r.serveOnce(x, body, acceptsStream(r.http.Header), classicStatus, false)
		}
		return
	}
	s := r.session()
	if s == nil {
		return
	}
	defer s.release()
	if x.Kind != jsonrpc.Request || r.authorize(x) {
		r.inSession(s, x, body, acceptsStream(r.http.Header))
	}
}

// array serves an array of messages.
func (r *request) array(elements [][]byte) {
	if len(r.http.Header.Values(SessionHeader)) > 0 {
		s := r.session()
		if s == nil {
			return
		}
		defer s.release()
		if s.doc.Revision == "2025-03-26" {
			r.batch(s, elements)
			return
		}
	}
	r.fail(http.StatusBadRequest, "", message.InvalidRequest("The message must be a JSON object"))
}

// inSession sends a message to the engine in a session, and waits for the response to a request. A
// client that disconnects has not cancelled it.
func (r *request) inSession(s *session, x engine.Examination, body []byte, stream bool) {
	if x.Kind != jsonrpc.Request {
		// Within the rate and what may wait, it goes on at once: one that waits would come after its request.
		if _, over := r.server.Gate.Delay(r.client, x.Method); over != nil {
			r.exceeded("", over)
			return
		}
		if err := s.notify(x, body); err != nil {
			r.noSession(err)
			return
		}
		r.w.WriteHeader(http.StatusAccepted)
		return
	}
	if x.ID == "" {
		r.fail(http.StatusBadRequest, "", message.InvalidRequest("A request has no valid id"))
		return
	}
	if x.Method == engine.MethodSubscribe && !s.hasRoomFor(uriOf(x.Params)) {
		r.exceeded(x.ID, &limits.Exceeded{Text: "The URIs of this session's subscriptions exceed 256 KiB: unsubscribe from some"})
		return
	}
	w, err := s.request(x, body)
	if err != nil {
		r.noSession(err)
		return
	}
	defer s.settle(w)
	answer := &response{w: r.w, direct: s.direct, out: w.out, id: x.ID, stream: stream, status: classicStatus, session: s, request: w, accepts: r.mayGet()}
	if answer.run(r.http.Context()) != nil && !answer.hasEnded { // the client has disconnected
		s.abandon(w)
	}
}

// session returns the session that r names, or responds with an error. The caller must
// release the session.
func (r *request) session() *session {
	id, ok := header(r.http.Header, SessionHeader)
	if !ok {
		r.fail(http.StatusBadRequest, "", message.InvalidRequest("Mcp-Session-Id occurs more than once"))
		return nil
	}
	s, err := r.server.Sessions.acquire(id, r.caller.Issuer, r.client)
	if err != nil {
		r.noSession(err)
		return nil
	}
	return s
}

// noSession responds to a request whose session cannot be used: with 404 only if its id was never
// assigned, or it has ended or expired. Sessions survive a restart, since many clients do not begin
// a new one after a 404.
func (r *request) noSession(err error) {
	switch err {
	case errTooManySessions:
		r.fail(http.StatusTooManyRequests, "", message.Busy("Too many sessions: end some by DELETE, or retry later"))
	case errAway:
		r.fail(http.StatusServiceUnavailable, "", message.Unreachable("The store of sessions does not answer: retry in a second"))
	case errOver:
		r.fail(http.StatusServiceUnavailable, "", message.Unreachable("The session is served anew: send the request again"))
	default:
		r.fail(http.StatusNotFound, "", message.InvalidRequest("There is no such session: it was deleted, or not used for long. Send initialize again"))
	}
}

// beginSession begins a session. Its id is in the header of the response.
func (r *request) beginSession(x engine.Examination, body []byte) {
	delay, over := r.server.Gate.Delay(r.client, x.Method)
	if over != nil {
		r.exceeded(x.ID, over)
		return
	}
	if !wait.For(r.http.Context(), delay) {
		return // the client has disconnected
	}
	s, id, result := r.server.Sessions.begin(r.caller.Issuer, r.client, x, body)
	if s == nil {
		if result == nil {
			r.fail(http.StatusTooManyRequests, x.ID, message.Busy("Too many sessions: end some by DELETE, or retry later"))
			return
		}
		writeJSON(r.w, classicStatus(message.HeadOf(result), result), result)
		return
	}
	defer s.release()
	r.w.Header().Set(SessionHeader, id)
	writeJSON(r.w, http.StatusOK, result)
}

// endSession serves DELETE.
func (r *request) endSession() {
	s := r.session()
	if s == nil {
		return
	}
	defer s.release()
	s.stop(deleted)
	s.save()
	r.w.WriteHeader(http.StatusNoContent)
}

// openSessionStream serves GET: the stream of a session, for messages that belong to no
// request.
func (r *request) openSessionStream() {
	if version, ok := header(r.http.Header, VersionHeader); ok && engine.ClassicVersion(version) != version {
		r.fail(http.StatusBadRequest, "", message.InvalidRequest("MCP-Protocol-Version is not supported: send that of the result of initialize"))
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
	release, over := r.take(limits.Streams)
	if over != nil {
		r.exceeded("", over)
		return
	}
	defer release()
	s.stream(r.http.Context(), r.w, r.mayGet())
}
