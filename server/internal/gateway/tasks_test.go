package gateway

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/task"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// serveTasks gives the page an engine with a tool that takes half a minute.
func (p *testPage) serveTasks() {
	p.t.Helper()
	p.knowsClients = true // tasks belong to one
	p.engine = engine.New(engine.Info{Name: p.hello.Name, Version: "1"}, &engine.Options{Tools: true, Extensions: []*engine.Extension{task.Extension(&task.Tasks{})}})
	p.engine.Mount("", p.table)
	p.must(p.table.Put(engine.Entry{
		Kind: engine.Tools, JSON: []byte(`{"name":"work","inputSchema":{"type":"object"}}`),
		Extra: task.Tool{Mode: task.Required},
		Call: func(ctx context.Context, _ []byte) ([]byte, error) {
			select {
			case <-time.After(30 * time.Second):
				return []byte(`{"content":[{"type":"text","text":"done"}]}`), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
	}))
}

// task sends a request of a client with the extension.
func (g *testGateway) task(path, method, params string) string {
	g.t.Helper()
	name, _ := jsonrpc.Text(jsonrpc.Member([]byte("{"+params+"}"), access.MethodOf(method).Named))
	_, text := g.Post(path, withTasks(gatewaytest.Modern("1", method, params)), gatewaytest.V2026, "Mcp-Method: "+method, "Mcp-Name: "+name)
	return text
}

// withTasks adds the extension to the capabilities of a request.
func withTasks(body string) string {
	return strings.Replace(body, `clientCapabilities":{}`, `clientCapabilities":{"extensions":{"`+task.ID+`":{}}}`, 1)
}

// A task of a page outlives its connection and the gateway, and ends with the page.
func TestTasksEndWithTheirPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		page := newPage(t, "notes")
		page.serveTasks()
		page.join(g)
		if _, body := g.Ask("/mcp", engine.MethodDiscover, ""); !strings.Contains(body, task.ID) {
			t.Errorf("the extension is not declared: %s", body)
		}
		created := g.task("/mcp", "tools/call", `"name":"notes__work"`)
		id, _ := jsonrpc.Text(jsonrpc.Member(jsonrpc.Member([]byte(created), "result"), "taskId"))
		wants := func(g *testGateway, part string) {
			t.Helper()
			for path, id := range map[string]string{"/mcp": id, "/mcp/notes": strings.TrimPrefix(id, "notes.")} {
				if got := g.task(path, "tasks/get", `"taskId":"`+id+`"`); !strings.Contains(got, part) {
					t.Errorf("at %s: %s\n  has no %s", path, got, part)
				}
			}
		}
		wants(g, `"status":"working"`)
		if _, body := g.Ask("/mcp", "tasks/get", `"taskId":"`+id+`"`, "Mcp-Name: other"); !strings.Contains(body, "-32020") {
			t.Errorf("a header that does not fit: %s", body)
		}
		page.leave(g, true)

		second := startGateway(t)
		wants(second, `"reason":"page-away"`)
		if got := second.task("/mcp", "tasks/get", `"taskId":"notes.nonsense"`); !strings.Contains(got, "-32602") {
			t.Error(got)
		}
		page.join(second)
		wants(second, `"status":"working"`)
		page.leave(second, false)
		page.engine.Close()
		page.serveTasks() // it was loaded again
		page.join(second)
		wants(second, `"reason":"interrupted"`)
		page.engine.Close()
	})
}
