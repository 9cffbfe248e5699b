package engine

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/schema"
)

// What of a URI is which variable of a template. The same table is read in the page
// (web/test/core/templates.test.ts). R-138 R-139.
func TestMatch(t *testing.T) {
	eachMatch(t, func(template, uri string, want map[string]any) {
		m, err := newMatcher(template)
		if err != nil {
			t.Errorf("%s: %v", template, err)
			return
		}
		values, ok := m.match(CanonicalURI(uri))
		if ok != (want != nil) || ok && !reflect.DeepEqual(variablesOf(t, values), want) {
			t.Errorf("%s of %s: %s, %v; want %v", template, uri, values, ok, want)
		}
		table := NewTable()
		if err := table.Put(Entry{Kind: Templates, JSON: Describe("uriTemplate", template, "name", "t"), Ref: 1}); err != nil {
			t.Fatal(err)
		}
		if found, _ := table.Has(t.Context(), uri); found != ok {
			t.Errorf("%s of %s: a table has it: %v", template, uri, found)
		}
	})
}

// What cannot be matched is refused, with the reason.
func TestTemplatesAreRefusedWithAReason(t *testing.T) {
	for template, reason := range map[string]string{
		"x:{":             "no end",
		"x:{}":            "empty",
		"x:}":             "percent-encode",
		"x:a b":           "percent-encode",
		"x:%zz":           "percent sign",
		"x:%ff{a}":        "UTF-8",
		"x:{a:0}":         "1 to 9999",
		"x:{a:10000}":     "1 to 9999",
		"x:{a:}":          "1 to 9999",
		"x:{a:3*}":        "name",
		"x:{=a}":          "name",
		"x:{a,}":          "name",
		"x:{a..b}":        "name",
		"x:{é}":           "name",
		"x:{a}{b}":        "nothing between",
		"x:{a}{+b}":       "nothing between",
		"x:{?a}{&b}":      "write {?a,b}",
		"x:{a:2}b{c}":     "begins with a character",
		"x:{;a}b":         "begins with a character",
		"x:{+a,b,a}":      "stands twice",
		"x:{a}/{a,b}":     "stands twice",
		"x:{a}/{a,a}":     "stands twice",
		"x:{a}{?a}":       "stands twice",
		"x:{/b,a}/{/a}":   "stands twice",
		"x:{/a*}/{b}{?a}": "stands twice",
		"x:{?a*,a*}":      "stands twice",
		"x:" + strings.Repeat("a", schema.MaxURI): "8 KiB",
		"x:" + strings.Repeat("{/a}", 33):         "32 variables",
	} {
		err := NewTable().Put(Entry{Kind: Templates, JSON: Describe("uriTemplate", template, "name", "t"), Ref: 1})
		if err == nil || !strings.Contains(err.Error(), reason) || len(err.Error()) > 1000 {
			t.Errorf("%.40s: %v, want %q", template, err, reason)
		}
	}
}

// Hostile templates against 64 KiB: what is allocated is bounded, and so is the time, since a match
// that tries again would not end.
func TestMatchIsBounded(t *testing.T) {
	for _, template := range []string{
		"x:{v:5000}", "x:{a,b,c}", "x:{+a,b,c,d,e,f,g,h}!", "x:{a*}", "x:{+a*}!", "x:{/a*,b*,c*}", "x:{+a}a{+b}a{+c}a{+d}a{+e}a{+f}!",
		"x:{" + variables(32, "") + "}", "x:{?" + variables(16, "*") + "}", "x:{.a*}.{+b}.{+c}.!", "x:{a}-{b}-{c}-{d}-{e}-{f}-{g}!",
		"x:{/a}{/b}{/c}{/d}{/e}{/f}{/g}{/h}{/i}{/j}{/k}{/l}{/m}{/n}!", "x:{.a}{.b}{.c}{.d}{.e}{.f}{.g}{.h}{.i}{.j}!", "x:" + strings.Repeat("{a}-", 32),
	} {
		m, err := newMatcher(template)
		if err != nil {
			t.Fatalf("%s: %v", template, err)
		}
		for _, text := range []string{"a,", "aa", "a-", "/a", ".a", "a=", ";v0=1", "&v0=1", "%C3%A9"} {
			uri := "x:" + strings.Repeat(text, (64<<10)/len(text))
			if bytes := allocated(func() { m.match(uri) }); bytes > 8<<20 {
				t.Errorf("%s of %.20s takes %d bytes", template, uri, bytes)
			}
		}
	}
}

// allocated returns the bytes that a call allocates.
func allocated(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// variables returns a list of n variables.
func variables(n int, modifier string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("v%d%s", i, modifier)
	}
	return strings.Join(all, ",")
}

// A variable that stands twice is there, or absent, in both places: what a template
// expands to without it is matched, too.
func TestVariablesThatStandTwice(t *testing.T) {
	for _, test := range [][3]string{
		{"x:{a:1}/{a}", `{}`, "x:/"},
		{"x:{a:1}/{a}", `{"a":"plum"}`, "x:p/plum"},
		{"x:{+a}:{a}", `{}`, "x::"},
		{"x:{a,a}", `{}`, "x:"},
		{"x:{a,a}", `{"a":""}`, "x:,"},
		{"x:{a,a}", `{"a":"1"}`, "x:1,1"},
		{"x:{a:1,a}", `{}`, "x:"},
		{"x:{a:1,a}", `{"a":"plum"}`, "x:p,plum"},
		{"x:{+a,a}/{b}", `{"b":"1"}`, "x:/1"},
		{"x:{a,a}/{a,a}", `{}`, "x:/"},
		{"x:{a,a}/{a,a}", `{"a":"1"}`, "x:1,1/1,1"},
		{"x:{a,a,a}", `{"a":""}`, "x:,,"},
		{"x:{/a:1,a}", `{}`, "x:"},
		{"x:{/a:1,a}", `{"a":"plum"}`, "x:/p/plum"},
		{"x:y{/a}{?a}", `{}`, "x:y"},
		{"x:y{?a,b,a}", `{"b":""}`, "x:y?b="},
	} {
		m, err := newMatcher(test[0])
		if err != nil {
			t.Errorf("%s: %v", test[0], err)
			continue
		}
		uri, err := Expand(test[0], []byte(test[1]))
		if err != nil || uri != test[2] {
			t.Errorf("%s of %s is %s, %v", test[0], test[1], uri, err)
		}
		values, ok := m.match(uri)
		if again, err := Expand(test[0], values); !ok || err != nil || again != uri {
			t.Errorf("%s has %s of %s, %v, which is %s", uri, values, test[0], ok, again)
		}
	}
}

// Every expansion of an accepted template is matched, with values that expand to it again.
// Not in this test are lengths and variables that stand twice. R-139.
func TestEveryExpansionIsMatched(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(texts ...string) string { return texts[random.IntN(len(texts))] }
	word := func() (text string) {
		for range random.IntN(4) {
			text += pick("a", "b", "-", "é", "1")
		}
		return text
	}
	taken := 0
	for range 20_000 {
		names := []string{"a", "b", "c", "d"}
		variables := emit.JSON("{")
		for _, name := range names {
			if random.IntN(3) > 0 {
				variables.Name(name)
				variables.Quote(word())
			}
		}
		variables.Text("}")
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		template := "x:"
		for range 1 + random.IntN(2) {
			template += pick("", "", "/", "-", "a", "x/", "?y=1", "%C3%A9", ",", "=", ".")
			template += "{" + pick("", "", "", "+", "+", "#", ".", "/", ";", "?", "&") + names[0] + pick("", "", "*")
			if names = names[1:]; random.IntN(2) > 0 {
				template += "," + names[0] + pick("", "", "*")
				names = names[1:]
			}
			template += "}"
		}
		template += pick("", "", "/", "-", "a", "x/", "?y=1", "%C3%A9", ",", "=", ".")
		m, err := newMatcher(template)
		if err != nil {
			continue
		}
		taken++
		uri, err := Expand(template, variables)
		if err != nil {
			t.Fatal(err)
		}
		values, ok := m.match(CanonicalURI(uri))
		if again, err := Expand(template, values); !ok || err != nil || again != uri {
			t.Errorf("%s with %s is %s, which gives %s, %v: %s", template, variables, uri, values, ok, again)
		}
	}
	if taken < 10_000 {
		t.Errorf("only %d templates were taken", taken)
	}
}
