package server

import (
	"context"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
)

// S9: the kernel's table says whose process asks.
func TestPeerIsTheUserOfTheOtherSocket(t *testing.T) {
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2268 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   1: 0100007F:2268 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 2 1 0 20 4 30 10 -1
   2: 0100007F:C350 0100007F:2268 06 00000000:00000000 00:00000000 00000000     0        0 3 1 0 20 4 30 10 -1
   3: 0100007F:C350 0100007F:2268 01 00000000:00000000 00:00000000 00000000  1001        0 4 1 0 20 4 30 10 -1
`
	if uid, found := ownerOf(strings.NewReader(table), 50000, 8808); uid != 1001 || !found {
		t.Errorf("%d %v", uid, found)
	}
	if uid, found := ownerOf(strings.NewReader(table), 50001, 8808); found {
		t.Errorf("a socket that is not there: %d", uid)
	}
	if _, found := ownerOf(strings.NewReader("nonsense\n\x00 : :"), 1, 1); found {
		t.Error("found in nonsense")
	}
}

func TestOwnConnectionsAreNotForeign(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp4", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	r, err := http.NewRequestWithContext(withPeer(context.Background(), conn), "GET", "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	uid, foreign := isForeign(r)
	if foreign {
		t.Errorf("our own process is a stranger, user %d", uid)
	}
	if _, err := os.Stat("/proc/net/tcp"); err == nil && uid != os.Getuid() {
		t.Errorf("user %d, want %d", uid, os.Getuid())
	}
}
