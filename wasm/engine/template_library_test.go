package engine_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/yosida95/uritemplate/v3"
)

// Plain templates match what the library matches, with the same values. R-138 R-139.
func TestMatchesAgreeWithTheLibrary(t *testing.T) {
	uris := []string{
		"app://t1/items/5", "app://t1/items/", "app://t1/items/a%20b", "app://t1/items/%C3%BC%2F", "app://t1/items/a/b",
		"app://t1/items/%2", "app://t1/items/a~b.c_d-e", "app://t1/items/a!b", "app://t1/items", "app://t2/items/5",
		"idb:///db/store/n.1", "idb:///db/store/a%2Cb", "idb:///d%2Fb/s/", "idb:////store/x", "idb:///db/store/x/y", "idb:///",
		"x:a", "x:", "x:a:b", "x:%41", "notes://tag/", "notes://tag/a,b", "q:?a=1", "q:?a=1&b=2",
	}
	for _, template := range []string{
		"app://t1/items/{id}", "idb:///{database}/{store}/{key}", "x:{a}:{b}", "x:{a}", "notes://tag/{tag}", "q:?a={a}&b={b}",
		"plain:literal", "app://t1/items/{id}/", "idb:///{database}/{store}/",
	} {
		table := engine.NewTable()
		var values []byte
		err := table.PutTemplate(engine.TemplateEntry{
			Template: engine.Template{URITemplate: template, Name: "t"},
			Read: func(_ context.Context, uri string, variables []byte) ([]engine.Contents, error) {
				values = variables
				return []engine.Contents{{URI: uri}}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		library := uritemplate.MustNew(template)
		for _, uri := range append(uris, template) {
			_, err := table.Read(t.Context(), uri)
			matched := err == nil
			found := library.Match(engine.CanonicalURI(uri)) // which knows no other spelling
			if matched != (found != nil) {
				if found != nil && hasList(found) {
					continue // the library also matches a,b with {name}
				}
				t.Errorf("%s of %s: match is %v, the library's is %v", template, uri, matched, found)
				continue
			}
			if !matched {
				continue
			}
			var own map[string]string
			if err := json.Unmarshal(values, &own); err != nil {
				t.Fatalf("%s of %s: %s: %v", template, uri, values, err)
			}
			for name, value := range own {
				if found.Get(name).String() != value {
					t.Errorf("%s of %s: %s is %q, the library's is %q", template, uri, name, value, found.Get(name).String())
				}
			}
		}
	}
}

func hasList(values uritemplate.Values) bool {
	for _, v := range values {
		if v.T != uritemplate.ValueTypeString {
			return true
		}
	}
	return false
}

// Where the library can be trusted, with ASCII alone, an expansion is the same. RFC 6570.
func FuzzExpandAgreesWithTheLibrary(f *testing.F) {
	text, err := os.ReadFile("../../testdata/uritemplates.json")
	if err != nil {
		f.Fatal(err)
	}
	var groups map[string]struct {
		Variables json.RawMessage
		Cases     [][2]any `json:"testcases"` // template, expansion
	}
	if err := json.Unmarshal(text, &groups); err != nil {
		f.Fatal(err)
	}
	count := 0
	for _, group := range groups {
		for _, c := range group.Cases {
			count++
			f.Add(c[0].(string), []byte(group.Variables))
		}
	}
	if count < 200 {
		f.Fatalf("%d cases, want at least 200", count)
	}
	f.Add("x:{a:9}{?b*}", []byte(`{"a":true,"b":{"":[]}}`))
	f.Fuzz(func(t *testing.T, template string, variables []byte) {
		got, err := engine.Expand(template, variables)
		if err != nil {
			return
		}
		values, ok := valuesOf(variables)
		if !ok || strings.ContainsFunc(template, func(r rune) bool { return r > '~' }) {
			return
		}
		library, err := uritemplate.New(template)
		if err != nil {
			return // it has no apostrophes
		}
		want, err := library.Expand(values)
		if err == nil && got != want {
			t.Errorf("%q with %s becomes %q, the library makes %q", template, variables, got, want)
		}
	})
}

// valuesOf reads variables that are ASCII texts and lists of them.
func valuesOf(variables []byte) (uritemplate.Values, bool) {
	var all map[string]any
	if json.Unmarshal(variables, &all) != nil {
		return nil, false
	}
	plain := func(s string) bool { return !strings.ContainsFunc(s, func(r rune) bool { return r > '~' || r < ' ' }) }
	values := uritemplate.Values{}
	for name, value := range all {
		switch v := value.(type) {
		case string:
			if !plain(v) {
				return nil, false
			}
			values.Set(name, uritemplate.String(v))
		case []any:
			var list []string
			for _, item := range v {
				text, isText := item.(string)
				if !isText || !plain(text) {
					return nil, false
				}
				list = append(list, text)
			}
			if len(list) > 0 {
				values.Set(name, uritemplate.List(list...))
			}
		case nil:
		default: // objects have no order here, numbers another spelling
			return nil, false
		}
	}
	return values, true
}
