package mcphttp

import (
	"context"

	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// resubscribe gives the engine the subscriptions of the record that it does not have. Their pages
// need not be connected, nor answer: see [engine.Direct.Resubscribe]. Each URI is announced when
// its changes are, since the client may have read it before. The caller holds the lock.
func (s *session) resubscribe() {
	c := s.conversation
	if c == nil || len(s.streams) == 0 && s.owner.Events != nil { // the node with the stream subscribes
		return
	}
	var missing []string
	for _, uri := range s.record.Subscriptions.URIs() {
		if !c.subscribed[uri] {
			missing = append(missing, uri)
		}
	}
	if len(missing) == 0 {
		return
	}
	armed := s.subscribeTo(c, missing)
	go func() { // ends after Options.ArmTimeout of the engine
		armed()
		for _, uri := range missing {
			params := append(jsonrpc.AppendString([]byte(`{"uri":`), uri), '}')
			msg := jsonrpc.AppendNotification(nil, engine.MethodUpdated, params)
			s.announceUpdate(msg, message.HeadOf(msg), uri)
		}
	}()
}

// subscribeTo subscribes the engine to URIs. armed waits until it announces their changes. The
// caller holds the lock.
func (s *session) subscribeTo(c *conversation, uris []string) (armed func()) {
	for _, uri := range uris {
		c.subscribed[uri] = true
	}
	wait := c.direct.Resubscribe(uris)
	return func() { wait(context.Background()) }
}

// hasRoomFor reports whether the session can keep one more subscription: more than MaxChanges
// would be lost when it sleeps.
func (s *session) hasRoomFor(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record.Subscriptions.Has(uri) || changesOverhead+s.record.Subscriptions.size()+subscriptionOverhead+len(uri) <= MaxChanges
}

// announceUpdate enqueues an `updated` of uri, unless the client has unsubscribed. It
// holds the lock meanwhile, so that an unsubscribe either precedes it or removes the
// notification.
func (s *session) announceUpdate(msg []byte, h message.Head, uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Subscriptions.Has(uri) {
		s.enqueue(msg, h)
		return
	}
	if s.conversation == nil {
		return
	}
	for _, w := range s.conversation.pending { // a pending subscribe: send the update after its response
		if w.method == engine.MethodSubscribe && w.uri == uri {
			w.earlyUpdate = msg
		}
	}
}
