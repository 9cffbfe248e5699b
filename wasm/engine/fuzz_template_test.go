package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/schema"
)

// Matching any URI with any template gives a JSON object or nothing, and what it
// gives expands to the URI again, apart from characters that need not be
// percent-encoded. R-138 R-139.
func FuzzMatch(f *testing.F) {
	for _, template := range []string{
		"notes://tag/{tag}", "idb:///{database}/{store}/{key}", "x:{a}:{b}", "x:{b}:{b}", "opfs:///{+path}", "q:{?x,y}",
		"a:{;list}", "a:{x:3}", "plain:", "a:{", "a:{}", "x:{/a}", "x:{.a}{.b}", "x:{+a}{?b,c}", "x:{a}.{b}", "x:é{a}",
	} {
		for _, uri := range []string{"notes://tag/a%20b", "idb:///d/s/n.1", "x:1:2", "x:1:1", "opfs:///a/b", "q:?1,2", "a:;list=1;list=2", "a:%zz", "a:%C3%A9", "a:é", "x:.1.2.3", "x:/a?b=1&c=2", ""} {
			f.Add(template, uri)
		}
	}
	f.Fuzz(func(t *testing.T, template, uri string) {
		m, err := newMatcher(template)
		if err != nil || schema.CheckURI(uri) != nil {
			return
		}
		values, ok := m.match(uri)
		if !ok {
			return
		}
		variablesOf(t, values)
		again := expand(t, template, values)
		if decoded(lowerScheme(again)) != decoded(lowerScheme(uri)) {
			t.Errorf("%q of %q: %s expands to %q", template, uri, values, again)
		}
	})
}

// decoded returns a URI with all that is percent-encoded decoded.
func decoded(uri string) string {
	for {
		text, ok := percentDecode(uri)
		if !ok || text == uri {
			return text
		}
		uri = text
	}
}

// However many templates there are, the index finds the one that going through
// all of them finds: of those that match, one with the longest literal beginning,
// and of these the first.
func FuzzTemplateIndex(f *testing.F) {
	f.Add([]byte("a:{x}\na:b{x}\na:{+x}\na:b/{x}\nb:{y}"), "a:b/c")
	f.Add([]byte("notes://tag/{tag}\nnotes://{+all}\nnotes://tag/new\nnotes://{a}/{b}"), "notes://tag/new")
	f.Add([]byte("idb:///{d}/{s}\nidb:///{d}/{s}/{k}\nidb:///{d}\nidb:///db/{s}"), "idb:///db/store")
	f.Fuzz(func(t *testing.T, lines []byte, uri string) {
		if len(lines)+len(uri) > 400 {
			return
		}
		table := NewTable()
		type candidate struct {
			template string
			matcher  *matcher
		}
		var all []candidate
		for template := range strings.SplitSeq(string(lines), "\n") {
			entry := Entry{Kind: Templates, JSON: Describe("uriTemplate", template, "name", "t"), Ref: 1}
			if table.Put(entry) != nil || slices.ContainsFunc(all, func(c candidate) bool { return c.template == template }) {
				continue
			}
			m, err := newMatcher(template)
			if err != nil {
				t.Fatalf("the table took %q: %v", template, err)
			}
			all = append(all, candidate{template, m})
		}
		var want string
		best := -1
		var wantValues []byte
		for _, c := range all {
			if values, ok := c.matcher.match(uri); ok && len(c.matcher.prefix) > best {
				best, want, wantValues = len(c.matcher.prefix), c.template, values
			}
		}
		table.mu.Lock()
		row, values := table.match(uri)
		table.mu.Unlock()
		switch {
		case row == nil && best >= 0:
			t.Errorf("%q: the index finds nothing, %q matches", uri, want)
		case row != nil && (row.key != want || string(values) != string(wantValues)):
			t.Errorf("%q: the index finds %q %s, the scan %q %s", uri, row.key, values, want, wantValues)
		}
	})
}

// A cursor says where a list goes on, or it is no cursor: nothing between. R-219
//
func FuzzCursor(f *testing.F) {
	f.Add("", uint8(0), "", byte(1), "")
	f.Add("notes+", uint8(3), "cursor of the source", byte(2), "AAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, prefix string, nth uint8, inner string, kind byte, other string) {
		p := position{prefix: prefix, nth: uint64(nth), cursor: inner}
		text := writeCursor(sink.Method(kind), p)
		if got, err := readCursor(sink.Method(kind), text); err != nil || got != p {
			t.Errorf("%+v became %+v, %v", p, got, err)
		}
		if _, err := readCursor(sink.Method(kind+1), text); err == nil {
			t.Errorf("a cursor of another list was taken")
		}
		if got, err := readCursor(sink.Method(kind), other); err == nil && writeCursor(sink.Method(kind), got) != other {
			t.Errorf("%q was taken for %+v", other, got)
		}
	})
}
