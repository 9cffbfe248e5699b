//go:build !release

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// useSources makes this clone that of the program.
func useSources(t *testing.T) {
	t.Helper()
	before := program
	t.Cleanup(func() { program = before })
	program = func() (string, error) { return filepath.Abs(filepath.Join(root, "cmd")) }
}

// A program builds the clone that it is in, and no other one, wherever it is started.
func TestSourcesAreThoseOfTheProgram(t *testing.T) {
	own, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := findSources(); err == nil {
		t.Errorf("a program outside of a clone builds %s", found)
	}
	useSources(t)
	t.Chdir(t.TempDir())
	program = func() (string, error) { return filepath.Join(own, "web"), nil }
	if found, err := findSources(); err != nil || found != own {
		t.Errorf("%q, %v", found, err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "go.mod"), []byte("module example.com/other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	program = func() (string, error) { return filepath.Join(other, "go.mod"), nil }
	if found, err := findSources(); err == nil {
		t.Errorf("another module: %q", found)
	}
}
