package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/web"
)

// startServe runs serve in the background, until stop or the end of the test, and returns
// its line of JSON.
func startServe(t *testing.T, state string, flags ...string) (line ready, stop func()) {
	t.Helper()
	return startProgram(t, append([]string{"serve", "--json", "--state", state, "--mcp", "127.0.0.1:0"}, flags...)...)
}

// startProgram is startServe for any command that prints such a line.
func startProgram(t *testing.T, args ...string) (line ready, stop func()) {
	t.Helper()
	return startLogged(t, io.Discard, args...)
}

// startLogged is startProgram with the standard error of the command.
func startLogged(t *testing.T, log io.Writer, args ...string) (line ready, stop func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	in, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, args, streams{strings.NewReader(""), out, log})
		out.Close()
		ended <- err
	}()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	lines := bufio.NewScanner(in)
	if !lines.Scan() {
		t.Fatalf("%s has printed no line", args[0])
	}
	go io.Copy(io.Discard, in) // ends with the command
	if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	return line, stop
}

// Without a gateway each command says how to start one, and changes nothing.
func TestCommandsNeedARunningGateway(t *testing.T) {
	state := t.TempDir()
	for _, line := range []string{"status", "status --json", "pair http://localhost:5173", "revoke --all", "token rotate", "logs", "watch", "watch x:y"} {
		out, err := runForOutput(t, append(strings.Fields(line), "--state", state)...)
		if !errors.Is(err, server.ErrNotRunning) || exitCode(err) != exitFailed {
			t.Errorf("%s: %v", line, err)
		}
		if want := map[string]string{"status --json": "{\"running\":false}\n"}[line]; out != want {
			t.Errorf("%s: printed %q", line, out)
		}
	}
	if files, err := os.ReadDir(state); err != nil || len(files) > 0 {
		t.Errorf("%v, %v", files, err)
	}
}

// pair, status, revoke, token rotate and logs act on the running gateway.
func TestCommandsControlTheGateway(t *testing.T) {
	const origin = "http://localhost:5173"
	state := t.TempDir()
	line, stop := startServe(t, state)
	command := func(words string) string {
		t.Helper()
		out, err := runForOutput(t, append(strings.Fields(words), "--state", state)...)
		if err != nil {
			t.Fatalf("%s: %v", words, err)
		}
		return out
	}
	if link := command("pair " + origin); !strings.HasPrefix(link, origin+"/#pagemcp=") || strings.Count(link, "\n") != 1 {
		t.Errorf("pair: %q", link)
	}
	var invitation server.Invitation
	if err := json.Unmarshal([]byte(command("pair --json "+origin)), &invitation); err != nil || invitation.URL != origin+"/"+invitation.Fragment {
		t.Errorf("%+v, %v", invitation, err)
	}
	if status := command("status"); !strings.Contains(status, line.MCP) || !strings.Contains(status, origin+"  may join") || !strings.Contains(status, "none has joined") {
		t.Errorf("status: %s", status)
	}
	var status struct {
		Running bool
		Version string
		Origins []server.OriginStatus
	}
	if err := json.Unmarshal([]byte(command("status --json")), &status); err != nil || !status.Running || status.Version != web.Version() || len(status.Origins) != 1 {
		t.Errorf("%+v, %v", status, err)
	}
	if log := command("logs"); !strings.Contains(log, "INFO  pages may join origin="+origin) {
		t.Errorf("logs: %q", log)
	}
	if log := command("logs --json"); !strings.Contains(log, `"msg":"pages may join","origin":"`+origin+`"`) {
		t.Errorf("logs --json: %q", log)
	}
	before, err := os.ReadFile(line.TokenFile)
	if err != nil {
		t.Fatal(err)
	}
	printed := command("token rotate")
	after, err := os.ReadFile(line.TokenFile)
	if err != nil || bytes.Equal(before, after) || !strings.Contains(printed, line.TokenFile) || strings.Contains(printed, strings.TrimSpace(string(after))) {
		t.Errorf("token rotate: %q, %v", printed, err)
	}
	if out := command("pause 20m"); !strings.Contains(out, "Assistants are paused until ") || !strings.Contains(command("status"), "assistants are paused until ") {
		t.Errorf("pause: %q", out)
	}
	if out := command("resume"); !strings.Contains(out, "Assistants may read again.") || strings.Contains(command("status"), "paused") {
		t.Errorf("resume: %q", out)
	}
	if out := command("revoke " + origin); !strings.Contains(out, origin+" may no longer join.") {
		t.Errorf("revoke: %q", out)
	}
	stop()
	if _, err := runForOutput(t, "status", "--state", state); !errors.Is(err, server.ErrNotRunning) {
		t.Errorf("after the end: %v", err)
	}
}

// What pages and assistants have sent cannot control the terminal, and long lists are
// shortened.
func TestStatusForPeople(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	s := server.Status{
		Version: "0.0.9", MCP: "http://127.0.0.1:8808/mcp", Started: now.Add(-49 * time.Hour), NoToken: true,
		Origins: []server.OriginStatus{{Origin: "https://gone.example", Allowed: "no", Keys: 2, Used: now.Add(-90 * time.Second)}},
		Pages:   []server.PageStatus{{Name: "notes", Title: "Notes\x1b[2J\u202e \"x\"", URL: "https://app.example/" + strings.Repeat("x", 500), Since: now.Add(-time.Hour)}},
		Assistants: []server.AssistantStatus{
			{NamedAssistant: server.NamedAssistant{Name: "unnamed", Used: now}, Calls: "Claude\x1b[2J"},
			{NamedAssistant: server.NamedAssistant{Name: "ci", ReadOnly: true, Apps: []string{"notes"}, Expires: now.Add(24 * time.Hour)}},
			{NamedAssistant: server.NamedAssistant{Name: "old", Expires: now}},
			{NamedAssistant: server.NamedAssistant{Name: "gone", Revoked: now}},
		},
	}
	for range 12 {
		s.Reads = append(s.Reads, server.Read{Time: now.Add(-time.Minute), Target: "notes+notes://a", Outcome: "ok", Bytes: 12})
	}
	var out strings.Builder
	if err := printStatus(&out, s, now); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"for 2d", "this program has version", "--no-token", "https://gone.example  may not join", "2 paired, used 1m ago",
		`away, 1h`, `Notes\x1b[2J\u202e "x"`, "…",
		"unnamed  read and act", `used 0s ago   calls itself Claude\x1b[2J`, "ci       read only, pages notes, until 2026-11-23 12:00  not used yet", "old      expired", "gone     revoked", "2 more with --json",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q in\n%s", want, out.String())
		}
	}
	if strings.ContainsAny(out.String(), "\x1b\u202e") {
		t.Errorf("control characters: %q", out.String())
	}
}

// The command that opens a browser has the link as one argument; on macOS, where other
// users may see it, a file leads there that only its owner can read.
func TestBrowserCommand(t *testing.T) {
	const link = "http://localhost:5173/#pagemcp=x"
	redirect := func(url string) (string, error) { return "/tmp/redirect.html", nil }
	for system, want := range map[string]string{
		"linux":   "xdg-open " + link,
		"freebsd": "xdg-open " + link,
		"windows": "rundll32 url.dll,FileProtocolHandler " + link,
		"darwin":  "open /tmp/redirect.html",
	} {
		program, args, err := browserCommand(system, link, redirect)
		if got := strings.Join(append([]string{program}, args...), " "); err != nil || got != want {
			t.Errorf("%s: %q, %v", system, got, err)
		}
	}
	file, err := writeRedirect(link)
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(file)
	text, err := os.ReadFile(file)
	if info, statErr := os.Stat(file); err != nil || statErr != nil || !hasMode(info, 0o600) || !strings.Contains(string(text), `location.replace("`+link+`")`) {
		t.Errorf("%s, %v, %v", text, err, statErr)
	}
}
