package clientconfig

import (
	"strings"
	"testing"
)

// Removing an entry keeps comments of others; where one would be lost, nothing is changed.
func TestRemovingKeepsComments(t *testing.T) {
	for _, c := range []struct {
		f            format
		parent, text string
		refused      bool
	}{
		{jsonFormat{}, "servers", "{\"servers\": {\"a\": {}, /* KEEP */ \"pagemcp\": {}}}", false},
		{jsonFormat{}, "servers", "{\"servers\": {\"pagemcp\": {} /* KEEP */, \"a\": {}}}", false},
		{jsonFormat{}, "servers", "{\n\"servers\": {\n\"a\": {},\n// KEEP\n\"pagemcp\": {}\n}}\n", false},
		{jsonFormat{}, "servers", "{\"servers\": {\"pagemcp\": {} // KEEP\n, \"a\": {}}}", false},
		{yamlFormat{}, "servers", "servers: # KEEP\n  pagemcp:\n    command: x\n", true},
		{yamlFormat{}, "servers", "servers:\n  # KEEP\n  pagemcp:\n    command: x\n", true},
		{yamlFormat{}, "servers", "servers:\n  # KEEP\n  pagemcp:\n    command: x\n  a:\n    command: y\n", false},
	} {
		e, err := uninstall(c.f, []byte(c.text), []place{{c.parent, "pagemcp", false}})
		if c.refused != (err != nil) || err == nil && (!strings.Contains(string(e.after), "KEEP") || strings.Contains(string(e.after), "pagemcp")) {
			t.Errorf("%s\nbecomes\n%s\n%v", c.text, e.after, err)
		}
	}
}
