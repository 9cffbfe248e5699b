package mcphttp

import (
	"strconv"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// resubscribe subscribes in the background to the URIs of the record that have no
// subscription. Those whose page is not connected are tried again when a page joins. The
// caller holds the lock.
func (s *session) resubscribe() {
	c := s.conversation
	if s.resubscribing {
		s.resubscribeAgain = true // a page may have joined after its subscription failed
		return
	}
	if c == nil || s.current == nil && s.owner.Events != nil { // the node with the stream subscribes
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
	s.resubscribing = true
	go func() { // ends when the engine has answered each request, or with the conversation
		next := make(chan string)
		var workers sync.WaitGroup
		for range min(len(missing), limits.MaxInFlight/4) {
			workers.Go(func() {
				for uri := range next {
					s.resubscribeTo(c, uri)
				}
			})
		}
		for _, uri := range missing {
			next <- uri
		}
		close(next)
		workers.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.resubscribing = false
		if s.resubscribeAgain {
			s.resubscribeAgain = false
			s.resubscribe()
		}
	}()
}

// resubscribeTo subscribes to uri on behalf of the client. Then it sends `updated`,
// since changes may have been missed. If the client has unsubscribed meanwhile, no
// `updated` is sent and takePending ends the subscription.
func (s *session) resubscribeTo(c *conversation, uri string) {
	answered := make(chan bool, 1)
	params := append(jsonrpc.AppendString([]byte(`{"uri":`), uri), '}')
	if !s.isSubscribed(uri) {
		return
	}
	s.sendOwn(c, engine.MethodSubscribe, uri, params, func(failed bool) { answered <- !failed })
	timeout := time.NewTimer(2 * limits.GraceTime)
	defer timeout.Stop()
	select {
	case ok := <-answered:
		if ok && s.isSubscribed(uri) {
			msg := jsonrpc.AppendNotification(nil, engine.MethodUpdated, params)
			s.announceUpdate(msg, message.HeadOf(msg), uri)
		}
	case <-timeout.C:
	case <-s.doneChan():
	}
}

// sendOwn sends a request of the session itself. The caller does not hold the lock.
func (s *session) sendOwn(c *conversation, method, uri string, params []byte, answered func(failed bool)) {
	c.send(jsonrpc.AppendRequest(nil, s.registerOwn(c, method, uri, answered), method, params))
}

func (s *session) registerOwn(c *conversation, method, uri string, answered func(failed bool)) jsonrpc.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.ownRequests++
	id := jsonrpc.ID(`"pagemcp/` + strconv.Itoa(c.ownRequests) + `"`)
	c.pending[id.Key()] = &pendingRequest{method: method, uri: uri, started: time.Now(), answered: answered}
	return id
}

// hasRoomFor reports whether the session can keep one more subscription: more than MaxChanges
// would be lost when it sleeps.
func (s *session) hasRoomFor(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record.Subscriptions.Has(uri) || changesOverhead+s.record.Subscriptions.size()+subscriptionOverhead+len(uri) <= MaxChanges
}

// isSubscribed reports whether the client is subscribed to uri.
func (s *session) isSubscribed(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record.Subscriptions.Has(uri)
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
		if w.answered == nil && w.method == engine.MethodSubscribe && w.uri == uri {
			w.earlyUpdate = msg
		}
	}
}

// unsubscribe ends a subscription that was made for a client which has unsubscribed
// meanwhile.
func (s *session) unsubscribe(c *conversation, uri string) {
	params := append(jsonrpc.AppendString([]byte(`{"uri":`), uri), '}')
	go s.sendOwn(c, engine.MethodUnsubscribe, uri, params, func(bool) {}) // in a goroutine: the caller holds the lock; ends when the engine has it
}

// pageJoined retries subscriptions that have failed.
func (s *session) pageJoined() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resubscribe()
}
