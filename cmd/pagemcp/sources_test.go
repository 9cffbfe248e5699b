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
