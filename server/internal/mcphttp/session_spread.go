package mcphttp

import (
	"context"
	"errors"

	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// What the response to a request of a session changes, sent to other nodes.

// spread tells other nodes what the response to a request has changed. If another node has
// the stream, it returns when that one holds the subscription, and this one gives up its
// own: no change that follows the response is missed. It returns the error with which to
// respond instead, if that node may send updates of a subscription that was ended.
func (s *session) spread(w *pendingRequest) *jsonrpc.Error {
	switch w.method {
	case engine.MethodSetLevel:
		s.publish(SessionEvent{Kind: EventLevel, LogLevel: w.level})
	case engine.MethodUnsubscribe:
		e := SessionEvent{Kind: EventUnsubscribed, URI: w.uri}
		s.publish(e)
		if !s.hasStream() && !s.requestDrop(e) {
			return message.Unreachable("The node that has the stream of this session may not know yet: unsubscribe again")
		}
	case engine.MethodSubscribe:
		e := SessionEvent{Kind: EventSubscribed, URI: w.uri}
		s.publish(e)
		if s.hasStream() {
			return nil
		}
		ctx, cancel := context.WithTimeout(context.Background(), armTime)
		defer cancel()
		err := s.owner.Events.Request(ctx, SessionTopic{Hash: s.hash, Stream: true}, e)
		if errors.Is(err, ErrEventTooLarge) {
			s.dropURI(e)
			s.store()
			return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "The URI is too long for the nodes of this gateway"}
		}
		if err != nil && !errors.Is(err, ErrNoSubscriber) { // the event may be lost
			s.publishParts(s.currentState())
		}
		s.disarmWithoutStream(w.uri)
	}
	return nil
}

// requestDrop returns true when the node with the stream has ended the subscription, or none
// has a stream, and false after dropTime. Events may be lost meanwhile, as when a NATS server
// is frozen: it repeats them.
func (s *session) requestDrop(e SessionEvent) bool {
	whole, stop := context.WithTimeout(context.Background(), dropTime)
	defer stop()
	for whole.Err() == nil {
		ctx, cancel := context.WithTimeout(whole, armTime)
		err := s.owner.Events.Request(ctx, SessionTopic{Hash: s.hash, Stream: true}, e)
		isOver := err == nil || errors.Is(err, ErrNoSubscriber)
		if !isOver {
			<-ctx.Done() // also after an error that came at once, as while NATS is away
		}
		cancel()
		if isOver {
			return true
		}
	}
	return false
}

func (s *session) disarmWithoutStream(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.streams) == 0 {
		s.disarm(uri)
	}
}
