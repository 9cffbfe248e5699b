package server

import (
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// /mcp/{page} serves the info of its page in both eras, cleaned and truncated. /mcp, and
// /mcp/{page} before the page has joined, serve the info of the gateway.
func TestEndpointServesTheInfoOfItsPage(t *testing.T) {
	g := startGateway(t, Options{})
	c := testCaller{t, g}
	ask := func(path string) (classic, modernly, read string) {
		t.Helper()
		_, classic = c.do(t.Context(), "POST", path, initialize)
		_, modernly = c.do(t.Context(), "POST", path, discover, v2026, "Mcp-Method: server/discover")
		_, read = c.do(t.Context(), "POST", path, modern("1", "resources/list", ""), v2026, "Mcp-Method: resources/list")
		return classic, modernly, read
	}
	gateway := `"name":"pagemcp","version":"0.0.0-test","title":"PageMCP"`
	classic, modernly, list := ask("/mcp/notes")
	for _, got := range []string{classic, modernly, list} {
		if !strings.Contains(got, gateway) {
			t.Errorf("before the page came: %s", got)
		}
	}
	page := newPage(t, testOrigin, "tab")
	page.engine = engine.New(engine.Info{
		Name: "my\u202enotes", Title: "Notes \x1b[31m\U000e0041" + strings.Repeat("t", 300), Version: "1.2.3\u200b",
		WebsiteURL: "https://app.example/about", Instructions: "One.\nTwo\u2066.\x00" + strings.Repeat("i", 3_000),
	}, nil)
	page.engine.Mount("", page.table)
	page.join(g)
	classic, modernly, list = ask("/mcp/notes")
	server := `"name":"mynotes","version":"1.2.3","title":"Notes ` + strings.Repeat("t", 200-len("Notes ")) + `","websiteUrl":"https://app.example/about"`
	instructions := `"instructions":"One.\nTwo.` + strings.Repeat("i", 2_000-len("One.\nTwo.")) + `"`
	for name, got := range map[string]string{"initialize": classic, "discover": modernly, "list": list} {
		if !strings.Contains(got, server) || name != "list" && !strings.Contains(got, instructions) {
			t.Errorf("%s: %s", name, got)
		}
	}
	classic, modernly, list = ask("/mcp")
	for _, got := range []string{classic, modernly, list} {
		if !strings.Contains(got, gateway) {
			t.Errorf("at /mcp: %s", got)
		}
	}
	// Another document of the tab declares another info; an invalid URL is omitted.
	page.leave()
	page.awaitAway(g)
	page.engine = engine.New(engine.Info{Name: "notes", Version: "2", WebsiteURL: "javascript:alert(1)"}, nil)
	page.join(g)
	if _, modernly, _ = ask("/mcp/notes"); !strings.Contains(modernly, `{"name":"notes","version":"2"}`) || strings.Contains(modernly, "instructions") {
		t.Errorf("after a reload: %s", modernly)
	}
}
