package engine_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A client that may only read sees and runs tools with readOnlyHint alone, whatever prefix they
// have; what is not a tool of the page is unknown to it, as to others.
func TestReadOnlyClientsRunToolsThatOnlyRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine.New(engine.Info{Name: "test", Version: "1"}, &engine.Options{
			Tools: true, ReadOnly: func(who engine.Principal) bool { return who == "reader" },
		})
		hints := map[string]string{"look": `,"annotations":{"readOnlyHint":true}`, "act": `,"annotations":{"readOnlyHint":false}`, "text": `,"annotations":{"readOnlyHint":"true"}`, "bare": ""}
		table := engine.NewTable()
		for name, hint := range hints {
			tool, err := engine.Tools.Parse([]byte(`{"name":"` + name + `","inputSchema":{"type":"object"}` + hint + `}`))
			if err != nil {
				t.Fatal(err)
			}
			if err := table.Put(engine.Entry{Kind: engine.Tools, JSON: tool.JSON, Call: func(context.Context, []byte) ([]byte, error) { return []byte(`{"content":[]}`), nil }}); err != nil {
				t.Fatal(err)
			}
		}
		e.Mount("notes+", table)
		for who, may := range map[engine.Principal]func(tool string) bool{
			"reader": func(tool string) bool { return tool == "look" }, "actor": func(string) bool { return true },
		} {
			d := enginetest.DialogueOf(t, e, who)
			list := d.Modern("tools/list", "")
			for name := range hints {
				if strings.Contains(list, `"notes__`+name+`"`) != may(name) {
					t.Errorf("%s gets the list %s; may see %s: %v", who, list, name, may(name))
				}
				got := d.Modern("tools/call", `"name":"notes__`+name+`"`)
				if strings.Contains(got, `"content":[]`) != may(name) || !may(name) && !strings.Contains(got, `"reason":"read-only","retry":false`) {
					t.Errorf("%s calls %s: %s", who, name, got)
				}
				ctx := engine.WithPrincipal(t.Context(), who)
				if _, err := e.ToolDescription(ctx, "notes__"+name); (err == nil) != may(name) {
					t.Errorf("%s gets the description of %s: %v", who, name, err)
				}
			}
			if got := d.Modern("tools/call", `"name":"notes__none"`); !strings.Contains(got, "Unknown tool") {
				t.Errorf("%s calls a tool that is not there: %s", who, got)
			}
		}
	})
}

// Changes of the lists of a source are for clients that see it: also those of mounting it.
func TestListChangesAreForThoseWhoSeeTheSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine.New(engine.Info{Name: "test", Version: "1"}, &engine.Options{
			Sees: func(who engine.Principal, prefix string) bool { return who == "all" || prefix == "notes+" },
		})
		var mu sync.Mutex
		received := map[string]int{}
		for _, who := range []string{"all", "noter"} {
			near, far := jsonrpc.Pipe()
			defer near.Close()
			go e.Serve(engine.WithPrincipal(t.Context(), engine.Principal(who)), far) // ends with near
			listen := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{` + enginetest.ModernMeta + `,"notifications":{"resourcesListChanged":true}}}`
			if err := near.Write(t.Context(), []byte(listen)); err != nil {
				t.Fatal(err)
			}
			go func() { // ends with near
				for {
					msg, err := near.Read(t.Context())
					if err != nil {
						return
					}
					mu.Lock()
					received[who] += strings.Count(string(msg), "resources/list_changed")
					mu.Unlock()
				}
			}()
		}
		changes := func(who string) int {
			time.Sleep(time.Second) // of the bubble's clock: the interval between updates
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return received[who]
		}
		synctest.Wait()
		e.Mount("mail+", engine.NewTable())
		if all, noter := changes("all"), changes("noter"); all != 1 || noter != 0 {
			t.Errorf("after mail+ was mounted: %d and %d changes, want 1 and 0", all, noter)
		}
		e.Mount("notes+", engine.NewTable())
		if noter := changes("noter"); noter != 1 {
			t.Errorf("after notes+ was mounted: %d changes, want 1", noter)
		}
	})
}
