package mcphttp

import (
	"net/http"

	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// classic serves a message of the older revisions.
func (p *request) classic(x engine.Examination, body []byte) {
	if len(p.r.Header.Values(SessionHeader)) == 0 {
		switch {
		case x.Kind == jsonrpc.Request && x.Method == "initialize":
			p.begin(x, body)
		case x.Kind == jsonrpc.Request && p.server.Lenient:
			p.once(x, body, takesStream(p.r.Header), classicStatus, false)
		case x.Kind == jsonrpc.Request: // rows 7 and 10: the engine says what is missing
			p.once(x, body, takesStream(p.r.Header), strangerStatus, false)
		case p.server.Lenient: // there is nothing that it could be about
			p.w.WriteHeader(http.StatusAccepted)
		default:
			p.fail(http.StatusBadRequest, "", message.InvalidRequest("Mcp-Session-Id is missing"))
		}
		return
	}
	s := p.session()
	if s == nil {
		return
	}
	defer s.leave()
	if x.Kind != jsonrpc.Request {
		if s.forward(x, body) != nil {
			p.unknownSession()
			return
		}
		p.w.WriteHeader(http.StatusAccepted)
		return
	}
	p.ask(s, [][]byte{body}, false)
}

// batch serves an array, which only 2025-03-26 has.
func (p *request) batch(elements [][]byte) {
	if len(p.r.Header.Values(SessionHeader)) > 0 {
		s := p.session()
		if s == nil {
			return
		}
		defer s.leave()
		if s.record.Version == "2025-03-26" && len(elements) > 0 {
			p.ask(s, elements, true)
			return
		}
	}
	p.fail(http.StatusBadRequest, "", message.InvalidRequest("A message must be an object"))
}

// ask sends messages into a session and waits for the answers of those that are
// requests. A client that goes meanwhile has not cancelled them.
func (p *request) ask(s *session, messages [][]byte, batch bool) {
	leave, ok := p.server.Gate.Limits.Enter(p.client.Principal, "session "+s.hash, false)
	if !ok {
		p.fail(http.StatusTooManyRequests, "", message.Busy("Too many requests in flight"))
		return
	}
	defer leave()
	box, stream := newMailbox(), takesStream(p.r.Header)
	want := 0
	var first jsonrpc.ID
	examined := make([]engine.Examination, len(messages))
	for i, msg := range messages {
		x := p.at.Engine.Examine(msg)
		examined[i] = x
		switch {
		case x.Kind != jsonrpc.Request:
			continue
		case batch && x.Method == "initialize":
			p.fail(http.StatusBadRequest, "", message.InvalidRequest("initialize cannot be in a batch"))
			return
		case x.ID == "":
			p.fail(http.StatusBadRequest, "", message.InvalidRequest("A request has no valid id"))
			return
		}
		want, first = want+1, x.ID
	}
	if !s.registerAll(examined, messages, box, !stream) { // decision 6.15: without id, for that would settle the older one
		p.fail(http.StatusBadRequest, "", message.InvalidRequest("This id still waits for its answer"))
		return
	}
	for i, msg := range messages {
		if s.forward(examined[i], msg) != nil {
			s.detach(box)
			p.unknownSession()
			return
		}
	}
	if want == 0 {
		p.w.WriteHeader(http.StatusAccepted)
		return
	}
	a := &response{
		w: p.w, box: box, ended: s.done, id: first, want: want, batch: batch,
		stream: stream, status: classicStatus, pending: s.pending, requeue: s.requeue,
	}
	if a.run(p.r.Context()) != nil {
		s.detach(box)
	}
}

// session returns the session that the request names, or answers 404. Whoever
// gets it has to leave it.
func (p *request) session() *session {
	id, ok := header(p.r.Header, SessionHeader)
	if !ok {
		p.fail(http.StatusBadRequest, "", message.InvalidRequest("Mcp-Session-Id stands twice"))
		return nil
	}
	s := p.server.Sessions.find(id, p.client.Principal, p.at)
	if s == nil {
		p.unknownSession()
	}
	return s
}

// unknownSession is for ids that were never given out, were ended, or have
// expired; not after a restart, for clients do not begin anew by themselves.
func (p *request) unknownSession() {
	p.fail(http.StatusNotFound, "", message.InvalidRequest("There is no such session"))
}

// begin opens a session. Its id is in the header of the answer.
func (p *request) begin(x engine.Examination, body []byte) {
	s, id, result := p.server.Sessions.begin(p.r.Context(), p.at, p.client, x, body)
	if s == nil {
		if result == nil {
			p.fail(http.StatusTooManyRequests, x.ID, message.Busy("Too many sessions"))
			return
		}
		writeJSON(p.w, classicStatus(message.HeadOf(result), result), result)
		return
	}
	defer s.leave()
	p.w.Header().Set(SessionHeader, id)
	writeJSON(p.w, http.StatusOK, result)
}

// endSession answers DELETE.
func (p *request) endSession() {
	s := p.session()
	if s == nil {
		return
	}
	defer s.leave()
	p.server.Sessions.end(s)
	p.w.WriteHeader(http.StatusNoContent)
}

// openSessionStream answers GET: the stream of a session, for what belongs to no
// request.
func (p *request) openSessionStream() {
	if version, ok := header(p.r.Header, VersionHeader); ok && engine.ClassicVersion(version) != version {
		p.fail(http.StatusBadRequest, "", message.InvalidRequest("MCP-Protocol-Version is not supported"))
		return
	}
	if !accepts(p.r.Header, EventStreamType) {
		p.reject("GET needs Accept: text/event-stream", http.StatusNotAcceptable)
		return
	}
	s := p.session()
	if s == nil {
		return
	}
	defer s.leave()
	if !s.stream(p.w, p.r) {
		p.reject("this session has a stream already", http.StatusConflict)
	}
}
