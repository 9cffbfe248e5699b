package access

import (
	"strings"
	"testing"
)

const (
	trace  = "0af7651916cd43dd8448eb211c80319c"
	parent = "00-" + trace + "-b7ad6b7169203331-01"
)

func TestTraceIDIsThatOfTraceparent(t *testing.T) {
	for text, want := range map[string]string{
		parent:                                 trace,
		"00-" + trace + "-b7ad6b7169203331-00": trace,
		"cc" + parent[2:]:                      trace, // a later version
		"cc" + parent[2:] + "-what-comes":      trace,
		"cc" + parent[2:] + "what-comes":       "",
		parent + "-more":                       "", // version 00 has no more
		"ff" + parent[2:]:                      "",
		"":                                     "",
		parent[:54]:                            "",
		strings.ToUpper(parent):                "",
		"0g" + parent[2:]:                      "",
		strings.Replace(parent, "-", "_", 1):   "",
		"00-" + strings.Repeat("0", 32) + "-b7ad6b7169203331-01":      "",
		"00-" + trace + "-" + strings.Repeat("0", 16) + "-01":         "",
		"00-" + trace[:31] + "\n-b7ad6b7169203331-01":                 "",
		"00-" + trace + "-b7ad6b7169203331-0x":                        "",
		"00-" + trace[:30] + "é-b7ad6b7169203331-01":                  "",
		"00-" + trace[:31] + "-" + trace[31:] + "b7ad6b7169203331-01": "",
	} {
		if got := traceID(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
