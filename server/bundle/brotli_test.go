package bundle

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rootWithNode returns a directory whose web directory is that of the sources, with its Node.
func rootWithNode(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	web, err := filepath.Abs(filepath.Join("..", "..", "web"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(web, filepath.Join(root, "web")); err != nil {
		t.Fatal(err)
	}
	return root
}

// Only what is below the paths is compressed: by gzip, and by brotli if it is no page of the
// documentation.
func TestCompressedFilesAreBesideTheFiles(t *testing.T) {
	text := bytes.Repeat([]byte("let a = 1\n"), 1000)
	files := Files{"/docs/main.js": text, "/docs/a.html": text, "/docs/small.js": []byte("a"), "/playground/index.html": text, "/demo/main.js": text}
	packed, err := Compressed(t.Context(), rootWithNode(t), files, Playground, Docs)
	if err != nil {
		t.Fatal(err)
	}
	added := []string{}
	for _, name := range slices.Sorted(maps.Keys(packed)) {
		if files[name] == nil {
			added = append(added, name)
		}
	}
	want := []string{"/docs/a.html.gz", "/docs/main.js.br", "/docs/main.js.gz", "/playground/index.html.br", "/playground/index.html.gz"}
	if !slices.Equal(added, want) {
		t.Errorf("added %q, want %q", added, want)
	}
}

// What is compressed is the same text again, and is compressed once for each content.
func TestBrotliIsCachedByContent(t *testing.T) {
	root := rootWithNode(t)
	text := []byte(strings.Repeat("let a = 1\n", 1000))
	packed, err := Brotli(t.Context(), root, text)
	if err != nil || len(packed) == 0 || len(packed) > 100 {
		t.Fatalf("%d bytes, %v", len(packed), err)
	}
	command := exec.Command(NodeProgram(root), "-e", "process.stdout.write(require('zlib').brotliDecompressSync(require('fs').readFileSync(0)))")
	command.Stdin = bytes.NewReader(packed)
	if again, err := command.Output(); err != nil || !bytes.Equal(again, text) {
		t.Errorf("decompressed: %d bytes, %v", len(again), err)
	}
	cached, err := filepath.Glob(filepath.Join(root, ".cache", "brotli", "*"))
	if err != nil || len(cached) != 1 {
		t.Fatalf("the cache has %v, %v", cached, err)
	}
	if err := os.WriteFile(cached[0], []byte("known"), 0o600); err != nil {
		t.Fatal(err)
	}
	if known, err := Brotli(t.Context(), root, text); err != nil || string(known) != "known" {
		t.Errorf("the second time: %q, %v", known, err)
	}
	if other, err := Brotli(t.Context(), root, append(text, 'x')); err != nil || string(other) == "known" {
		t.Errorf("another text: %q, %v", other, err)
	}
}

// The cache does not grow without bound: the oldest files are removed.
func TestCacheOfCompressedFilesIsBounded(t *testing.T) {
	cache := t.TempDir()
	for i := range maxCompressed + 20 {
		if err := writeCached(cache, filepath.Join(cache, strconv.Itoa(i)), nil); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(cache)
	if err != nil || len(entries) > maxCompressed {
		t.Errorf("%d files, %v", len(entries), err)
	}
}
