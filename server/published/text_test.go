package published

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const document = "# Title\n\n1. Step:\n\n   <!-- until the first release: library -->\n   Use a clone.\n   <!-- end -->\n\nText.\n"

// A reader before the first release gets the parts that hold until then, and a reader of a
// release gets what replaces them. Neither gets markers.
func TestTextIsThatOfTheBuild(t *testing.T) {
	before, err := text([]byte(document), "0.2.0", false)
	if err != nil || string(before) != "# Title\n\n1. Step:\n\n   Use a clone.\n\nText.\n" {
		t.Errorf("%q, %v", before, err)
	}
	after, err := text([]byte(document), "0.2.0", true)
	if err != nil || string(after) != "# Title\n\n1. Step:\n\n   ```sh\n   npm install "+Package+"\n   ```\n\nText.\n" {
		t.Errorf("%q, %v", after, err)
	}
	for wrong, want := range map[string]string{
		"<!-- until the first release: no-such-text -->\n<!-- end -->\n": "no-such-text",
		"<!-- until the first release: library -->\nUse a clone.\n":      "no end",
	} {
		if _, err := text([]byte(wrong), "0.2.0", true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", wrong, err, want)
		}
	}
}

// Each text of a release replaces a part of a document, and has no name that is not replaced.
func TestEachTextIsUsed(t *testing.T) {
	used := map[string]bool{}
	for file, body := range treeFiles(t) {
		if filepath.Ext(file) != ".md" {
			continue
		}
		for _, part := range marked().FindAllStringSubmatch(body, -1) {
			used[part[2]+".md"] = true
		}
		for _, registered := range []bool{false, true} {
			out, err := text([]byte(body), "7.8.9", registered)
			if err != nil || strings.Contains(string(out), "<!-- until the first") {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	entries, err := os.ReadDir("texts")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		out, err := Part(strings.TrimSuffix(entry.Name(), ".md"), "7.8.9")
		if err != nil || strings.ContainsAny(string(out), "{}") {
			t.Errorf("%s: %q, %v", entry.Name(), out, err)
		}
		if !used[entry.Name()] {
			t.Errorf("no document has a part for texts/%s", entry.Name())
		}
	}
	if len(used) != len(entries) {
		t.Errorf("documents have parts %v, texts are %v", used, entries)
	}
}

// treeFiles returns the text files of the repository that readers see or that say what to run.
func treeFiles(t *testing.T) map[string]string {
	t.Helper()
	const root = "../.."
	skipped := map[string]bool{"node_modules": true, "dist": true, "bin": true, ".git": true, ".cache": true, ".messages": true, "testdata": true}
	kinds := map[string]bool{
		".md": true, ".html": true, ".ts": true, ".tsx": true, ".js": true, ".json": true, ".go": true, ".sh": true, ".yml": true, ".yaml": true,
		".txt": true, ".toml": true, ".svg": true, ".css": true,
	}
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if skipped[entry.Name()] && filepath.Base(filepath.Dir(path)) != "src" { // web/src/bin is the launcher
				return fs.SkipDir
			}
			return nil
		}
		if !kinds[filepath.Ext(path)] && entry.Name() != "Makefile" && !strings.HasSuffix(entry.Name(), "Dockerfile") {
			return nil
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil || len(files) < 500 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}
