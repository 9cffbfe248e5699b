package gateway

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// unsettled makes pages be on their way from another node while is is true.
func unsettled(is *atomic.Bool) func(*Options) {
	return func(o *Options) { o.OnDemand, o.Unsettled = true, is.Load }
}

// A page is between two nodes when a view is opened that has never known it: reads and calls
// wait for it, and calls run once. If it does not come, all may be repeated.
func TestRequestsWaitForPageThatIsBetweenNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var isUnsettled atomic.Bool
		g := startGateway(t, unsettled(&isUnsettled))
		page := newPage(t, "notes")
		page.write("notes://cart", "1 item")
		var runs atomic.Int32 // calls run at the same time
		page.tool("pay", "{}", func() string { runs.Add(1); return "paid" })
		page.must(page.table.Put(engine.Entry{
			Kind: engine.Prompts, JSON: []byte(`{"name":"ask","arguments":[{"name":"of"}]}`),
			Call: func(context.Context, []byte) ([]byte, error) { return []byte(`{"messages":[]}`), nil },
		}))
		kinds := []struct{ path, method, params, result string }{
			{"/mcp", "tools/call", `"name":"notes__pay"`, "paid"},
			{"/mcp", "prompts/get", `"name":"notes__ask"`, `"messages":[]`},
			{"/mcp", "completion/complete", `"ref":{"type":"ref/prompt","name":"notes__ask"},"argument":{"name":"of","value":""}`, `"completion"`},
			{"/mcp", "resources/read", `"uri":"notes+notes://cart"`, "1 item"},
			{"/mcp/notes", "tools/call", `"name":"pay"`, "paid"},
			{"/mcp/notes", "prompts/get", `"name":"ask"`, `"messages":[]`},
			{"/mcp/notes", "resources/read", `"uri":"notes://cart"`, "1 item"},
		}
		type answer struct {
			of, text string
			waited   time.Duration
		}
		answers := make(chan answer, len(kinds))
		all := func() {
			for _, kind := range kinds {
				go func() {
					began := time.Now()
					_, text := g.Ask(kind.path, kind.method, kind.params)
					answers <- answer{kind.path + " " + kind.method, text, time.Since(began)}
				}()
			}
		}
		want := func(wait time.Duration, fits func(answer) bool) {
			t.Helper()
			for range kinds {
				if got := <-answers; !fits(got) || got.waited != wait {
					t.Errorf("%s: %s after %v, want %v", got.of, got.text, got.waited, wait)
				}
			}
		}
		all()
		want(0, func(a answer) bool { return strings.Contains(a.text, `"error"`) })
		isUnsettled.Store(true)
		all()
		want(limits.GraceTime, func(a answer) bool { return strings.Contains(a.text, `"reason":"page-away","retry":true`) })
		if _, text := g.Ask("/mcp", "tools/call", `"name":"no page"`); !strings.Contains(text, "Unknown tool") {
			t.Errorf("a name without a page: %s", text)
		}
		all()
		time.Sleep(limits.GraceTime / 2)
		page.join(g)
		want(limits.GraceTime/2, func(a answer) bool { return !strings.Contains(a.text, `"error"`) })
		if runs.Load() != 2 {
			t.Errorf("%d runs of two calls", runs.Load())
		}
		page.leave(g, true)
	})
}

// The first list of an owner whose pages are on their way from another node waits for the first of
// them, for a bounded time, and once: an empty list would be taken for the truth.
func TestTheFirstListWaitsForAPageOnItsWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var isUnsettled atomic.Bool
		isUnsettled.Store(true)
		g := startGateway(t, unsettled(&isUnsettled))
		took := func() (string, time.Duration) {
			began := time.Now()
			_, text := g.Ask("/mcp", "resources/list", "")
			return text, time.Since(began)
		}
		if text, waited := took(); waited != firstPageTime {
			t.Errorf("without a page: after %v: %s", waited, text)
		}
		if _, waited := took(); waited != 0 {
			t.Errorf("again: after %v", waited)
		}
		g.Forget(func(access.Owner) bool { return true }) // as when the owner has moved away and back
		page := newPage(t, "notes")
		page.write("notes://cart", "1 item")
		answered := make(chan func(), 1)
		go func() {
			text, waited := took()
			answered <- func() {
				if waited < time.Second || waited > 2*time.Second || !strings.Contains(text, "notes+notes://cart") {
					t.Errorf("with a page that comes: after %v: %s", waited, text)
				}
			}
		}()
		time.Sleep(time.Second)
		page.join(g)
		(<-answered)()
		page.leave(g, true)
	})
}
