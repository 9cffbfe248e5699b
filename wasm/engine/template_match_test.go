package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/schema"
)

// What of a URI is which variable of a template, by a table that is read in the page, too
// (web/test/core/templates.test.ts): a template, a URI as clients spell it, and the values of the variables; nil:
// the template does not describe the URI. R-138 R-139.
func TestMatch(t *testing.T) {
	const file = "../../testdata/uritemplate-matches.json"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][3]json.RawMessage
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for _, row := range rows {
		var template, uri string
		var want map[string]any
		if err := cmp.Or(json.Unmarshal(row[0], &template), json.Unmarshal(row[1], &uri), json.Unmarshal(row[2], &want)); err != nil {
			t.Fatalf("%s: %s: %v", file, row, err)
		}
		m, err := newMatcher(template)
		if err != nil {
			t.Errorf("%s: %v", template, err)
			continue
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
	}
}

// What cannot be matched is refused, with the reason.
func TestTemplatesAreRefusedWithAReason(t *testing.T) {
	for template, reason := range map[string]string{
		"x:{":         "no end",
		"x:{}":        "empty",
		"x:}":         "percent-encode",
		"x:a b":       "percent-encode",
		"x:%zz":       "percent sign",
		"x:%ff{a}":    "UTF-8",
		"x:{a:3}":     "write {a}",
		"x:{a*}":      "write {+a}",
		"x:{?a*}":     "write {+a}",
		"x:{a,b}":     "write {a},{b}",
		"x:{/a,b}":    "write {a},{b}",
		"x:{=a}":      "name",
		"x:{a,}":      "name",
		"x:{a..b}":    "name",
		"x:{é}":       "name",
		"x:{a}{b}":    "nothing between",
		"x:{a}{+b}":   "nothing between",
		"x:{?a}{&b}":  "write {?a,b}",
		"x:{;a}b":     "begins with a character",
		"x:{?a}b":     "begins with a character",
		"x:{a}/{+a}":  "stands twice",
		"x:{a}{?b,a}": "stands twice",
		"x:" + strings.Repeat("a", schema.MaxURI): "8 KiB",
		"x:{?" + variables(33) + "}":              "32 variables",
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
		"x:{a}", "x:{+a}!", "x:{+a}a{+b}a{+c}a{+d}a{+e}a{+f}!", "x:{?" + variables(32) + "}", "x:{.a}.{+b}.{+c}.!",
		"x:{a}-{b}-{c}-{d}-{e}-{f}-{g}!", "x:{/a}{/b}{/c}{/d}{/e}{/f}{/g}{/h}{/i}{/j}{/k}{/l}{/m}{/n}!",
		"x:{.a}{.b}{.c}{.d}{.e}{.f}{.g}{.h}{.i}{.j}!", "x:{" + strings.ReplaceAll(variables(32), ",", "}-{") + "}",
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
func variables(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("v%d", i)
	}
	return strings.Join(all, ",")
}

// variablesOf returns the values that a match has found.
func variablesOf(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var values map[string]any
	if err := json.Unmarshal(text, &values); err != nil {
		t.Fatalf("variables %q: %v", text, err)
	}
	return values
}

// expand returns what RFC 6570 makes of a template and a JSON object of strings.
func expand(t *testing.T, template string, variables []byte) string {
	t.Helper()
	values := variablesOf(t, variables)
	var out strings.Builder
	for more := true; more; {
		var literal, text string
		if literal, template, more = strings.Cut(template, "{"); more {
			text, template, _ = strings.Cut(template, "}")
		}
		out.WriteString(literal)
		var op operator
		if text != "" {
			op = operators[text[0]]
		}
		before := op.first
		for name := range strings.SplitSeq(strings.TrimLeft(text, "+#./;?&"), ",") {
			value, ok := values[name].(string)
			if !ok {
				continue
			}
			out.WriteString(before)
			if before = string(op.separator); op.separator != 0 {
				out.WriteString(name)
				if value == "" {
					out.WriteString(op.ifEmpty)
					continue
				}
				out.WriteByte('=')
			}
			for _, c := range []byte(value) {
				if schema.IsUnreserved(c) || op.reserved && schema.URICharacters[c] {
					out.WriteByte(c)
				} else {
					fmt.Fprintf(&out, "%%%02X", c)
				}
			}
		}
	}
	return CanonicalURI(out.String())
}

// Every expansion of an accepted template is matched, with values that expand to it again. R-138 R-139.
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
		for range 1 + random.IntN(3) {
			operator := pick("", "", "", "+", "+", "#", ".", "/", ";", "?", "&")
			template += pick("", "", "/", "-", "a", "x/", "?y=1", "%C3%A9", ",", "=", ".") + "{" + operator + names[0]
			if names = names[1:]; len(names) > 1 && strings.Contains(";?&", operator) && operator != "" && random.IntN(2) > 0 {
				template += "," + names[0]
				names = names[1:]
			}
			template += "}"
			if len(names) == 0 {
				break
			}
		}
		template += pick("", "", "/", "-", "a", "x/", "?y=1", "%C3%A9", ",", "=", ".")
		m, err := newMatcher(template)
		if err != nil {
			continue
		}
		taken++
		uri := expand(t, template, variables)
		values, ok := m.match(uri)
		if !ok {
			t.Errorf("%s with %s is %s, which is not matched", template, variables, uri)
		} else if again := expand(t, template, values); again != uri {
			t.Errorf("%s with %s is %s, which gives %s, and that %s", template, variables, uri, values, again)
		}
	}
	if taken < 5_000 {
		t.Errorf("only %d templates were taken", taken)
	}
}
