package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// open prints a link to a page of `pagemcp dev`, with another invitation each time, and says which
// pages there are.
func TestOpenMakesLinks(t *testing.T) {
	state, files := t.TempDir(), t.TempDir()
	for _, name := range []string{"index.html", "demo/notes/index.html", "playground/index.html"} {
		path := filepath.Join(files, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("<!doctype html>"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	line, stop := startProgram(t, "dev", "--json", "--state", state, "--mcp", "127.0.0.1:0", "--web", "127.0.0.1:0", "--files", files)
	known := map[string]bool{line.Start: true}
	for name, path := range map[string]string{"": "", "demo": "", "playground": "playground/", "notes": "demo/notes/"} {
		out, err := runForOutput(t, append([]string{"open", "--print", "--state", state}, strings.Fields(name)...)...)
		fragment, isLink := strings.CutPrefix(out, line.Web+path+"#")
		if err != nil || !isLink || len(fragment) < 20 || known[fragment] {
			t.Errorf("open %s: %q, %v", name, out, err)
		}
		known[fragment] = true
	}
	if _, err := runForOutput(t, "open", "shop", "--print", "--state", state); exitCode(err) != exitMistake || !strings.Contains(err.Error(), `no page "shop": use playground, docs, or a demo: notes`) {
		t.Errorf("a page that is not there: %v", err)
	}
	stop()

	startServe(t, state)
	if _, err := runForOutput(t, "open", "--print", "--state", state); err == nil || !strings.Contains(err.Error(), "serves no pages") {
		t.Errorf("with pagemcp serve: %v", err)
	}
}
