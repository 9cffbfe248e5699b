package loopback

import (
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
)

// The kernel reports the user of a socket in any state, by both addresses and ports. A
// socket without inode has no process.
func TestPeerIsTheUserOfTheOtherSocket(t *testing.T) {
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2268 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   1: 0100007F:2268 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 2 1 0 20 4 30 10 -1
   2: 0100007F:C350 0100007F:2268 06 00000000:00000000 00:00000000 00000000     0        0 0 1 0 20 4 30 10 -1
   3: 0200007F:C350 0100007F:2268 01 00000000:00000000 00:00000000 00000000  1002        0 5 1 0 20 4 30 10 -1
   4: 0100007F:C350 0100007F:2268 05 00000000:00000000 00:00000000 00000000  1001        0 4 1 0 20 4 30 10 -1
`
	gateway := netip.MustParseAddrPort("127.0.0.1:8808")
	for client, want := range map[string]int{"127.0.0.1:50000": 1001, "127.0.0.2:50000": 1002, "127.0.0.1:50001": -1, "127.0.0.3:50000": -1} {
		uid, found := ownerIn(strings.NewReader(table), netip.MustParseAddrPort(client), gateway)
		if found != (want >= 0) || found && uid != want {
			t.Errorf("%s: user %d, found %v; want %d", client, uid, found, want)
		}
	}
	if _, found := ownerIn(strings.NewReader("nonsense\n\x00 : :"), gateway, gateway); found {
		t.Error("found in nonsense")
	}
	if got := procAddress(netip.MustParseAddrPort("[::1]:8808")); got != "00000000000000000000000001000000:2268" {
		t.Errorf("::1 is spelled %s", got)
	}
}

// peerPair opens one connection, and returns the gateway's end of it too.
func peerPair(t testing.TB, network, host string) (l net.Listener, client *net.TCPConn, accepted net.Conn) {
	t.Helper()
	l, err := net.Listen(network, net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	conn, err := net.Dial(network, l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if accepted, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { accepted.Close() })
	return l, conn.(*net.TCPConn), accepted
}

// Both ways to query the kernel find our own process, also after it has closed the
// sending side of its socket, but not after it has closed the socket.
func TestOwnConnectionsAreAccepted(t *testing.T) {
	for _, on := range []struct{ network, host string }{{"tcp4", "127.0.0.1"}, {"tcp4", "127.0.0.9"}, {"tcp6", "::1"}} {
		l, client, accepted := peerPair(t, on.network, on.host)
		diag, err := openSockDiag()
		if err != nil {
			t.Fatal(err)
		}
		defer diag.Close()
		for _, p := range []peers{newPeers(l), diag, procTables{}} {
			if peer := checkPeer(p, os.Getuid(), accepted); peer.refused || peer.uid != os.Getuid() {
				t.Errorf("%T on %s: %+v", p, on.host, peer)
			}
			if peer := checkPeer(p, os.Getuid()+1, accepted); os.Getuid() != 0 && (!peer.refused || peer.uid != os.Getuid()) {
				t.Errorf("%T on %s, for another user: %+v", p, on.host, peer)
			}
		}
		if _, isDiag := newPeers(l).(*sockDiag); !isDiag {
			t.Errorf("%s: sock_diag is not used", on.host)
		}
		client.CloseWrite()
		for _, p := range []peers{diag, procTables{}} {
			if peer := checkPeer(p, os.Getuid(), accepted); peer.refused || peer.uid != os.Getuid() {
				t.Errorf("%T on %s, half-closed: %+v", p, on.host, peer)
			}
		}
		client.Close()
		for _, p := range []peers{diag, procTables{}} {
			if peer := checkPeer(p, os.Getuid(), accepted); !peer.refused || peer.uid != -1 {
				t.Errorf("%T on %s, closed: %+v", p, on.host, peer)
			}
		}
		diag.Close()
		if peer := checkPeer(diag, os.Getuid(), accepted); !peer.refused {
			t.Errorf("the kernel cannot be asked, on %s: %+v", on.host, peer)
		}
	}
	near, far := net.Pipe() // as on systems without a way to find the user
	defer near.Close()
	defer far.Close()
	if peer := checkPeer(nil, 1, near); peer.refused {
		t.Errorf("where nothing can be checked: %+v", peer)
	}
}

// The cost of looking up one connection while 1,000 others are open.
func BenchmarkPeer(b *testing.B) {
	l, _, accepted := peerPair(b, "tcp4", "127.0.0.1")
	for range 500 {
		conn, err := net.Dial("tcp4", l.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Close()
	}
	diag, err := openSockDiag()
	if err != nil {
		b.Fatal(err)
	}
	defer diag.Close()
	for name, p := range map[string]peers{"sock_diag": diag, "proc": procTables{}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if checkPeer(p, os.Getuid(), accepted).refused {
					b.Fatal("refused")
				}
			}
		})
	}
}
