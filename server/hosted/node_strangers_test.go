package hosted

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
)

// Sockets whose page has shown no token take no place of a page: as many as anybody opens,
// those with a token join.
func TestSocketsWithoutATokenKeepNoPageOut(t *testing.T) {
	n := startNode(t, func(c *config.Config) { c.Limits.Pages, c.Limits.Joins = 10, 10 })
	for i := range 50 {
		if status, err := n.page("mallory", "1").dial(); err != nil {
			t.Fatalf("socket %d: %d %v", i, status, err)
		}
	}
	for _, user := range []string{"alice", "bob"} {
		n.page(user, "1").note("notes://a", "text").join()
	}
}

// WebSockets behind a proxy are those of the addresses that it reports: more than the share
// of one address close its oldest ones, and no other client's.
func TestSocketsBehindAProxyHaveTheShareOfTheirAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, stop := servePipes(t, newProxies(trustedProxies(t, "10.0.0.0/8"), false, nil), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
			conn := l.dial("10.0.0.1")
			fmt.Fprintf(conn, "GET /page HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: %s\r\n\r\n", address)
			if _, err := conn.Read(make([]byte, 1)); err != nil {
				t.Fatalf("a new socket of %s: %v", address, err)
			}
			go func() { // ends with the connection
				untilClosed(conn)
				closed <- address
			}()
			return conn
		}
		defer open("198.51.100.1").Close()
		for range maxUnknownPerAddress + 99 {
			defer open("203.0.113.7").Close()
		}
		synctest.Wait()
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

// The socket of a page is a connection of the address that a proxy reports, and no longer a
// request of it.
func TestTheSocketOfAPageIsAConnectionOfItsAddress(t *testing.T) {
	n := startNode(t, nil)
	header := http.Header{"Origin": {appOrigin}, "X-Forwarded-For": {"203.0.113.7"}}
	conn, _, err := websocket.Dial(t.Context(), "ws://"+n.Addr().String()+"/page", &websocket.DialOptions{Host: testHost, HTTPHeader: header, Subprotocols: []string{gateway.PageProtocol}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	eventually(t, "the request is no longer counted", func() bool {
		n.proxies.mu.Lock()
		defer n.proxies.mu.Unlock()
		return len(n.proxies.unknown) == 0
	})
	if got := n.public.limiter.Unknown(); got != 1 {
		t.Errorf("%d connections of unknown clients, want that of the page", got)
	}
}

// A page whose token is valid but which may not join is a connection of an unknown client
// until it is closed: its sockets are bounded, too.
func TestARejectedPageCountsUntilItIsClosed(t *testing.T) {
	n := startNode(t, func(c *config.Config) { c.Limits.PagesPerOwner = 1 })
	if err := n.page("alice", "1").tryJoin(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the page that has joined is known", func() bool { return n.public.limiter.Unknown() == 0 })
	for i := range 5 {
		p := n.page("alice", fmt.Sprint("another ", i))
		if _, err := p.dial(); err != nil {
			t.Fatal(err)
		}
		if err := p.conn.Write(t.Context(), websocket.MessageText, []byte(p.hello(p.token()))); err != nil { // and does not answer the close frame
			t.Fatal(err)
		}
	}
	eventually(t, "all are rejected", func() bool {
		_, metrics := n.probe("/metrics")
		return strings.Contains(metrics, `pagemcp_limit_refusals_total{limit="pagesPerOwner"} 5`)
	})
	if got := n.public.limiter.Unknown(); got != 5 {
		t.Errorf("%d connections of unknown clients, want those of 5 pages", got)
	}
}
