package hosted

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A page gets neither the model nor the roots of an assistant, unless the operator allows
// that for its origin. Without a setting none is allowed.
func TestPagesUseTheModelIfTheOperatorAllowsIt(t *testing.T) {
	t.Parallel()
	const model = `{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"includeContext":"allServers"}}`
	for _, row := range []struct {
		name    string
		allowed []string
		request string
		want    string
	}{
		{"the model, without a setting", nil, model, `"reason":"declined"`},
		{"roots, without a setting", nil, `{"method":"roots/list"}`, `"reason":"declined"`},
		{"the model, for another origin", []string{"https://other.example"}, model, `"reason":"declined"`},
		{"the model, for this origin", []string{"https://other.example", appOrigin}, model, `"includeContext":"allServers"`},
		{"roots, for this origin", []string{appOrigin}, `{"method":"roots/list"}`, `"method":"roots/list"`},
	} {
		n := startNode(t, func(c *config.Config) { c.Pages.Sampling = row.allowed })
		page := n.page("alice", "tab")
		if err := page.table.Put(engine.Entry{
			JSON: engine.Describe("uri", "notes://a", "name", "a"),
			Read: func(ctx context.Context, _ string) ([]engine.Contents, error) {
				return nil, engine.InvocationOf(ctx).Need([]byte(`{"q":`+row.request+`}`), nil)
			},
		}); err != nil {
			t.Fatal(err)
		}
		page.join()
		uri := page.joined.Joined + "+notes://a"
		answer := n.send("POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":%q,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{"context":{}},"roots":{}}}}}`, uri),
			"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: resources/read", "Mcp-Name: "+uri, "Authorization: Bearer "+n.token("alice", nil))
		if !strings.Contains(answer.body, row.want) {
			t.Errorf("%s: %d %s", row.name, answer.status, answer.body)
		}
		n.stop()
	}
}
