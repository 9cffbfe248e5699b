package access

import "testing"

func TestNamesAreSpelledSafely(t *testing.T) {
	for requested, want := range map[string]string{
		"": "page", "Notes": "notes", "My Notes!": "my-notes", "+": "page", "1st": "st", "a.b+c:d/e": "a-b-c-d-e", "日本": "page",
		"x\u202ey": "x-y", "---": "page", "a--b": "a-b",
	} {
		if got := SpellName(requested); got != want {
			t.Errorf("%q becomes %q, want %q", requested, got, want)
		}
		if !ValidName(want) {
			t.Errorf("%q is not valid", want)
		}
	}
	if got := TruncateName("a-long-name", 7); got != "a-long" {
		t.Errorf("truncated to %q", got)
	}
}

func TestPathsOfEndpoints(t *testing.T) {
	for path, want := range map[string]string{"/mcp": "/mcp", "/mcp/notes": "/mcp/notes", "/notes/mcp": "/mcp/notes", "/No/mcp": "/No/mcp", "/a/b/mcp": "/a/b/mcp", "/notes": "/notes"} {
		if got := PlainPath(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}
