package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const testChangelog = "# Changelog\n\nText.\n\n## 0.2.0 (2026-12-01)\n\n- New.\n  ## not a heading\n\n## 0.1.0 (2026-11-21)\n\n- First.\n\n## 0.0.9 (2026-11-20)\n\n## 0.0.8 (2026-13-40)\n\n- Old.\n"

func TestSections(t *testing.T) {
	for version, want := range map[string]string{"0.2.0": "- New.\n  ## not a heading", "0.1.0": "- First."} {
		got, err := sectionOf(testChangelog, version)
		if err != nil || got.Text != want {
			t.Errorf("%s: %q, %v", version, got.Text, err)
		}
	}
	if got, err := sectionOf(testChangelog, "0.2.0"); err != nil || !got.Date.Equal(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)) {
		t.Error(got.Date, err)
	}
	for version, want := range map[string]string{"0.3.0": "has no section", "0.0.9": "is empty", "0.0.8": "out of range", "0.2": "has no section", "0x1.0": "has no section"} {
		if _, err := sectionOf(testChangelog, version); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", version, err, want)
		}
	}
}

// copyVersions copies the files that have the version, and the changelog, to a directory.
func copyVersions(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	files := []string{changelogFile}
	for _, place := range versionPlaces() {
		files = append(files, place.file)
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(root, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// A tag needs its version in all files and its section in the changelog.
func TestTagNeedsVersionAndSection(t *testing.T) {
	root := copyVersions(t)
	rejected := func(tag, want string) {
		t.Helper()
		if err := CheckTag(root, tag); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", tag, err, want)
		}
	}
	edited := func(file string, change func(string) string) {
		t.Helper()
		if err := edit(root, file, func(text string) (string, error) { return change(text), nil }); err != nil {
			t.Fatal(err)
		}
	}
	edited(changelogFile, func(string) string { return "# Changelog\n\n## Unreleased\n\n- New.\n" })
	if err := SetVersion(root, "7.8.9", time.Date(2026, 12, 1, 13, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	if err := CheckTag(root, "v7.8.9"); err != nil {
		t.Error(err)
	}
	if section, err := ReadSection(root, "7.8.9"); err != nil || section.Text != "- New." || section.Date.Format(time.DateOnly) != "2026-12-01" {
		t.Errorf("%+v, %v", section, err)
	}
	rejected("v7.9.0", `is not that of version 7.8.9`)
	rejected("7.8.9", `is not that of version 7.8.9`)
	edited(changelogFile, func(text string) string {
		return strings.Replace(text, "\n## 7.8.9", "\n## Unreleased\n\n- Later.\n\n## 7.8.9", 1)
	})
	rejected("v7.8.9", `"## Unreleased"`)
	edited(changelogFile, func(string) string { return "# Changelog\n\n## 0.1.0 (2026-11-21)\n\n- First.\n" })
	rejected("v7.8.9", `no section "## 7.8.9 (date)"`)
}

// Setting the version changes each file that has it, and nothing else; a file with another
// version is named.
func TestSetVersionChangesAllFiles(t *testing.T) {
	old, err := CheckVersions("../..")
	if err != nil {
		t.Fatal(err)
	}
	root := copyVersions(t)
	if err := SetVersion(root, "7.8.9", time.Now()); err != nil {
		t.Fatal(err)
	}
	if got, err := CheckVersions(root); err != nil || got != "7.8.9" {
		t.Error(got, err)
	}
	for _, place := range versionPlaces()[1:] {
		root := copyVersions(t)
		err := edit(root, place.file, func(text string) (string, error) {
			at := place.pattern.FindStringSubmatchIndex(text)
			return text[:at[2]] + "7.8.9" + text[at[3]:], nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := CheckVersions(root); err == nil || !strings.Contains(err.Error(), place.file) {
			t.Errorf("%s: %v", place.file, err)
		}
	}
	if err := SetVersion(root, "7.8", time.Now()); err == nil {
		t.Error("the version 7.8 is accepted")
	}
	if err := SetVersion(root, old, time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, place := range versionPlaces() {
		want, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(place.file)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(place.file)))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s has other changes than the version, %v", place.file, err)
		}
	}
}
