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

// An entrance accepts the connections of a server. It refuses those of other users of
// this machine, and bounds those of which nothing is known yet: which have not shown a
// token, proved to be a page, or, at the web server, passed the guard. When there are
// too many the connection that says nothing for longest is closed for the newest, so
// that an assistant always gets in, however many connections others hold.
type acceptor struct {
	peers     peers         // nil: not checked
	onRefused func(uid int) // gets the user of a refused connection, or -1; may be nil

	mu        sync.Mutex
	unknown   map[*connection]struct{}
	byAddress map[string]int // of unknown, by the other end's address without port
	accepted  uint64
}

// NewEntrance returns the entrance of a server that listens on these. Close ends it.
func NewAcceptor(listeners []net.Listener, onRefused func(uid int)) *acceptor {
	a := &acceptor{onRefused: onRefused, unknown: map[*connection]struct{}{}, byAddress: map[string]int{}}
	if len(listeners) > 0 {
		a.peers = newPeers(listeners[0])
	}
	return a
}

func (a *acceptor) Close() {
	if a.peers != nil {
		a.peers.Close()
	}
}

// Of returns l with its connections checked and counted.
func (a *acceptor) Wrap(l net.Listener) net.Listener { return &guardedListener{l, a} }

type guardedListener struct {
	net.Listener
	acceptor *acceptor
}

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
			tcp.SetWriteBuffer(sendBuffer) // if it fails, there is more to read late
		}
		return g.acceptor.admit(conn), nil
	}
}

// rejection is what refuse answers, to a request that is not even read.
const rejection = "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\nContent-Length: 10\r\n\r\nforbidden\n"

func (a *acceptor) refuse(conn net.Conn, uid int) {
	conn.SetWriteDeadline(time.Now().Add(time.Second)) // it has a buffer to itself, and waits for nothing
	io.WriteString(conn, rejection)
	conn.Close()
	if a.onRefused != nil {
		a.onRefused(uid)
	}
}

// An connection is a connection, and whether it is known.
type connection struct {
	net.Conn
	acceptor *acceptor
	address  string
	number   uint64 // of those accepted

	// Guarded by the entrance's mu.
	known  bool // or closed: it does not count any more
	active bool // it has sent the header of a request
}

// enter counts a new connection, and closes another one if there are too many.
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

// add returns the connection that has to go for c; nil: there is room.
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

// first returns the connection to close first, of one address or of all: the oldest
// of those that have sent no request, or else the oldest. Others are only those that
// are being answered. The lock is held, here and below.
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

// drop stops counting c.
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

func (c *connection) Close() error {
	c.release()
	return c.Conn.Close()
}

// release stops counting c: it is known, or closed.
func (c *connection) release() {
	c.acceptor.mu.Lock()
	defer c.acceptor.mu.Unlock()
	c.acceptor.uncount(c)
}

// starts takes note of whether a request is being answered.
func (c *connection) setActive(active bool) {
	c.acceptor.mu.Lock()
	defer c.acceptor.mu.Unlock()
	c.active = active
}

// connState is http.Server's ConnState.
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

// connContext is http.Server's ConnContext.
func connContext(ctx context.Context, conn net.Conn) context.Context {
	if c, ok := conn.(*connection); ok {
		return access.WithKnown(ctx, c.release)
	}
	return ctx
}
