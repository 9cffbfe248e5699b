package clientconfig

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestListOfClients(t *testing.T) {
	env := home(t)
	installed(t, env, client(t, "codex"), testServer(), Options{})
	installed(t, env, client(t, "opencode"), serverOf("http"), Options{})
	write(t, env, client(t, "goose"), "a: b: c\n")
	write(t, env, client(t, "zed"), "\ufeff// settings\n{}\n")
	for _, s := range List(env, "pagemcp", false) {
		var want Status
		switch s.Client.ID {
		case "codex":
			want = Status{Found: true, Installed: true, Program: "/usr/local/bin/pagemcp"}
		case "opencode":
			want = Status{Found: true, Installed: true, URL: "http://127.0.0.1:8808/mcp"}
		case "zed", "goose":
			want.Found = true
		}
		if s.Found != want.Found || s.Installed != want.Installed || s.Program != want.Program || s.URL != want.URL || (s.Err != nil) != (s.Client.ID == "goose") {
			t.Errorf("%s: %+v", s.Client.ID, s)
		}
	}
	if got := List(env, "pagemcp", true); len(got) != 5 {
		t.Errorf("%d clients have files of a project", len(got))
	}
}

// The copy of the program is needed as long as a client runs it.
func TestCopyOfTheProgram(t *testing.T) {
	env, state := home(t), filepath.Join(t.TempDir(), "state")
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("v1"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := ProgramCopy(state, program)
	if path != filepath.Join(state, "bin", "pagemcp") {
		t.Error(path)
	}
	for _, text := range []string{"v1", "v1", "v2"} {
		os.WriteFile(program, []byte(text), 0o755)
		if err := CopyProgram(program, path); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || !hasMode(info, 0o700) || read(t, path) != text {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
	s := testServer()
	s.Command[0] = path
	installed(t, env, client(t, "cursor"), s, Options{})
	installed(t, env, client(t, "opencode"), s, Options{Project: true})
	if !Mentions(env, path) {
		t.Error("two clients use it")
	}
	uninstalled(t, env, client(t, "cursor"))
	if !Mentions(env, path) {
		t.Error("one client uses it")
	}
	if _, err := Apply(func() (*Change, error) { return PlanUninstall(env, client(t, "opencode"), "pagemcp", true) }); err != nil {
		t.Fatal(err)
	}
	if Mentions(env, path) {
		t.Error("no client uses it")
	}
	if err := RemoveProgram(path); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Error("the directory is left")
	}
	for path, want := range map[string]bool{
		"/home/ada/.npm/_npx/1a2b/node_modules/@pagemcp/linux-x64/bin/pagemcp": true, `C:\app\node_modules\@pagemcp\win32-x64\bin\pagemcp.exe`: true,
		"/tmp/go-build12/b001/exe/pagemcp": true, "/usr/local/bin/pagemcp": false, "/home/ada/pagemcp/bin/pagemcp": false,
	} {
		if IsTemporary(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

// Claude Code's file is edited by its own command.
func TestCommandOfClaudeCode(t *testing.T) {
	env, c := home(t), client(t, claudeCode)
	env.LookPath = func(program string) (string, bool) { return "/usr/bin/" + program, program == claudeProgram }
	s := testServer()
	plan := func() (*Change, error) { return PlanInstall(env, c, s, Options{Force: true}) }
	var lines [][]string
	fails := error(nil)
	run := func(_ context.Context, program string, args ...string) ([]byte, error) {
		lines = append(lines, append([]string{program}, args...))
		if fails != nil {
			return []byte("Error: API_KEY=sk-1234567890"), fails
		}
		var err error
		if args[1] == "remove" {
			_, err = Apply(func() (*Change, error) { return PlanUninstall(env, c, "pagemcp", false) })
		} else {
			_, err = Apply(plan)
		}
		return nil, err
	}
	ch, err := plan()
	if err != nil || !ch.HasCommand(env, s, false) || ch.HasCommand(env, s, true) {
		t.Fatal(err)
	}
	if err := ch.Run(t.Context(), s, run, plan); err != nil {
		t.Error(err)
	}
	s.Command = []string{"npx", "-y", "pagemcp@1.0.0", "stdio"}
	if ch, err = plan(); err != nil || ch.Outcome != Replaced {
		t.Fatal(ch.Outcome, err)
	}
	if err := ch.Run(t.Context(), s, run, plan); err != nil {
		t.Error(err)
	}
	want := [][]string{
		{"claude", "mcp", "add", "-s", "user", "pagemcp", "--", "/usr/local/bin/pagemcp", "stdio"},
		{"claude", "mcp", "remove", "-s", "user", "pagemcp"},
		{"claude", "mcp", "add", "-s", "user", "pagemcp", "--", "npx", "-y", "pagemcp@1.0.0", "stdio"},
	}
	if !slices.EqualFunc(lines, want, slices.Equal) {
		t.Errorf("%q", lines)
	}
	remove := func() (*Change, error) { return PlanUninstall(env, c, "pagemcp", false) }
	if ch, err = remove(); err != nil {
		t.Fatal(err)
	}
	fails = errors.New("exit status 1")
	if err := ch.Run(t.Context(), s, run, remove); err == nil || !strings.Contains(err.Error(), "claude mcp remove -s user pagemcp: exit status 1: Error: API_KEY=…") {
		t.Error(err)
	}
	idle := func(context.Context, string, ...string) ([]byte, error) { return nil, nil }
	if err := ch.Run(t.Context(), s, idle, remove); err == nil || !strings.Contains(err.Error(), "has not changed") {
		t.Error(err)
	}
	if ch.HasCommand(env, serverOf("http-token"), false) {
		t.Error("a token among the arguments")
	}
	if got := (&Change{Client: c, Outcome: Added}).Commands(serverOf("http")); len(got) != 1 ||
		got[0][6] != `{"type": "http", "url": "http://127.0.0.1:8808/mcp", "headersHelper": "\"/usr/local/bin/pagemcp\" headers"}` {
		t.Errorf("%q", got)
	}
}
