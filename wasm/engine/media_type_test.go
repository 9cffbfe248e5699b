package engine_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// The table that TypeScript is held to, as well.
func TestMediaTypesHaveTheSyntaxOfHTTP(t *testing.T) {
	text, err := os.ReadFile("../../testdata/mediatypes.json")
	if err != nil {
		t.Fatal(err)
	}
	var table struct{ Valid, Invalid []string }
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	check := func(mimeType string, valid bool) {
		t.Helper()
		put := engine.NewTable().Put(engine.Entry{JSON: engine.Describe("uri", "a:b", "name", "b", "mimeType", mimeType)})
		template := engine.NewTable().Put(engine.Entry{Kind: engine.Templates, JSON: engine.Describe("uriTemplate", "a:{b}", "name", "b", "mimeType", mimeType)})
		object, err := json.Marshal(map[string]string{"uri": "a:b", "name": "b", "mimeType": mimeType})
		if err != nil {
			t.Fatal(err)
		}
		_, parsed := engine.Resources.Parse(object)
		for what, got := range map[string]error{"registered": put, "template": template, "listed": parsed} {
			if (got == nil) != valid {
				t.Errorf("%s: %q: error %v, valid: %v", what, mimeType, got, valid)
			}
			if got != nil && !strings.Contains(got.Error(), "is not a media type") {
				t.Errorf("%s: %q: the error does not say what is wrong: %v", what, mimeType, got)
			}
		}
	}
	for _, one := range table.Valid {
		check(one, true)
	}
	for _, one := range table.Invalid {
		check(one, one == "") // none is given
	}
}
