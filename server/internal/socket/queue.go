package socket

import "sync"

// Numbers of messages that wait to be sent. A page has more room: all assistants subscribe
// again after a restart.
const (
	queueLength     = 8
	pageQueueLength = 256
)

// A queue holds the messages that are not sent yet. It has a goroutine only while there are
// some: an idle socket costs little.
type queue struct {
	room chan struct{} // one element per message; a writer waits for it

	mu       sync.Mutex
	messages [][]byte
	sending  bool // a goroutine sends
}

// put adds a message, for which there is room.
func (s *Socket) put(msg []byte) {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	s.out.messages = append(s.out.messages, msg)
	s.beginSending()
}

// startSending makes sure that a goroutine sends, or closes the connection.
func (s *Socket) startSending() {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	s.beginSending()
}

// beginSending is called with the lock held.
func (s *Socket) beginSending() {
	if !s.out.sending {
		s.out.sending = true
		go s.send() // ends when the queue is empty
	}
}

// take removes the first message; ok is false if there is none.
func (s *Socket) take() (msg []byte, ok bool) {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	return s.takeLocked()
}

func (s *Socket) takeLocked() (msg []byte, ok bool) {
	if len(s.out.messages) == 0 {
		return nil, false
	}
	msg, s.out.messages[0] = s.out.messages[0], nil
	if s.out.messages = s.out.messages[1:]; len(s.out.messages) == 0 {
		s.out.messages = nil // its memory
	}
	<-s.out.room // never blocks: the message has an element
	return msg, true
}

// takeOrEnd is take; without a message, the goroutine that calls it must end, unless the
// socket is to be closed.
func (s *Socket) takeOrEnd() (msg []byte, ok bool) {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	if msg, ok = s.takeLocked(); !ok && !s.isClosing() {
		s.out.sending = false
	}
	return msg, ok
}

func (s *Socket) isClosing() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}

// send writes queued messages, each within limits.WriteTime, until there are none. If
// CloseWith was called, it then closes the connection.
func (s *Socket) send() {
	for {
		msg, ok := s.takeOrEnd()
		switch {
		case ok && s.ctx.Err() == nil:
			if s.writeFrame(s.gather(msg)) != nil {
				s.cancel()
			}
		case ok: // nothing can be sent any more
			s.queued.Add(-int64(len(msg)))
		case s.isClosing():
			s.conn.Close(s.code, s.reason)
			s.cancel()
			return
		default:
			return
		}
	}
}
