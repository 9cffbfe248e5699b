package server

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// nodeProgram returns the Node that `npm ci` has installed in web, or that of the machine:
// there are packages of Node for Linux only.
func nodeProgram(web string) string {
	node := filepath.Join(web, "node_modules", ".bin", "node")
	if _, err := os.Stat(node); err != nil {
		return "node"
	}
	return node
}

// The official TypeScript clients, v1 and v2, over HTTP, WebSocket and standard
// streams: list, read, a change, the new value, and what is not there.
func TestTypeScriptClientsSeePage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	t.Parallel()
	web, err := filepath.Abs("../web")
	if err != nil {
		t.Fatal(err)
	}
	node := nodeProgram(web)
	program := filepath.Join(t.TempDir(), "pagemcp.exe") // Windows needs the suffix
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/pagemcp").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	state := t.TempDir()
	g := startGateway(t, Options{State: state, ReadsPerSecond: 1000})
	open := startGateway(t, Options{NoToken: true, ReadsPerSecond: 1000})
	page, other := newPage(t, testOrigin, "tab"), newPage(t, testOrigin, "tab")
	write := func(text string) {
		page.write("notes://story", text)
		other.write("notes://story", text)
	}
	write("in the beginning")
	page.join(g)
	other.join(open)
	control := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if text, err := io.ReadAll(r.Body); err == nil {
			write(string(text))
		}
	}))
	defer control.Close()

	type command struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	setting, err := json.Marshal(map[string]any{
		"mcp": g.URL(), "token": g.testToken(), "open": open.URL(), "page": control.URL, "uri": "notes+notes://story",
		"stdio": command{program, []string{"stdio", "--state", state, "--mcp", "127.0.0.1:0"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, node, filepath.Join("test", "clients", "native.ts"), string(setting))
	run.Dir = web
	out, err := run.CombinedOutput()
	if err != nil || strings.Count(string(out), "ok ") != 6 {
		t.Errorf("%v\n%s", err, out)
	}
}
