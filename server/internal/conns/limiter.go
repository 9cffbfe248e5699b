// Package conns limits the TCP connections of clients that have not authenticated
// themselves, and the time that requests may take to arrive.
package conns

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

// Options of a Limiter.
type Options struct {
	MaxUnknown    int // connections of unknown clients
	MaxPerAddress int // those of one address, or of one /64 in IPv6

	// Admit decides about a connection when it is accepted. It closes the ones that it
	// rejects. May be nil.
	Admit func(net.Conn) bool

	// IsProxy reports whether the connections of an address are those of many clients:
	// they have no limit of their own. May be nil.
	IsProxy func(netip.Addr) bool

	// CountIdle counts a connection as one of an unknown client while it has no request: a
	// client with a token could open any number otherwise. WebSockets do not count.
	CountIdle bool

	OnEvicted func() // called after a connection was closed for a newer one; may be nil
}

// A Limiter wraps the listeners of a server. It limits connections of unknown clients:
// those without a token, a proof of being a page or, at a web server, a request that
// passed the guard. If there are too many, the one that has been idle for longest is
// closed in favour of the newest, so that clients always get in, however many connections
// others hold. Each operation takes the same time, however many there are. See
// [access.MarkKnown] and [access.MarkDedicated].
type Limiter struct {
	options Options

	mu        sync.Mutex
	unknown   queue
	byAddress map[string]*queue // the same, by remote IP address
}

// NewLimiter returns a Limiter without connections.
func NewLimiter(o Options) *Limiter { return &Limiter{options: o, byAddress: map[string]*queue{}} }

// Wrap returns l with its connections checked and counted.
func (l *Limiter) Wrap(listener net.Listener) net.Listener { return &limitedListener{listener, l} }

// Unknown returns the number of connections of unknown clients.
func (l *Limiter) Unknown() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unknown.len()
}

type limitedListener struct {
	net.Listener
	limiter *Limiter
}

// sendBuffer limits what the kernel buffers for a peer that does not read. The default
// grows to megabytes: a stalled reader would then get tens of thousands of stale updates
// before the current ones.
const sendBuffer = 64 << 10 // bytes; Linux doubles it

// Accept implements net.Listener. It returns admitted connections only.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if admit := l.limiter.options.Admit; admit != nil && !admit(conn) {
			continue
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			tcp.SetWriteBuffer(sendBuffer) // an error only means more stale data in the buffer
		}
		return l.limiter.admit(conn), nil
	}
}

// A connection is unknown until its client has authenticated itself.
type connection struct {
	net.Conn
	limiter *Limiter

	// Guarded by mu of the limiter.
	address string // "" for a proxy, until a WebSocket makes the connection that of one client
	places  places // in the queues; zero if known, or closed
	closed  bool
	active  bool // has sent the header of a request that is not answered yet
}

// admit counts a new connection, and closes another one if there are too many.
func (l *Limiter) admit(conn net.Conn) *connection {
	c := &connection{Conn: conn, limiter: l, address: l.addressOf(conn)}
	l.evict(l.add(c))
	return c
}

// evict closes a connection for a newer one; nil is none.
func (l *Limiter) evict(old *connection) {
	if old == nil {
		return
	}
	old.Close()
	if l.options.OnEvicted != nil {
		l.options.OnEvicted()
	}
}

func (l *Limiter) addressOf(conn net.Conn) string {
	address := Address(conn.RemoteAddr())
	if !address.IsValid() {
		return conn.RemoteAddr().String()
	}
	return l.networkOf(address)
}

func (l *Limiter) networkOf(address netip.Addr) string {
	if l.options.IsProxy != nil && l.options.IsProxy(address) {
		return ""
	}
	return Network(address)
}

// Address returns the IP address of a, without a zone; IPv4 in IPv6 becomes IPv4.
func Address(a net.Addr) netip.Addr {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap().WithZone("")
	}
	return netip.Addr{}
}

// Network returns the smallest network that one client can have: an IPv4 address, or the
// /64 of an IPv6 address (RFC 4291, section 2.5.4).
func Network(address netip.Addr) string {
	if address.Is6() {
		if network, err := address.Prefix(64); err == nil {
			return network.Addr().String()
		}
	}
	return address.String()
}

// add counts c, and returns the connection to close for it, or nil.
func (l *Limiter) add(c *connection) (old *connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count(c)
}

// count is add for a caller that holds the lock, as those of the following functions do.
func (l *Limiter) count(c *connection) (old *connection) {
	own := l.byAddress[c.address]
	switch {
	case c.address != "" && own != nil && own.len() >= l.options.MaxPerAddress:
		old = own.first()
	case l.unknown.len() >= l.options.MaxUnknown:
		old = l.unknown.first()
	}
	if old != nil {
		l.uncount(old)
	}
	l.enqueue(c)
	return old
}

// enqueue adds c to the queues, as the newest of its kind.
func (l *Limiter) enqueue(c *connection) {
	own := l.byAddress[c.address]
	if own == nil {
		own = &queue{}
		l.byAddress[c.address] = own
	}
	c.places = places{l.unknown.push(c), own.push(c)}
}

// uncount removes c from the queues, if it is there.
func (l *Limiter) uncount(c *connection) {
	if c.isKnown() {
		return
	}
	own := l.byAddress[c.address]
	l.unknown.remove(c, c.places.all)
	own.remove(c, c.places.own)
	c.places = places{}
	if own.len() == 0 {
		delete(l.byAddress, c.address)
	}
}

func (c *connection) isKnown() bool { return c.places.all == nil }

// Close implements net.Conn.
func (c *connection) Close() error {
	c.markClosed()
	return c.Conn.Close()
}

func (c *connection) markClosed() {
	c.limiter.mu.Lock()
	defer c.limiter.mu.Unlock()
	c.closed = true
	c.limiter.uncount(c)
}

// release removes c from unknown: its client is known, or it is closed.
func (c *connection) release() {
	c.limiter.mu.Lock()
	defer c.limiter.mu.Unlock()
	c.limiter.uncount(c)
}

// setActive records whether a request is in progress. It returns the connection to close
// for one that counts again, or nil.
func (c *connection) setActive(active bool) (old *connection) {
	c.limiter.mu.Lock()
	defer c.limiter.mu.Unlock()
	if !c.isKnown() {
		c.limiter.uncount(c)
		c.active = active
		c.limiter.enqueue(c)
		return nil
	}
	c.active = active
	if active || !c.limiter.options.CountIdle || c.closed {
		return nil
	}
	return c.limiter.count(c)
}

// dedicate makes a connection that of one client, at client: it becomes one of that address,
// and is the newest of those without request. It returns the connection to close for it.
func (c *connection) dedicate(client netip.Addr) (old *connection) {
	c.limiter.mu.Lock()
	defer c.limiter.mu.Unlock()
	if c.isKnown() {
		return nil
	}
	c.limiter.uncount(c)
	c.active = false
	if client.IsValid() {
		c.address = c.limiter.networkOf(client)
	}
	return c.limiter.count(c)
}

// limited returns the connection that a Limiter has counted, below TLS or not.
func limited(conn net.Conn) (*connection, bool) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	c, ok := conn.(*connection)
	return c, ok
}

// connState implements http.Server.ConnState.
func connState(conn net.Conn, state http.ConnState) {
	if c, ok := limited(conn); ok {
		switch state {
		case http.StateActive:
			c.setActive(true)
		case http.StateIdle:
			c.limiter.evict(c.setActive(false))
		}
	}
}

// connContext implements http.Server.ConnContext.
func connContext(ctx context.Context, conn net.Conn) context.Context {
	if c, ok := limited(conn); ok {
		return access.WithConnection(ctx, access.Connection{Known: c.release, Dedicated: func(client netip.Addr) { c.limiter.evict(c.dedicate(client)) }})
	}
	return ctx
}
