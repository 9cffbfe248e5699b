package engine

import (
	"context"
	"strconv"
	"strings"
	"testing"
)

// A client may make cursors itself, as long as a message: kept pages of lists count them.
func TestKeptPagesCountTheirCursors(t *testing.T) {
	e, table := New(Info{Name: "e", Version: "1"}, nil), NewTable()
	e.Mount("", table)
	if err := table.Put(Entry{JSON: Describe("uri", "a:b", "name", "b")}); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		cursor := writeCursor(listResourcesMethod, position{behind: strings.Repeat("x", 1<<20) + strconv.Itoa(i)})
		req := &Request{engine: e, method: listResourcesMethod, rev: modern, cursor: cursor, hasCursor: true}
		if _, err := e.list(context.Background(), req); err != nil {
			t.Fatal(err)
		}
	}
	kept := 0
	for key := range e.pages.byKey {
		kept += len(key.cursor)
	}
	if kept == 0 || kept > maxPages {
		t.Errorf("%d bytes of cursors are kept", kept)
	}
}
