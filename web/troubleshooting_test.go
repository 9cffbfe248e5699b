package web

import "testing"

func TestQuotedMessages(t *testing.T) {
	for _, c := range []struct {
		message, entry string
		want           int
	}{
		{"no gateway", "no gateway", 10},
		{"pagemcp: no gateway here", "no gateway", 10},
		{"no gate", "no gateway", 0},
		{"port 80 is taken", "port … is taken", 14},
		{"port  is taken", "port … is taken", 0}, // no value
		{"is taken: port 80", "port … is taken", 0},
		{"line 1: x, not y", ": … nor", 0},
		{"line 1: x y, not z", ": …, not", 7},
	} {
		if got := quoted(c.message, c.entry); got != c.want {
			t.Errorf("%q in %q: %d, want %d", c.entry, c.message, got, c.want)
		}
	}
}
