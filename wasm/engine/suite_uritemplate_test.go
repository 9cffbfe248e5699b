package engine

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// A group of cases as the open URI template suite writes them: a case is a
// template and its expansion, or a list of those that are right.
type templateGroup struct {
	Variables map[string]json.RawMessage `json:"variables"`
	Cases     [][2]any                   `json:"testcases"`
}

// eachTemplate calls do for each case of testdata/uritemplates.json. variables is
// a JSON object.
func eachTemplate(t testing.TB, do func(template string, variables []byte, right []string)) {
	t.Helper()
	const file = "../../testdata/uritemplates.json"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var groups map[string]templateGroup
	if err := json.Unmarshal(text, &groups); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	count := 0
	for _, group := range groups {
		variables, err := json.Marshal(group.Variables)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range group.Cases {
			count++
			var right []string
			switch expected := c[1].(type) {
			case string:
				right = []string{expected}
			case []any:
				for _, one := range expected {
					right = append(right, one.(string))
				}
			}
			do(c[0].(string), variables, right)
		}
	}
	if count < 200 {
		t.Errorf("%s has %d cases", file, count)
	}
}

// Every operator with every kind of value, at all four levels. RFC 6570.
func TestExpandSuite(t *testing.T) {
	cases := 0
	eachTemplate(t, func(template string, variables []byte, right []string) {
		cases++
		if got, err := Expand(template, variables); err != nil || !slices.Contains(right, got) {
			t.Errorf("%s with %s: %q, %v; want one of %q", template, variables, got, err, right)
		}
	})
	t.Logf("%d cases", cases)
}

// The cases read backwards: what an expansion is matched to expands to it
// again, wherever it is matched. R-138.
func TestMatchInvertsExpansion(t *testing.T) {
	matched, refused, unmatched := 0, 0, 0
	eachTemplate(t, func(template string, _ []byte, right []string) {
		m, err := newMatcher(template)
		if err != nil {
			refused++ // two expressions with nothing between them
			return
		}
		for _, uri := range right {
			values, ok := m.match(uri)
			if !ok {
				unmatched++ // lists and objects of a variable that is not exploded, or without a list
				continue
			}
			matched++
			if again, err := Expand(template, values); err != nil || again != uri {
				t.Errorf("%s matches %s with %s, which expands to %s, %v", template, uri, values, again, err)
			}
		}
	})
	t.Logf("%d matched, %d not, %d templates refused", matched, unmatched, refused)
	if matched < 20 {
		t.Errorf("only %d expansions matched", matched)
	}
}

// eachMatch calls do for each row of testdata/uritemplate-matches.json: a template, a URI as clients
// spell it, and the values of the variables; nil: the template does not describe the URI.
func eachMatch(t testing.TB, do func(template, uri string, values map[string]any)) {
	t.Helper()
	const file = "../../testdata/uritemplate-matches.json"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][3]json.RawMessage
	if err := json.Unmarshal(text, &rows); err != nil || len(rows) < 70 {
		t.Fatalf("%s: %d rows, %v", file, len(rows), err)
	}
	for _, row := range rows {
		var template, uri string
		var values map[string]any
		if err := cmp.Or(json.Unmarshal(row[0], &template), json.Unmarshal(row[1], &uri), json.Unmarshal(row[2], &values)); err != nil {
			t.Fatalf("%s: %s: %v", file, row, err)
		}
		do(template, uri, values)
	}
}
