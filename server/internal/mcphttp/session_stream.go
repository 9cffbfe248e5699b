package mcphttp

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/server/internal/sse"
	"github.com/pagemcp/pagemcp/server/internal/wait"
)

// A sessionStream is a GET stream of a session. A client may have several, and one whose
// connection is lost stays open until TCP notices that: the newest gets the messages, and
// an older one those that come after all newer ones have ended.
type sessionStream struct {
	turn     chan struct{} // has capacity 1; signals that it may be the newest
	replaced chan struct{} // closed when the client has opened another stream elsewhere, or too many
}

// maxStreams is the number of GET streams of one session. A further one ends the oldest.
const maxStreams = 4

// stream serves a stream of the session until the client disconnects. accepts is that of
// mailbox.nextFor.
func (s *session) stream(w http.ResponseWriter, r *http.Request, accepts func(msg string) bool) {
	st := &sessionStream{turn: wait.NewSignal(), replaced: make(chan struct{})}
	s.addStream(st)
	defer s.removeStream(st)
	defer s.beginStream()()
	s.pump(st, w, r.Context(), accepts)
}

func (s *session) addStream(st *sessionStream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.streams) == maxStreams {
		close(s.streams[0].replaced)
		s.streams = slices.Delete(s.streams, 0, 1)
	}
	s.streams = append(s.streams, st)
}

func (s *session) removeStream(st *sessionStream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams = slices.DeleteFunc(s.streams, func(one *sessionStream) bool { return one == st })
	if len(s.streams) > 0 {
		wait.Wake(s.streams[len(s.streams)-1].turn)
	}
}

// take takes a message for a stream, if it is the newest.
func (s *session) take(st *sessionStream, accepts func(msg string) bool) (msg []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isNewest(st) {
		return nil, false
	}
	return s.outbox.nextFor(accepts)
}

// isNewest reports whether a stream gets the messages. The caller holds the lock.
func (s *session) isNewest(st *sessionStream) bool {
	return len(s.streams) > 0 && s.streams[len(s.streams)-1] == st
}

// arrival returns what is signalled when there may be a message for a stream; nil if it is
// not the newest.
func (s *session) arrival(st *sessionStream) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isNewest(st) {
		return nil
	}
	return s.outbox.wait()
}

// requeue keeps a message that could not be written for the next stream.
func (s *session) requeue(msg []byte) {
	uri := updatedURI(msg)
	s.mu.Lock()
	defer s.mu.Unlock()
	if uri == "" || s.record.Subscriptions.Has(uri) {
		s.outbox.requeue(msg)
	}
}

// pending takes a message that waits for the stream of the session, if there is no
// stream: it is written to a POST whose response is an event stream (MCP 2025-11-25,
// basic/transports). Some clients lose their stream while the gateway restarts, and
// continue with POSTs. accepts is that of mailbox.nextFor.
func (s *session) pending(accepts func(msg string) bool) (msg []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.streams) > 0 {
		return nil, false
	}
	return s.outbox.nextFor(accepts)
}

// enqueue adds a message for the stream of the session, or for a pending POST whose
// response is an event stream. Without stream it is dropped if the stream may be on another
// node. The caller holds the lock.
func (s *session) enqueue(msg []byte, h message.Head) {
	if len(s.streams) == 0 && s.owner.Events != nil {
		return
	}
	s.outbox.put(msg, h)
	if len(s.streams) > 0 || s.conversation == nil {
		return
	}
	for _, w := range s.conversation.pending {
		if w.box != nil && !w.jsonOnly {
			w.box.wake()
		}
	}
}

// pump writes messages to the stream. One that could not be written is kept for the next
// stream.
func (s *session) pump(st *sessionStream, w http.ResponseWriter, ctx context.Context, accepts func(msg string) bool) {
	events, err := sse.Open(w, sse.RetryLine)
	if err != nil {
		return
	}
	comments := time.NewTicker(limits.PingEvery)
	defer comments.Stop()
	for {
		for {
			msg, ok := s.take(st, accepts)
			if !ok {
				break
			}
			if err := events.Message(msg); err != nil {
				s.requeue(msg)
				return
			}
		}
		if err != nil {
			return
		}
		select {
		case <-s.arrival(st):
		case <-st.turn:
		case <-comments.C:
			err = events.Comment()
		case <-st.replaced:
			return
		case <-s.doneChan():
			return
		case <-s.owner.Closing:
			return
		case <-ctx.Done():
			return
		}
	}
}
