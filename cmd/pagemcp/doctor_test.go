package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server"
)

// What is wrong in the file of an assistant is named, with the command that mends it.
func TestDoctorLooksAtAssistants(t *testing.T) {
	state := t.TempDir()
	startServe(t, state)
	if _, err := server.AddToken(t.Context(), state, server.NewToken{Name: "cursor"}); err != nil {
		t.Fatal(err)
	}
	if err := server.RevokeToken(t.Context(), state, "cursor"); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "pagemcp")
	writeFile(t, program, "")
	if err := os.Chmod(program, 0o755); err != nil {
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
		{"a name that is refused", `{"command":"` + program + `","args":["stdio","--as","cursor"]}`, server.LevelOK, "starts " + program},
		{"a file that does not parse", `{`, server.LevelProblem, "mcp.json"},
	} {
		in, _, _ := testInstaller(t)
		writeFile(t, filepath.Join(in.host.Home, ".cursor", "mcp.json"), `{"mcpServers":{"pagemcp":`+c.entry+`}}`)
		findings := checkClients(t.Context(), in.host, state)
		if len(findings) == 0 || findings[0].Check != "Cursor" || findings[0].Level != c.level || !strings.Contains(findings[0].Text, c.want) {
			t.Errorf("%s: %+v", c.name, findings)
			continue
		}
		if hasAdvice := findings[0].Advice != ""; hasAdvice == (c.level == server.LevelOK) {
			t.Errorf("%s: advice %q", c.name, findings[0].Advice)
		}
		if refused := strings.Contains(c.entry, "--as"); refused != (len(findings) == 2 && strings.Contains(findings[1].Text, "the gateway refuses cursor: its token was revoked")) {
			t.Errorf("%s: %+v", c.name, findings)
		}
	}
	in, _, _ := testInstaller(t)
	if findings := checkClients(t.Context(), in.host, state); len(findings) != 1 || findings[0].Check != "assistants" {
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
	if err != nil || !strings.Contains(out, "warning gateway: is not running\n        → start it") {
		t.Errorf("%s, %v", out, err)
	}
	if err := os.WriteFile(filepath.Join(state, "token"), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err = runForOutput(t, "doctor", "--json", "--state", state, "--mcp", "127.0.0.1:0")
	var findings []server.Finding
	if exitCode(err) != exitFailed || !errors.Is(err, errProblems) || json.Unmarshal([]byte(out), &findings) != nil || len(findings) < 3 {
		t.Errorf("%s, %v", out, err)
	}
}

// What a configuration file or a page says reaches no terminal as it is.
func TestTerminalsGetPlainText(t *testing.T) {
	const dirty = "a\x1b]0;title\ab\u202ec\u200bd\U000e0041"
	var out strings.Builder
	std := streams{strings.NewReader(""), &out, &out}
	if err := printFindings(std, []server.Finding{{Check: "VS Code", Level: server.LevelProblem, Text: dirty, Advice: dirty}}); err != nil {
		t.Fatal(err)
	}
	printError(std, errors.New(dirty))
	if err := printJSON(&out, server.Status{Reads: []server.Read{{Target: dirty}}}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.ContainsAny(got, "\x1b\a\u202e\u200b\U000e0041") || !strings.Contains(got, `\u202e`) || !strings.Contains(got, `\udb40\udc41`) {
		t.Errorf("%q", got)
	}
}
