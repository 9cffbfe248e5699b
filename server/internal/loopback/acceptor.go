package loopback

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// An acceptor wraps the listeners of a server. It rejects connections of other users of
// this machine, and limits connections of unknown clients: those without a token, a
// proof of being a page or, at the web server, a request that passed the guard. If there
// are too many, the one that has been idle for longest is closed in favour of the
// newest, so that clients always get in, however many connections others hold.
type acceptor struct {
	peers     peers         // nil if the system cannot check users
	onRefused func(uid int) // gets the user of a rejected connection, or -1 if unknown; may be nil

	mu        sync.Mutex
	unknown   map[*connection]struct{}
	byAddress map[string]int // size of unknown by remote IP address
	accepted  uint64
}

// NewAcceptor returns an acceptor for a server with these listeners. Close releases it.
func NewAcceptor(listeners []net.Listener, onRefused func(uid int)) *acceptor {
	a := &acceptor{onRefused: onRefused, unknown: map[*connection]struct{}{}, byAddress: map[string]int{}}
	if len(listeners) > 0 {
		a.peers = newPeers(listeners[0])
	}
	return a
}

// Close releases the resources of the acceptor. It does not close listeners.
func (a *acceptor) Close() {
	if a.peers != nil {
		a.peers.Close()
	}
}

// Wrap returns l with its connections checked and counted.
func (a *acceptor) Wrap(l net.Listener) net.Listener { return &guardedListener{l, a} }

type guardedListener struct {
	net.Listener
	acceptor *acceptor
}

// Accept implements net.Listener. It returns connections of this user and of root only,
// where that can be checked.
func (g *guardedListener) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if peer := checkPeer(g.acceptor.peers, os.Getuid(), conn); peer.refused {
			g.acceptor.refuse(conn, peer.uid)
			continue
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			tcp.SetWriteBuffer(sendBuffer) // an error only means more stale data in the buffer
		}
		return g.acceptor.admit(conn), nil
	}
}

// rejection is sent to a rejected connection before any request is read.
const rejection = "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\nContent-Length: 10\r\n\r\nforbidden\n"

func (a *acceptor) refuse(conn net.Conn, uid int) {
	conn.SetWriteDeadline(time.Now().Add(time.Second)) // a new connection has an empty send buffer, so this does not block
	io.WriteString(conn, rejection)
	conn.Close()
	if a.onRefused != nil {
		a.onRefused(uid)
	}
}

// A connection is unknown until its client has authenticated itself.
type connection struct {
	net.Conn
	acceptor *acceptor
	address  string
	number   uint64 // in order of acceptance

	// Guarded by mu of the acceptor.
	known  bool // or closed: not in unknown
	active bool // has sent the header of a request that is not answered yet
}

// admit counts a new connection, and closes another one if there are too many.
func (a *acceptor) admit(conn net.Conn) *connection {
	c := &connection{Conn: conn, acceptor: a, address: hostOf(conn.RemoteAddr())}
	if old := a.add(c); old != nil {
		old.Close()
	}
	return c
}

func hostOf(a net.Addr) string {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.IP.String()
	}
	return a.String()
}

// add counts c, and returns the connection to close for it, or nil.
func (a *acceptor) add(c *connection) (old *connection) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.byAddress[c.address] >= limits.MaxPerAddress:
		old = a.evictionCandidate(c.address)
	case len(a.unknown) >= limits.MaxUnknown:
		old = a.evictionCandidate("")
	}
	if old != nil {
		a.uncount(old)
	}
	a.accepted++
	c.number = a.accepted
	a.unknown[c] = struct{}{}
	a.byAddress[c.address]++
	return old
}

// evictionCandidate returns the connection to close first, of one address or, if address
// is empty, of all: the oldest without a request in progress, else the oldest. The
// caller holds the lock, here and below.
func (a *acceptor) evictionCandidate(address string) (first *connection) {
	for c := range a.unknown {
		if address != "" && c.address != address {
			continue
		}
		if first == nil || !c.active && first.active || c.active == first.active && c.number < first.number {
			first = c
		}
	}
	return first
}

// uncount removes c from unknown.
func (a *acceptor) uncount(c *connection) {
	if c.known {
		return
	}
	c.known = true
	delete(a.unknown, c)
	if a.byAddress[c.address]--; a.byAddress[c.address] == 0 {
		delete(a.byAddress, c.address)
	}
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.release()
	return c.Conn.Close()
}

// release removes c from unknown: its client is known, or it is closed.
func (c *connection) release() {
	c.acceptor.mu.Lock()
	defer c.acceptor.mu.Unlock()
	c.acceptor.uncount(c)
}

// setActive records whether a request is in progress.
func (c *connection) setActive(active bool) {
	c.acceptor.mu.Lock()
	defer c.acceptor.mu.Unlock()
	c.active = active
}

// connState implements http.Server.ConnState.
func connState(conn net.Conn, state http.ConnState) {
	if c, ok := conn.(*connection); ok {
		switch state {
		case http.StateActive:
			c.setActive(true)
		case http.StateIdle:
			c.setActive(false)
		}
	}
}

// connContext implements http.Server.ConnContext.
func connContext(ctx context.Context, conn net.Conn) context.Context {
	if c, ok := conn.(*connection); ok {
		return access.WithKnown(ctx, c.release)
	}
	return ctx
}
