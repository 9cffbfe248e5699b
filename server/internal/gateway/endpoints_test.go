package gateway

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

func (g *testGateway) countViews() int {
	synctest.Wait()
	return g.Count().Views
}

// Endpoints of names that no page has cost nothing after the request. The endpoint of a
// connected page is served even if the limit is reached.
func TestUnusedEndpointsAreFreed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		for i := range limits.MaxEndpoints + 50 {
			if status, body := g.Ask(fmt.Sprintf("/mcp/none-%d", i), engine.MethodDiscover, ""); status != 200 {
				t.Fatalf("name %d: %d %s", i, status, body)
			}
		}
		if n := g.countViews(); n != 1 {
			t.Errorf("%d endpoints stay", n)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for i := 1; i < limits.MaxEndpoints; i++ {
			g.Listen(ctx, fmt.Sprintf("/mcp/held-%d", i), `"resourcesListChanged":true`)
		}
		if n := g.countViews(); n != limits.MaxEndpoints {
			t.Fatalf("%d endpoints", n)
		}
		if answer, _ := g.Post("/mcp/one-more", gatewaytest.Modern("1", engine.MethodDiscover, ""), gatewaytest.HeadersOf(engine.MethodDiscover, "")...); answer.StatusCode != 429 || answer.Header.Get("Retry-After") == "" {
			t.Errorf("one name too many: %s", answer.Status)
		}
		page := newPage(t, "notes")
		page.write("notes://a", "1")
		page.join(g)
		for _, when := range []string{"while the limit is reached", "made again"} {
			if _, body := g.Read("/mcp/notes", "notes://a"); !strings.Contains(body, `"text":"1"`) {
				t.Errorf("the page's endpoint, %s: %s", when, body)
			}
			if all := g.Count(); all.Pages != 1 || all.Away != 0 || all.ViewsWithoutPages != 0 {
				t.Errorf("%+v", all)
			}
			cancel()
			synctest.Wait()
			g.Sweep(time.Now().Add(time.Hour))
			if n := g.countViews(); n != 1 {
				t.Errorf("%d endpoints after the listens have ended", n)
			}
		}
	})
}

// A session outlives its endpoint, which is removed while the session is idle.
func TestSessionOutlivesItsEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		session := g.Begin("/mcp/none", gatewaytest.Initialize)
		if n := g.countViews(); n != 2 {
			t.Errorf("%d endpoints while the session is used", n)
		}
		g.Sweep(time.Now().Add(2 * limits.SessionIdle))
		if n := g.countViews(); n != 1 {
			t.Errorf("%d endpoints while the session is idle", n)
		}
		if status, body := session.Request("1", engine.MethodPing, ""); status != 200 || !strings.Contains(body, `"result":{}`) {
			t.Errorf("%d %s", status, body)
		}
	})
}

// /mcp/{page} serves the info of its page in both eras, cleaned and truncated. /mcp, and
// /mcp/{page} before the page has joined, serve the info of the gateway.
func TestEndpointServesTheInfoOfItsPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		ask := func(path string) map[string]string {
			t.Helper()
			_, initialized := g.Post(path, gatewaytest.Initialize, gatewaytest.Streams)
			_, discovered := g.Ask(path, engine.MethodDiscover, "")
			_, listed := g.Ask(path, engine.MethodListResources, "")
			return map[string]string{"initialize": initialized, "discover": discovered, "list": listed}
		}
		own := `"name":"pagemcp","version":"0.0.0-test","title":"PageMCP"`
		for name, got := range ask("/mcp/notes") {
			if !strings.Contains(got, own) {
				t.Errorf("%s before the page came: %s", name, got)
			}
		}
		page := newPage(t, "notes")
		page.serve(engine.Info{
			Name: "my\u202enotes", Title: "Notes \x1b[31m\U000e0041" + strings.Repeat("t", 300), Version: "1.2.3\u200b",
			WebsiteURL: "https://app.example/about", Instructions: "One.\nTwo\u2066.\x00" + strings.Repeat("i", 3_000),
		})
		page.join(g)
		server := `"name":"mynotes","version":"1.2.3","title":"Notes ` + strings.Repeat("t", 200-len("Notes ")) + `","websiteUrl":"https://app.example/about"`
		instructions := `"instructions":"One.\nTwo.` + strings.Repeat("i", 2_000-len("One.\nTwo.")) + `"`
		for name, got := range ask("/mcp/notes") {
			if !strings.Contains(got, server) || name != "list" && !strings.Contains(got, instructions) {
				t.Errorf("%s: %s", name, got)
			}
		}
		for name, got := range ask("/mcp") {
			if !strings.Contains(got, own) {
				t.Errorf("%s at /mcp: %s", name, got)
			}
		}
		// Another document of the tab declares another info; an invalid URL is omitted.
		page.leave(g, false)
		page.serve(engine.Info{Name: "notes", Version: "2", WebsiteURL: "javascript:alert(1)"})
		page.join(g)
		if got := ask("/mcp/notes")["discover"]; !strings.Contains(got, `{"name":"notes","version":"2"}`) || strings.Contains(got, "instructions") {
			t.Errorf("after a reload: %s", got)
		}
	})
}
