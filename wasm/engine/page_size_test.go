package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A pagedSource lists in pages of its own.
type pagedSource struct {
	uris []string
	size int
}

func (s *pagedSource) List(_ context.Context, k engine.Kind, cursor string) (listing engine.Listing, err error) {
	if k != engine.Resources {
		return listing, nil
	}
	from := 0
	if cursor != "" {
		if _, err := fmt.Sscanf(cursor, "from %d", &from); err != nil {
			return listing, engine.ErrBadCursor
		}
	}
	to := min(from+s.size, len(s.uris))
	for _, uri := range s.uris[min(from, to):to] {
		listing.Items = append(listing.Items, engine.Item{Key: uri, JSON: engine.Describe("uri", uri, "name", uri)})
	}
	if to < len(s.uris) {
		listing.Next = fmt.Sprint("from ", to)
	}
	return listing, nil
}

func (s *pagedSource) Read(context.Context, string) ([]engine.Contents, error) {
	return nil, engine.ErrNotFound
}

// A page of resources has as many entries as Options.PageSize says, also where a source lists more at a
// time; each resource is in one page, and those that stay are also if others go meanwhile.
func TestPagesOfResourcesHaveTheirSize(t *testing.T) {
	var uris []string
	for i := range 25 {
		uris = append(uris, fmt.Sprintf("a:%d", i))
	}
	for _, size := range []int{1, 4, 10, 25} {
		source := &pagedSource{slices.Clone(uris), size}
		e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{PageSize: 3})
		e.Mount("", source)
		e.Mount("b+", &pagedSource{[]string{"b:1", "b:2", "b:3", "b:4"}, 100})
		d := enginetest.NewDialogue(t, e)
		var listed []string
		cursor := ""
		for pages := 0; pages == 0 || cursor != ""; pages++ {
			members := ""
			if cursor != "" {
				members = `"cursor":` + cursor
			}
			result := jsonrpc.Member([]byte(d.Modern("resources/list", members)), "result")
			all, _ := jsonrpc.Elements(jsonrpc.Member(result, "resources"))
			cursor = string(jsonrpc.Member(result, "nextCursor"))
			if len(all) > 3 || len(all) < 3 && cursor != "" {
				t.Errorf("source of %d: a page has %d entries", size, len(all))
			}
			for _, one := range all {
				uri, _ := jsonrpc.Text(jsonrpc.Member(one, "uri"))
				listed = append(listed, uri)
			}
			if pages == 2 && size == 25 {
				source.uris = slices.DeleteFunc(source.uris, func(uri string) bool { return uri == "a:0" || uri == "a:20" })
			}
		}
		want := append(slices.Clone(uris), "b+b:1", "b+b:2", "b+b:3", "b+b:4")
		if size == 25 {
			want = slices.DeleteFunc(want, func(uri string) bool { return uri == "a:20" })
		}
		if !slices.Equal(listed, want) {
			t.Errorf("source of %d: %s", size, strings.Join(listed, " "))
		}
	}
}

// A full page is the last one if nothing follows, though further sources do.
func TestFullPagesAtTheEndHaveNoCursor(t *testing.T) {
	e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{PageSize: 3, Tools: true})
	e.Mount("", &pagedSource{[]string{"a:1", "a:2", "a:3"}, 100})
	e.Mount("b+", &pagedSource{nil, 100})
	e.Mount("c+", engine.NewTable())
	d := enginetest.NewDialogue(t, e)
	if got := d.Modern("resources/list", ""); !strings.Contains(got, "a:3") || strings.Contains(got, "nextCursor") {
		t.Error(got)
	}
	e.Mount("d+", &pagedSource{[]string{"d:1"}, 100})
	if got := d.Modern("resources/list", ""); strings.Contains(got, "d:1") || !strings.Contains(got, "nextCursor") {
		t.Error(got)
	}
}
