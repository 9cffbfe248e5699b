package hosted

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
)

// Sockets whose page has shown no token take no place of a page: as many as anybody opens,
// those with a token join.
func TestSocketsWithoutATokenKeepNoPageOut(t *testing.T) {
	t.Parallel()
	n := startNode(t, func(c *config.Config) { c.Limits["pages"], c.Limits["joins"] = 10, 10 })
	for i := range 50 {
		if status, err := n.page("mallory", "1").dialWith(); err != nil {
			t.Fatalf("socket %d: %d %v", i, status, err)
		}
	}
	for _, user := range []string{"alice", "bob"} {
		n.page(user, "1").note("notes://a", "text").join()
	}
}

// A page whose token is valid but which may not join is a connection of an unknown client
// until it is closed: its sockets are bounded, too.
func TestARejectedPageCountsUntilItIsClosed(t *testing.T) {
	t.Parallel()
	n := startNode(t, func(c *config.Config) { c.Limits["pagesPerOwner"] = 1 })
	if err := n.page("alice", "1").tryJoin(); err != nil {
		t.Fatal(err)
	}
	gatewaytest.Eventually(t, "the page that has joined is known", func() bool { return n.public.Limiter.Unknown() == 0 })
	for i := range 5 {
		p := n.page("alice", fmt.Sprint("another ", i))
		if _, err := p.dial(); err != nil {
			t.Fatal(err)
		}
		if err := p.conn.Write(t.Context(), websocket.MessageText, []byte(p.hello())); err != nil { // and does not answer the close frame
			t.Fatal(err)
		}
	}
	gatewaytest.Eventually(t, "all are rejected", func() bool {
		_, metrics := n.probe("/metrics")
		return strings.Contains(metrics, `pagemcp_limit_refusals_total{limit="pagesPerOwner"} 5`)
	})
	if got := n.public.Limiter.Unknown(); got != 5 {
		t.Errorf("%d connections of unknown clients, want those of 5 pages", got)
	}
}
