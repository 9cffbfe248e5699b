package socket

import (
	"bytes"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/wait"
)

// A frame may be a JSON text sequence (RFC 7464): each message after a separator, which
// cannot occur in JSON text. What a browser and its processes do for one frame costs more
// than what most messages cost, so messages that are sent while the peer is busy share
// one.

// separator is the record separator, U+001E.
const separator = 0x1e

// maxSequence is the size up to which messages are put into one frame.
const maxSequence = 64 << 10 // bytes

// maxHold is how long messages wait for the peer's next message, which shows that it is
// not busy any more. It is what a message is late at most, if the peer does not answer
// the one before it.
const maxHold = time.Millisecond

// AllowSequences lets both sides send several messages in one frame: the peer has
// declared that it reads them.
func (s *Socket) AllowSequences() { s.sequences.Store(true) }

// gather returns first and messages that are sent in the same frame. If the peer has not
// sent anything since the last frame, it waits until it does, at most maxHold.
func (s *Socket) gather(first []byte) [][]byte {
	messages := [][]byte{first}
	if !s.sequences.Load() {
		return messages
	}
	size := len(first)
	if s.unanswered.Load() {
		s.hold()
	}
	for size < maxSequence && !s.isClosing() {
		msg, ok := s.take(false)
		if !ok {
			break
		}
		messages = append(messages, msg)
		size += len(msg)
	}
	select {
	case <-s.heard: // about an earlier frame
	default:
	}
	s.unanswered.Store(true)
	return messages
}

// hold waits until the peer has sent something, at most maxHold.
func (s *Socket) hold() {
	timer := time.NewTimer(maxHold)
	defer timer.Stop()
	select {
	case <-s.heard:
	case <-timer.C:
	case <-s.closing:
	case <-s.ctx.Done():
	}
}

// hear notes that the peer has sent a frame.
func (s *Socket) hear() {
	s.unanswered.Store(false)
	wait.Wake(s.heard)
}

// joined returns the frame of messages.
func joined(messages [][]byte) []byte {
	if len(messages) == 1 {
		return messages[0]
	}
	size := 0
	for _, msg := range messages {
		size += 1 + len(msg)
	}
	frame := make([]byte, 0, size)
	for _, msg := range messages {
		frame = append(append(frame, separator), msg...)
	}
	return frame
}

// receiveAll passes on the messages of a frame that begins with a separator. It returns
// false when the connection has ended.
func (s *Socket) receiveAll(frame []byte) bool {
	for len(frame) > 0 {
		msg := frame[1:]
		if end := bytes.IndexByte(msg, separator); end >= 0 {
			msg = msg[:end]
		}
		frame = frame[1+len(msg):]
		s.waitForRoom()
		if !s.pass(received{msg: bytes.Clone(msg)}) {
			return false
		}
	}
	return true
}
