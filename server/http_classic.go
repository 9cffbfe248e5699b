package server

import (
	"net/http"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// classic serves a message of the older revisions.
func (p *post) classic(x engine.Examination, body []byte) {
	if len(p.r.Header.Values(sessionHeader)) == 0 {
		switch {
		case x.Kind == jsonrpc.Request && x.Method == "initialize":
			p.begin(x, body)
		case x.Kind == jsonrpc.Request && p.server.lenient:
			p.once(x, body, takesStream(p.r.Header), classicStatus, false)
		case x.Kind == jsonrpc.Request: // rows 7 and 10: the engine says what is missing
			p.once(x, body, takesStream(p.r.Header), strangerStatus, false)
		case p.server.lenient: // there is nothing that it could be about
			p.w.WriteHeader(http.StatusAccepted)
		default:
			p.fail(http.StatusBadRequest, "", invalidRequest("Mcp-Session-Id is missing"))
		}
		return
	}
	s := p.session()
	if s == nil {
		return
	}
	defer s.leave()
	if x.Kind != jsonrpc.Request {
		if s.hear(x, body) != nil {
			p.unknownSession()
			return
		}
		p.w.WriteHeader(http.StatusAccepted)
		return
	}
	p.ask(s, [][]byte{body}, false)
}

// batch serves an array, which only 2025-03-26 has.
func (p *post) batch(elements [][]byte) {
	if len(p.r.Header.Values(sessionHeader)) > 0 {
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
	p.fail(http.StatusBadRequest, "", invalidRequest("A message must be an object"))
}

// ask sends messages into a session and waits for the answers of those that are
// requests. A client that goes meanwhile has not cancelled them.
func (p *post) ask(s *session, messages [][]byte, batch bool) {
	leave, ok := p.server.gate.limits.enter(p.visit.who, "session "+s.hash, false)
	if !ok {
		p.fail(http.StatusTooManyRequests, "", busy("Too many requests in flight"))
		return
	}
	defer leave()
	box, stream := newMailbox(), takesStream(p.r.Header)
	want := 0
	var first jsonrpc.ID
	examined := make([]engine.Examination, len(messages))
	for i, msg := range messages {
		x := p.at.engine.Examine(msg)
		examined[i] = x
		switch {
		case x.Kind != jsonrpc.Request:
			continue
		case batch && x.Method == "initialize":
			p.fail(http.StatusBadRequest, "", invalidRequest("initialize cannot be in a batch"))
			return
		case x.ID == "":
			p.fail(http.StatusBadRequest, "", invalidRequest("A request has no valid id"))
			return
		}
		want, first = want+1, x.ID
	}
	if !s.expectAll(examined, messages, box, !stream) { // decision 6.15: without id, for that would settle the older one
		p.fail(http.StatusBadRequest, "", invalidRequest("This id still waits for its answer"))
		return
	}
	for i, msg := range messages {
		if s.hear(examined[i], msg) != nil {
			s.forget(box)
			p.unknownSession()
			return
		}
	}
	if want == 0 {
		p.w.WriteHeader(http.StatusAccepted)
		return
	}
	a := &answer{
		w: p.w, box: box, ended: s.done, id: first, want: want, batch: batch,
		stream: stream, status: classicStatus, pending: s.pending, giveBack: s.giveBack,
	}
	if a.run(p.r.Context()) != nil {
		s.forget(box)
	}
}

// session returns the session that the request names, or answers 404. Whoever
// gets it has to leave it.
func (p *post) session() *session {
	id, ok := header(p.r.Header, sessionHeader)
	if !ok {
		p.fail(http.StatusBadRequest, "", invalidRequest("Mcp-Session-Id stands twice"))
		return nil
	}
	s := p.server.sessions.find(id, p.visit.who, p.at)
	if s == nil {
		p.unknownSession()
	}
	return s
}

// unknownSession is for ids that were never given out, were ended, or have
// expired; not after a restart, for clients do not begin anew by themselves.
func (p *post) unknownSession() {
	p.fail(http.StatusNotFound, "", invalidRequest("There is no such session"))
}

// begin opens a session. Its id is in the header of the answer.
func (p *post) begin(x engine.Examination, body []byte) {
	s, id, result := p.server.sessions.begin(p.r.Context(), p.at, p.visit, x, body)
	if s == nil {
		if result == nil {
			p.fail(http.StatusTooManyRequests, x.ID, busy("Too many sessions"))
			return
		}
		writeJSON(p.w, classicStatus(headOf(result), result), result)
		return
	}
	defer s.leave()
	p.w.Header().Set(sessionHeader, id)
	writeJSON(p.w, http.StatusOK, result)
}

// endSession answers DELETE.
func (p *post) endSession() {
	s := p.session()
	if s == nil {
		return
	}
	defer s.leave()
	p.server.sessions.end(s)
	p.w.WriteHeader(http.StatusNoContent)
}

// openSessionStream answers GET: the stream of a session, for what belongs to no
// request.
func (p *post) openSessionStream() {
	if version, ok := header(p.r.Header, versionHeader); ok && engine.ClassicVersion(version) != version {
		p.fail(http.StatusBadRequest, "", invalidRequest("MCP-Protocol-Version is not supported"))
		return
	}
	if !accepts(p.r.Header, eventStreamType) {
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
