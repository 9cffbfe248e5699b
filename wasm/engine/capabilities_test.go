package engine_test

import (
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// Small capabilities are kept as they are, and of large ones those that the engine knows.
func TestKnownCapabilities(t *testing.T) {
	large := `"x":"` + strings.Repeat("x", engine.MaxCapabilities) + `"`
	most := `{"x":"` + strings.Repeat("x", engine.MaxCapabilities-len(`{"x":""}`)) + `"}`
	for declared, want := range map[string]string{
		most: most,
		`{}`: `{}`,
		`{"extensions":{"a/b":{"c":[1]}},"sampling":{}}`: `{"extensions":{"a/b":{"c":[1]}},"sampling":{}}`,
		`{` + large + `}`: `{}`,
		`{"roots":{"listChanged":true},` + large + `}`:                               `{"roots":{}}`,
		`{"elicitation":{` + large + `,"url":{},"form":{}},"sampling":{"tools":{}}}`: `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}}}`,
		`{"sampling":{"context":{},"tools":{` + large + `}},"elicitation":{}}`:       `{"elicitation":{},"sampling":{"context":{},"tools":{}}}`,
	} {
		if got := string(engine.KnownCapabilities([]byte(declared))); got != want {
			t.Errorf("%.60s: %s, want %s", declared, got, want)
		}
	}
}
