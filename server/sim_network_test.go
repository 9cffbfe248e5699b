package server

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/coder/websocket"
)

// A simNetwork carries byte streams between the parties of a simulation. Delays
// depend on the seed, the name of the connection and the position in it, not on
// the order in which goroutines run: the same seed gives the same network.
type simNetwork struct {
	seed uint64

	mu       sync.Mutex
	listener *simListener         // of the gateway; nil: the port refuses connections
	dials    map[string]int       // by party
	open     map[*simConn]string  // both ends of each connection, with the dialling party
	stalled  map[string]time.Time // by party: its bytes arrive after this time, in both directions
}

func newSimNetwork(seed uint64) *simNetwork {
	return &simNetwork{seed: seed, dials: map[string]int{}, open: map[*simConn]string{}, stalled: map[string]time.Time{}}
}

// hash mixes the seed with what names an event.
func (n *simNetwork) hash(name string, number int) uint64 {
	h := fnv.New64a()
	h.Write(binary.LittleEndian.AppendUint64(nil, n.seed))
	h.Write([]byte(name))
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(number)))
	sum := h.Sum64()
	sum ^= sum >> 29
	sum *= 0xbf58476d1ce4e5b9
	return sum ^ sum>>32
}

// delay is how long the chunk with this number travels: 0.2 to 4 ms, one in 64 up
// to 300 ms. Each has nanoseconds of its own, so that few things happen at once.
func (n *simNetwork) delay(name string, number int) time.Duration {
	h := n.hash(name, number)
	d := 200*time.Microsecond + time.Duration(h%3_800_000)
	if h>>40%64 == 0 {
		d += time.Duration(h >> 8 % 300_000_000)
	}
	return d
}

// dial connects a party to the gateway.
func (n *simNetwork) dial(ctx context.Context, party string) (*simConn, error) {
	n.mu.Lock()
	n.dials[party]++
	name := party + "#" + strconv.Itoa(n.dials[party])
	wait := n.delay(name, -1)
	until := time.Until(n.stalled[party])
	if until > 0 {
		wait += until
	}
	n.mu.Unlock()
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	n.mu.Lock()
	l := n.listener
	if l == nil {
		n.mu.Unlock()
		return nil, syscall.ECONNREFUSED
	}
	there, back := newSimPipe(n, name+">"), newSimPipe(n, name+"<")
	near := &simConn{network: n, party: party, in: back, out: there, name: name}
	far := &simConn{network: n, party: party, in: there, out: back, name: name}
	n.open[near], n.open[far] = party, party
	n.mu.Unlock()
	if until > 0 {
		near.mark() // it began late
	}
	select {
	case l.conns <- far:
		return near, nil
	case <-l.done:
		near.reset()
		return nil, syscall.ECONNREFUSED
	case <-ctx.Done():
		near.reset()
		return nil, ctx.Err()
	}
}

// dialWebSocket connects a party to a WebSocket of the gateway.
func (n *simNetwork) dialWebSocket(ctx context.Context, party, path, protocol string, header http.Header) (*websocket.Conn, *simConn, error) {
	var wire *simConn
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := n.dial(ctx, party)
		if err != nil {
			return nil, err // not a nil *simConn in an interface
		}
		wire = conn
		return conn, nil
	}}
	defer transport.CloseIdleConnections()
	conn, _, err := websocket.Dial(ctx, "ws://127.0.0.1:8808"+path, &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: transport}, HTTPHeader: header, Subprotocols: []string{protocol},
	})
	return conn, wire, err
}

// each calls do for every open connection of a party; "" means all.
func (n *simNetwork) each(party string, do func(*simConn)) {
	n.mu.Lock()
	var all []*simConn
	for c, of := range n.open {
		if party == "" || of == party {
			all = append(all, c)
		}
	}
	n.mu.Unlock()
	for _, c := range all {
		do(c)
	}
}

// reset breaks a party's connections: both ends notice.
func (n *simNetwork) reset(party string) { n.each(party, (*simConn).reset) }

// swallow makes a party's present connections half-open: bytes in the given
// directions vanish, and neither end notices.
func (n *simNetwork) swallow(party string, toGateway, fromGateway bool) {
	n.each(party, func(c *simConn) {
		c.mark()
		time.AfterFunc(simTimeout, c.expire)
		for _, p := range [...]*simPipe{c.in, c.out} {
			up := p.name[len(p.name)-1] == '>'
			if up && toGateway || !up && fromGateway {
				p.swallow()
			}
		}
	})
}

// stall holds everything that a party sends or receives back until it is over.
func (n *simNetwork) stall(party string, d time.Duration) {
	n.mu.Lock()
	n.stalled[party] = time.Now().Add(d)
	n.mu.Unlock()
	n.each(party, func(c *simConn) { c.mark(); c.in.hold(d); c.out.hold(d) })
}

// heal ends stalls; half-open connections stay half-open until a timeout.
func (n *simNetwork) heal() {
	n.mu.Lock()
	clear(n.stalled)
	n.mu.Unlock()
	n.each("", func(c *simConn) { c.in.hold(0); c.out.hold(0) })
}

// A simListener is the gateway's port.
type simListener struct {
	network *simNetwork
	conns   chan net.Conn
	done    chan struct{}
	once    sync.Once
}

func (n *simNetwork) listen() *simListener {
	l := &simListener{network: n, conns: make(chan net.Conn), done: make(chan struct{})}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.listener = l
	return l
}

func (l *simListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *simListener) Close() error {
	l.once.Do(func() {
		l.network.mu.Lock()
		defer l.network.mu.Unlock()
		if l.network.listener == l {
			l.network.listener = nil
		}
		close(l.done)
	})
	return nil
}

func (l *simListener) Addr() net.Addr { return simAddr("127.0.0.1:8808") }

type simAddr string

func (simAddr) Network() string  { return "sim" }
func (a simAddr) String() string { return string(a) }

// A simConn is one end of a connection.
type simConn struct {
	network *simNetwork
	party   string
	name    string
	in, out *simPipe

	mu      sync.Mutex
	faulty  bool      // a fault has touched it
	written time.Time // when the other end wrote what was read last
}

func (c *simConn) mark() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faulty = true
}

// isFaulty tells whether a fault was ever injected into the connection.
func (c *simConn) isFaulty() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.faulty
}

// sent returns when the other end wrote the bytes that were read last.
func (c *simConn) sent() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.written
}

func (c *simConn) Read(b []byte) (int, error) {
	n, at, err := c.in.read(b)
	if n > 0 {
		c.mu.Lock()
		c.written = at
		c.mu.Unlock()
	}
	return n, err
}

func (c *simConn) Write(b []byte) (int, error) { return c.out.write(b) }

// Close ends both directions: the other end reads what is under way, then EOF.
func (c *simConn) Close() error {
	c.network.mu.Lock()
	delete(c.network.open, c)
	c.network.mu.Unlock()
	c.in.abandon()
	c.out.finish()
	return nil
}

func (c *simConn) reset() {
	c.mark()
	c.in.fail(syscall.ECONNRESET)
	c.out.fail(syscall.ECONNRESET)
}

// expire is the kernel's timeout for bytes that are not acknowledged.
func (c *simConn) expire() {
	c.in.fail(syscall.ETIMEDOUT)
	c.out.fail(syscall.ETIMEDOUT)
}

func (c *simConn) LocalAddr() net.Addr  { return simAddr("127.0.0.1:8808") }
func (c *simConn) RemoteAddr() net.Addr { return simAddr(c.name) }

func (c *simConn) SetDeadline(t time.Time) error {
	c.in.deadline(&c.in.readUntil, t)
	c.out.deadline(&c.out.writeUntil, t)
	return nil
}
func (c *simConn) SetReadDeadline(t time.Time) error {
	c.in.deadline(&c.in.readUntil, t)
	return nil
}
func (c *simConn) SetWriteDeadline(t time.Time) error {
	c.out.deadline(&c.out.writeUntil, t)
	return nil
}

// simWindow is how much one direction holds before its writer waits, like the
// buffers of two sockets.
const simWindow = 256 << 10 // bytes

// simTimeout is when a kernel gives a connection up whose bytes are not
// acknowledged.
const simTimeout = 100 * time.Second

// A simPipe is one direction of a connection.
type simPipe struct {
	network *simNetwork
	name    string

	mu                    sync.Mutex
	changed               chan struct{} // closed and replaced with each change
	chunks                []simChunk
	size, count           int
	last                  time.Time // when the newest chunk arrives
	held                  time.Time // nothing arrives before
	ended                 bool      // the writer has closed it
	closed                bool      // the reader has
	lost                  bool      // half-open: bytes vanish
	broken                error
	readUntil, writeUntil time.Time
}

type simChunk struct {
	data          []byte
	sent, arrives time.Time
}

func newSimPipe(n *simNetwork, name string) *simPipe {
	return &simPipe{network: n, name: name, changed: make(chan struct{})}
}

// wake is called with the lock held.
func (p *simPipe) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *simPipe) update(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
	p.wake()
}

func (p *simPipe) swallow()       { p.update(func() { p.lost = true }) }
func (p *simPipe) finish()        { p.update(func() { p.ended = true }) }
func (p *simPipe) abandon()       { p.update(func() { p.closed, p.chunks, p.size = true, nil, 0 }) }
func (p *simPipe) fail(err error) { p.update(func() { p.broken, p.chunks = err, nil }) }
func (p *simPipe) hold(d time.Duration) {
	p.update(func() { p.held = time.Now().Add(d) })
}
func (p *simPipe) deadline(which *time.Time, t time.Time) { p.update(func() { *which = t }) }

func (p *simPipe) read(b []byte) (int, time.Time, error) {
	for {
		n, at, wait, changed, err := p.tryRead(b)
		if n > 0 || err != nil || len(b) == 0 {
			return n, at, err
		}
		simAwait(changed, wait)
	}
}

// simAwait waits for a change, at most for wait; zero is for ever.
func simAwait(changed <-chan struct{}, wait time.Duration) {
	if wait <= 0 {
		<-changed
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	}
}

func (p *simPipe) tryRead(b []byte) (n int, sent time.Time, wait time.Duration, changed <-chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	var next time.Time
	switch {
	case p.closed:
		return 0, sent, 0, nil, net.ErrClosed
	case !p.readUntil.IsZero() && !now.Before(p.readUntil):
		return 0, sent, 0, nil, os.ErrDeadlineExceeded
	case p.broken != nil:
		return 0, sent, 0, nil, p.broken
	case len(p.chunks) > 0:
		first := &p.chunks[0]
		if next = first.arrives; next.Before(p.held) {
			next = p.held
		}
		if !next.After(now) {
			n = copy(b, first.data)
			sent = first.sent
			if first.data = first.data[n:]; len(first.data) == 0 {
				p.chunks = p.chunks[1:]
			}
			p.size -= n
			p.wake()
			return n, sent, 0, nil, nil
		}
	case p.ended && !p.lost:
		return 0, sent, 0, nil, io.EOF
	}
	if !p.readUntil.IsZero() && (next.IsZero() || p.readUntil.Before(next)) {
		next = p.readUntil
	}
	if !next.IsZero() {
		wait = next.Sub(now)
	}
	return 0, sent, wait, p.changed, nil
}

func (p *simPipe) write(b []byte) (int, error) {
	for {
		done, wait, changed, err := p.tryWrite(b)
		if err != nil {
			return 0, err
		}
		if done {
			return len(b), nil
		}
		simAwait(changed, wait)
	}
}

func (p *simPipe) tryWrite(b []byte) (done bool, wait time.Duration, changed <-chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	switch {
	case p.ended:
		return false, 0, nil, net.ErrClosed
	case p.broken != nil:
		return false, 0, nil, p.broken
	case p.closed && !p.lost:
		return false, 0, nil, syscall.EPIPE
	case !p.writeUntil.IsZero() && !now.Before(p.writeUntil):
		return false, 0, nil, os.ErrDeadlineExceeded
	case p.size > simWindow:
		if !p.writeUntil.IsZero() {
			wait = p.writeUntil.Sub(now)
		}
		return false, wait, p.changed, nil
	case p.lost:
		p.size += len(b) // as in a kernel that waits for acknowledgements
		return true, 0, nil, nil
	}
	p.count++
	arrives := now.Add(p.network.delay(p.name, p.count))
	if arrives.Before(p.last) {
		arrives = p.last // a stream keeps its order
	}
	p.last = arrives
	p.chunks = append(p.chunks, simChunk{data: append([]byte(nil), b...), sent: now, arrives: arrives})
	p.size += len(b)
	p.wake()
	return true, 0, nil, nil
}
