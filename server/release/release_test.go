package release

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/published"
)

// copyPlaces copies the files that have the version or a name, and the changelog, to a directory.
func copyPlaces(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	files := map[string][]byte{changelogFile: []byte("# Changelog\n\n## Unreleased\n\n- New.\n")}
	for _, p := range places("") {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(p.file)))
		if err != nil {
			t.Fatal(err)
		}
		files[p.file] = text
	}
	if err := writeAll(root, files); err != nil {
		t.Fatal(err)
	}
	return root
}

// A file with another version or name is named, and setting the version changes nothing else.
func TestVersionAndNamesAreInAllFiles(t *testing.T) {
	old, err := CheckVersions("../..")
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range places(old) {
		root := copyPlaces(t)
		before, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p.file)))
		if err != nil {
			t.Fatal(err)
		}
		spoil := func(q place, text string, found [][]int) (string, error) {
			if q.pattern != p.pattern || q.file != p.file {
				return text, nil
			}
			other := "other"
			if p.want == old {
				other = "7.8.9"
			}
			return text[:found[0][2]] + other + text[found[0][3]:], nil
		}
		if err := eachPlace(root, old, spoil); err != nil {
			t.Fatal(err)
		}
		if _, err := CheckVersions(root); err == nil || i > 0 && !strings.Contains(err.Error(), p.file+" has") {
			t.Errorf("%s: %v", p.file, err)
		}
		if err := SetVersion(root, old, time.Now()); err != nil {
			t.Fatal(err)
		}
		if after, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p.file))); err != nil || string(after) != string(before) {
			t.Errorf("%s has other changes, %v", p.file, err)
		}
	}
	if err := SetVersion(copyPlaces(t), "7.8", time.Now()); err == nil {
		t.Error("the version 7.8 is accepted")
	}
}

// A tag needs its version in all files and its section in the changelog.
func TestTagNeedsVersionAndSection(t *testing.T) {
	root := copyPlaces(t)
	rejected := func(tag, want string) {
		t.Helper()
		if err := CheckTag(root, tag); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", tag, err, want)
		}
	}
	if err := SetVersion(root, "7.8.9", time.Date(2026, 12, 1, 13, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	if err := CheckTag(root, "v7.8.9"); err != nil {
		t.Error(err)
	}
	rejected("v7.9.0", "is not that of version 7.8.9")
	rejected("7.8.9", "is not that of version 7.8.9")
	for changelog, want := range map[string]string{
		"## Unreleased\n\n- Later.\n\n## 7.8.9 (2026-12-01)\n\n- New.\n": `"## Unreleased"`,
		"## 0.1.0 (2026-11-21)\n\n- First.\n":                            `no section "## 7.8.9 (date)"`,
	} {
		if err := writeAll(root, map[string][]byte{changelogFile: []byte("# Changelog\n\n" + changelog)}); err != nil {
			t.Fatal(err)
		}
		rejected("v7.8.9", want)
	}
}

// The plugin of a release runs a published version; that of the repository runs no package.
func TestReleasedPluginRunsThePackage(t *testing.T) {
	files := map[string][]byte{}
	if err := addPublished(files, "../..", "7.8.9"); err != nil {
		t.Fatal(err)
	}
	text := string(files["publish/repository/.claude-plugin/pagemcp/.claude-plugin/plugin.json"])
	for _, want := range []string{
		"\"command\": \"npx\",\n      \"args\": [\"-y\", \"" + published.Package + "@7.8.9\", \"stdio\", \"--as\", \"claude-code\"]",
		"\"command\": \"npx -y " + published.Package + "@7.8.9 watch --as claude-code\"",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s does not have %s", text, want)
		}
	}
}

// Source maps are left out, with the comments that name them; other files stay as they are.
func TestWithoutSourceMaps(t *testing.T) {
	got := withoutSourceMaps(map[string][]byte{
		"web/a.js":      []byte("a()\n//# sourceMappingURL=a.js.map\n"),
		"web/a.js.map":  []byte("{}"),
		"web/b.css":     []byte("b{}\n/*# sourceMappingURL=b.css.map */\n"),
		"web/b.css.map": []byte("{}"),
		"web/c.js":      []byte("`\n//# sourceMappingURL=not-a-comment.map\n`\n"),
	})
	want := map[string]string{"web/a.js": "a()\n", "web/b.css": "b{}\n", "web/c.js": "`\n//# sourceMappingURL=not-a-comment.map\n`\n"}
	if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
		t.Fatalf("%q", slices.Sorted(maps.Keys(got)))
	}
	for name, text := range want {
		if string(got[name]) != text {
			t.Errorf("%s: %q", name, got[name])
		}
	}
}
