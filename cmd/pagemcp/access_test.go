package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server"
)

// access shows what assistants have used: at the running gateway, and afterwards from the
// files of its state directory, which it says.
func TestAccessCommand(t *testing.T) {
	state := t.TempDir()
	command := func(words string) string {
		t.Helper()
		out, err := runForOutput(t, append(strings.Fields(words), "--state", state)...)
		if err != nil {
			t.Fatalf("%s: %v", words, err)
		}
		return out
	}
	if out := command("access"); !strings.Contains(out, "No gateway is running") || !strings.Contains(out, "No assistant has a token, or has used a page.") {
		t.Errorf("in an empty directory: %q", out)
	}
	line, stop := startServe(t, state)
	token := strings.TrimSpace(command("token add reader --read-only"))
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"notes__add\u001b[31m","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, line.MCP, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	secret, err := os.ReadFile(line.TokenFile)
	if err != nil {
		t.Fatal(err)
	}
	command("pause 20m")
	for name, value := range map[string]string{
		"Authorization": "Bearer " + strings.TrimSpace(string(secret)), "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "=?base64?bm90ZXNfX2FkZBtbMzFt?=",
	} {
		r.Header.Set(name, value)
	}
	answer, err := httpClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	check := func(when string, running bool) {
		t.Helper()
		out := command("access")
		for _, want := range []string{"ASSISTANT", "unnamed", "notes", "read and act", "reader", "read only", "paused, ", `tools/call notes__add\x1b[31m`, "Assistants are paused until "} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: %q is not in\n%s", when, want, out)
			}
		}
		if strings.Contains(out, "No gateway is running") == running || strings.Contains(out, token) || strings.Contains(out, "\x1b") {
			t.Errorf("%s: %s", when, out)
		}
		var report struct {
			Running bool
			server.AccessReport
		}
		if err := json.Unmarshal([]byte(command("access --json")), &report); err != nil || report.Running != running || len(report.Assistants) != 2 {
			t.Fatalf("%s: %+v, %v", when, report, err)
		}
		if uses := report.Assistants[0].Uses; len(uses) != 1 || uses[0].App != "notes" || uses[0].Denied != 1 || uses[0].LastDenial.Reason != "paused" {
			t.Errorf("%s: %+v", when, uses)
		}
	}
	check("with a gateway", true)
	stop()
	check("without one", false)
	if err := os.WriteFile(filepath.Join(state, "audit.2.jsonl"), []byte("no JSON\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	check("with a file that is damaged", false)
}
