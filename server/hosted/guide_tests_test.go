package hosted

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each test that the guide and SECURITY.md name exists: their tables say what bounds the memory
// of a node, and of the local gateway.
func TestTheGuideNamesTestsThatExist(t *testing.T) {
	var all []string
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
			all = append(all, string(found[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(readGuide(t, guide)+readGuide(t, "../../.github/SECURITY.md"), -1)
	if len(named) < 20 {
		t.Errorf("the guide names %d tests", len(named))
	}
	for _, name := range named {
		if !slices.Contains(all, name[1]) {
			t.Errorf("there is no %s", name[1])
		}
	}
}
