// Package socket makes a WebSocket a [jsonrpc.Port] that never blocks other work:
// bounded queues, a limit of each message that does not cost the connection, and
// detection of dead peers.
package socket

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Close codes of our own; RFC 6455, section 7.4.2.
const (
	CloseVersion  websocket.StatusCode = 4400 // unsupported version
	CloseRefused  websocket.StatusCode = 4403 // whatever the reason
	CloseReplaced websocket.StatusCode = 4409 // a newer hello of the same page
)

// A Socket is a WebSocket as a port: one message a text frame. Its context is
// its own, since coder/websocket closes the connection when the context of a
// read or write ends, and a request's must never do that.
type Socket struct {
	conn         *websocket.Conn
	ctx          context.Context // ends when the connection is gone
	cancel       context.CancelFunc
	limit        int64 // bytes of a message in
	in           chan received
	out          chan []byte
	failWhenFull bool // a queue that stays full refuses, rather than makes the writer wait for ever

	started      time.Time
	lastReceived atomic.Int64  // when the last message came, in nanoseconds since begun: a clock that is set changes nothing
	queued       atomic.Int64  // bytes in out
	unread       atomic.Int64  // bytes in in
	consumed     chan struct{} // has room for one: unread became less
	once         sync.Once
	closing      chan struct{} // closed by Close
	code         websocket.StatusCode
	reason       string
}

type received struct {
	msg []byte
	err error
}

// maxSocketQueue is how much may wait for one peer to read. security.md §5.
const maxSocketQueue = 16 << 20 // bytes

// maxUnread is how much of what came from one peer may wait before no more is read.
const maxUnread = 1 << 20 // bytes

// maxReused is how large the buffer may be that a socket keeps for its next message.
const maxReused = 128 << 10 // bytes

// New takes over conn. drop is for pages: their socket serves many
// assistants. When more is sent at once than the queue holds, as after a restart, when
// all of them subscribe again, a message waits up to maxDelay and then fails.
func New(conn *websocket.Conn, limit int64, failWhenFull bool) *Socket {
	conn.SetReadLimit(-1) // receive has a limit that does not cost the connection
	s := &Socket{
		conn: conn, limit: limit, failWhenFull: failWhenFull, closing: make(chan struct{}),
		in: make(chan received, 16), out: make(chan []byte, 8), consumed: make(chan struct{}, 1),
		code: websocket.StatusNormalClosure, started: time.Now(),
	}
	if failWhenFull {
		s.out = make(chan []byte, 256)
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go s.receive() // ends with the connection
	go s.send()    // likewise
	return s
}

// Read implements jsonrpc.Port.
func (s *Socket) Read(ctx context.Context) ([]byte, error) {
	select {
	case r, ok := <-s.in:
		if !ok {
			return nil, io.EOF
		}
		if len(r.msg) > 0 {
			s.unread.Add(-int64(len(r.msg)))
			select {
			case s.consumed <- struct{}{}:
			default:
			}
		}
		return r.msg, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// waitUntilTaken waits until what is in in is little enough for one more message.
func (s *Socket) waitForRoom() {
	for s.unread.Load() >= maxUnread {
		select {
		case <-s.consumed:
		case <-s.ctx.Done():
			return
		}
	}
}

// Write implements jsonrpc.Port.
func (s *Socket) Write(ctx context.Context, msg []byte) error {
	if s.failWhenFull && len(msg) > limits.MaxMessage+limits.MaxSlack { // the page could only refuse it, without its id
		return fmt.Errorf("write to a page: %w", engine.ErrTooLarge)
	}
	if s.queued.Add(int64(len(msg))) > maxSocketQueue && s.failWhenFull {
		s.queued.Add(-int64(len(msg)))
		return fmt.Errorf("write to a page that does not read: %w", engine.ErrBusy)
	}
	select {
	case <-s.closing:
		return jsonrpc.ErrClosed
	case <-s.ctx.Done():
		return jsonrpc.ErrClosed
	default:
	}
	select {
	case s.out <- msg:
		return nil
	default:
	}
	var full <-chan time.Time
	if s.failWhenFull {
		timer := time.NewTimer(limits.MaxDelay)
		defer timer.Stop()
		full = timer.C
	}
	select {
	case s.out <- msg:
		return nil
	case <-full:
		s.queued.Add(-int64(len(msg)))
		return fmt.Errorf("write to a page that does not read: %w", engine.ErrBusy)
	case <-s.closing:
		return jsonrpc.ErrClosed
	case <-s.ctx.Done():
		return jsonrpc.ErrClosed
	case <-ctx.Done():
		s.queued.Add(-int64(len(msg)))
		return ctx.Err()
	}
}

// Close implements jsonrpc.Port: what is queued is still sent.
func (s *Socket) Close() error {
	s.CloseWith(websocket.StatusNormalClosure, "")
	return nil
}

// CloseWith closes with a code, without waiting for the peer.
func (s *Socket) CloseWith(code websocket.StatusCode, reason string) {
	s.once.Do(func() {
		s.code, s.reason = code, reason
		close(s.closing)
	})
}

// Context ends when the connection is gone.
func (s *Socket) Context() context.Context { return s.ctx }

// Abort ends the connection without a closing handshake.
func (s *Socket) Abort() { s.cancel() }

// Silent returns how long the peer has sent no message.
func (s *Socket) Idle() time.Duration {
	return time.Since(s.started) - time.Duration(s.lastReceived.Load())
}

// Gone is closed when the connection is.
func (s *Socket) Done() <-chan struct{} { return s.ctx.Done() }

// receive reads messages until the connection ends.
func (s *Socket) receive() {
	defer close(s.in)
	defer s.cancel()
	var buffer []byte // reused: Conn.Read would cost twice as much from 11 KB on
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
		r := received{}
		switch {
		case int64(len(buffer)) > s.limit: // the rest is skipped, the connection lives
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
		case !utf8.Valid(buffer): // the library does not look
			s.conn.Close(websocket.StatusInvalidFramePayloadData, "not UTF-8")
			return
		case cap(buffer) > maxReused:
			r.msg = buffer
		default:
			r.msg = bytes.Clone(buffer)
		}
		if cap(buffer) > maxReused {
			buffer = nil
		}
		s.unread.Add(int64(len(r.msg)))
		select {
		case s.in <- r:
		case <-s.ctx.Done():
			return
		}
	}
}

// readUpTo appends to buffer what r has, and no more than makes most bytes. The buffer
// grows in steps that end at most, so that growing takes half as much again and not
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

// send writes what is queued, each frame within its time, until the socket is
// closed from either side.
func (s *Socket) send() {
	defer s.cancel()
	for {
		select {
		case msg := <-s.out:
			if s.writeFrame(msg) != nil {
				return
			}
		case <-s.ctx.Done():
			s.conn.CloseNow()
			return
		case <-s.closing:
			for {
				select {
				case msg := <-s.out:
					if s.writeFrame(msg) != nil {
						return
					}
					continue
				default:
				}
				s.conn.Close(s.code, s.reason)
				return
			}
		}
	}
}

func (s *Socket) writeFrame(msg []byte) error {
	ctx, cancel := context.WithTimeout(s.ctx, limits.WriteTime)
	defer cancel()
	defer s.queued.Add(-int64(len(msg)))
	return s.conn.Write(ctx, websocket.MessageText, msg)
}

// pingMessage asks the engine itself: a pong comes from the browser even while
// its page hangs. It is answered in any state and any era; the id is none that a
// Remote uses.
const pingMessage = `{"jsonrpc":"2.0","id":"gateway-ping","method":"ping"}`

// KeepAlive pings until the socket is gone, and ends it when the peer is dead. A
// page has to speak; of an assistant a pong is enough, for it may have nothing to
// say.
func (s *Socket) KeepAlive(page bool) {
	ticker := time.NewTicker(limits.PingEvery / 3)
	defer ticker.Stop()
	var pong atomic.Int64 // like heard
	for n := 1; ; n++ {
		select {
		case <-s.ctx.Done():
			return
		case <-ticker.C:
		}
		last := s.lastReceived.Load()
		if !page {
			last = max(last, pong.Load())
		}
		if time.Since(s.started)-time.Duration(last) >= limits.PingTimeout {
			s.cancel() // half-open: no handshake to wait for
			s.conn.CloseNow()
			return
		}
		if n%3 != 0 {
			continue
		}
		go func() { // ends with the pong, or when the peer would be dead
			ctx, cancel := context.WithTimeout(s.ctx, limits.PingTimeout)
			defer cancel()
			if s.conn.Ping(ctx) == nil {
				pong.Store(int64(time.Since(s.started)))
			}
		}()
		if page {
			s.Write(s.ctx, []byte(pingMessage)) // a full queue is as good as no answer
		}
	}
}
