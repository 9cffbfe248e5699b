package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A page of a list ends after 1 MiB, however few entries it has by then: entries may be
// as large as messages. All of them are got, page by page.
func TestListPagesAreBoundedInBytes(t *testing.T) {
	const entries, size = 30, 200_000
	schema := `{"type":"object","description":"` + strings.Repeat("x", size) + `"}`
	e := engine.New(engine.Info{Name: "large", Version: "1"}, &engine.Options{Tools: true})
	table := engine.NewTable()
	for i := range entries {
		name := fmt.Sprintf("tool-%02d", i)
		err := table.Put(engine.Entry{
			Kind: engine.Tools, JSON: []byte(`{"name":"` + name + `","inputSchema":` + schema + `}`),
			Call: func(context.Context, []byte) ([]byte, error) { return []byte(`{"content":[]}`), nil },
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	e.Mount("large.", table)
	d := enginetest.NewDialogue(t, e)
	found := 0
	for cursor, pages := "", 1; ; pages++ {
		members := ""
		if cursor != "" {
			members = `"cursor":"` + cursor + `"`
		}
		got := d.Modern("tools/list", members)
		if len(got) > 1<<20+size+10_000 {
			t.Errorf("page %d has %d bytes", pages, len(got))
		}
		found += strings.Count(got, `"name":"large.`)
		cursor, _ = jsonrpc.Text(jsonrpc.Member(jsonrpc.Member([]byte(got), "result"), "nextCursor"))
		if cursor == "" || pages > entries {
			break
		}
	}
	if found != entries {
		t.Errorf("%d entries are listed, want %d", found, entries)
	}
}
