package loopback

import (
	"io"
	"net"
	"os"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/conns"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// An acceptor wraps the listeners of a server. It rejects connections of other users of
// this machine, and limits connections of unknown clients, see [conns.Limiter].
type acceptor struct {
	*conns.Limiter
	peers     peers         // nil if the system cannot check users
	onRefused func(uid int) // gets the user of a rejected connection, or -1 if unknown; may be nil
}

// NewAcceptor returns an acceptor for a server with these listeners. Close releases it.
func NewAcceptor(listeners []net.Listener, onRefused func(uid int)) *acceptor {
	a := &acceptor{onRefused: onRefused}
	if len(listeners) > 0 {
		a.peers = newPeers(listeners[0])
	}
	a.Limiter = conns.NewLimiter(conns.Options{MaxUnknown: limits.MaxUnknown, MaxPerAddress: limits.MaxPerAddress, Admit: a.checkUser})
	return a
}

// Close releases the resources of the acceptor. It does not close listeners.
func (a *acceptor) Close() {
	if a.peers != nil {
		a.peers.Close()
	}
}

// checkUser accepts connections of this user and of root only, where that can be checked.
func (a *acceptor) checkUser(conn net.Conn) bool {
	peer := checkPeer(a.peers, os.Getuid(), conn)
	if peer.refused {
		a.refuse(conn, peer.uid)
	}
	return !peer.refused
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
