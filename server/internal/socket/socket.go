// Package socket makes a WebSocket a [jsonrpc.Port] with bounded queues, a limit on the
// size of messages that does not close the connection, and detection of dead peers.
package socket

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Close codes of PageMCP. RFC 6455, section 7.4.2.
const (
	CloseVersion  websocket.StatusCode = 4400 // unsupported subprotocol or version of pairing
	CloseRefused  websocket.StatusCode = 4403 // the document may not join; no reason is given
	CloseReplaced websocket.StatusCode = 4409 // a newer document of the same page has joined
)

// A Socket is a WebSocket as a port: one message per text frame. coder/websocket closes the
// connection when the context of a read or write ends. The context of a request must not do
// that, and one with an end costs ten allocations for each message: reads and writes have
// none, and the end of the socket's own context closes the connection.
type Socket struct {
	conn         *websocket.Conn
	ctx          context.Context // ends with the connection
	cancel       context.CancelFunc
	limit        int64 // bytes of a received message
	in           chan received
	out          queue
	failWhenFull bool // Write fails if the queue stays full, instead of waiting without limit

	started      time.Time
	lastReceived atomic.Int64  // time of the last message, in ns since started; independent of the wall clock
	unread       atomic.Int64  // bytes in in
	consumed     chan struct{} // has capacity 1; signals that unread decreased
	once         sync.Once
	sequences    atomic.Bool   // several messages may be in one frame
	unanswered   atomic.Bool   // nothing was received since the last frame was sent
	heard        chan struct{} // has capacity 1; signals that unanswered became false
	closing      chan struct{} // closed by CloseWith
	code         websocket.StatusCode
	reason       string
}

// maxUnread is how much may be received and not yet read before no further message is
// received.
const maxUnread = 1 << 20 // bytes

// New takes over conn. limit is the size of a received message in bytes. failWhenFull is
// for pages, whose socket serves many assistants: if the queue is full, Write waits up to
// limits.MaxDelay and then fails.
func New(conn *websocket.Conn, limit int64, failWhenFull bool) *Socket {
	conn.SetReadLimit(-1) // receive enforces a limit without closing the connection
	s := &Socket{
		conn: conn, limit: limit, failWhenFull: failWhenFull, closing: make(chan struct{}),
		in: make(chan received, 16), consumed: wait.NewSignal(), heard: wait.NewSignal(),
		code: websocket.StatusNormalClosure, started: time.Now(),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	context.AfterFunc(s.ctx, func() { s.conn.CloseNow() })
	go s.receive() // ends with the connection
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
			wait.Wake(s.consumed)
		}
		return r.msg, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// waitForRoom waits until less than maxUnread bytes are unread.
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
	if s.failWhenFull && len(msg) > limits.MaxMessage+limits.MaxSlack { // the page could only reject it, without its id
		return fmt.Errorf("write to a page: %w", engine.ErrTooLarge)
	}
	var late <-chan time.Time
	for {
		select {
		case <-s.closing:
			return jsonrpc.ErrClosed
		case <-s.ctx.Done():
			return jsonrpc.ErrClosed
		default:
		}
		full := s.put(msg)
		if full == nil {
			return nil
		}
		if s.failWhenFull && late == nil {
			timer := time.NewTimer(limits.MaxDelay)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-full:
		case <-late:
			return fmt.Errorf("write to a page that does not read: %w", engine.ErrBusy)
		case <-s.closing:
		case <-s.ctx.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Close implements jsonrpc.Port. Queued messages are still sent.
func (s *Socket) Close() error {
	s.CloseWith(websocket.StatusNormalClosure, "")
	return nil
}

// CloseWith closes the socket with a code after the queued messages are sent. It does
// not wait.
func (s *Socket) CloseWith(code websocket.StatusCode, reason string) {
	s.once.Do(func() {
		s.code, s.reason = code, reason
		close(s.closing)
		s.out.mu.Lock()
		defer s.out.mu.Unlock()
		s.beginSending() // it closes the connection
	})
}

// Reject closes the socket because the peer breaks the rules of the protocol.
func (s *Socket) Reject(reason string) { s.CloseWith(websocket.StatusPolicyViolation, reason) }

// Context returns a context that ends with the connection.
func (s *Socket) Context() context.Context { return s.ctx }

// Abort closes the connection without a closing handshake.
func (s *Socket) Abort() { s.cancel() }

// Idle returns the time since the last message of the peer.
func (s *Socket) Idle() time.Duration {
	return time.Since(s.started) - time.Duration(s.lastReceived.Load())
}

// Done is closed when the connection is closed.
func (s *Socket) Done() <-chan struct{} { return s.ctx.Done() }

// writeFrame writes messages in one frame.
func (s *Socket) writeFrame(messages [][]byte) error {
	late := time.AfterFunc(limits.WriteTime, s.cancel)
	defer late.Stop()
	return s.conn.Write(context.Background(), websocket.MessageText, joined(messages))
}
