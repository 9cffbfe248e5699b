package mcphttp

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// route passes on a message of the engine. Each goes to exactly
// one stream: responses and messages about a request to the POST of that request, others
// to the stream of the session.
func (s *session) route(c *conversation, msg []byte) {
	h := message.HeadOf(msg)
	switch {
	case h.Kind == jsonrpc.Response:
		s.complete(c, h, msg)
	case h.Method == engine.MethodUpdated:
		s.announceUpdate(msg, h, updatedURI(msg))
	case h.Method == engine.MethodProgress:
		if box := s.mailboxFor(c, msg); box != nil {
			box.put(msg, h)
		}
	default:
		s.routeToStream(c, h, msg)
	}
}

func (s *session) mailboxFor(c *conversation, msg []byte) *mailbox {
	m, _ := jsonrpc.Parse(msg)
	token := jsonrpc.ID(jsonrpc.Member(m.Params, "progressToken")).Key()
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.tokens[token]
}

// complete delivers a response. Changes of the record are stored before the client gets
// it.
func (s *session) complete(c *conversation, h message.Head, msg []byte) {
	w, changed := s.takePending(c, h)
	if w == nil { // the response to a request of the session itself
		return
	}
	defer w.use.end()
	if changed {
		s.store()
		msg = s.withDurability(w, h, msg)
	}
	switch {
	case changed && s.owner.Events != nil:
		go func() { // ends within dropTime
			if failed := s.spread(w); failed != nil {
				msg = jsonrpc.AppendError(nil, h.ID, failed)
				h = message.HeadOf(msg)
			}
			s.deliver(w, h, msg)
		}()
	default:
		s.deliver(w, h, msg)
	}
}

// deliver passes a response to the POST of its request.
func (s *session) deliver(w *pendingRequest, h message.Head, msg []byte) {
	s.mu.Lock()
	box := w.box
	s.mu.Unlock()
	if w.id != w.engineID {
		const before = `{"jsonrpc":"2.0","id":`
		msg, h.ID = slices.Concat([]byte(before), []byte(w.id), msg[len(before)+len(w.engineID):]), w.id
	}
	switch {
	case box != nil:
		box.put(msg, h)
	default:
		s.owner.Gate.Audit.Record(access.Entry{
			Principal: s.record.Principal, Owner: s.record.Owner, Client: s.record.Client, Endpoint: s.record.Path, Verb: w.method, URI: w.uri,
			Outcome: "dropped", Ms: float64(time.Since(w.started).Microseconds()) / 1000,
		})
	}
}

// takePending removes and returns the request of a response, or nil, and reports whether
// the response has changed the record.
func (s *session) takePending(c *conversation, h message.Head) (w *pendingRequest, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w = c.pending[h.ID.Key()]
	delete(c.pending, h.ID.Key())
	if w == nil {
		return nil, false
	}
	delete(c.tokens, w.token)
	s.lastUsed = time.Now()
	if h.Failed {
		return w, false
	}
	switch w.method {
	case engine.MethodSetLevel:
		s.record.LogLevel, changed = w.level, true
	case engine.MethodSubscribe:
		c.subscribed[w.uri] = true
		has := s.record.Subscriptions.Has(w.uri)
		s.change(w.uri, false)
		changed = !has || s.owner.Events != nil // another node may have missed that the client had unsubscribed
		if w.earlyUpdate != nil {
			s.enqueue(w.earlyUpdate, message.HeadOf(w.earlyUpdate))
		}
	case engine.MethodUnsubscribe:
		w.uri = s.record.Subscriptions.spelled(w.uri)
		delete(c.subscribed, w.uri)
		changed = s.record.Subscriptions.Has(w.uri)
		s.change(w.uri, true)
		changed = changed || s.owner.Events != nil // the event of the subscription may be lost: another node has it
		s.outbox.dropUpdated(w.uri)
	}
	return w, changed
}

// change records that the client has subscribed to uri, or unsubscribed from it, here. The
// caller holds the lock.
func (s *session) change(uri string, gone bool) {
	s.record.Subscriptions.put(uri, Subscription{At: time.Now(), Gone: gone}, s.record.Partial)
}

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
		c.send(jsonrpc.AppendError(nil, h.ID, &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: reason}))
	}
}

// requestOf reports whether a message belongs to a request, and returns that request, or
// nil if it is no longer pending. The caller holds the lock of the session.
func (c *conversation) requestOf(h message.Head, msg []byte) (w *pendingRequest, belongs bool) {
	m, _ := jsonrpc.Parse(msg)
	if h.Method == engine.MethodCancelled { // of a request of the engine
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

// errUnpublished is the error of forward for a message that may be meant for another node and
// did not reach it.
var errUnpublished = errors.New("the other nodes did not get the message")

func unpublished(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errUnpublished, err)
}

// forward sends a notification or response of the client to the engine, or to the node that
// has the request which it is about. The error wraps errUnpublished if that node cannot be
// reached; otherwise the session has ended.
func (s *session) forward(x engine.Examination, msg []byte) error {
	s.markUsed()
	if x.Kind == jsonrpc.Notification && x.Method == engine.MethodCancelled {
		x, msg = s.cancelsLatest(x, msg)
	}
	if x.Kind == jsonrpc.Response && !s.takeEngineRequest(x.ID) && s.owner.Events != nil {
		return unpublished(s.publish(SessionEvent{Kind: EventAnswered, Message: msg})) // the request may be that of another node
	}
	if x.Kind == jsonrpc.Notification && x.Method == engine.MethodCancelled && s.owner.Events != nil {
		if !s.isPending(jsonrpc.ID(jsonrpc.Member(x.Params, "requestId"))) { // likewise
			return unpublished(s.publish(SessionEvent{Kind: EventCancelled, Message: msg}))
		}
	}
	if x.Kind == jsonrpc.Request && x.Method != engine.MethodInitialize && x.Method != engine.MethodPing {
		s.initialize()
	}
	if err := s.send(x, msg); err != nil {
		return err
	}
	if x.Kind == jsonrpc.Notification && x.Method == engine.MethodCancelled {
		s.cancel(jsonrpc.ID(jsonrpc.Member(x.Params, "requestId")))
	}
	return nil
}

// cancelsLatest makes a cancellation one of the newest request with its id.
func (s *session) cancelsLatest(x engine.Examination, msg []byte) (engine.Examination, []byte) {
	id := jsonrpc.ID(jsonrpc.Member(x.Params, "requestId"))
	latest := s.latest(id)
	if latest == id {
		return x, msg
	}
	msg = jsonrpc.AppendNotification(nil, engine.MethodCancelled, []byte(`{"requestId":`+string(latest)+`}`))
	return s.examine(msg), msg
}

func (s *session) markUsed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record.Unused = false
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
	if w == nil || w.method == engine.MethodInitialize { // unknown, or the client may not cancel it
		s.mu.Unlock()
		return
	}
	w.cancelled = true
	delete(c.pending, id.Key())
	delete(c.tokens, w.token)
	s.mu.Unlock()
	w.use.end()
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
