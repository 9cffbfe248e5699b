package gateway

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A program that embeds a gateway has to allow the use of an assistant's model.
func TestPagesUseNoModelByDefault(t *testing.T) {
	p := &page{name: "notes", origin: "https://app.example"}
	for _, row := range []struct {
		name    string
		options Options
		refused bool
	}{
		{"without a function", Options{}, true},
		{"of a refused origin", Options{MaySample: func(string) bool { return false }}, true},
		{"of an allowed origin", Options{MaySample: func(origin string) bool { return origin == p.origin }}, false},
	} {
		v := &views{gateway: &Gateway{Options: row.options}}
		if got := v.inputPolicy(p); (got.Refuse != "") != row.refused || got.From != "notes (https://app.example)" {
			t.Errorf("%s: %+v", row.name, got)
		}
	}
}

// The policy gets the names at /mcp, whatever endpoint the client uses.
func TestPolicyHoldsAtEachEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		denied := []string{"notes+notes://secret", "tool:notes__wipe", "prompt:notes__review", "tool:wait_for_change"}
		g := startGateway(t, func(o *Options) {
			o.Allow = func(principal engine.Principal, _ engine.Verb, uri string) bool {
				if principal != "p" {
					t.Errorf("the principal is %q", principal)
				}
				return !slices.Contains(denied, uri)
			}
		})
		page := newPage(t, "notes")
		page.write("notes://secret", "hidden")
		page.write("notes://open", "shown")
		page.tool("wipe", `{}`, always("wiped"))
		page.tool("count", `{}`, always("counted"))
		page.must(page.table.Put(engine.Entry{
			Kind: engine.Prompts, JSON: []byte(`{"name":"review"}`),
			Call: func(context.Context, []byte) ([]byte, error) { return []byte(`{"messages":[]}`), nil },
		}))
		page.join(g)
		for _, at := range []struct{ path, uri, name string }{{"/mcp", "notes+", "notes__"}, {"/mcp/notes", "", ""}} {
			if _, body := g.Read(at.path, at.uri+"notes://secret"); !strings.Contains(body, "-32602") || strings.Contains(body, "hidden") {
				t.Errorf("%s: denied read: %s", at.path, body)
			}
			if _, body := g.Read(at.path, at.uri+"notes://open"); !strings.Contains(body, "shown") {
				t.Errorf("%s: %s", at.path, body)
			}
			_, listed := g.Ask(at.path, engine.MethodListResources, "")
			if strings.Contains(listed, "notes://secret") || !strings.Contains(listed, "notes://open") {
				t.Errorf("%s: listed %s", at.path, listed)
			}
			_, tools := g.Ask(at.path, engine.MethodListTools, "")
			if strings.Contains(tools, "wipe") || strings.Contains(tools, `"name":"wait_for_change"`) || !strings.Contains(tools, at.name+"count") || !strings.Contains(tools, "read_resource") {
				t.Errorf("%s: tools %s", at.path, tools)
			}
			for _, x := range [][2]string{{engine.MethodCallTool, at.name + "wipe"}, {engine.MethodCallTool, "wait_for_change"}, {engine.MethodGetPrompt, at.name + "review"}} {
				if _, called := g.Ask(at.path, x[0], `"name":"`+x[1]+`","arguments":{}`); !strings.Contains(called, "-32602") {
					t.Errorf("%s: %s %s is answered %s", at.path, x[0], x[1], called)
				}
			}
		}
		// A generated tool gives a client no more rights than its own requests.
		if text, _ := g.call("/mcp", "read_resource", `{"uri":"notes+notes://secret"}`); strings.Contains(text, "hidden") {
			t.Errorf("read by a tool: %s", text)
		}
	})
}
