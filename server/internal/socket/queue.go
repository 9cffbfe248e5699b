package socket

import "sync"

// What may wait to be sent, in bytes, besides one message of any size. A page has more room: its
// socket serves many assistants, which all subscribe again after a restart. For other peers the
// bound is that of their [engine.Outbox].
const (
	maxWaiting     = maxSequence
	maxPageWaiting = 16 << 20
	messageCost    = 64 // of each message, besides its bytes
)

// A queue holds the messages that are not sent yet. It has a goroutine only while there are
// some: an idle socket costs little.
type queue struct {
	mu       sync.Mutex
	messages [][]byte
	bytes    int           // of the messages that wait or are being sent
	sending  bool          // a goroutine sends
	less     chan struct{} // closed when bytes has become less; nil: nothing waits for that
}

// put adds a message, if there is room for it; else it returns a channel that is closed when there
// may be.
func (s *Socket) put(msg []byte) (full <-chan struct{}) {
	q := &s.out
	q.mu.Lock()
	defer q.mu.Unlock()
	most := maxWaiting
	if s.failWhenFull {
		most = maxPageWaiting
	}
	if size := len(msg) + messageCost; q.bytes > 0 && q.bytes+size > most {
		if q.less == nil {
			q.less = make(chan struct{})
		}
		return q.less
	}
	q.messages = append(q.messages, msg)
	q.bytes += len(msg) + messageCost
	s.beginSending()
	return nil
}

// beginSending makes sure that a goroutine sends, or closes the connection. The caller holds the lock.
func (s *Socket) beginSending() {
	if !s.out.sending {
		s.out.sending = true
		go s.send() // ends when the queue is empty
	}
}

// sent makes room for as much as messages have taken.
func (q *queue) sent(messages [][]byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, msg := range messages {
		q.bytes -= len(msg) + messageCost
	}
	if q.less != nil {
		close(q.less)
		q.less = nil
	}
}

// take removes the first message; ok is false if there is none. After orEnd the goroutine that sends
// must end then, unless the socket is to be closed.
func (s *Socket) take(orEnd bool) (msg []byte, ok bool) {
	q := &s.out
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.messages) == 0 {
		q.messages = nil // its memory
		q.sending = !orEnd || s.isClosing()
		return nil, false
	}
	msg, q.messages[0] = q.messages[0], nil
	q.messages = q.messages[1:]
	return msg, true
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
		msg, ok := s.take(true)
		switch {
		case ok:
			messages := s.gather(msg)
			if s.ctx.Err() == nil && s.writeFrame(messages) != nil {
				s.cancel()
			}
			s.out.sent(messages)
		case s.isClosing():
			s.conn.Close(s.code, s.reason)
			s.cancel()
			return
		default:
			return
		}
	}
}
