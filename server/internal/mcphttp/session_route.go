package mcphttp

import (
	"context"

	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// While a request of a client is pending, the engine may send requests and notifications
// that belong to it: elicitation, sampling, roots, log messages. They go to the stream of
// that request's POST and to no other. The client sends each
// response by a further POST.

// routeToStream routes a message of the engine that is neither a response nor progress.
// A request that no stream can carry gets an error response here, so that the call fails
// at once with a reason.
func (s *session) routeToStream(c *conversation, h message.Head, msg []byte) {
	s.mu.Lock()
	w, belongs := c.requestOf(h, msg)
	var box *mailbox
	last := false // the request was cancelled, and this message ends its stream
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
		reason := "The client has closed the stream of this call, so no request can be sent to it"
		if w != nil && w.jsonOnly {
			reason = "The client accepts no event stream (Accept: text/event-stream), so no request can be sent to it"
		}
		refusal := jsonrpc.AppendError(nil, h.ID, &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: reason})
		go c.port.Write(context.Background(), refusal) // in a goroutine: the reader of the engine must not block; ends when the pipe has it
	}
}

// requestOf reports whether a message belongs to a request, and returns that request, or
// nil if it is no longer pending. The caller holds the lock of the session.
func (c *conversation) requestOf(h message.Head, msg []byte) (w *pendingRequest, belongs bool) {
	m, _ := jsonrpc.Parse(msg)
	if h.Method == "notifications/cancelled" { // of a request of the engine
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

// forward sends a notification or response of the client to the engine.
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

// cancel handles a request that the client has cancelled: its stream ends when the
// engine has cancelled its own requests on it.
func (s *session) cancel(id jsonrpc.ID) {
	s.mu.Lock()
	c := s.conversation
	var w *pendingRequest
	if c != nil {
		w = c.pending[id.Key()]
	}
	if w == nil || w.answered != nil || w.method == "initialize" { // unknown, or the client may not cancel it
		s.mu.Unlock()
		return
	}
	w.cancelled = true
	delete(c.pending, id.Key())
	delete(c.tokens, w.token)
	s.mu.Unlock()
	s.endCancelled(c, w)
}

// endCancelled ends the stream of a cancelled request if no request of the engine is
// pending on it.
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
