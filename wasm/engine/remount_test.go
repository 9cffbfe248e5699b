package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
)

// A source that is mounted anew before it is unmounted, again and again, stays behind
// the one that was there first: cursors never mean two of them.
func TestOverlappingRemountsKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{PageSize: 1})
		tableOf := func(uris ...string) *engine.Table {
			table := engine.NewTable()
			for _, uri := range uris {
				if err := table.Put(engine.Entry{JSON: engine.Describe("uri", uri, "name", uri)}); err != nil {
					t.Fatal(err)
				}
			}
			return table
		}
		e.Mount("", tableOf("a:1", "a:2", "a:3"))
		unmount := e.Mount("", tableOf("b:0"))
		for i := range 255 { // as many as a number of one byte counts
			next := e.Mount("", tableOf(fmt.Sprintf("b:%d", i), "b:last"))
			unmount()
			unmount = next
		}
		d := enginetest.NewDialogue(t, e)
		defer d.Port.Close()
		var listed []string
		cursor := ""
		for range 10 {
			answer := d.Request("resources/list", `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`+cursor)
			for _, uri := range []string{"a:1", "a:2", "a:3", "b:254", "b:last"} {
				if strings.Contains(string(answer), `"uri":"`+uri+`"`) {
					listed = append(listed, uri)
				}
			}
			_, rest, more := strings.Cut(string(answer), `"nextCursor":"`)
			if !more {
				break
			}
			text, _, _ := strings.Cut(rest, `"`)
			cursor = `,"cursor":"` + text + `"`
		}
		if got := strings.Join(listed, " "); got != "a:1 a:2 a:3 b:254 b:last" {
			t.Errorf("listed %s", got)
		}
	})
}
