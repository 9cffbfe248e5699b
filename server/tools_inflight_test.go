package server

import (
	"context"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A node that drains asks whether a page runs a tool, before it closes its socket.
func TestCallsOfAPageAreCounted(t *testing.T) {
	g := startGateway(t, Options{})
	page := newPage(t, testOrigin, "tab")
	page.engine = engine.New(engine.Info{Name: "notes", Version: "1"}, &engine.Options{Tools: true})
	page.engine.Mount("", page.table)
	begun, finish := make(chan struct{}), make(chan struct{})
	page.tool("slow", "waits", nil, func(context.Context, object) (any, error) {
		close(begun)
		<-finish
		return "done", nil
	})
	page.join(g)
	ended := make(chan struct{})
	c := testCaller{t, g}
	go func() { // ends with finish
		defer close(ended)
		c.do(t.Context(), "POST", "/mcp/"+page.name, modern("1", "tools/call", `"name":"slow","arguments":{}`), v2026, "Mcp-Method: tools/call", "Mcp-Name: slow")
	}()
	awaitClosed(t, begun, "the tool begins")
	if got := g.core.Calls("", page.name); got != 1 {
		t.Errorf("%d calls while it runs", got)
	}
	close(finish)
	awaitClosed(t, ended, "the call is answered")
	if got := g.core.Calls("", page.name); got != 0 {
		t.Errorf("%d calls after it", got)
	}
	if g.core.Calls("other", page.name) != 0 || g.core.Calls("", "none") != 0 {
		t.Error("calls of pages that do not exist")
	}
}

// awaitClosed waits until a channel is closed.
func awaitClosed(t *testing.T, closed <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-closed:
	case <-time.After(testTime):
		t.Fatalf("waited %v and still not: %s", testTime, what)
	}
}
