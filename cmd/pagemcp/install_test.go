package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/clientconfig"
)

// testInstaller returns an installer for an empty home directory without clients, and what it
// prints.
func testInstaller(t *testing.T) (*installer, *bytes.Buffer, installOptions) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("HOME", t.TempDir())
	host := clientconfig.Host{
		OS: "linux", Home: t.TempDir(), Dir: t.TempDir(), Getenv: func(string) string { return "" },
		LookPath: func(string) (string, error) { return "", exec.ErrNotFound },
		Run: func(_ context.Context, program string, _ ...string) ([]byte, error) {
			return nil, errors.New(program + " was not expected")
		},
	}
	var out bytes.Buffer
	return &installer{host, "/usr/local/bin/pagemcp", streams{strings.NewReader(""), &out, &out}}, &out, installOptions{name: "pagemcp", client: "cursor"}
}

// hasMode reports whether a file has these permissions. Windows has no permission bits: Go
// reports 0666 or 0777 there, and files have the access list of the directory of their user.
func hasMode(info os.FileInfo, want os.FileMode) bool {
	return runtime.GOOS == "windows" || info.Mode().Perm() == want
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func fileText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// wantPrinted checks that each text was printed, and clears the buffer.
func wantPrinted(t *testing.T, out *bytes.Buffer, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(out.String(), text) {
			t.Errorf("not printed: %q\n%s", text, out)
		}
	}
	out.Reset()
}

// Install, again, another value, --force and uninstall change the entry alone, and a dry run
// changes nothing.
func TestInstallChangesTheEntryAlone(t *testing.T) {
	in, out, opts := testInstaller(t)
	file := filepath.Join(in.host.Home, ".cursor", "mcp.json")
	const text = "{\n  // mine\n  \"mcpServers\": {\n    \"a\": { \"command\": \"a\" },\n  },\n}\n"
	writeFile(t, file, text)
	opts.dryRun = true
	if err := in.install(t.Context(), opts); err != nil || fileText(t, file) != text {
		t.Errorf("--dry-run: %v\n%s", err, fileText(t, file))
	}
	wantPrinted(t, out, `"command": "/usr/local/bin/pagemcp"`)
	opts.dryRun = false
	if err := in.install(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	wantPrinted(t, out, "Installed pagemcp in Cursor: "+file+"\nEnable the server")
	if err := in.install(t.Context(), opts); err != nil {
		t.Error(err)
	}
	wantPrinted(t, out, "pagemcp is already installed in Cursor")
	in.executable = "/opt/pagemcp"
	if err := in.install(t.Context(), opts); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("another value: %v", err)
	}
	opts.force = true
	if err := in.install(t.Context(), opts); err != nil || !strings.Contains(fileText(t, file), `"/opt/pagemcp"`) {
		t.Errorf("--force: %v\n%s", err, fileText(t, file))
	}
	if err := in.uninstall(t.Context(), opts); err != nil || fileText(t, file) != text || fileText(t, file+".pagemcp-backup") != text {
		t.Errorf("%v\n%s", err, fileText(t, file))
	}
	if err := in.uninstall(t.Context(), opts); err != nil {
		t.Error(err)
	}
	wantPrinted(t, out, "pagemcp is not installed in Cursor")
}

// Every client gets the server in the form that it reads, and --list shows it.
func TestInstallKnowsEachClient(t *testing.T) {
	in, out, opts := testInstaller(t)
	for _, client := range clientconfig.Clients() {
		opts.client = client.ID
		if err := in.install(t.Context(), opts); err != nil {
			t.Errorf("%s: %v", client.ID, err)
		}
		wantPrinted(t, out, "/usr/local/bin/pagemcp", client.Reload)
	}
	if err := in.list(opts); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "pagemcp runs /usr/local/bin/pagemcp"); n != len(clientconfig.Clients())-2 { // all but TOML and YAML
		t.Errorf("%d clients:\n%s", n, out)
	}
}

// A client with a command of its own is configured by it, and its failure is reported.
func TestInstallRunsTheCommandsOfClients(t *testing.T) {
	in, out, opts := testInstaller(t)
	in.host.LookPath = func(program string) (string, error) { return "/usr/bin/" + program, nil }
	var lines []string
	in.host.Run = func(_ context.Context, program string, args ...string) ([]byte, error) {
		lines = append(lines, program+" "+strings.Join(args, " "))
		return nil, nil
	}
	for _, client := range []string{"claude-code", "codex", "gemini", "vscode"} {
		opts.client = client
		if err := in.install(t.Context(), opts); err != nil {
			t.Errorf("%s: %v", client, err)
		}
	}
	opts.client = "codex"
	if err := in.uninstall(t.Context(), opts); err != nil {
		t.Error(err)
	}
	if want := []string{
		"claude mcp add -s user pagemcp -- /usr/local/bin/pagemcp stdio --as claude-code",
		"codex mcp add pagemcp -- /usr/local/bin/pagemcp stdio --as codex",
		"gemini mcp add -s user pagemcp /usr/local/bin/pagemcp -- stdio --as gemini",
		`code --add-mcp {"name":"pagemcp","type":"stdio","command":"/usr/local/bin/pagemcp","args":["stdio","--as","vscode"]}`,
		"codex mcp remove pagemcp",
	}; !slices.Equal(lines, want) {
		t.Errorf("%q", lines)
	}
	out.Reset()
	in.host.Run = func(context.Context, string, ...string) ([]byte, error) {
		return []byte("no"), errors.New("exit status 1")
	}
	if err := in.install(t.Context(), opts); err == nil || !strings.Contains(err.Error(), "codex mcp add pagemcp -- /usr/local/bin/pagemcp stdio --as codex: exit status 1: no") {
		t.Error(err)
	}
}

// The path on the PATH stays when another version is installed; that of Homebrew's
// directory of a version does not.
func TestInstallPrefersThePath(t *testing.T) {
	in, _, _ := testInstaller(t)
	dir := t.TempDir()
	in.executable = filepath.Join(dir, "Cellar", "0.2.0", "pagemcp")
	writeFile(t, in.executable, "program")
	link := filepath.Join(dir, "pagemcp")
	if err := os.Symlink(in.executable, link); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	for _, found := range []string{link, filepath.Join(dir, "other"), "pagemcp"} {
		in.host.LookPath = func(string) (string, error) { return found, nil }
		want := in.executable
		if found == link {
			want = link
		}
		if got := in.program(); got != want {
			t.Errorf("%q on the PATH: %s", found, got)
		}
	}
}

func TestInstallForAProject(t *testing.T) {
	in, out, opts := testInstaller(t)
	opts.project, opts.client = true, "vscode"
	if err := in.install(t.Context(), opts); err != nil {
		t.Error(err)
	}
	wantPrinted(t, out, filepath.Join(in.host.Dir, ".vscode", "mcp.json"), "The file contains a path of this machine: ")
	opts.client = "zed"
	if err := in.install(t.Context(), opts); err == nil || !strings.Contains(err.Error(), "no configuration file for a project") {
		t.Error(err)
	}
	opts.client = "cursor"
	if err := os.Symlink(in.host.Home, filepath.Join(in.host.Dir, ".cursor")); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	if err := in.install(t.Context(), opts); err == nil || !strings.Contains(err.Error(), "out of the project") {
		t.Errorf("a link out of the project: %v", err)
	}
}

// What is printed fits the system: paths are as they are, whatever their separators, and the command for a first
// request is one of its usual shell. Control characters never reach the terminal.
func TestTextsFitTheSystem(t *testing.T) {
	for text, want := range map[string]string{
		`C:\Users\Ada Lovelace\AppData\Roaming\Claude\claude_desktop_config.json`: `C:\Users\Ada Lovelace\AppData\Roaming\Claude\claude_desktop_config.json`,
		"/home/ada/.cursor/mcp.json": "/home/ada/.cursor/mcp.json",
		"a \x1b[2J\n\u202eb \"c\"":   "a \\x1b[2J\\n\\u202eb \"c\"",
	} {
		if got := plainText(text, 300); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for _, row := range []struct {
		system, token string
		has, lacks    []string
	}{
		{"windows", `C:\Users\O'Brien\pagemcp\token`, []string{"Invoke-RestMethod http://127.0.0.1:8808/mcp -Method Post", `"Bearer $(Get-Content 'C:\Users\O''Brien\pagemcp\token')"`, "} `\n", `-Body '{"jsonrpc":`}, []string{"curl", "$(cat"}},
		{"windows", `C:\Users\ada\token`, []string{`$(Get-Content C:\Users\ada\token)"`}, nil},
		{"linux", "/home/ada/it's mine/token", []string{`$(cat '/home/ada/it'\''s mine/token')"`}, nil},
		{"windows", "", []string{"Invoke-RestMethod"}, []string{"Authorization"}},
		{"linux", "/home/ada/token", []string{"curl -s http://127.0.0.1:8808/mcp", `"Authorization: Bearer $(cat /home/ada/token)"`, "\\\n", `-d '{"jsonrpc":`}, []string{"Invoke"}},
		{"darwin", "", []string{"curl -s"}, []string{"Authorization"}},
	} {
		got := requestText(row.system, "http://127.0.0.1:8808/mcp", row.token)
		for _, text := range row.has {
			if !strings.Contains(got, text) {
				t.Errorf("%s: %s lacks %s", row.system, got, text)
			}
		}
		for _, text := range row.lacks {
			if strings.Contains(got, text) {
				t.Errorf("%s: %s has %s", row.system, got, text)
			}
		}
	}
}
