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
		uid, found := userIn(strings.NewReader(table), netip.MustParseAddrPort(client), gateway)
		if found != (want >= 0) || found && uid != want {
			t.Errorf("%s: user %d, found %v; want %d", client, uid, found, want)
		}
	}
	if _, found := userIn(strings.NewReader("nonsense\n\x00 : :"), gateway, gateway); found {
		t.Error("found in nonsense")
	}
	if got := procAddress(netip.MustParseAddrPort("[::1]:8808")); got != "00000000000000000000000001000000:2268" {
		t.Errorf("::1 is spelled %s", got)
	}
}

// The kernel knows the user of our own process, also after it has closed the sending side of its
// socket, but not after it has closed the socket.
func TestOwnConnectionsAreAccepted(t *testing.T) {
	for _, on := range []struct{ network, host string }{{"tcp4", "127.0.0.1"}, {"tcp4", "127.0.0.9"}, {"tcp6", "::1"}} {
		l, err := net.Listen(on.network, net.JoinHostPort(on.host, "0"))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		client, err := net.Dial(on.network, l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		accepted, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer accepted.Close()
		check := func(when string, want bool) {
			t.Helper()
			if uid, found := userOf(plainAddr(accepted.RemoteAddr()), plainAddr(accepted.LocalAddr())); found != want || found && uid != os.Getuid() {
				t.Errorf("%s, %s: user %d, found %v", on.host, when, uid, found)
			}
		}
		check("open", true)
		client.(*net.TCPConn).CloseWrite()
		check("half-closed", true)
		client.Close()
		check("closed", false)
	}
}
