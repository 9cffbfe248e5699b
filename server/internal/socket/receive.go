package socket

import (
	"bytes"
	"io"
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
	var buffer []byte // reused; Conn.Read takes twice as long for messages above 11 KB
	for {
		s.waitForRoom()
		kind, reader, err := s.conn.Reader(s.ctx)
		if err != nil {
			return
		}
		if kind != websocket.MessageText {
			s.conn.Close(websocket.StatusUnsupportedData, "text frames only")
			return
		}
		if buffer, err = readUpTo(reader, buffer[:0], int(s.limit)+1); err != nil {
			return
		}
		s.lastReceived.Store(int64(time.Since(s.started)))
		s.hear()
		r := received{}
		switch {
		case int64(len(buffer)) > s.limit: // discard the rest and keep the connection
			end := &message.Tail{}
			n, err := io.Copy(end, io.LimitReader(reader, limits.MaxDiscard))
			if err != nil {
				return
			}
			if n == limits.MaxDiscard {
				s.conn.Close(websocket.StatusMessageTooBig, "message is too large")
				return
			}
			r.err = &message.TooLargeError{ID: message.IDOfParts(buffer, end.Bytes)}
		case !utf8.Valid(buffer): // the library does not check
			s.conn.Close(websocket.StatusInvalidFramePayloadData, "not UTF-8")
			return
		case s.sequences.Load() && len(buffer) > 0 && buffer[0] == separator:
			if !s.receiveAll(buffer) {
				return
			}
			if cap(buffer) > maxReused {
				buffer = nil
			}
			continue
		case cap(buffer) > maxReused:
			r.msg = buffer
		default:
			r.msg = bytes.Clone(buffer)
		}
		if cap(buffer) > maxReused {
			buffer = nil
		}
		if !s.pass(r) {
			return
		}
	}
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
