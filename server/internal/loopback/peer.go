package loopback

import (
	"net"
	"net/netip"
)

// peers finds the user of the process at the other end of a loopback connection.
// Processes of other users are rejected, with or without a token; root is not, since it
// has access to everything anyway.
//
// Only Linux documents a way to find that user, see sock_diag(7) and proc_net_tcp. On
// other systems nothing is checked: there the token, the proof of pages and the
// permissions of the state directory keep other users out.
type peers interface {
	// owner returns the user of the socket that is bound to theirs and connected to
	// ours, in any state. found is false if there is none, or if its process has closed
	// it: then the kernel no longer knows the user.
	owner(theirs, ours netip.AddrPort) (uid int, found bool)
	Close() error
}

// A peerCheck is the result of checkPeer.
type peerCheck struct {
	refused bool
	uid     int // -1 if the kernel knows no process at the other end
}

// checkPeer looks up the user at the other end of conn. It must be called when conn is
// accepted: later the other end may be closed, and its port used by another process.
func checkPeer(p peers, uid int, conn net.Conn) peerCheck {
	here, ok := conn.LocalAddr().(*net.TCPAddr)
	there, alsoOK := conn.RemoteAddr().(*net.TCPAddr)
	if p == nil || !ok || !alsoOK {
		return peerCheck{}
	}
	owner, found := p.owner(plainAddr(there), plainAddr(here))
	switch {
	case !found:
		return peerCheck{refused: true, uid: -1}
	case owner != 0 && owner != uid:
		return peerCheck{refused: true, uid: owner}
	}
	return peerCheck{uid: owner}
}

// plainAddr converts an IPv4-mapped address to IPv4, as the kernel lists it.
func plainAddr(a *net.TCPAddr) netip.AddrPort {
	at := a.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}
