package hosted

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

// limitRequests makes an owner's requests in flight count by the quotas of a node.
func limitRequests(most int) (*quotas, func(*mcphttp.Sessions)) {
	q := newQuotas(Limits{RequestsPerOwner: most})
	return q, func(ss *mcphttp.Sessions) { ss.Gate.Limits = &limiter{q, func(string) {}} }
}

// A client that hangs up has not cancelled its calls: they count until the page has answered.
func TestCallsCountUntilTheyAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTestCluster(t)
		q, limited := limitRequests(4)
		n := c.node(limited)
		session := n.begin()
		for i := range 40 {
			stream := n.call(session, fmt.Sprint(i), "slow")
			synctest.Wait()
			if wanted := i < 4; (stream.status == 200) != wanted {
				t.Errorf("call %d: %d", i, stream.status)
			}
			stream.cancel()
			synctest.Wait()
		}
		if requests, _ := q.inUse(); requests != 4 || c.slowCalls() != 4 {
			t.Errorf("%d requests count, %d calls run", requests, c.slowCalls())
		}
		if status, _ := n.request(session, `"ping"`, "ping", ""); status != 429 {
			t.Errorf("a ping is an HTTP request: %d", status)
		}
		cancelled := n.do("POST", "/mcp", aliceToken, session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`)
		synctest.Wait()
		if requests, _ := q.inUse(); cancelled.StatusCode != 202 || requests != 3 {
			t.Errorf("%d: %d requests count after one was cancelled", cancelled.StatusCode, requests)
		}
		n.do("DELETE", "/mcp", aliceToken, session, "")
		synctest.Wait()
		if requests, _ := q.inUse(); requests != 0 || c.slowCalls() != 0 {
			t.Errorf("%d requests count after the end of the session, %d calls run", requests, c.slowCalls())
		}
	})
}

// Each request of a batch counts, but for pings, which the gateway answers.
func TestEachRequestOfABatchCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, limited := limitRequests(4)
		n := newTestCluster(t).node(limited)
		begun := n.do("POST", "/mcp", aliceToken, "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
		session := begun.Header.Get("Mcp-Session-Id")
		batch := func(method string, ids ...int) int {
			var requests []string
			for _, id := range ids {
				requests = append(requests, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, id, method))
			}
			return n.do("POST", "/mcp", aliceToken, session, "["+strings.Join(requests, ",")+"]").StatusCode
		}
		if four, five := batch("tools/list", 1, 2, 3, 4), batch("tools/list", 1, 2, 3, 4, 5); four != 200 || five != 429 {
			t.Errorf("4 requests: %d, 5: %d", four, five)
		}
		if pings := batch("ping", 1, 2, 3, 4, 5); pings != 200 {
			t.Errorf("5 pings: %d", pings)
		}
		if equal := batch("tools/list", 1, 2, 2); equal != 400 {
			t.Errorf("equal ids: %d", equal)
		}
		if requests, _ := q.inUse(); requests != 0 {
			t.Errorf("%d requests count after all are answered", requests)
		}
	})
}

// pagesLimiter records the pages for which requests are counted.
type pagesLimiter struct {
	access.Limiter
	pages *[]string
}

func (l pagesLimiter) Acquire(c access.Client, caller string, use access.Use) (func(), *access.Exceeded) {
	*l.pages = append(*l.pages, c.Page)
	return l.Limiter.Acquire(c, caller, use)
}

// Each request of a batch counts for its own page.
func TestRequestsOfABatchCountForTheirPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pages []string
		n := newTestCluster(t).node(func(ss *mcphttp.Sessions) { ss.Gate.Limits = pagesLimiter{ss.Gate.Limits, &pages} })
		begun := n.do("POST", "/mcp", aliceToken, "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
		n.do("POST", "/mcp", aliceToken, begun.Header.Get("Mcp-Session-Id"), `[{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"slow+notes://a"}},{"jsonrpc":"2.0","id":2,"method":"ping"},`+
			`{"jsonrpc":"2.0","id":3,"method":"tools/list"},{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"mail.send"}}]`)
		if want := []string{"slow", "", "mail"}; !slices.Equal(pages, want) {
			t.Errorf("pages %q, want %q", pages, want)
		}
	})
}
