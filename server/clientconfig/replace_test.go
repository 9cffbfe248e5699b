package clientconfig

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A file is replaced as a whole, or stays: nothing is left beside it.
func TestReplaceWritesAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "config.json")
	if err := replaceFile(name, []byte("first"), "", nil); err != nil {
		t.Fatal(err)
	}
	changed := errors.New("changed meanwhile")
	if err := replaceFile(name, []byte("second"), name, func() error { return changed }); !errors.Is(err, changed) {
		t.Errorf("the check fails: %v", err)
	}
	text, err := os.ReadFile(name)
	if err != nil || string(text) != "first" {
		t.Errorf("%q, %v", text, err)
	}
	if err := replaceFile(name, []byte("third"), name, nil); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%d files in the directory, %v", len(entries), err)
	}
	if text, _ := os.ReadFile(name); string(text) != "third" {
		t.Errorf("%q", text)
	}
	if err := replaceFile(filepath.Join(dir, "none", "file"), nil, "", nil); err == nil {
		t.Error("a directory that is not there is no error")
	}
}
