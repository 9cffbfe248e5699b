package hosted

import (
	"context"
	"net/http"
	"testing"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A node has a number of views: one that is in use makes no room for another, an idle one does.
func TestViewsOfANodeAreLimited(t *testing.T) {
	t.Parallel()
	n := startNode(t, func(c *config.Config) { c.Limits["views"] = 1 })
	page := n.page("alice", "tab")
	if err := page.table.Put(engine.Entry{
		JSON: engine.Describe("uri", "notes://slow", "name", "slow"),
		Read: func(read context.Context, _ string) ([]engine.Contents, error) {
			<-read.Done()
			return nil, read.Err()
		},
	}); err != nil {
		t.Fatal(err)
	}
	if err := page.tryJoin(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	params := `"uri":"` + page.joined.Joined + `+notes://slow"`
	read := n.client(n.token("alice", nil)).Request(ctx, "POST", "/mcp", gatewaytest.Modern("1", "resources/read", params), gatewaytest.HeadersOf("resources/read", params)...)
	go func() { // ends with ctx
		defer close(ended)
		if answer, err := gatewaytest.HTTP.Do(read); err == nil {
			answer.Body.Close()
		}
	}()
	gatewaytest.Eventually(t, "the read is in flight", func() bool {
		inFlight, _ := n.usage.InUse(limits.Requests, limits.OfNode, limits.User{})
		return inFlight == 1
	})
	list := func() int { return n.ask(n.token("bob", nil), "/mcp", "resources/list", "", "").status }
	if got := list(); got != http.StatusServiceUnavailable && got != http.StatusTooManyRequests {
		t.Errorf("a second view: %d", got)
	}
	if views := n.core.Count().Views; views != 1 {
		t.Errorf("%d views", views)
	}
	cancel()
	<-ended
	gatewaytest.Eventually(t, "an idle view makes room", func() bool { return list() == http.StatusOK })
}
