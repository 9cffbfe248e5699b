package clientconfig

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// hasMode reports whether a file has these permissions. Windows has no permission bits: Go
// reports 0666 or 0777 there, and files have the access list of the directory of their user.
func hasMode(info os.FileInfo, want os.FileMode) bool {
	return runtime.GOOS == "windows" || info.Mode().Perm() == want
}

func TestPermissionsAndLinksStay(t *testing.T) {
	env, c := home(t), client(t, "cursor")
	path := write(t, env, c, "{}\n")
	real := filepath.Join(t.TempDir(), "dotfiles.json")
	if err := os.Rename(path, real); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, path); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	ch := installed(t, env, c, testServer(), Options{})
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link: %v, %v", info.Mode(), err)
	}
	for _, file := range []string{real, real + ".pagemcp-backup"} {
		if info, err := os.Stat(file); err != nil || !hasMode(info, 0o640) {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
	if !strings.Contains(read(t, real), "pagemcp") || ch.Path != path {
		t.Error(ch.Path, read(t, real))
	}
	os.Remove(real)
	if _, err := PlanInstall(env, c, testServer(), Options{}); err == nil || !strings.Contains(err.Error(), "symbolic link to a file that does not exist") {
		t.Error(err)
	}
}

// A project that was downloaded cannot have a file of the user edited.
func TestLinksOutOfAProjectAreRejected(t *testing.T) {
	env, c := home(t), client(t, "cursor")
	write(t, env, c, "{}\n")
	if err := os.Symlink(filepath.Join(env.Home, ".cursor"), filepath.Join(env.Dir, ".cursor")); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	for _, plan := range []func() (*Change, error){
		func() (*Change, error) { return PlanInstall(env, c, testServer(), Options{Project: true}) },
		func() (*Change, error) { return PlanUninstall(env, c, "pagemcp", true) },
	} {
		if _, err := Apply(plan); err == nil || !strings.Contains(err.Error(), "is a symbolic link out of the project") {
			t.Error(err)
		}
	}
	os.Remove(filepath.Join(env.Home, ".cursor", "mcp.json")) // the directory alone
	if _, err := PlanInstall(env, c, testServer(), Options{Project: true}); err == nil || !strings.Contains(err.Error(), "is a symbolic link out of the project") {
		t.Error(err)
	}
	if ch := installed(t, env, client(t, "vscode"), testServer(), Options{Project: true}); ch.Path != filepath.Join(env.Dir, ".vscode", "mcp.json") {
		t.Error(ch.Path)
	}
}

// The backup is the file before the first change, whatever is done afterwards.
func TestBackupIsTheFileWithoutOurEntry(t *testing.T) {
	env, c, other := home(t), client(t, "cursor"), testServer()
	other.Command = []string{"other"}
	const first, second = "{\"mcpServers\": {}}\n", "{\"mcpServers\": {\"a\": {}}}\n"
	path := write(t, env, c, first)
	backup := path + ".pagemcp-backup"
	installed(t, env, c, testServer(), Options{})
	installed(t, env, c, other, Options{Force: true})
	if got := read(t, backup); got != first {
		t.Errorf("after a replacement: %q", got)
	}
	uninstalled(t, env, c)
	if got := read(t, backup); got != first {
		t.Errorf("after removal: %q", got)
	}
	write(t, env, c, second)
	installed(t, env, c, testServer(), Options{})
	if got := read(t, backup); got != second {
		t.Errorf("of the edited file: %q", got)
	}
	os.Remove(backup)
	uninstalled(t, env, c)
	if got := read(t, backup); !strings.Contains(got, "pagemcp") {
		t.Errorf("before removal, without an older one: %q", got)
	}
}

// Whatever ends the program between writing and renaming, the file is the old one, and
// the next installation works.
func TestCrashBeforeRenameLosesNothing(t *testing.T) {
	env, c := home(t), client(t, "codex")
	const text = "model = \"x\"\n"
	path := write(t, env, c, text)
	ch, err := PlanInstall(env, c, testServer(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	ch.beforeRename = func() error { panic("crash") }
	func() {
		defer func() { recover() }()
		ch.Write()
	}()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 3 { // file, backup, temporary file
		t.Fatalf("%v, %v", entries, err)
	}
	if got := read(t, path); got != text {
		t.Errorf("%q", got)
	}
	if got := read(t, path+".pagemcp-backup"); got != text {
		t.Errorf("the backup: %q", got)
	}
	if ch := installed(t, env, c, testServer(), Options{}); ch.Outcome != Added || !strings.HasPrefix(read(t, path), text) {
		t.Errorf("%v: %q", ch.Outcome, read(t, path))
	}
}

// A client that writes its file at the same time loses nothing: the edit is made again,
// on the new text.
func TestFilesThatChangeMeanwhile(t *testing.T) {
	env, c := home(t), client(t, "claude-code")
	path := write(t, env, c, "{\n  \"numStartups\": 1\n}\n")
	attempts := 0
	plan := func(changes int) func() (*Change, error) {
		attempts = 0
		return func() (*Change, error) {
			ch, err := PlanInstall(env, c, testServer(), Options{Force: true})
			if err == nil {
				ch.beforeRename = func() error {
					if attempts++; attempts > changes {
						return nil
					}
					return os.WriteFile(path, []byte(strings.Replace(read(t, path), "{\n", "{\n  \"x\": 1,\n", 1)), 0o600)
				}
			}
			return ch, err
		}
	}
	ch, err := Apply(plan(2))
	if err != nil || ch.Outcome != Added || attempts != 3 {
		t.Errorf("%v after %d attempts, %v", ch.Outcome, attempts, err)
	}
	if text := read(t, path); strings.Count(text, `"x": 1`) != 2 || !strings.Contains(text, "pagemcp") || !strings.Contains(text, "numStartups") {
		t.Error(text)
	}
	uninstalled(t, env, c)
	_, err = Apply(plan(100))
	if changed := (*ChangedError)(nil); !errors.As(err, &changed) || !strings.Contains(err.Error(), path+" is being changed by another program") {
		t.Errorf("%v", err)
	}
	if text := read(t, path); strings.Contains(text, "pagemcp") {
		t.Error(text)
	}
	left, _ := filepath.Glob(filepath.Join(env.Home, ".*.pagemcp-*"))
	for _, name := range left {
		if !strings.HasSuffix(name, "-backup") {
			t.Errorf("left: %s", name)
		}
	}
}

// A file that appears or disappears between reading and writing is a change, too.
func TestFilesThatAppearOrDisappear(t *testing.T) {
	env, c := home(t), client(t, "cursor")
	ch, err := PlanInstall(env, c, testServer(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := write(t, env, c, "{}")
	changed := (*ChangedError)(nil)
	if err := ch.Write(); !errors.As(err, &changed) || read(t, path) != "{}" {
		t.Errorf("%v", err)
	}
	if ch, err = PlanInstall(env, c, testServer(), Options{}); err != nil {
		t.Fatal(err)
	}
	os.Remove(path)
	if err := ch.Write(); !errors.As(err, &changed) {
		t.Errorf("%v", err)
	}
}

// A file without permission to write is often made by another program.
func TestReadOnlyFilesAreNotReplaced(t *testing.T) {
	env, c := home(t), client(t, "cursor")
	path := write(t, env, c, "{}")
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := PlanInstall(env, c, testServer(), Options{}); err == nil || !strings.Contains(err.Error(), path+" is read-only") {
		t.Error(err)
	}
}

func TestOnlyRegularFilesAreEdited(t *testing.T) {
	env, c := home(t), client(t, "cursor")
	if err := os.MkdirAll(filepath.Join(env.Home, ".cursor", "mcp.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := PlanInstall(env, c, testServer(), Options{}); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Error(err)
	}
}
