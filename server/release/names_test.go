package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/published"
)

// A release needs a word that the names are registered: without one it would tell readers to
// run a package of the owner of that name.
func TestReleaseNeedsRegisteredNames(t *testing.T) {
	err := Make(t.Context(), Options{Root: "../..", Out: filepath.Join(t.TempDir(), "release")})
	if err == nil {
		t.Fatal("a release without a confirmation of its names")
	}
	for _, want := range append(published.All(), "make release NAMES=registered", "make release NAMES=trial") {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not have %q", err, want)
		}
	}
	if err := confirmNames("yes", true); err == nil {
		t.Error(`"yes" is taken for a confirmation`)
	}
	if err := confirmNames(NamesRegistered, false); err == nil || !strings.Contains(err.Error(), "use `make release`") {
		t.Error(err)
	}
	for _, names := range []string{NamesRegistered, NamesTrial} {
		if err := confirmNames(names, true); err != nil {
			t.Errorf("%s: %v", names, err)
		}
	}
}

// Files that cannot import package published repeat its names; one with another name is named,
// and `make names` corrects it.
func TestNamesAreThoseOfPublished(t *testing.T) {
	if err := CheckNames("../.."); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for _, place := range namePlaces() {
		text, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(place.file)))
		if err != nil {
			t.Fatal(err)
		}
		writeTestFile(t, filepath.Join(root, filepath.FromSlash(place.file)), text)
	}
	for _, place := range namePlaces() {
		path := filepath.Join(root, filepath.FromSlash(place.file))
		old, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		at := place.pattern.FindSubmatchIndex(old)
		writeTestFile(t, path, []byte(string(old[:at[2]])+"other"+string(old[at[3]:])))
		if err := CheckNames(root); err == nil || !strings.Contains(err.Error(), place.file+" has the name other") {
			t.Errorf("%s: %v", place.file, err)
		}
		if err := SetNames(root); err != nil {
			t.Fatal(err)
		}
		if again, err := os.ReadFile(path); err != nil || string(again) != string(old) {
			t.Errorf("%s has other changes than the name, %v", place.file, err)
		}
	}
}

func writeTestFile(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// The plugin of a release runs a published version; that of the repository runs no package.
func TestReleasedPluginRunsThePackage(t *testing.T) {
	all := artifacts{}
	if err := all.addRepositoryFiles("../..", "7.8.9"); err != nil {
		t.Fatal(err)
	}
	const manifest = "repository/.claude-plugin/pagemcp/.claude-plugin/plugin.json"
	for _, want := range []string{
		"\"command\": \"npx\",\n      \"args\": [\"-y\", \"" + published.Package + "@7.8.9\", \"stdio\", \"--as\", \"claude-code\"]",
		"\"command\": \"npx -y " + published.Package + "@7.8.9 watch --as claude-code\"",
	} {
		if !strings.Contains(string(all[manifest]), want) {
			t.Errorf("%s does not have %s", all[manifest], want)
		}
	}
	for _, file := range []string{"repository/README.md", "repository/.claude-plugin/pagemcp/.claude-plugin/icon.png", "repository/.claude-plugin/marketplace.json"} {
		if len(all[file]) == 0 {
			t.Errorf("there is no %s", file)
		}
	}
}
