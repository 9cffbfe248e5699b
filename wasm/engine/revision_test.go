package engine_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What an older revision has is decided in revision.go alone: other files ask its
// methods, and never compare revisions.
func TestOlderRevisionsAreComparedInOneFile(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	older := regexp.MustCompile(`\brev20\d\d\w*`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := older.Find(text)
		if file == "revision.go" && found == nil {
			t.Error("revision.go names no older revision")
		}
		if file != "revision.go" && found != nil {
			t.Errorf("%s names %s: ask a method of revision instead", file, found)
		}
	}
}
