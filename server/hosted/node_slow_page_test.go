package hosted

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// readUntil reads a resource until ctx ends, and returns the status; 0 without a response.
func (n *liveNode) readUntil(ctx context.Context, token, uri string) (status int) {
	body := `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"` + uri + `","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	request, err := http.NewRequestWithContext(ctx, "POST", "http://"+n.Addr().String()+"/mcp", strings.NewReader(body))
	if err != nil {
		n.t.Error(err)
		return 0
	}
	request.Host = testHost
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "resources/read", "Mcp-Name": uri, "Authorization": "Bearer " + token} {
		request.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	answer.Body.Close()
	return answer.StatusCode
}

// A node has a number of views: one that is in use makes no room for another, an idle one does.
func TestViewsOfANodeAreLimited(t *testing.T) {
	t.Parallel()
	n := startNode(t, func(c *config.Config) { c.Limits.Views = 1 })
	page := n.page("alice", "tab")
	if err := page.table.Put(engine.Entry{
		Resource: engine.Resource{URI: "notes://slow", Name: "slow", Size: -1},
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
	ended := make(chan int, 1)
	go func() { ended <- n.readUntil(ctx, n.token("alice", nil), page.joined.Joined+"+notes://slow") }()
	eventually(t, "the read is in flight", func() bool { inFlight, _, _ := n.quotas.InUse(); return inFlight == 1 })
	list := func() int { return n.ask(n.token("bob", nil), "/mcp", "resources/list", "", "").status }
	if got := list(); got != http.StatusServiceUnavailable && got != http.StatusTooManyRequests {
		t.Errorf("a second view: %d", got)
	}
	if views := n.core.Count().Views; views != 1 {
		t.Errorf("%d views", views)
	}
	cancel()
	<-ended
	eventually(t, "an idle view makes room", func() bool { return list() == http.StatusOK })
}
