package gateway

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A method of an extension is forwarded to the page that declares it, with a new id, and
// its result is returned unchanged: at the endpoint of the page always, at /mcp only
// while it is the only page with extensions. Other unknown methods get -32601 and its
// status. R-299 R-361 R-365 R-366 R-367.
func TestExtensionsArePassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		denied := ""
		g := startGateway(t, func(o *Options) {
			o.Allow = func(_ engine.Principal, _ engine.Verb, uri string) bool { return uri != denied }
		})
		ask := func(path, method, want string, status int) {
			t.Helper()
			answer, body := g.Post(path, gatewaytest.Modern(`"mine"`, method, `"a":[1]`), gatewaytest.HeadersOf(method, "")...)
			if answer.StatusCode != status || !strings.Contains(body, want) || !strings.Contains(body, `"id":"mine"`) {
				t.Errorf("%s at %s: %d %s; want %d with %s", method, path, answer.StatusCode, body, status, want)
			}
		}
		declared := func(path string) bool {
			_, body := g.Ask(path, engine.MethodDiscover, "")
			return strings.Contains(body, `"com.acme/ext":{"level":7}`)
		}
		newPage(t, "plain").join(g)
		ask("/mcp", "acme/x", "-32601", 404)
		ask("/mcp/notes", "acme/x", "-32601", 404)
		if declared("/mcp") {
			t.Error("declared before there was a page with it")
		}

		extended := func(name string) *testPage {
			page := newPage(t, name)
			page.serve(engine.Info{Name: name, Version: "1"}, []byte(`{"level":7}`))
			page.join(g)
			return page
		}
		extended("one")
		for _, path := range []string{"/mcp", "/mcp/one"} {
			if !declared(path) {
				t.Errorf("not declared at %s", path)
			}
			ask(path, "acme/x", `"page":"one","a":[1]`, 200)
			ask(path, "tasks/result", "-32601", 404)
		}
		if declared("/mcp/plain") {
			t.Error("declared for a page that does not have it")
		}
		ask("/mcp/plain", "acme/x", "-32601", 404)
		denied = "method:one.acme/x"
		ask("/mcp/one", "acme/x", "-32601", 404)
		denied = ""

		two := extended("two")
		if declared("/mcp") {
			t.Error("declared at /mcp, where its page is ambiguous")
		}
		ask("/mcp", "acme/x", "-32601", 404)
		ask("/mcp/two", "acme/x", `"page":"two"`, 200)
		ask("/mcp/one", "acme/x", `"page":"one"`, 200)

		two.leave(g, true)
		if !declared("/mcp") {
			t.Error("the page that stays does not have /mcp for itself")
		}
		ask("/mcp", "acme/x", `"page":"one"`, 200)
	})
}
