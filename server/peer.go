package server

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
)

// A peer is the process at the other end of a connection, as far as its user is
// known. On Linux loopback it is: the kernel lists whom every socket belongs to.
// Another user of this machine is no peer of ours, token or not; root may do what
// it wants anyway.
type peer struct {
	local, remote int // ports, as seen from here
	once          sync.Once
	foreign       bool
	uid           int
}

type peerKey struct{}

// withPeer notes the ports of a connection, for isForeign.
func withPeer(ctx context.Context, conn net.Conn) context.Context {
	here, ok := conn.LocalAddr().(*net.TCPAddr)
	there, alsoOK := conn.RemoteAddr().(*net.TCPAddr)
	if !ok || !alsoOK {
		return ctx
	}
	return context.WithValue(ctx, peerKey{}, &peer{local: here.Port, remote: there.Port})
}

// isForeign tells whether r comes from a process of another user. It looks once a
// connection; what cannot be found out is let through to the other checks.
func isForeign(r *http.Request) (uid int, foreign bool) {
	p, ok := r.Context().Value(peerKey{}).(*peer)
	if !ok {
		return 0, false
	}
	p.once.Do(func() {
		for _, table := range [...]string{"/proc/net/tcp", "/proc/net/tcp6"} {
			file, err := os.Open(table)
			if err != nil {
				continue // not Linux
			}
			uid, found := ownerOf(file, p.remote, p.local)
			file.Close()
			if found {
				p.uid, p.foreign = uid, uid != 0 && uid != os.Getuid()
				return
			}
		}
	})
	return p.uid, p.foreign
}

// ownerOf finds the user of the socket that is bound to local and connected to
// remote. See proc_net_tcp in the kernel's documentation.
func ownerOf(table io.Reader, local, remote int) (uid int, found bool) {
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 8 || portOf(fields[1]) != local || portOf(fields[2]) != remote {
			continue
		}
		const established = "01"
		if uid, err := strconv.Atoi(fields[7]); err == nil && fields[3] == established {
			return uid, true
		}
	}
	return 0, false
}

// portOf reads the port of an address like 0100007F:2268.
func portOf(address string) int {
	_, text, _ := strings.Cut(address, ":")
	port, err := strconv.ParseUint(text, 16, 16)
	if err != nil {
		return -1
	}
	return int(port)
}
