package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/internal/schema"
)

// Templates beyond plain names, and what of a URI is which variable. "": no match.
// R-138 R-139.
func TestMatch(t *testing.T) {
	for _, test := range []struct{ template, uri, want string }{
		{"x:{x:3}", "x:abc", `{"x":"abc"}`},
		{"x:{x:3}", "x:ab", `{"x":"ab"}`},
		{"x:{x:3}", "x:abcd", ""},
		{"x:{x:2}/", "x:%C3%BC%C3%BC/", `{"x":"üü"}`},
		{"x:{x:2}/", "x:%C3%BC%C3%BC%C3%BC/", ""},
		{"notes://grün/{a}", "notes://gr%C3%BCn/1", `{"a":"1"}`},
		{"notes://grün/{a}", "notes://gr%c3%bcn/%c3%bc", `{"a":"ü"}`},
		{"x:a{+b}ü", "x:a/b/%c3%bc", `{"b":"/b/"}`},
		{"x:{a,b,c}", "x:1,2,3", `{"a":"1","b":"2","c":"3"}`},
		{"x:{a,b,c}", "x:1,2", `{"a":"1","b":"2"}`},
		{"x:{a,b,c}", "x:1,2,3,4", ""},
		{"x:{a,b,c}", "x:", `{"a":""}`},
		{"x:{+a,b}", "x:/1,/2,3", `{"a":"/1","b":"/2,3"}`},
		{"x:{+path}/{name}", "x:a/b/c.txt", `{"path":"a/b","name":"c.txt"}`},
		{"x:{+path}{?q,r}", "x:/a/b?q=1&r=2", `{"path":"/a/b","q":"1","r":"2"}`},
		{"x:{+path}{?q,r}", "x:/a/b?r=2", `{"path":"/a/b","r":"2"}`},
		{"x:{+path}{#part}", "x:/a/b#c/d", `{"path":"/a/b","part":"c/d"}`},
		{"x:{name}{.ext}", "x:a.tar.gz", `{"name":"a","ext":"tar.gz"}`},
		{"x:{.a,b}", "x:.1.2", `{"a":"1","b":"2"}`},
		{"x:{.a*}", "x:.1.2.3", `{"a":["1","2","3"]}`},
		{"x:{/a*}", "x:/1//%2F", `{"a":["1","","/"]}`},
		{"x:{/a*}", "x:", `{}`},
		{"x:{/a*}{?b}", "x:/1/2?b=", `{"a":["1","2"],"b":""}`},
		{"x:{?a*}", "x:?a=1&a=2", `{"a":["1","2"]}`},
		{"x:{?a*}", "x:?a=1&b=2", ""},
		{"x:{;a,b}", "x:;a;b=2", `{"a":"","b":"2"}`},
		{"x:{;a*}", "x:;a=1;a=2", `{"a":["1","2"]}`},
		{"x:{?a,b}", "x:?b=2", `{"b":"2"}`},
		{"x:{?a,b}", "x:?b=2&a=1", `{"a":"1","b":"2"}`},
		{"x:{?a*,b}", "x:?b=2&a=1&a=0", `{"a":["1","0"],"b":"2"}`},
		{"x:?y=1{&a,b}#end", "x:?b=2&a=1&y=1#end", `{"a":"1","b":"2"}`},
		{"x:{?a,b}", "x:?b=2&c=1", ""},
		{"x:O'Brien/{a}", "x:O%27Brien/it's", `{"a":"it's"}`},
		{"x:{a}!", "x:b%21", `{"a":"b"}`},
		{"x:fixed?y=1{&a}", "x:fixed?y=1&a=2", `{"a":"2"}`},
		{"x:{a}-{b}", "x:1-2-3", `{"a":"1-2","b":"3"}`},
		{"x:{/a:1,a}", "x:/v/value", `{"a":"value"}`},
		{"x:{/a:1,a}", "x:/x/value", ""},
		{"x:{+a:1,a}", "x:/a?b=1&x=2", ""},
		{"x:{+a}", "x:%ff", ""},
		{"x:{+a}", "x:%zz", ""},
		{"x:{+a}", "x:%C3", ""},
		{"x:{+a}", "x:%C3%A9%41", `{"a":"éA"}`},
		{"notes://tag/{tag}", "notes://tag/%ff", ""}, // no text
		{"notes://tag/{tag}", "notes://tag/a,b", ""}, // a list
		{"notes://tag/{tag}", "notes://tag/a%2Cb", `{"tag":"a,b"}`},
		{"x:{b}:{a}:{b}", "x:1:2:1", `{"b":"1","a":"2"}`},
		{"x:{b}:{a}:{b}", "x:1:2:3", ""},
	} {
		m, err := newMatcher(test.template)
		if err != nil {
			t.Errorf("%s: %v", test.template, err)
			continue
		}
		values, ok := m.match(CanonicalURI(test.uri))
		if ok != (test.want != "") || ok && string(values) != test.want {
			t.Errorf("%s of %s: %s, %v; want %s", test.template, test.uri, values, ok, test.want)
		}
	}
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
		"x:{+a,b,a}":      "stands twice",
		"x:{a}/{a,b}":     "stands twice",
		"x:{a}/{a,a}":     "stands twice",
		"x:{a}{?a}":       "stands twice",
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

// Hostile templates against 8 KiB: a match visits each node one time for each place
// of the URI, and there are few nodes; what it allocates is bounded.
func TestMatchIsBounded(t *testing.T) {
	long := strings.Repeat("a,", 4000)
	for _, template := range []string{
		"x:{v:5000}", "x:{a,b,c}", "x:{+a,b,c,d,e,f,g,h}!", "x:{a*}", "x:{+a*}!", "x:{/a*,b*,c*}", "x:{+a}a{+b}a{+c}a{+d}a{+e}a{+f}!",
		"x:{" + variables(32, "") + "}", "x:{?" + variables(16, "*") + "}", "x:{.a*}.{+b}.{+c}.!",
	} {
		m, err := newMatcher(template)
		if err != nil {
			t.Fatalf("%s: %v", template, err)
		}
		if m.graph == nil || len(m.graph.nodes) > maxNodes {
			t.Errorf("%s has %d nodes", template, len(m.graph.nodes))
		}
		allocated := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			m.match("x:" + long)
		}).AllocedBytesPerOp()
		if allocated > 4<<20 {
			t.Errorf("%s takes %d bytes", template, allocated)
		}
	}
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
