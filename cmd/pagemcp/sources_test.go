//go:build !release

package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSourcesAreAboveTheDirectory(t *testing.T) {
	own, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{".", root, "../../web/docs"} {
		dir, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		if found, ok := sourcesAbove(dir); !ok || found != own {
			t.Errorf("%s: %q, %v", dir, found, ok)
		}
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "go.mod"), []byte("module example.com/other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if found, ok := sourcesAbove(other); ok {
		t.Errorf("another module: %q", found)
	}
}

// Outside of a clone, build does not replace the files of the one that the program came from.
func TestBuildStaysInTheClone(t *testing.T) {
	own, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	other, program := t.TempDir(), filepath.Join(own, "bin", "pagemcp")
	for _, c := range []struct {
		dir, out string
		isWrong  bool
	}{{own, "", false}, {own, other, false}, {other, other, false}, {other, "", true}} {
		found, isNear, err := sourcesOf(c.dir, program)
		if err != nil || found != own {
			t.Fatalf("from %s: %q, %v", c.dir, found, err)
		}
		if err := checkPlace(found, isNear, c.out); (err != nil) != c.isWrong || err != nil && exitCode(err) != exitMistake {
			t.Errorf("in %s with --out %q: %v", c.dir, c.out, err)
		}
	}
}
