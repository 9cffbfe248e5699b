package cluster

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Sizes and times of a link.
const (
	maxMessage = limits.MaxAnswer + limits.MaxSlack // bytes; an answer of a page, and what a hop adds
	maxChunk   = 256 << 10                          // bytes of a message in one frame
	chunkSlack = 4 << 10                            // bytes of max_payload that a chunk leaves free, for the header
	window     = 1 << 20                            // bytes of frames in one direction that the other end has not taken
	ackEvery   = 256 << 10                          // bytes of them

	windowWait  = 10 * time.Second      // a writer waits for the window; then the link ends
	probeAfter  = 50 * time.Millisecond // after the last message a ping shows if it was lost
	idleProbe   = 15 * time.Second      // an idle link finds out that the other end has ended
	confirmTime = 5 * time.Second       // an accepted link waits for the first frame
)

// Why a link has ended. Its Read returns io.EOF in all cases.
var (
	errClosed      = errors.New("the link is closed")
	errPeerClosed  = errors.New("the other node has closed the link")
	errGap         = errors.New("a frame is missing")
	errWindow      = errors.New("the other node has sent more than the window")
	errSlow        = errors.New("the other node takes no frames")
	errUnread      = errors.New("the links of this node have too many unread messages")
	errNoReceiver  = errors.New("the other node does not receive frames")
	errSilent      = errors.New("the other node is silent")
	errUnconfirmed = errors.New("the other node has not used the link")
)

// A link is a port to another node, for one page. It has no goroutine of its own: frames
// arrive by the node's subscription, and its timers end with it.
type link struct {
	links   *links
	id      string // of this end
	page    string // key of the page
	serves  bool   // this node has the page
	peer    *peer
	chunk   int           // bytes of a message in one frame
	done    chan struct{} // closed when the link has ended
	settled chan struct{} // closed when the other node has accepted the link

	arrived chan struct{} // has capacity 1; signals a message in queue
	acked   chan struct{} // has capacity 1; signals that the window has grown
	writing chan struct{} // has capacity 1; held while a message is written, so that chunks do not mix

	mu       sync.Mutex
	reason   error    // why the link has ended; nil before
	version  byte     // noVersion until the link is accepted
	subject  string   // of the other end; empty likewise
	number   uint64   // of the last received frame
	queue    [][]byte // messages to be read
	partial  []byte   // the beginning of the next one
	received uint64   // bytes of frames that arrived, since the beginning
	read     uint64   // of these, the ones up to the last message that was read
	ends     []uint64 // received at the end of each message in queue
	granted  uint64   // of these, the ones that have been acknowledged
	confirm  *time.Timer

	sending sync.Mutex // held while a frame is published: numbers have the order of publication
	sentNum uint64     // number of the last frame
	closed  bool       // no frame may follow

	sent     atomic.Uint64 // bytes of frames with chunks
	taken    atomic.Uint64 // of these, the acknowledged ones
	lastSent atomic.Int64  // when the last frame was published, in ns since links.started
	probing  atomic.Bool   // probe is scheduled
	probe    *time.Timer
}

func newLink(s *links, page string, p *peer) *link {
	l := &link{
		links: s, id: newID(), page: page, peer: p, chunk: s.chunkSize(),
		done: make(chan struct{}), settled: make(chan struct{}),
		arrived: wait.NewSignal(), acked: wait.NewSignal(), writing: make(chan struct{}, 1),
	}
	l.probe = time.AfterFunc(probeAfter, l.runProbe)
	l.probe.Stop()
	l.lastSent.Store(s.now())
	return l
}

// Read implements jsonrpc.Port. What has arrived before the end of the link is returned
// before io.EOF.
func (l *link) Read(ctx context.Context) ([]byte, error) {
	for {
		if msg, ok := l.next(); ok {
			return msg, nil
		}
		select {
		case <-l.arrived:
		case <-l.done:
			if msg, ok := l.next(); ok {
				return msg, nil
			}
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// next takes the next message from the queue, and grants the other end its bytes.
func (l *link) next() ([]byte, bool) {
	msg, grant, ok := l.dequeue()
	if grant > 0 {
		l.acknowledge(grant)
	}
	return msg, ok
}

func (l *link) dequeue() (msg []byte, grant uint64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return nil, 0, false
	}
	msg = l.queue[0]
	l.queue[0] = nil
	l.queue, l.read, l.ends = l.queue[1:], l.ends[0], l.ends[1:]
	if l.reason == nil {
		l.links.unread.Add(-int64(len(msg)))
	}
	if len(l.queue) == 0 {
		l.queue, l.ends = nil, nil
	}
	return msg, l.grant(), true
}

// grant returns what to acknowledge now, or 0. Bytes are taken when their message has been
// read; those of a message that is longer than the window when they arrive, if nothing
// else is unread: its reader waits for them. Thus a link keeps at most one message and one
// window. The caller holds mu.
func (l *link) grant() uint64 {
	taken := l.read
	if len(l.queue) == 0 {
		taken = l.received
	}
	if l.reason != nil || taken < l.granted+ackEvery { // it can be less than granted, which has a part of a message
		return 0
	}
	l.granted = taken
	return taken
}

func (l *link) acknowledge(taken uint64) {
	l.publish(kindAck, binary.BigEndian.AppendUint64(nil, taken))
}

// Write implements jsonrpc.Port. It waits while the window is full. If ctx ends between
// the chunks of a message, the link ends.
func (l *link) Write(ctx context.Context, msg []byte) error {
	if len(msg) > maxMessage {
		return fmt.Errorf("write to another node: %w", engine.ErrTooLarge)
	}
	select {
	case <-l.done: // select picks any ready case
		return jsonrpc.ErrClosed
	default:
	}
	select {
	case l.writing <- struct{}{}:
	case <-l.done:
		return jsonrpc.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-l.writing }()
	for first := true; ; first = false {
		chunk, kind := msg, kindData
		if len(msg) > l.chunk {
			chunk, kind = msg[:l.chunk], kindMore
		}
		if err := l.waitForWindow(ctx, uint64(headerSize+len(chunk))); err != nil {
			if !first {
				l.end(fmt.Errorf("a message is incomplete: %w", err))
			}
			return err
		}
		if err := l.publish(kind, chunk); err != nil {
			return err
		}
		if kind == kindData {
			return nil
		}
		msg = msg[len(chunk):]
	}
}

// waitForWindow takes size bytes of the window. Only the holder of writing calls it.
func (l *link) waitForWindow(ctx context.Context, size uint64) error {
	var late <-chan time.Time
	for l.sent.Load()+size-l.taken.Load() > window {
		if late == nil {
			timer := time.NewTimer(windowWait)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-l.acked:
		case <-late:
			l.end(errSlow)
			return jsonrpc.ErrClosed
		case <-l.done:
			return jsonrpc.ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	l.sent.Add(size)
	return nil
}

// Close implements jsonrpc.Port: the other end reads what was written before, then io.EOF.
func (l *link) Close() error {
	l.end(errClosed)
	return nil
}

// publish sends the next frame. The carrier appends it to a buffer, and blocks at most
// until a write to the NATS server times out; all links of the node share that buffer.
func (l *link) publish(kind kind, payload []byte) error {
	err := l.publishNext(kind, payload)
	if err != nil && !errors.Is(err, jsonrpc.ErrClosed) {
		l.end(fmt.Errorf("publish: %w", err))
		return jsonrpc.ErrClosed
	}
	return err
}

func (l *link) publishNext(kind kind, payload []byte) error {
	version, subject := l.remote()
	l.sending.Lock()
	defer l.sending.Unlock()
	if l.closed || subject == "" {
		return jsonrpc.ErrClosed
	}
	l.closed = kind == kindEnd
	l.sentNum++
	l.lastSent.Store(l.links.now())
	if kind != kindPing && kind != kindEnd {
		l.scheduleProbe()
	}
	return l.links.publish(subject, l.links.subjects.link(l.links.node, l.id), frame{version, kind, l.sentNum, payload})
}

func (l *link) remote() (version byte, subject string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.version, l.subject
}

func (l *link) scheduleProbe() {
	if l.probing.CompareAndSwap(false, true) {
		l.probe.Reset(probeAfter)
	}
}

// runProbe sends a ping when nothing else was sent for a while, so that a frame that was
// lost is missed soon.
func (l *link) runProbe() {
	if quiet := time.Duration(l.links.now() - l.lastSent.Load()); quiet < probeAfter {
		l.probe.Reset(probeAfter - quiet)
		return
	}
	l.probing.Store(false)
	l.publish(kindPing, nil)
}

// end ends the link, and returns when it is out of the table. The first reason counts.
func (l *link) end(reason error) {
	if !l.markEnded(reason) {
		<-l.done // another goroutine is about to remove it
		return
	}
	l.stopTimers()
	l.links.remove(l)
	close(l.done) // code that waited for the end finds no link
	if reason != errPeerClosed {
		l.publishNext(kindEnd, nil) // best effort: else the other node learns it by its next frame
	}
}

func (l *link) markEnded(reason error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reason != nil {
		return false
	}
	l.reason = reason
	unread := len(l.partial)
	for _, msg := range l.queue { // they may still be read, or not
		unread += len(msg)
	}
	l.links.unread.Add(-int64(unread))
	l.partial = nil
	return true
}

func (l *link) stopTimers() {
	l.probe.Stop() // a frame that is being sent may start it once more: it does nothing then
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.confirm != nil {
		l.confirm.Stop()
	}
}

// why returns why the link has ended.
func (l *link) why() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reason
}
