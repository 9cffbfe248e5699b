package clientconfig

import (
	"strings"
	"testing"
)

// An edit that loses a comment of others is rejected, however it was made. Comments of the
// entry itself go with it.
func TestLostCommentsAreNoticed(t *testing.T) {
	for _, c := range []struct {
		f             format
		parent        string
		before, after string
		keeps         bool
	}{
		{jsonFormat{}, "servers", `{"servers": {"a": "/* no comment", /* c */ "pagemcp": {}}}`, `{"servers": {"a": "/* no comment"}}`, false},
		{jsonFormat{}, "servers", `{"servers": {"a": "\" /* no comment", "pagemcp": {}}}`, `{"servers": {"a": "\" /* no comment"}}`, true},
		{jsonFormat{}, "servers", `{"servers": {"a": {}, "pagemcp": {/* c */}}}`, `{"servers": {"a": {}}}`, true},
		{jsonFormat{}, "servers", "{\"servers\": {\"pagemcp\": {}}} // c\r\n// c\n", "{\"servers\": {}} // c\n", false},
		{jsonFormat{}, "servers", "{\"servers\": {\"pagemcp\": {}}} // c\r\n// c\n", "{\"servers\": {}} // c\n// c", true},
		{yamlFormat{}, "servers", "servers: # c\n  pagemcp:\n    command: x # d\n", "", false},
		{yamlFormat{}, "servers", "servers:\n  pagemcp:\n    command: x # d\n  a: 1\n", "servers:\n  a: 1\n", true},
		{yamlFormat{}, "servers", "servers:\n  pagemcp:\n    command: x\n  # d\n  a: 1\n", "servers:\n  a: 1\n", false},
		{yamlFormat{}, "servers", "servers:\n  pagemcp: 1\n  a: x#\"y\n", "servers:\n  a: z\n", true},
		{tomlFormat{}, "servers", "a = 'x'# c\n[servers.pagemcp]\n# d\nb = 1\n", "a = 'x'\n", false},
		{tomlFormat{}, "servers", "a = 'x'# c\n[servers.pagemcp]\n# d\nb = 1\n", "a = 'x' # c\n", true},
	} {
		if got := keepsComments(c.f, []byte(c.before), []byte(c.after), []place{{c.parent, "pagemcp", false}}); got != c.keeps {
			t.Errorf("%s\nbecomes\n%s: %v", c.before, c.after, got)
		}
	}
}

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
