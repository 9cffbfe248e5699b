package jsonrpc

import (
	"strings"
	"testing"
)

// Error messages quote the beginning of what was sent, whole characters of it.
// Defect 25.
func TestQuoted(t *testing.T) {
	for text, want := range map[string]string{
		"a:1":                            `"a:1"`,
		"a\n\"":                          `"a\n\""`,
		strings.Repeat("x", 100):         `"` + strings.Repeat("x", 100) + `"`,
		strings.Repeat("x", 101):         `"` + strings.Repeat("x", 100) + `…"`,
		"a" + strings.Repeat("ü", 9_000): `"a` + strings.Repeat("ü", 49) + `…"`,
		strings.Repeat("\x80", 9_000):    `"…"`,
	} {
		if got := Quoted(text); got != want {
			t.Errorf("%.20q: %s, want %s", text, got, want)
		}
	}
}
