package server

import (
	"context"
	"net/http"
	"time"
)

// A sessionStream is the GET stream of a session.
type sessionStream struct {
	probe    chan chan error // asks it to write something
	replaced chan struct{}   // closed by the one that takes its place
	ended    chan struct{}
}

// alive finds out whether the client still reads.
func (st *sessionStream) alive() bool {
	patience := time.NewTimer(probeTime)
	defer patience.Stop()
	result := make(chan error, 1)
	select {
	case st.probe <- result:
	case <-st.ended:
		return false
	case <-patience.C: // stuck in a write
		return false
	}
	select {
	case err := <-result:
		return err == nil
	case <-patience.C:
		return false
	}
}

// stream serves the session's stream until the client goes. It returns false if
// there is another one whose client is alive.
func (s *session) stream(w http.ResponseWriter, r *http.Request) bool {
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
	s.pump(st, w, r.Context())
	return true
}

// pump writes what waits for the stream. What could not be written waits for the
// next one.
func (s *session) pump(st *sessionStream, w http.ResponseWriter, ctx context.Context) {
	events, err := openStream(w, retryLine)
	if err != nil {
		return
	}
	comments := time.NewTicker(pingEvery)
	defer comments.Stop()
	for err == nil {
		waiting := s.out.take()
		for i, msg := range waiting {
			if err = events.message(msg); err != nil {
				s.out.giveBack(waiting[i:])
				return
			}
		}
		select {
		case <-s.out.changed:
		case <-comments.C:
			err = events.comment()
		case result := <-st.probe:
			err = events.comment()
			result <- err
		case <-st.replaced:
			return
		case <-s.done:
			return
		case <-s.owner.gateway.closing:
			return
		case <-ctx.Done():
			return
		}
	}
}
