package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

func TestBuiltFilesAreReadByTheirPaths(t *testing.T) {
	want := map[string][]byte{"/index.html": []byte("<!doctype html>"), "/demo/one/main.js": {0, 0xff}, "/empty": {}}
	dir := t.TempDir()
	for name, contents := range want {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, contents, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := readFiles(dir)
	if err != nil || !maps.EqualFunc(files, want, bytes.Equal) {
		t.Errorf("got %q, %v; want %q", files, err, want)
	}
}
