package server

import (
	"context"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// extending gives a page an extension with one method, acme/x.
func (p *testPage) extending(settings string) *testPage {
	p.engine = engine.New(engine.Info{Name: p.app, Version: "1"}, &engine.Options{
		Extensions: []byte(`{"com.acme/ext":` + settings + `}`),
		Extend: func(ctx context.Context, method string, params []byte) ([]byte, error) {
			if method != "acme/x" {
				return nil, engine.ErrNotFound
			}
			return []byte(`{"page":"` + p.name + `","a":` + string(jsonrpc.Member(params, "a")) + `}`), nil
		},
	})
	p.engine.Mount("", p.table)
	return p
}

// A method of an extension is forwarded to the page that declares it, with a new id, and
// its result is returned unchanged: at the endpoint of the page always, at /mcp only
// while it is the only page with extensions. Other unknown methods get -32601 and its
// status. R-299 R-361 R-365 R-366 R-367.
func TestExtensionsArePassedOn(t *testing.T) {
	g := startGateway(t, Options{})
	c := testCaller{t, g}
	ask := func(path, method, want string, status int) {
		t.Helper()
		answer, body := c.do(t.Context(), "POST", path, modern(`"mine"`, method, `"a":[1]`), v2026, "Mcp-Method: "+method)
		if answer.StatusCode != status || !strings.Contains(body, want) || !strings.Contains(body, `"id":"mine"`) {
			t.Errorf("%s at %s: %d %s; want %d with %s", method, path, answer.StatusCode, body, status, want)
		}
	}
	declared := func(path string) bool {
		_, body := c.do(t.Context(), "POST", path, discover, v2026, "Mcp-Method: server/discover")
		return strings.Contains(body, `"com.acme/ext":{"level":7}`)
	}
	plain := newPage(t, testOrigin, "plain")
	plain.join(g)
	ask("/mcp", "acme/x", "-32601", 404)
	ask("/mcp/notes", "acme/x", "-32601", 404)
	if declared("/mcp") {
		t.Error("declared before there was a page with it")
	}

	one := newPage(t, testOrigin, "one").extending(`{"level":7}`)
	one.join(g)
	for _, path := range []string{"/mcp", "/mcp/" + one.name} {
		if !declared(path) {
			t.Errorf("not declared at %s", path)
		}
		ask(path, "acme/x", `"page":"`+one.name+`","a":[1]`, 200)
		ask(path, "tasks/get", "-32601", 404)
	}
	if declared("/mcp/notes") {
		t.Error("declared for a page that does not have it")
	}
	ask("/mcp/notes", "acme/x", "-32601", 404)

	two := newPage(t, testOrigin, "two").extending(`{"level":7}`)
	two.join(g)
	if declared("/mcp") {
		t.Error("declared at /mcp, though nobody could tell whose it is")
	}
	ask("/mcp", "acme/x", "-32601", 404)
	ask("/mcp/"+two.name, "acme/x", `"page":"`+two.name+`"`, 200)
	ask("/mcp/"+one.name, "acme/x", `"page":"`+one.name+`"`, 200)

	two.leave()
	two.awaitAway(g)
	g.core.Views("").ExpireGrace(two.name)
	eventually(t, "the page that stays has /mcp for itself", func() bool { return declared("/mcp") })
	ask("/mcp", "acme/x", `"page":"`+one.name+`"`, 200)
}
