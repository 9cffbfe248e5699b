package clientconfig

import (
	"strings"
	"testing"
)

// An entry is added in the style of the file, and removed again without a trace. The texts
// before and after are separated by "=>"; text without it gets nothing but the entry.
func TestEntriesAreAddedInTheStyleOfTheFile(t *testing.T) {
	const value = `{"command":"p","args":["stdio"]}`
	for name, c := range map[string]struct{ before, after string }{
		"empty file":     {"", "{\n  \"s\": {\n    \"x\": {\n      \"command\": \"p\",\n      \"args\": [\n        \"stdio\"\n      ]\n    }\n  }\n}\n"},
		"other servers":  {"{\n\t\"s\": {\n\t\t\"a\": {}\n\t}\n}\n", "{\n\t\"s\": {\n\t\t\"a\": {},\n\t\t\"x\": {\n\t\t\t\"command\": \"p\",\n\t\t\t\"args\": [\n\t\t\t\t\"stdio\"\n\t\t\t]\n\t\t}\n\t}\n}\n"},
		"comma at end":   {"{\n  // mine\n  \"s\": {\n    \"a\": {}, // one\n    // end\n  },\n}\n", "{\n  // mine\n  \"s\": {\n    \"a\": {}, // one\n    \"x\": {\n      \"command\": \"p\",\n      \"args\": [\n        \"stdio\"\n      ]\n    },\n    // end\n  },\n}\n"},
		"windows":        {"\ufeff{\r\n  \"s\": {\r\n    \"a\": {}\r\n  }\r\n}", "\ufeff{\r\n  \"s\": {\r\n    \"a\": {},\r\n    \"x\": {\r\n      \"command\": \"p\",\r\n      \"args\": [\r\n        \"stdio\"\r\n      ]\r\n    }\r\n  }\r\n}"},
		"without parent": {"{\n  \"n\": 1e400, // kept\n  \"n2\": 12345678901234567890\n}\n", "{\n  \"n\": 1e400, // kept\n  \"n2\": 12345678901234567890,\n  \"s\": {\n    \"x\": {\n      \"command\": \"p\",\n      \"args\": [\n        \"stdio\"\n      ]\n    }\n  }\n}\n"},
	} {
		after, _, err := setMember([]byte(c.before), "s", "x", value)
		if err != nil || string(after) != c.after {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, after, c.after)
			continue
		}
		if entry, err := findMember(after, "s", "x"); err != nil || !sameEntry(entry, []byte(value)) {
			t.Errorf("%s: %s, %v", name, entry, err)
		}
		again, _, err := setMember(after, "s", "x", `{"command":"q"}`)
		if err != nil || strings.Count(string(again), `"x"`) != 1 {
			t.Errorf("%s, replaced: %v\n%s", name, err, again)
		}
		removed, err := removeMember(again, "s", "x")
		if err != nil || strings.Contains(c.before, `"s"`) && string(removed) != c.before {
			t.Errorf("%s, removed: %v\n%q\nwant\n%q", name, err, removed, c.before)
		}
	}
}

// A file that does not have the form of a client's file is not changed, and the error says why.
func TestOtherFilesAreNotChanged(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"a\": secret\n}": "does not parse", "[]": "not an object", `{"s": null}`: `"s" is not an object`, `{"s": []}`: `"s" is not an object`,
		`{"s": {}, "s": {}}`: `two members "s"`, `{"s": {"x": 1, "x": 2}}`: `two members "x"`, "\xff\xfe{\x00": "UTF-16",
	} {
		_, err := findMember([]byte(text), "s", "x")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzSetMember(f *testing.F) {
	f.Add("{}", "a")
	f.Add("{\n// x\n\"s\": {\"a\": 1,},}", "b")
	f.Fuzz(func(t *testing.T, source, program string) {
		value := text(command(Server{"x", []string{program, "stdio"}}))
		after, _, err := setMember([]byte(source), "s", "x", value)
		if err != nil {
			return
		}
		entry, err := findMember(after, "s", "x")
		if err != nil || !sameEntry(entry, []byte(value)) {
			t.Fatalf("%q: %s, %v", after, entry, err)
		}
		if removed, err := removeMember(after, "s", "x"); err != nil {
			t.Fatalf("%q: %v", after, err)
		} else if left, err := findMember(removed, "s", "x"); err != nil || left != nil {
			t.Fatalf("%q: %s, %v", removed, left, err)
		}
	})
}
