package engine_test

import (
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// Capabilities are kept as they are, and a client with larger ones than 2 KiB counts as without.
func TestKnownCapabilities(t *testing.T) {
	most := `{"x":"` + strings.Repeat("x", engine.MaxCapabilities-len(`{"x":""}`)) + `"}`
	for declared, want := range map[string]string{
		most: most,
		`{}`: `{}`,
		`{"extensions":{"a/b":{"c":[1]}},"sampling":{}}`: `{"extensions":{"a/b":{"c":[1]}},"sampling":{}}`,
		most + " ": `{}`,
	} {
		if got := string(engine.KnownCapabilities([]byte(declared))); got != want {
			t.Errorf("%.60s: %s, want %s", declared, got, want)
		}
	}
}
