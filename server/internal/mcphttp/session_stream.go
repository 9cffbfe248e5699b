package mcphttp

import (
	"context"
	"net/http"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/server/internal/sse"
)

// A sessionStream is the GET stream of a session.
type sessionStream struct {
	probe    chan chan error // requests a write, to find out whether the client is connected
	replaced chan struct{}   // closed by the stream that replaces it
	ended    chan struct{}
}

// alive reports whether the client still reads.
func (st *sessionStream) alive() bool {
	timeout := time.NewTimer(limits.ProbeTime)
	defer timeout.Stop()
	result := make(chan error, 1)
	select {
	case st.probe <- result:
	case <-st.ended:
		return false
	case <-timeout.C: // blocked in a write
		return false
	}
	select {
	case err := <-result:
		return err == nil
	case <-timeout.C:
		return false
	}
}

// stream serves the stream of the session until the client disconnects. It returns false
// if there is another one whose client is connected. accepts is that of mailbox.nextFor.
func (s *session) stream(w http.ResponseWriter, r *http.Request, accepts func(msg string) bool) bool {
	st := &sessionStream{probe: make(chan chan error), replaced: make(chan struct{}), ended: make(chan struct{})}
	defer close(st.ended)
	s.mu.Lock()
	old := s.current
	s.mu.Unlock()
	if old != nil && old.alive() {
		return false
	}
	s.mu.Lock()
	if s.current != old {
		s.mu.Unlock()
		return false
	}
	s.current = st
	s.mu.Unlock()
	if old != nil {
		close(old.replaced)
	}
	defer func() {
		s.mu.Lock()
		if s.current == st {
			s.current = nil
		}
		s.mu.Unlock()
	}()
	defer s.beginStream()()
	s.pump(st, w, r.Context(), accepts)
	return true
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
	if s.current != nil {
		return nil, false
	}
	return s.outbox.nextFor(accepts)
}

// enqueue adds a message for the stream of the session, or for a pending POST whose
// response is an event stream. Without stream it is dropped if the stream may be on another
// node. The caller holds the lock.
func (s *session) enqueue(msg []byte, h message.Head) {
	if s.current == nil && s.owner.Events != nil {
		return
	}
	s.outbox.put(msg, h)
	if s.current != nil || s.conversation == nil {
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
			msg, ok := s.outbox.nextFor(accepts)
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
		case <-s.outbox.wait():
		case <-comments.C:
			err = events.Comment()
		case result := <-st.probe:
			err = events.Comment()
			result <- err
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
