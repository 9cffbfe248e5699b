package clientconfig

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var testServer = Server{Name: "pagemcp", Command: []string{"/usr/local/bin/pagemcp", "stdio"}}

// testHost returns the machine of a user without files, and Cursor.
func testHost(t *testing.T) (Host, Client, string) {
	t.Helper()
	host := Host{OS: "linux", Home: t.TempDir(), Dir: t.TempDir(), Getenv: func(string) string { return "" },
		LookPath: func(string) (string, error) { return "", exec.ErrNotFound }}
	cursor, err := Named("cursor")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(host.Home, ".cursor", "mcp.json")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	return host, cursor, path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPermissionsAndLinksStay(t *testing.T) {
	host, cursor, path := testHost(t)
	real := filepath.Join(t.TempDir(), "dotfiles.json")
	write(t, real, "{}\n")
	if err := os.Symlink(real, path); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	change, err := cursor.Install(host, testServer, false, false)
	if err == nil {
		err = change.Apply(t.Context(), host)
	}
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link: %v, %v", info.Mode(), err)
	}
	for _, file := range []string{real, real + ".pagemcp-backup"} {
		if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
	if !strings.Contains(read(t, real), "pagemcp") || change.Path != path {
		t.Error(change.Path, read(t, real))
	}
	os.Remove(real)
	if _, err := cursor.Install(host, testServer, false, false); err == nil || !strings.Contains(err.Error(), "symbolic link to a file that does not exist") {
		t.Error(err)
	}
}

// A file that another program has changed, made or removed meanwhile is not replaced.
func TestFilesThatChangeMeanwhile(t *testing.T) {
	host, cursor, path := testHost(t)
	for name, c := range map[string]struct{ before, now string }{"changed": {"{}", "{ }"}, "made": {"", "{}"}, "removed": {"{}", ""}} {
		os.Remove(path)
		if c.before != "" {
			write(t, path, c.before)
		}
		change, err := cursor.Install(host, testServer, false, false)
		if err != nil {
			t.Fatal(err)
		}
		os.Remove(path)
		if c.now != "" {
			write(t, path, c.now)
		}
		if err := change.Apply(t.Context(), host); err == nil || !strings.Contains(err.Error(), "has changed it meanwhile") {
			t.Errorf("%s: %v", name, err)
		}
		if c.now != "" && read(t, path) != c.now {
			t.Errorf("%s: %s", name, read(t, path))
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// A file without permission to write is often made by another program, and what is no file, or
// too large, is not replaced.
func TestOnlyWritableFilesAreEdited(t *testing.T) {
	host, cursor, path := testHost(t)
	write(t, path, "{}")
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := cursor.Install(host, testServer, false, false); err == nil || !strings.Contains(err.Error(), path+" is read-only") {
		t.Error(err)
	}
	os.Remove(path)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := cursor.Install(host, testServer, false, false); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Error(err)
	}
	os.Remove(path)
	write(t, path, "{}")
	if err := os.Truncate(path, maxFile+1); err != nil {
		t.Fatal(err)
	}
	if _, err := cursor.Install(host, testServer, false, false); err == nil || !strings.Contains(err.Error(), "more than the limit") {
		t.Error(err)
	}
	if _, err := cursor.Install(host, Server{Name: `a"b`}, false, false); err == nil || !strings.Contains(err.Error(), "use letters, digits") {
		t.Error(err)
	}
}

// Files are where each system has them.
func TestPathsOfFiles(t *testing.T) {
	variables := map[string]string{}
	host := Host{Home: "/home/ada", Getenv: func(name string) string { return variables[name] }}
	for _, c := range []struct{ id, system, variable, want string }{
		{"claude-code", "linux", "", "/home/ada/.claude.json"},
		{"claude-code", "linux", "CLAUDE_CONFIG_DIR=/c", "/c/.claude.json"},
		{"claude-desktop", "darwin", "", "/home/ada/Library/Application Support/Claude/claude_desktop_config.json"},
		{"vscode", "linux", "XDG_CONFIG_HOME=/x", "/x/Code/User/mcp.json"},
		{"vscode", "windows", "", "/home/ada/AppData/Roaming/Code/User/mcp.json"},
		{"zed", "darwin", "XDG_CONFIG_HOME=/x", "/home/ada/.config/zed/settings.json"},
		{"codex", "linux", "CODEX_HOME=relative", "/home/ada/.codex/config.toml"},
	} {
		clear(variables)
		if name, value, ok := strings.Cut(c.variable, "="); ok {
			variables[name] = value
		}
		client, err := Named(c.id)
		if err != nil {
			t.Fatal(err)
		}
		host.OS = c.system
		if got, err := client.File(host, false); err != nil || filepath.ToSlash(got) != c.want {
			t.Errorf("%s on %s: %s, %v", c.id, c.system, got, err)
		}
	}
}
