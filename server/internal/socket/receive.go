package socket

import (
	"bytes"
	"context"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
)

// received is a message, or the error for one that was too large.
type received struct {
	msg []byte
	err error
}

// maxReused is the capacity up to which a buffer is reused for the next message.
const maxReused = 128 << 10 // bytes

// receive reads messages until the connection ends.
func (s *Socket) receive() {
	defer close(s.in)
	defer s.cancel()
	for s.receiveFrame() {
	}
}

// buffers has memory for messages while they are received: Conn.Read takes twice as long
// for messages above 11 KB. A socket that waits has none of it.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// receiveFrame waits for a frame, and passes its messages on. It returns false when the
// connection has ended, or must end.
func (s *Socket) receiveFrame() bool {
	s.waitForRoom()
	kind, reader, err := s.conn.Reader(context.Background()) // ends with s.ctx, which closes the connection
	if err != nil {
		return false
	}
	if kind != websocket.MessageText {
		s.conn.Close(websocket.StatusUnsupportedData, "text frames only")
		return false
	}
	kept := buffers.Get().(*[]byte)
	defer buffers.Put(kept)
	buffer, err := readUpTo(reader, (*kept)[:0], int(s.limit)+1)
	isOwn := cap(buffer) > maxReused // belongs to the message, and is not used again
	if !isOwn {
		*kept = buffer
	}
	if err != nil {
		return false
	}
	s.lastReceived.Store(int64(time.Since(s.started)))
	s.hear()
	switch {
	case int64(len(buffer)) > s.limit:
		return s.discard(buffer, reader)
	case !utf8.Valid(buffer): // the library does not check
		s.conn.Close(websocket.StatusInvalidFramePayloadData, "not UTF-8")
		return false
	case s.sequences.Load() && len(buffer) > 0 && buffer[0] == separator:
		return s.receiveAll(buffer)
	case isOwn:
		return s.pass(received{msg: buffer})
	}
	return s.pass(received{msg: bytes.Clone(buffer)})
}

// discard reads the rest of a message that is too large, and keeps the connection.
func (s *Socket) discard(begin []byte, rest io.Reader) bool {
	end := &message.Tail{}
	n, err := io.Copy(end, io.LimitReader(rest, limits.MaxDiscard))
	if err != nil {
		return false
	}
	if n == limits.MaxDiscard {
		s.conn.Close(websocket.StatusMessageTooBig, "message is too large")
		return false
	}
	return s.pass(received{err: &message.TooLargeError{ID: message.IDOfParts(begin, end.Bytes)}})
}

// pass passes a message to Read. It returns false when the connection has ended.
func (s *Socket) pass(r received) bool {
	s.unread.Add(int64(len(r.msg)))
	select {
	case s.in <- r:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// readUpTo appends what r has to buffer, up to a length of limit. The buffer grows in
// steps that end at limit exactly, so that growing needs half as much memory again, not
// three times as much.
func readUpTo(r io.Reader, buffer []byte, limit int) ([]byte, error) {
	for len(buffer) < limit {
		if len(buffer) == cap(buffer) {
			size := limit
			for size/2 > cap(buffer) && size/2 >= 4<<10 {
				size /= 2
			}
			buffer = append(make([]byte, 0, size), buffer...)
		}
		n, err := r.Read(buffer[len(buffer):min(cap(buffer), limit)])
		buffer = buffer[:len(buffer)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return buffer, err
		}
	}
	return buffer, nil
}
