package engine

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/wasm/internal/schema"
)

// Plain templates are matched by a scan. server/interop compares it with a library.
func TestPlainTemplatesNeedNoGraph(t *testing.T) {
	for _, template := range []string{
		"app://t1/items/{id}", "idb:///{database}/{store}/{key}", "x:{a}:{b}", "x:{a}", "notes://tag/{tag}", "q:?a={a}&b={b}",
		"plain:literal", "app://t1/items/{id}/", "idb:///{database}/{store}/",
	} {
		m, err := newMatcher(template)
		if err != nil {
			t.Fatal(err)
		}
		if m.graph != nil {
			t.Errorf("%s should not need the graph", template)
		}
	}
}

// What is percent-encoded but no UTF-8 is no text, so no value; the library makes
// U+FFFD of it, and two URIs would be one resource.
func TestMatcherTakesTextOnly(t *testing.T) {
	m, err := newMatcher("notes://tag/{tag}")
	if err != nil {
		t.Fatal(err)
	}
	if values, ok := m.match("notes://tag/%ff"); ok {
		t.Errorf("matched with %s", values)
	}
}

// A value of {name} has no comma, only %2C: a,b is the expansion of a list, which
// plain variables are not.
func TestMatcherTakesNoLists(t *testing.T) {
	m, err := newMatcher("notes://tag/{tag}")
	if err != nil {
		t.Fatal(err)
	}
	if values, ok := m.match("notes://tag/a,b"); ok {
		t.Errorf("a list matched: %s", values)
	}
	if values, _ := m.match("notes://tag/a%2Cb"); string(values) != `{"tag":"a,b"}` {
		t.Errorf("an encoded comma is %s", values)
	}
}

// Every expansion of a plain template matches and gives its values back. The
// expansion is made here: version 3.0.2 of the library encodes the bytes of the
// code point instead of those of UTF-8, ü as %FC.
func FuzzMatcher(f *testing.F) {
	f.Add("fruit", "a/b c")
	f.Add("", "ü%\x00")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			return
		}
		m, err := newMatcher("notes://x/{a}/y?b={b}")
		if err != nil {
			t.Fatal(err)
		}
		uri := "notes://x/" + percentEncode(a) + "/y?b=" + percentEncode(b)
		values, ok := m.match(uri)
		var got struct{ A, B string }
		if err := json.Unmarshal(values, &got); !ok || err != nil || got.A != a || got.B != b {
			t.Errorf("%q and %q make %s, which gives %s", a, b, uri, values)
		}
	})
}

// percentEncode is simple string expansion, RFC 6570 section 3.2.2.
func percentEncode(text string) string {
	var encoded strings.Builder
	for i := range len(text) {
		if schema.IsUnreserved(text[i]) {
			encoded.WriteByte(text[i])
		} else {
			fmt.Fprintf(&encoded, "%%%02X", text[i])
		}
	}
	return encoded.String()
}

// A cursor keeps its place, and its form is checked. R-214 R-216.
func TestCursor(t *testing.T) {
	at := position{prefix: "notes+", nth: 2, cursor: "somewhere \x00 else"}
	cursor := writeCursor(listOfResources, at)
	if got, err := readCursor(listOfResources, cursor); got != at || err != nil {
		t.Errorf("read %+v, %v", got, err)
	}
	if _, err := readCursor(listOfTemplates, cursor); err == nil {
		t.Error("a cursor of one list is none of the other")
	}
	made := func(raw string) string { return base64.RawURLEncoding.EncodeToString([]byte(raw)) }
	for _, wrong := range []string{
		"", "A", cursor + "=", cursor + "\n", cursor[:5] + "\n" + cursor[5:], "*" + cursor[1:],
		made("r"), made("r\x00"), made("r\x00\x01"), made("r\x00\x07notes+"), made("r\x80\x00\x00"), made("r\x00\x80\x00"),
		made("r" + strings.Repeat("\xff", 11)), made("r\x00" + strings.Repeat("\xff", 9) + "\x01"),
	} {
		if got, err := readCursor(listOfResources, wrong); err == nil {
			t.Errorf("%q was taken for %+v", wrong, got)
		}
	}
}

// The reference vector of SipHash-2-4: key 00…0f, input 00…0e.
func TestSipHash(t *testing.T) {
	var key [16]byte
	for i := range key {
		key[i] = byte(i)
	}
	data := make([]byte, 15)
	for i := range data {
		data[i] = byte(i)
	}
	if got := sipHash(key, data); got != 0xa129ca6149be45e5 {
		t.Errorf("%#x", got)
	}
}

// A name that stands twice has one value: other URIs are no expansions. R-139.
func TestMatcherTakesANameForOneValue(t *testing.T) {
	m, err := newMatcher("x:{b}:{a}:{b}")
	if err != nil {
		t.Fatal(err)
	}
	if values, ok := m.match("x:1:2:1"); !ok || string(values) != `{"b":"1","a":"2"}` {
		t.Errorf("x:1:2:1 has %s, %v", values, ok)
	}
	if values, ok := m.match("x:1:2:3"); ok {
		t.Errorf("x:1:2:3 has %s", values)
	}
}
