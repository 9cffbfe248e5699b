package front

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/conns/connstest"
)

// WebSockets behind a proxy are those of the addresses that it reports: more than the share
// of one address close its oldest ones, and no other client's.
func TestSocketsBehindAProxyHaveTheShareOfTheirAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewProxies(trustedProxies(t, "10.0.0.0/8"), false, nil)
		l, stop := servePipes(t, p, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			access.MarkDedicated(r.Context())
			conn.Write([]byte("+"))
			io.Copy(io.Discard, conn)
		}))
		defer stop()
		closed := make(chan string, 2*maxUnknownPerAddress)
		open := func(address string) net.Conn {
			conn := l.Dial("10.0.0.1")
			fmt.Fprintf(conn, "GET /page HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: %s\r\n\r\n", address)
			if _, err := conn.Read(make([]byte, 1)); err != nil {
				t.Fatalf("a new socket of %s: %v", address, err)
			}
			go func() { // ends with the connection
				connstest.UntilClosed(conn)
				closed <- address
			}()
			return conn
		}
		defer open("198.51.100.1").Close()
		for range maxUnknownPerAddress + 99 {
			defer open("203.0.113.7").Close()
		}
		synctest.Wait()
		if len(p.unknown) != 0 {
			t.Errorf("%d addresses have requests that count beside their sockets", len(p.unknown))
		}
		if len(closed) != 99 {
			t.Fatalf("%d sockets are closed", len(closed))
		}
		for range 99 {
			if address := <-closed; address != "203.0.113.7" {
				t.Errorf("a socket of %s is closed", address)
			}
		}
	})
}
