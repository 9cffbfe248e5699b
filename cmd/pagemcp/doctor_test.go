package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/server/clientconfig"
)

// doctorMachine is a machine with nothing but a home directory.
func doctorMachine(t *testing.T) clientconfig.Environment {
	t.Helper()
	home := t.TempDir()
	return clientconfig.Environment{
		OS: "linux", Home: home, Dir: home, Getenv: func(string) string { return "" },
		Exists:   func(path string) bool { _, err := os.Stat(path); return !errors.Is(err, fs.ErrNotExist) },
		Glob:     func(string) []string { return nil },
		LookPath: func(string) (string, bool) { return "", false },
	}
}

// What is wrong in the file of an assistant is named, with the command that mends it.
func TestDoctorLooksAtAssistants(t *testing.T) {
	state := t.TempDir()
	line, _ := startServe(t, state)
	token, err := os.ReadFile(line.TokenFile)
	if err != nil {
		t.Fatal(err)
	}
	add := func(n server.NewToken) server.AddedToken {
		added, err := server.AddToken(t.Context(), state, n)
		if err != nil {
			t.Fatal(err)
		}
		return added
	}
	named, expired := add(server.NewToken{Name: "ci"}), add(server.NewToken{Name: "late", Lifetime: time.Hour})
	add(server.NewToken{Name: "cursor", Save: true})
	if err := server.RevokeToken(t.Context(), state, "cursor"); err != nil {
		t.Fatal(err)
	}
	stored := filepath.Join(state, "assistants.json")
	late, err := expired.Assistant.Expires.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stored, []byte(strings.Replace(fileText(t, stored), string(late), "2026-01-01T00:00:00Z", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "pagemcp")
	if err := os.WriteFile(program, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, entry string
		level       server.Level
		want        string
	}{
		{"a program", `{"command":"` + program + `","args":["stdio"]}`, server.LevelOK, "starts " + program},
		{"a program that is gone", `{"command":"/gone/pagemcp","args":["stdio"]}`, server.LevelProblem, "does not exist"},
		{"a program without its directory", `{"command":"sh","args":["stdio"]}`, server.LevelWarning, "without its directory"},
		{"the address", `{"url":"` + line.MCP + `","headers":{"Authorization":"Bearer ` + strings.TrimSpace(string(token)) + `"}}`, server.LevelOK, "connects to"},
		{"an old token", `{"url":"` + line.MCP + `","headers":{"Authorization":"Bearer ` + strings.Repeat("x", 43) + `"}}`, server.LevelProblem, "has an old token"},
		{"a named token", `{"url":"` + line.MCP + `","headers":{"Authorization":"Bearer ` + named.Token + `"}}`, server.LevelOK, "connects to"},
		{"an expired token", `{"url":"` + line.MCP + `","headers":{"Authorization":"Bearer ` + expired.Token + `"}}`, server.LevelProblem, "has the token of late, which has expired"},
		{"a name that is refused", `{"command":"` + program + `","args":["stdio","--as","cursor"]}`, server.LevelOK, "starts " + program},
		{"a token that is gone", `{"url":"` + line.MCP + `","headers":{"Authorization":"Bearer {file:` + server.SavedToken(state, "cursor") + `}"}}`, server.LevelProblem, "the gateway refuses cursor: its token was revoked"},
		{"another port", `{"url":"http://127.0.0.1:1/mcp"}`, server.LevelProblem, "but the gateway is at"},
		{"a file that does not parse", `{`, server.LevelProblem, "mcp.json"},
	} {
		env := doctorMachine(t)
		file := filepath.Join(env.Home, ".cursor", "mcp.json")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(`{"mcpServers":{"pagemcp":`+c.entry+`}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		findings := checkClients(t.Context(), env, state)
		if len(findings) == 0 || findings[0].Check != "Cursor" || findings[0].Level != c.level || !strings.Contains(findings[0].Text, c.want) {
			t.Errorf("%s: %+v", c.name, findings)
			continue
		}
		if hasAdvice := findings[0].Advice != ""; hasAdvice == (c.level == server.LevelOK) {
			t.Errorf("%s: advice %q", c.name, findings[0].Advice)
		}
		if strings.Contains(findings[0].Text+findings[0].Advice, strings.TrimSpace(string(token))) {
			t.Errorf("%s: the token is printed", c.name)
		}
		if refused := strings.Contains(c.entry, "--as"); refused != (len(findings) == 2 && strings.Contains(findings[1].Text, "the gateway refuses cursor: its token was revoked")) {
			t.Errorf("%s: %+v", c.name, findings)
		}
	}
	if findings := checkClients(t.Context(), doctorMachine(t), state); len(findings) != 1 || findings[0].Check != "assistants" {
		t.Errorf("no assistant: %+v", findings)
	}
}

// doctor prints every finding, and fails if there is a problem.
func TestDoctorFailsForProblems(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	state := t.TempDir()
	if err := os.Chmod(state, 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := runForOutput(t, "doctor", "--state", state, "--mcp", "127.0.0.1:0")
	if err != nil || !strings.Contains(out, "warning gateway: is not running\n        → start it") || !strings.Contains(out, "\n        More: "+publicEntries+"#is-not-running\n") {
		t.Errorf("%s, %v", out, err)
	}
	for block := range strings.SplitSeq("\n"+out, "\nok ") {
		if block, _, _ = strings.Cut(block, "\nwarning"); strings.Contains(block, "More:") {
			t.Errorf("a finding that is ok has a link: %s", block)
		}
	}
	if err := os.WriteFile(filepath.Join(state, "token"), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err = runForOutput(t, "doctor", "--json", "--state", state, "--mcp", "127.0.0.1:0")
	var findings []server.Finding
	if exitCode(err) != exitFailed || !errors.Is(err, errProblems) || json.Unmarshal([]byte(out), &findings) != nil || len(findings) < 3 || strings.Contains(out, "More:") {
		t.Errorf("%s, %v", out, err)
	}
}

// What a configuration file or a page says reaches no terminal as it is.
func TestTerminalsGetPlainText(t *testing.T) {
	const dirty = "a\x1b]0;title\ab\u202ec\u200bd\U000e0041"
	var out strings.Builder
	std := streams{strings.NewReader(""), &out, &out}
	if err := printFindings(std, []server.Finding{{Check: "VS Code", Level: server.LevelProblem, Text: dirty, Advice: dirty}}, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	printError(std, t.TempDir(), errors.New(dirty))
	if err := printJSON(&out, server.Status{Reads: []server.Read{{Target: dirty}}}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.ContainsAny(got, "\x1b\a\u202e\u200b\U000e0041") || !strings.Contains(got, `\u202e`) || !strings.Contains(got, `\udb40\udc41`) {
		t.Errorf("%q", got)
	}
}
