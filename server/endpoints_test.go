package server

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
)

func (g *Gateway) testViews() int {
	views, _ := g.core.Views("").Count()
	return views
}

// Endpoints of names that no page has cost nothing after the request. The endpoint of a
// connected page is served even if the limit is reached.
func TestUnusedEndpointsAreFreed(t *testing.T) {
	g := startGateway(t, Options{})
	c := testCaller{t, g}
	for i := range limits.MaxEndpoints + 50 {
		if answer, body := c.do(t.Context(), "POST", fmt.Sprintf("/mcp/none-%d", i), discover, v2026, "Mcp-Method: server/discover"); answer.StatusCode != 200 {
			t.Fatalf("name %d: %s %s", i, answer.Status, body)
		}
	}
	eventually(t, "the names are dropped", func() bool { return g.testViews() == 1 })

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	status := 0
	for i := 1; i < limits.MaxEndpoints; i++ { // held by listens; a token of its own for each group, by its connection
		answer, _ := c.do(ctx, "POST", fmt.Sprintf("/mcp/held-%d", i), modern("1", "subscriptions/listen", `"notifications":{}`),
			v2026, "Mcp-Method: subscriptions/listen", "Accept: text/event-stream")
		status = answer.StatusCode
	}
	if status != 200 || g.testViews() != limits.MaxEndpoints {
		t.Fatalf("%d endpoints, the last answer is %d", g.testViews(), status)
	}
	if answer, _ := c.do(t.Context(), "POST", "/mcp/one-more", discover, v2026, "Mcp-Method: server/discover"); answer.StatusCode != 429 || answer.Header.Get("Retry-After") == "" {
		t.Errorf("one name too many: %s", answer.Status)
	}
	page := newPage(t, testOrigin, "tab")
	page.write("notes://a", "1")
	page.join(g)
	if answer, body := c.do(t.Context(), "POST", "/mcp/notes", modern("1", "resources/list", ""), v2026, "Mcp-Method: resources/list"); !strings.Contains(body, "notes://a") {
		t.Errorf("a page that is here: %s %s", answer.Status, body)
	}
	cancel()
	eventually(t, "the listens end", func() bool {
		g.core.Sweep(time.Now().Add(time.Hour))
		return g.testViews() == 1
	})
	if _, body := c.do(t.Context(), "POST", "/mcp/notes", modern("1", "resources/list", ""), v2026, "Mcp-Method: resources/list"); !strings.Contains(body, "notes://a") {
		t.Errorf("the page's endpoint, made again: %s", body)
	}
}

// A session outlives its endpoint, which is removed while the session is idle.
func TestSessionOutlivesItsEndpoint(t *testing.T) {
	g := startGateway(t, Options{})
	c := openSession(t, g, "/mcp/none")
	eventually(t, "the session sleeps and its endpoint goes", func() bool {
		g.core.Sessions.Sweep(time.Now().Add(2 * limits.SessionIdle))
		return g.testViews() == 1
	})
	if status, body := c.request("1", "ping", ""); status != 200 || !strings.Contains(body, `"result":{}`) {
		t.Errorf("%d %s", status, body)
	}
}
