package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
)

// What is put again under its name takes the place of the earlier entry in the list.
func TestReplacedEntriesKeepTheirPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine.New(engine.Info{Name: "e", Version: "1"}, nil)
		table := engine.NewTable()
		e.Mount("", table)
		for _, title := range []string{"first", "second"} {
			for _, uri := range []string{"note:a", "note:b"} {
				if err := table.Put(engine.Entry{Kind: engine.Resources, JSON: engine.Describe("uri", uri, "name", title)}); err != nil {
					t.Fatal(err)
				}
			}
		}
		d := enginetest.NewDialogue(t, e)
		const want = `"resources":[{"uri":"note:a","name":"second"},{"uri":"note:b","name":"second"}]`
		if got := d.Modern("resources/list", ""); !strings.Contains(got, want) {
			t.Errorf("%s\n  has no %s", got, want)
		}
		d.Port.Close()
	})
}
