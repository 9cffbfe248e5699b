package site

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
)

func equal(a, b map[string][]byte) bool {
	return maps.EqualFunc(a, b, bytes.Equal)
}

// An archive gives back its files by prefix, is the same each time, and stores equal
// contents once.
func TestArchive(t *testing.T) {
	large := bytes.Repeat([]byte("\x00asm"), 100_000)
	files := map[string][]byte{
		"web/index.html": []byte("<!doctype html>"), "web/pagemcp/engine.wasm": large, "web/playground/engine.wasm": large, "web/empty": {},
		"extension/manifest.json": []byte("{}"), "website/not.html": []byte("another prefix"),
	}
	packed, err := Pack(files)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Pack(maps.Clone(files))
	if err != nil || !bytes.Equal(packed, again) {
		t.Errorf("the second archive differs, %v", err)
	}
	web, err := unpack(packed, WebFiles)
	want := map[string][]byte{"/index.html": files["web/index.html"], "/pagemcp/engine.wasm": large, "/playground/engine.wasm": large, "/empty": {}}
	if err != nil || !equal(web, want) {
		t.Errorf("%q, %v", slices.Sorted(maps.Keys(web)), err)
	}
	extension, err := unpack(packed, Extension)
	if err != nil || !equal(extension, map[string][]byte{"/manifest.json": []byte("{}")}) {
		t.Errorf("%q, %v", slices.Sorted(maps.Keys(extension)), err)
	}
	if count := bytes.Count(packed, []byte("PK\x01\x02")); count != 6 { // five contents and the index
		t.Errorf("%d entries", count)
	}
}

// A damaged archive is an error, never fewer files.
func TestDamagedArchive(t *testing.T) {
	packed, err := Pack(map[string][]byte{"web/a": []byte(strings.Repeat("text ", 1_000)), "web/b": []byte("b")})
	if err != nil {
		t.Fatal(err)
	}
	for i := range packed {
		damaged := bytes.Clone(packed)
		damaged[i] ^= 0x40
		files, err := unpack(damaged, WebFiles)
		if err == nil && len(files) == 2 && len(files["/a"]) == 5_000 && string(files["/b"]) == "b" {
			continue // a byte without meaning, like a version
		}
		if err == nil {
			t.Fatalf("byte %d: %d files without an error", i, len(files))
		}
	}
}
