package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// extension writes the files of the extension, over those of an earlier version, and into
// no directory that has others.
func TestExtensionIsWritten(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	useSources(t)
	for _, x := range []struct {
		flags []string
		has   string // the manifest
		says  string
	}{
		{nil, `"minimum_chrome_version"`, "chrome://extensions"},
		{[]string{"--browser", "firefox"}, `"browser_specific_settings"`, "about:debugging"},
	} {
		dir := filepath.Join(t.TempDir(), "new", "extension")
		for range 2 {
			out, err := runForOutput(t, append(append([]string{"extension"}, x.flags...), dir)...)
			if err != nil || !strings.Contains(out, dir) || !strings.Contains(out, x.says) {
				t.Fatalf("%q, %s, %v", x.flags, out, err)
			}
			if text, err := os.ReadFile(filepath.Join(dir, "manifest.json")); err != nil || !strings.Contains(string(text), x.has) {
				t.Errorf("%q: %s, %v", x.flags, text, err)
			}
		}
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "thesis.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := runForOutput(t, "extension", other); err == nil || !strings.Contains(err.Error(), "has other files") {
		t.Error(err)
	}
	if entries, err := os.ReadDir(other); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	for _, args := range [][]string{{"extension"}, {"extension", "--browser", "lynx", filepath.Join(t.TempDir(), "new")}} {
		if _, err := runForOutput(t, args...); exitCode(err) != exitMistake {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func TestLicensesNameEachModule(t *testing.T) {
	useSources(t)
	out, err := runForOutput(t, "licenses")
	for _, name := range []string{"Go", "github.com/coder/websocket", "github.com/spf13/cobra"} {
		if err != nil || !strings.Contains(out, name) {
			t.Errorf("%s is missing in %d characters, %v", name, len(out), err)
		}
	}
}
