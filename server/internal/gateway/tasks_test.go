package gateway

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A taskStore keeps records of tasks.
type taskStore struct {
	mu      sync.Mutex
	records map[string][]byte
}

func (s *taskStore) PutTask(_ context.Context, id string, record []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.records == nil {
		s.records = map[string][]byte{}
	}
	s.records[id] = record
	return nil
}

func (s *taskStore) DeleteTask(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.records, id)
}

func (s *taskStore) all() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.records))
}

// serveTasks gives the page an engine with a tool that takes a minute, as after a reload.
func (p *testPage) serveTasks(store *taskStore) {
	p.t.Helper()
	p.knowsClients = true // tasks belong to one
	p.engine = engine.New(engine.Info{Name: p.hello.Name, Version: "1"}, &engine.Options{Tools: true, Tasks: true, TaskStore: store})
	p.engine.Mount("", p.table)
	p.must(p.table.PutTool(engine.ToolEntry{
		Tool: engine.Tool{Name: "work", Object: []byte(`{"name":"work","inputSchema":{"type":"object"}}`)},
		Task: engine.TaskTool{Mode: engine.TaskRequired, Resume: true},
		Call: func(ctx context.Context, _ []byte) ([]byte, error) {
			select {
			case <-time.After(30 * time.Second):
				return []byte(`{"content":[{"type":"text","text":"done"}]}`), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
	}))
	p.engine.RestoreTasks(store.all()...)
}

// task sends a request of a client with the extension.
func (g *testGateway) task(path, method, params string) string {
	g.t.Helper()
	name, _ := jsonrpc.Text(jsonrpc.Member([]byte("{"+params+"}"), engine.MethodOf(method).Named))
	_, text := g.post(path, withTasks(modern("1", method, params)), v2026, "Mcp-Method: "+method, "Mcp-Name: "+name)
	return text
}

// withTasks adds the extension to the capabilities of a request.
func withTasks(body string) string {
	return strings.Replace(body, `clientCapabilities":{}`, `clientCapabilities":{"extensions":{"`+engine.ExtensionTasks+`":{}}}`, 1)
}

// A client that listens to a task gets its last state from another tab, which was there before, has
// another name, and takes the task over when the first one has closed.
func TestListensFollowTasksToOtherTabs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for path, tool := range map[string]string{"/mcp": "notes__work", "/mcp/notes": "work"} {
			g, store := startGateway(t), &taskStore{}
			page, other := newPage(t, "notes"), newPage(t, "notes-2")
			page.serveTasks(store)
			page.join(g)
			other.hello.Name = "notes"
			other.serveTasks(&taskStore{})
			other.join(g)
			created := g.task(path, "tools/call", `"name":"`+tool+`"`)
			id, _ := jsonrpc.Text(jsonrpc.Member(jsonrpc.Member([]byte(created), "result"), "taskId"))
			body := withTasks(modern("1", engine.MethodListen, `"notifications":{"taskIds":["`+id+`"]}`))
			stream := g.open(t.Context(), "POST", path, body, v2026, "Mcp-Method: "+engine.MethodListen)
			if got := stream.next(); !strings.Contains(got, `"taskIds":["`+id+`"]`) {
				t.Fatalf("the acknowledgement: %s", got)
			}
			if got := stream.next(); !strings.Contains(got, `"status":"working"`) {
				t.Errorf("the present state: %s", got)
			}
			page.leave(g, true)
			page.engine.Close()
			time.Sleep(5 * time.Second)
			other.engine.RestoreTasks(store.all()...)
			for last := ""; !strings.Contains(last, `"status":"completed"`); {
				if last = stream.next(); !strings.Contains(last, `"taskId":"`+id+`"`) {
					t.Fatalf("at %s: %s", path, last)
				}
			}
			other.engine.Close()
		}
	})
}

// A task of a page survives the page's reload, its end, and that of the gateway: a new one says
// from the id alone that it is working. A tab that has taken it over is found.
func TestTasksOutlivePagesAndGateways(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		store := &taskStore{}
		page := newPage(t, "notes")
		page.serveTasks(store)
		page.join(g)
		if _, body := g.request("/mcp", engine.MethodDiscover, ""); !strings.Contains(body, engine.ExtensionTasks) {
			t.Errorf("the extension is not declared: %s", body)
		}
		created := g.task("/mcp", "tools/call", `"name":"notes__work"`)
		id, _ := jsonrpc.Text(jsonrpc.Member(jsonrpc.Member([]byte(created), "result"), "taskId"))
		own := strings.TrimPrefix(id, "notes.")
		wants := func(g *testGateway, parts ...string) {
			t.Helper()
			for path, id := range map[string]string{"/mcp": id, "/mcp/notes": own} {
				got := g.task(path, "tasks/get", `"taskId":"`+id+`"`)
				for _, part := range append(parts, `"taskId":"`+id+`"`) {
					if !strings.Contains(got, part) {
						t.Errorf("at %s: %s\n  has no %s", path, got, part)
					}
				}
			}
		}
		wants(g, `"status":"working"`)
		if _, body := g.request("/mcp", "tasks/get", `"taskId":"`+id+`"`, "Mcp-Name: other"); !strings.Contains(body, "-32020") {
			t.Errorf("a header that does not fit: %s", body)
		}

		page.leave(g, false)
		page.engine.Close()
		wants(g, `"status":"working"`, "The task goes on when the page notes (Notes) at "+testOrigin+" is open again")
		page.serveTasks(store)
		page.join(g)
		wants(g, `"status":"working"`)
		page.leave(g, true)
		page.engine.Close()

		second := startGateway(t) // without the page
		wants(second, `"status":"working"`, "The task goes on when the page notes is open again")
		if got := second.task("/mcp", "tasks/get", `"taskId":"notes.nonsense"`); !strings.Contains(got, "-32602") {
			t.Error(got)
		}
		if got := second.task("/mcp", "tasks/cancel", `"taskId":"`+id+`"`); !strings.Contains(got, `"reason":"page-away"`) {
			t.Error(got)
		}

		empty := newPage(t, "notes") // a new tab gets the name, and the second tab has the task
		empty.serveTasks(&taskStore{})
		empty.join(second)
		other := newPage(t, "notes-2")
		other.hello.Name = "notes"
		other.serveTasks(store)
		other.join(second)
		time.Sleep(2 * time.Minute)
		for _, path := range []string{"/mcp", "/mcp/notes"} {
			id := map[string]string{"/mcp": id, "/mcp/notes": own}[path]
			if got := second.task(path, "tasks/get", `"taskId":"`+id+`"`); !strings.Contains(got, `"status":"completed"`) || !strings.Contains(got, `"text":"done"`) {
				t.Errorf("a task that another tab has taken over, at %s: %s", path, got)
			}
		}
		other.engine.Close()
		empty.engine.Close()
	})
}
