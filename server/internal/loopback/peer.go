package loopback

import (
	"net"
	"net/netip"
)

// peers finds out which user the program at the other end of a loopback connection
// belongs to. A program of another user of this machine is refused, token or not;
// root is not, since it may do what it wants anyway.
//
// Only Linux has a documented way to ask that (sock_diag(7), proc_net_tcp). On other
// systems nothing is checked, and what keeps other users out is the token, the proof
// of pages and the permissions of the state directory.
type peers interface {
	// owner returns the user of the socket that is bound to theirs and connected to
	// ours, in whatever state it is. It is not found if there is none, or if its
	// process has closed it: then the kernel has forgotten whose it was.
	owner(theirs, ours netip.AddrPort) (uid int, found bool)
	Close() error
}

// A peerVerdict says whether a connection may be served.
type peerCheck struct {
	refused bool
	uid     int // -1: the kernel knows no program at the other end
}

// judge looks up who is at the other end of conn. It is called when the connection
// is accepted: later the other end may have gone, and its port may be another's.
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

// plainAddr has an IPv4 address in its own form, as the kernel lists it.
func plainAddr(a *net.TCPAddr) netip.AddrPort {
	at := a.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}
