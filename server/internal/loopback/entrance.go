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
type entrance struct {
	peers   peers         // nil: not checked
	refused func(uid int) // gets the user of a refused connection, or -1; may be nil

	mu        sync.Mutex
	unknown   map[*connection]struct{}
	byAddress map[string]int // of unknown, by the other end's address without port
	accepted  uint64
}

// NewEntrance returns the entrance of a server that listens on these. Close ends it.
func NewEntrance(listeners []net.Listener, refused func(uid int)) *entrance {
	e := &entrance{refused: refused, unknown: map[*connection]struct{}{}, byAddress: map[string]int{}}
	if len(listeners) > 0 {
		e.peers = newPeers(listeners[0])
	}
	return e
}

func (e *entrance) Close() {
	if e.peers != nil {
		e.peers.Close()
	}
}

// Of returns l with its connections checked and counted.
func (e *entrance) Of(l net.Listener) net.Listener { return &guardedListener{l, e} }

type guardedListener struct {
	net.Listener
	entrance *entrance
}

func (l *guardedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if who := judge(l.entrance.peers, os.Getuid(), conn); who.refused {
			l.entrance.reject(conn, who.uid)
			continue
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			tcp.SetWriteBuffer(sendBuffer) // if it fails, there is more to read late
		}
		return l.entrance.enter(conn), nil
	}
}

// rejection is what refuse answers, to a request that is not even read.
const rejection = "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\nContent-Length: 10\r\n\r\nforbidden\n"

func (e *entrance) reject(conn net.Conn, uid int) {
	conn.SetWriteDeadline(time.Now().Add(time.Second)) // it has a buffer to itself, and waits for nothing
	io.WriteString(conn, rejection)
	conn.Close()
	if e.refused != nil {
		e.refused(uid)
	}
}

// An connection is a connection, and whether it is known.
type connection struct {
	net.Conn
	entrance *entrance
	address  string
	number   uint64 // of those accepted

	// Guarded by the entrance's mu.
	known   bool // or closed: it does not count any more
	started bool // it has sent the header of a request
}

// enter counts a new connection, and closes another one if there are too many.
func (e *entrance) enter(conn net.Conn) *connection {
	c := &connection{Conn: conn, entrance: e, address: hostOf(conn.RemoteAddr())}
	if old := e.add(c); old != nil {
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
func (e *entrance) add(c *connection) (old *connection) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.byAddress[c.address] >= limits.MaxPerAddress:
		old = e.first(c.address)
	case len(e.unknown) >= limits.MaxUnknown:
		old = e.first("")
	}
	if old != nil {
		e.drop(old)
	}
	e.accepted++
	c.number = e.accepted
	e.unknown[c] = struct{}{}
	e.byAddress[c.address]++
	return old
}

// first returns the connection to close first, of one address or of all: the oldest
// of those that have sent no request, or else the oldest. Others are only those that
// are being answered. The lock is held, here and below.
func (e *entrance) first(address string) (first *connection) {
	for c := range e.unknown {
		if address != "" && c.address != address {
			continue
		}
		if first == nil || !c.started && first.started || c.started == first.started && c.number < first.number {
			first = c
		}
	}
	return first
}

// drop stops counting c.
func (e *entrance) drop(c *connection) {
	if c.known {
		return
	}
	c.known = true
	delete(e.unknown, c)
	if e.byAddress[c.address]--; e.byAddress[c.address] == 0 {
		delete(e.byAddress, c.address)
	}
}

func (c *connection) Close() error {
	c.release()
	return c.Conn.Close()
}

// release stops counting c: it is known, or closed.
func (c *connection) release() {
	c.entrance.mu.Lock()
	defer c.entrance.mu.Unlock()
	c.entrance.drop(c)
}

// starts takes note of whether a request is being answered.
func (c *connection) starts(started bool) {
	c.entrance.mu.Lock()
	defer c.entrance.mu.Unlock()
	c.started = started
}

// connState is http.Server's ConnState.
func connState(conn net.Conn, state http.ConnState) {
	if c, ok := conn.(*connection); ok {
		switch state {
		case http.StateActive:
			c.starts(true)
		case http.StateIdle:
			c.starts(false)
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
