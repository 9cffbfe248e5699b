package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/server/clientconfig"
	"github.com/pagemcp/pagemcp/web"
)

// newTestEditor returns an editor on an empty home directory, and what it prints.
func newTestEditor(t *testing.T) (*clientEditor, *bytes.Buffer, installOptions) {
	t.Helper()
	env, err := clientconfig.Host()
	if err != nil {
		t.Fatal(err)
	}
	env.OS, env.Home, env.Dir = "linux", t.TempDir(), t.TempDir()
	env.Getenv = func(string) string { return "" }
	env.LookPath = func(string) (string, bool) { return "", false }
	var out bytes.Buffer
	e := &clientEditor{env: env, executable: "/usr/local/bin/pagemcp", std: streams{strings.NewReader(""), &out, &out}}
	e.run = func(_ context.Context, program string, _ ...string) ([]byte, error) {
		return nil, errors.New(program + " was not expected")
	}
	return e, &out, installOptions{name: "pagemcp", client: "cursor", state: ""}
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

func TestInstallPrintsWhatItChanges(t *testing.T) {
	e, out, opts := newTestEditor(t)
	file := filepath.Join(e.env.Home, ".cursor", "mcp.json")
	const text = "{\n  // mine\n  \"mcpServers\": {\n    \"a\": { \"command\": \"a\" },\n  },\n}\n"
	writeFile(t, file, text)
	const added = "+    \"pagemcp\": {\n+      \"command\": \"/usr/local/bin/pagemcp\",\n+      \"args\": [\"stdio\", \"--as\", \"cursor\"]\n+    },\n"

	opts.dryRun = true
	if err := e.install(t.Context(), opts); err != nil || fileText(t, file) != text {
		t.Errorf("--dry-run: %v\n%s", err, fileText(t, file))
	}
	wantPrinted(t, out, file+" would change:\n", added)
	opts.dryRun = false
	if err := e.install(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	wantPrinted(t, out, added, "Installed pagemcp in Cursor: "+file+"\nEnable the server")
	if err := e.install(t.Context(), opts); err != nil {
		t.Error(err)
	}
	wantPrinted(t, out, "pagemcp is already installed in Cursor")

	opts.npx = true
	err := e.install(t.Context(), opts)
	if err == nil || !strings.Contains(err.Error(), `already has another server "pagemcp": replace it with --force, or choose another name with --name`) {
		t.Errorf("another value: %v", err)
	}
	wantPrinted(t, out, "-      \"command\": \"/usr/local/bin/pagemcp\"", "+      \"args\": [\"-y\", \"pagemcp@"+web.Version()+"\", \"stdio\", \"--as\", \"cursor\"]")
	opts.force = true
	if err := e.install(t.Context(), opts); err != nil {
		t.Error(err)
	}
	opts.dryRun = true
	if err := e.uninstall(t.Context(), opts); err != nil || fileText(t, file) == text {
		t.Error(err)
	}
	opts.dryRun = false
	if err := e.uninstall(t.Context(), opts); err != nil || fileText(t, file) != text || fileText(t, file+".pagemcp-backup") != text {
		t.Errorf("%v\n%s", err, fileText(t, file))
	}
	wantPrinted(t, out, "Removed pagemcp from Cursor: "+file)
	if err := e.uninstall(t.Context(), opts); err != nil {
		t.Error(err)
	}
	wantPrinted(t, out, "pagemcp is not installed in Cursor")
}

func TestInstallPrintsLinesToAddByHand(t *testing.T) {
	e, out, opts := newTestEditor(t)
	opts.client = "codex"
	file := filepath.Join(e.env.Home, ".codex", "config.toml")
	writeFile(t, file, "mcp_servers = {}\n")
	if err := e.install(t.Context(), opts); err == nil || !strings.Contains(err.Error(), "add the lines above by hand") {
		t.Error(err)
	}
	wantPrinted(t, out, "[mcp_servers.pagemcp]\ncommand = \"/usr/local/bin/pagemcp\"\nargs = [\"stdio\", \"--as\", \"codex\"]\n")
}

// A program that npx has fetched vanishes: clients get a copy, as long as one needs it.
func TestInstallCopiesTemporaryPrograms(t *testing.T) {
	e, out, opts := newTestEditor(t)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	e.executable = filepath.Join(t.TempDir(), "_npx", "1a2b", "node_modules", "@pagemcp", "linux-x64", "bin", "pagemcp")
	writeFile(t, e.executable, "program")
	state, err := stateDirectory("")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(state, "bin", "pagemcp")
	opts.dryRun = true
	if err := e.install(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err == nil {
		t.Error("--dry-run has copied the program")
	}
	opts.dryRun = false
	for _, client := range []string{"cursor", "zed"} {
		opts.client = client
		if err := e.install(t.Context(), opts); err != nil {
			t.Fatal(err)
		}
	}
	wantPrinted(t, out, "Copied the program to "+program, program+`",`)
	if info, err := os.Stat(program); err != nil || !hasMode(info, 0o700) {
		t.Errorf("%v, %v", info, err)
	}
	for i, client := range []string{"cursor", "zed"} {
		opts.client = client
		if err := e.uninstall(t.Context(), opts); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(program); (err == nil) != (i == 0) {
			t.Errorf("after %s: %v", client, err)
		}
	}
	wantPrinted(t, out, "Removed "+program+", which no client runs any more.")
}

// The path on the PATH stays when another version is installed; that of Homebrew's
// directory of a version does not.
func TestInstallPrefersThePath(t *testing.T) {
	e, _, _ := newTestEditor(t)
	dir := t.TempDir()
	e.executable = filepath.Join(dir, "Cellar", "0.2.0", "pagemcp")
	writeFile(t, e.executable, "program")
	link := filepath.Join(dir, "pagemcp")
	if err := os.Symlink(e.executable, link); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	for _, found := range []string{link, filepath.Join(dir, "other"), "pagemcp", ""} {
		e.env.LookPath = func(string) (string, bool) { return found, found != "" }
		want := e.executable
		if found == link {
			want = link
		}
		if got := e.program("/state"); got.path != want || got.copied {
			t.Errorf("%q on the PATH: %+v", found, got)
		}
	}
}

// By HTTP a client gets a token of its own without a question: in a file that the client reads,
// or in its file. It is made once, and revoked with the last file that needs it.
func TestInstallByHTTPMakesATokenOfTheClient(t *testing.T) {
	e, out, opts := newTestEditor(t)
	state := t.TempDir()
	opts.state, opts.http = state, true
	needed := (*clientconfig.TokenNeededError)(nil)
	if err := e.install(t.Context(), opts); !errors.As(err, &needed) {
		t.Error(err)
	}
	if all, err := server.Assistants(t.Context(), state); err != nil || len(all) > 0 {
		t.Errorf("a client that cannot be installed has a token: %+v, %v", all, err)
	}
	opts.writeToken, opts.dryRun = true, true
	if err := e.install(t.Context(), opts); err != nil {
		t.Error(err)
	}
	if all, err := server.Assistants(t.Context(), state); err != nil || len(all) > 0 {
		t.Errorf("--dry-run makes a token: %+v, %v", all, err)
	}
	opts.dryRun = false
	file := filepath.Join(e.env.Home, ".cursor", "mcp.json")
	writeFile(t, file, "{}\n") // 0644
	out.Reset()
	if err := e.install(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	token, err := server.ReadSavedToken(state, "cursor")
	if err != nil || !strings.Contains(fileText(t, file), "Bearer "+token+`"`) {
		t.Errorf("%v\n%s", err, fileText(t, file))
	}
	if strings.Contains(out.String(), token) {
		t.Errorf("the token was printed: %s", out)
	}
	wantPrinted(t, out, `"Bearer …"`, "Made a token for cursor", "Keep the gateway running", "chmod 600 "+file, "`pagemcp token revoke cursor` ends it")

	before := fileText(t, file)
	out.Reset()
	if err := e.install(t.Context(), opts); err != nil || fileText(t, file) != before {
		t.Errorf("again: %v\n%s", err, fileText(t, file))
	}
	wantPrinted(t, out, "pagemcp is already installed in Cursor")
	if again, err := server.ReadSavedToken(state, "cursor"); err != nil || again != token || strings.Contains(out.String(), "Made a token") {
		t.Errorf("again: another token, %v: %s", err, out)
	}

	for client, want := range map[string]string{
		"windsurf":    "Bearer ${file:" + server.SavedToken(state, "windsurf") + "}",
		"claude-code": `"headersHelper": "/usr/local/bin/pagemcp token headers --as claude-code --state `,
	} {
		opts.client, opts.writeToken = client, false
		out.Reset()
		if err := e.install(t.Context(), opts); err != nil {
			t.Error(err)
		}
		wantPrinted(t, out, want, "Made a token for "+client)
	}
	saved, err := server.ReadSavedToken(state, "claude-code")
	if err != nil {
		t.Fatal(err)
	}
	got, err := runForOutput(t, "token", "headers", "--as", "claude-code", "--state", state)
	if err != nil || got != `{"Authorization":"Bearer `+saved+"\"}\n" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := runForOutput(t, "token", "headers", "--state", t.TempDir()); err == nil || !strings.Contains(err.Error(), "start `pagemcp serve` once") {
		t.Error(err)
	}
	if _, err := runForOutput(t, "token", "headers", "--as", "zed", "--state", state); err == nil || !strings.Contains(err.Error(), "`pagemcp token add zed --save`") {
		t.Error(err)
	}

	opts.client = "cursor"
	if err := e.uninstall(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	wantPrinted(t, out, "Revoked the token of cursor.")
	if _, ok := server.AssistantOf(state, token); ok {
		t.Error("the token of an uninstalled client is valid")
	}
	opts.client = "windsurf"
	opts.name = "other" // pagemcp is in the file still
	if err := e.uninstall(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	if _, err := server.ReadSavedToken(state, "windsurf"); err != nil {
		t.Errorf("the token that a file needs was revoked: %v", err)
	}
}

// A token that the user has made keeps its rights, and one whose text is gone is not replaced.
func TestInstallKeepsRightsOfTheUser(t *testing.T) {
	e, _, opts := newTestEditor(t)
	state := t.TempDir()
	opts.state, opts.http, opts.client = state, true, "windsurf"
	if _, err := server.AddToken(t.Context(), state, server.NewToken{Name: "windsurf", ReadOnly: true}); err != nil {
		t.Fatal(err)
	}
	if err := e.install(t.Context(), opts); err == nil || !strings.Contains(err.Error(), `the token of "windsurf" was printed and not saved`) {
		t.Error(err)
	}
	if err := server.RevokeToken(t.Context(), state, "windsurf"); err != nil {
		t.Fatal(err)
	}
	if err := e.install(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	all, err := server.Assistants(t.Context(), state)
	if err != nil || len(all) != 1 || !all[0].ReadOnly || !all[0].Saved {
		t.Errorf("%+v, %v", all, err)
	}
}

// The URL is that of the gateway that runs with this state directory.
func TestInstallFindsTheRunningGateway(t *testing.T) {
	e, out, opts := newTestEditor(t)
	state := t.TempDir()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	in, printed := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--json", "--state", state, "--mcp", "127.0.0.1:0"}, streams{strings.NewReader(""), printed, io.Discard})
	}()
	var line ready
	if err := json.NewDecoder(in).Decode(&line); err != nil {
		t.Fatal(err)
	}
	opts.client, opts.http, opts.state = "opencode", true, state
	if err := e.install(ctx, opts); err != nil {
		t.Error(err)
	}
	wantPrinted(t, out, `"url": "`+line.MCP+`"`, "{file:"+server.SavedToken(state, "opencode")+"}", "with the same --mcp the next time")
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestCommandLinesAreQuoted(t *testing.T) {
	for _, c := range []struct{ system, program, want string }{
		{"linux", "/usr/bin/pagemcp", "/usr/bin/pagemcp headers"},
		{"darwin", "/Users/Ada L/pagemcp", "'/Users/Ada L/pagemcp' headers"},
		{"linux", "/home/$(id)/it's/pagemcp", `'/home/$(id)/it'\''s/pagemcp' headers`},
		{"windows", `C:\Program Files\pagemcp.exe`, `"C:\Program Files\pagemcp.exe" headers`},
	} {
		if got := commandLine(c.system, []string{c.program, "headers"}); got != c.want {
			t.Errorf("%s, %s: %s, want %s", c.system, c.program, got, c.want)
		}
	}
}

func TestInstallForAProject(t *testing.T) {
	e, out, opts := newTestEditor(t)
	opts.project = true
	opts.client = "vscode"
	if err := e.install(t.Context(), opts); err != nil {
		t.Error(err)
	}
	wantPrinted(t, out, filepath.Join(e.env.Dir, ".vscode", "mcp.json"), "The file contains a path of this machine: ")
	opts.client = "zed"
	if err := e.install(t.Context(), opts); err == nil || !strings.Contains(err.Error(), "no configuration file for a project") {
		t.Error(err)
	}
}

// Claude Code edits its file by its own command, whose failure is reported.
func TestInstallRunsTheCommandOfClaudeCode(t *testing.T) {
	e, out, opts := newTestEditor(t)
	opts.client, opts.state = "claude-code", ""
	e.env.LookPath = func(program string) (string, bool) { return "/usr/bin/claude", program == "claude" }
	opts.dryRun = true
	if err := e.install(t.Context(), opts); err != nil {
		t.Error(err)
	}
	wantPrinted(t, out, "by: claude mcp add -s user pagemcp -- /usr/local/bin/pagemcp stdio --as claude-code\n")
	opts.dryRun = false
	e.run = func(context.Context, string, ...string) ([]byte, error) {
		return []byte("no"), errors.New("exit status 1")
	}
	if err := e.install(t.Context(), opts); err == nil || !strings.Contains(err.Error(), "claude mcp add -s user pagemcp -- /usr/local/bin/pagemcp stdio --as claude-code: exit status 1: no") {
		t.Error(err)
	}
}

func TestInstallLists(t *testing.T) {
	e, out, opts := newTestEditor(t)
	if err := e.install(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(e.env.Home, ".gemini", "settings.json"), "{\n}")
	writeFile(t, filepath.Join(e.env.Home, ".codex", "config.toml"), "a = 1\n= 2\n")
	out.Reset()
	if err := e.list(opts); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for i, want := range []string{"cursor pagemcp runs /usr/local/bin/pagemcp", "gemini found, without pagemcp", "codex does not parse: line 2", "claude-code not found"} {
		if got := strings.Join(strings.Fields(lines[i]), " "); !strings.HasPrefix(got, want) {
			t.Errorf("line %d: %q, want %q", i, got, want)
		}
	}
}

func TestMistakesOfInstall(t *testing.T) {
	for line, want := range map[string]string{
		"install":                     "install needs one assistant: claude-code, claude-desktop",
		"install cursor zed":          "install needs one assistant",
		"install --list cursor":       `install takes no argument "cursor"`,
		"install clode":               `no client "clode": use one of`,
		"uninstall clode":             `no client "clode": use one of`,
		"install cursor --writetoken": "unknown flag",
		"install zed --write-token":   "--write-token is for --http",
		"install cursor --http --write-token --project": "often shared",
	} {
		if _, err := runForOutput(t, strings.Fields(line)...); err == nil || !strings.Contains(err.Error(), want) || exitCode(err) != exitMistake {
			t.Errorf("%q: %v; want %q", line, err, want)
		}
	}
}
