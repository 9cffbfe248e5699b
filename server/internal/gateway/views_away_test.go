package gateway

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// serveCalls lets a node have a page with the tool pay and the prompt ask, whose argument
// "of" is completed.
func (c *fakeCluster) serveCalls(t *testing.T, node string) (runs *atomic.Int32) {
	t.Helper()
	runs = &atomic.Int32{}
	table := engine.NewTable()
	err := table.Put(engine.Entry{
		Kind: engine.Tools, JSON: []byte(`{"name":"pay","inputSchema":{"type":"object"}}`),
		Call: func(context.Context, []byte) ([]byte, error) {
			runs.Add(1)
			return []byte(`{"content":[]}`), nil
		},
	})
	if err == nil {
		err = table.Put(engine.Entry{
			Kind: engine.Prompts, JSON: []byte(`{"name":"ask","arguments":[{"name":"of"}]}`),
			Call: func(context.Context, []byte) ([]byte, error) { return []byte(`{"messages":[]}`), nil },
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Info{Name: "notes", Version: "1"}, &engine.Options{Tools: true, Prompts: true, Completions: true})
	e.Mount("", table)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages[node] = e
	return runs
}

// A page is between two nodes when a view is opened that has never known it: calls wait for
// it as reads do, and run once. If it does not come, they may be repeated.
func TestCallsWaitForPageThatIsNotKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, c := newClustered(t)
		runs := c.serveCalls(t, "b")
		kinds := []struct{ method, members, result string }{
			{"tools/call", `{"name":"NAMEpay"}`, `"content":[]`},
			{"prompts/get", `{"name":"NAMEask"}`, `"messages":[]`},
			{"completion/complete", `{"ref":{"type":"ref/prompt","name":"NAMEask"},"argument":{"name":"of","value":""}}`, `"completion"`},
		}
		var asks []func() (got string, waited time.Duration)
		for path, prefix := range map[string]string{"/mcp": "notes__", "/mcp/notes": ""} {
			client := clientAt(t, g, path)
			for _, kind := range kinds {
				members := []byte(strings.Replace(kind.members, "NAME", prefix, 1))
				asks = append(asks, func() (string, time.Duration) {
					began := time.Now()
					result, err := client.Request(t.Context(), kind.method, members)
					if err != nil {
						return err.Error(), time.Since(began)
					}
					if !strings.Contains(string(result), kind.result) {
						t.Errorf("%s: %s", kind.method, result)
					}
					return "ok", time.Since(began)
				})
			}
		}
		all := func(wanted string, wait time.Duration) {
			t.Helper()
			for _, ask := range asks {
				if got, waited := ask(); !strings.HasPrefix(got, wanted) || waited != wait {
					t.Errorf("%q after %v, want %q after %v", got, waited, wanted, wait)
				}
			}
		}
		all("Unknown ", announceTime)
		c.unsettled = true
		all("The page is away", limits.GraceTime)
		answers := make(chan string, len(asks))
		for _, ask := range asks {
			go func() {
				got, _ := ask()
				answers <- got
			}()
		}
		time.Sleep(limits.GraceTime / 2)
		c.changed(heldBy("b", 1, HeldThere))
		for range asks {
			if got := <-answers; got != "ok" {
				t.Errorf("a call that waited: %q", got)
			}
		}
		if runs.Load() != 2 {
			t.Errorf("%d runs", runs.Load())
		}
	})
}

// A call that waits for a page which does not come has had no effect: its error offers a retry.
func TestCallToPageThatDoesNotComeMayBeRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, c := newClustered(t)
		c.unsettled = true
		client := clientAt(t, g, "/mcp")
		_, err := client.Request(t.Context(), "tools/call", []byte(`{"name":"notes__pay"}`))
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) {
			t.Fatal(err)
		}
		if data := string(wire.Data); !strings.Contains(data, `"reason":"page-away","retry":true`) {
			t.Errorf("%v %s", err, data)
		}
		began := time.Now()
		_, err = client.Request(t.Context(), "tools/call", []byte(`{"name":"no page"}`))
		if err == nil || err.Error() != "Unknown tool" || time.Since(began) != 0 {
			t.Errorf("a name without a page: %v after %v", err, time.Since(began))
		}
	})
}
