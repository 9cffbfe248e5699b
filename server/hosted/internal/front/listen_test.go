package front

import (
	"bufio"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/server/internal/conns/connstest"
)

// servePipes serves handler with virtual time, in a bubble of synctest.
func servePipes(t *testing.T, p *Proxies, handler http.Handler) (l *connstest.Listener, stop func()) {
	t.Helper()
	l = connstest.NewListener()
	public := On(l, nil, p, handler, nil, 8_000, nil, slog.Default())
	served := make(chan error, 1)
	go func() { served <- public.Serve() }() // ends with stop
	return l, func() {
		public.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
}

// The connections of a proxy are those of all clients: none is closed for another one, as
// long as there are not too many in all.
func TestConnectionsOfAProxyHaveNoLimitOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewProxies(trustedProxies(t, "10.0.0.0/8"), false, nil)
		l, stop := servePipes(t, p, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		defer stop()
		var open []net.Conn
		for range 2 * maxUnknownPerAddress {
			open = append(open, l.Dial("10.0.0.1"))
		}
		for _, conn := range open {
			if _, err := fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 200") {
				t.Fatalf("%q, %v", line, err)
			}
			conn.Close()
		}
	})
}
