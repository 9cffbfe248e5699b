package loopback

import (
	"io"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/conns"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// NewAcceptor returns what wraps the listeners of a server. It rejects connections of other users of
// this machine, with or without a token, where the system says whose they are, and limits those of
// unknown clients. Programs of root are let in: it has access to everything anyway. onRefused, which
// may be nil, gets the user of a rejected connection, or -1 if there is none any more.
func NewAcceptor(listeners []net.Listener, onRefused func(uid int)) *conns.Limiter {
	options := conns.Options{MaxUnknown: limits.MaxUnknown, MaxPerAddress: limits.MaxPerAddress}
	if len(listeners) > 0 {
		if _, found := userOf(plainAddr(listeners[0].Addr()), netip.AddrPortFrom(netip.IPv4Unspecified(), 0)); found {
			options.Admit = func(conn net.Conn) bool { return admit(conn, os.Getuid(), onRefused) }
		}
	}
	return conns.NewLimiter(options)
}

// rejection is sent to a rejected connection before any request is read.
const rejection = "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\nContent-Length: 10\r\n\r\nforbidden\n"

// admit is called when conn is accepted: later the other end may be closed, and its port used by
// another process.
func admit(conn net.Conn, uid int, onRefused func(uid int)) bool {
	owner, found := userOf(plainAddr(conn.RemoteAddr()), plainAddr(conn.LocalAddr()))
	if found && (owner == 0 || owner == uid) {
		return true
	}
	if !found {
		owner = -1
	}
	conn.SetWriteDeadline(time.Now().Add(time.Second)) // a new connection has an empty send buffer, so this does not block
	io.WriteString(conn, rejection)
	conn.Close()
	if onRefused != nil {
		onRefused(owner)
	}
	return false
}
