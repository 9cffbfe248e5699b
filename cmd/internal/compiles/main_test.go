package main

import (
	"os"
	"strings"
	"testing"
)

// What is wrong for one system alone is found for that system, in tests too.
func TestErrorsOfOneSystemAreFound(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"nothing":        {"a_windows.go", "package a\nimport \"os\"\nvar _ = os.Stdin", ""},
		"a body":         {"a_windows.go", "package a\nfunc f() int { return \"\" }", "cannot use"},
		"a test":         {"a_windows_test.go", "package a\nimport \"testing\"\nfunc TestA(t *testing.T) { t.Nothing() }", "Nothing"},
		"another system": {"a_darwin.go", "package a\nvar _ int = \"\"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("GOOS", "windows")
			for file, text := range map[string]string{"go.mod": "module example.com/a\n\ngo 1.26\n", "a.go": "package a", c.file: c.text} {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			switch err := check([]string{"./..."}); {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
