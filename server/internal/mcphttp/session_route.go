package mcphttp

import (
	"context"

	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// While a request of a client runs, the engine may ask that client something, or
// tell it what happens: elicitation, sampling, roots, log messages. All of it goes
// to the stream of the POST that the request came by, and to no other (R-096,
// ); the client answers each question by a POST of its own.

// routeToStream gives a message of the engine's that is neither an answer nor progress to
// the stream where it belongs. A question that no stream can carry is answered
// here, so that its call fails at once, and says why.
func (s *session) routeToStream(c *conversation, h message.Head, msg []byte) {
	s.mu.Lock()
	w, belongs := c.requestOf(h, msg)
	var box *mailbox
	last := false // what is cancelled has nothing else to say
	if w != nil && !w.jsonOnly {
		box, last = w.box, w.cancelled
	}
	if h.Kind == jsonrpc.Request && box != nil {
		c.engineRequests[h.ID.Key()] = w
	}
	if !belongs {
		s.enqueue(msg, h)
	}
	s.mu.Unlock()
	switch {
	case !belongs:
	case box != nil:
		box.put(msg, h)
		if last {
			s.endCancelled(c, w)
		}
	case h.Kind == jsonrpc.Request:
		reason := "The client has closed the stream on which it could be asked"
		if w != nil && w.jsonOnly {
			reason = "The client takes no event stream (Accept: text/event-stream), so it cannot be asked"
		}
		refusal := jsonrpc.AppendError(nil, h.ID, &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: reason})
		go c.port.Write(context.Background(), refusal) // not here, where the engine is read; ends when it has it
	}
}

// requestOf returns the request that a message belongs to, nil if that runs no more,
// and whether it belongs to one at all. The lock of the session is held.
func (c *conversation) requestOf(h message.Head, msg []byte) (w *pendingRequest, belongs bool) {
	m, _ := jsonrpc.Parse(msg)
	if h.Method == "notifications/cancelled" { // of a question
		key := jsonrpc.ID(jsonrpc.Member(m.Params, "requestId")).Key()
		w = c.engineRequests[key]
		delete(c.engineRequests, key)
		return w, true
	}
	id := jsonrpc.Member(jsonrpc.Member(m.Params, "_meta"), engine.MetaRequest)
	if id == nil {
		return nil, false
	}
	return c.pending[jsonrpc.ID(id).Key()], true
}

// forward passes on what the client says.
func (s *session) forward(x engine.Examination, msg []byte) error {
	if x.Kind == jsonrpc.Response {
		s.mu.Lock()
		if s.conversation != nil {
			delete(s.conversation.engineRequests, x.ID.Key())
		}
		s.mu.Unlock()
	}
	if err := s.send(msg); err != nil {
		return err
	}
	if x.Kind == jsonrpc.Notification && x.Method == "notifications/cancelled" {
		m, _ := jsonrpc.Parse(msg)
		s.cancel(jsonrpc.ID(jsonrpc.Member(m.Params, "requestId")))
	}
	return nil
}

// cancel takes note that the client does not want an answer any more: its stream
// ends as soon as the engine has taken back what it asked.
func (s *session) cancel(id jsonrpc.ID) {
	s.mu.Lock()
	c := s.conversation
	var w *pendingRequest
	if c != nil {
		w = c.pending[id.Key()]
	}
	if w == nil || w.answered != nil || w.method == "initialize" { // unknown, or not the client's to cancel
		s.mu.Unlock()
		return
	}
	w.cancelled = true
	delete(c.pending, id.Key())
	delete(c.tokens, w.token)
	s.mu.Unlock()
	s.endCancelled(c, w)
}

// endCancelled ends the stream of a cancelled request, once nothing is asked on it.
func (s *session) endCancelled(c *conversation, w *pendingRequest) {
	s.mu.Lock()
	box := w.box
	for _, other := range c.engineRequests {
		if other == w {
			box = nil
		}
	}
	if box != nil {
		w.box = nil
	}
	s.mu.Unlock()
	if box != nil {
		box.putCancelled()
	}
}
