package server

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
)

// audited returns what the gateway has served.
func audited(t *testing.T, g *Gateway) string {
	t.Helper()
	g.audit.Flush(t.Context())
	data, err := os.ReadFile(g.state.path("audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// served returns the lines of audited about requests that the guard has passed.
func served(t *testing.T, g *Gateway) (lines []string) {
	t.Helper()
	refused := regexp.MustCompile(`"verb":"(refuse|login|left out)"|"outcome":"[0-9]{3}"|"verb":"malformed"`)
	for line := range strings.Lines(audited(t, g)) {
		if !refused.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// Names other than those of the gateway are rejected on every path before routing, even
// if they resolve to this machine.
func TestGuardRejectsForeignHosts(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{NoToken: true})
	routes := []string{"GET /", "GET /mcp", "POST /mcp", "OPTIONS /mcp", "GET /mcp/notes", "GET /page", "GET /ws", "GET /watch", "GET /probe", "DELETE /mcp", "GET /nothing", "HEAD /"}
	hosts := []string{
		"evil.example", "evil.example:%d", "localhost", "127.0.0.1", "localhost:80", "localhost.:%d", "LOCALHOST:%d", "127.1:%d", "2130706433:%d",
		"0.0.0.0:%d", "foo.localhost:%d", "localhost.evil.example:%d", "[::]:%d", "[0:0:0:0:0:0:0:1]:%d", "[::ffff:127.0.0.1]:%d", "127.0.0.1:0%d",
		"0177.0.0.1:%d", "user@localhost:%d",
	}
	for _, route := range routes {
		for _, host := range hosts {
			status, _, body := gatewaytest.SendRaw(t, g.Port(), route+" HTTP/1.1\nHost: "+host+"\nConnection: close\n\n")
			// net/http itself refuses what cannot be a host at all.
			if status != http.StatusForbidden && !(status == http.StatusBadRequest && strings.Contains(host, "@")) {
				t.Errorf("%s with Host %q: %d", route, host, status)
			}
			if status == http.StatusForbidden && !strings.HasPrefix(route, "HEAD") && body != "forbidden\n" {
				t.Errorf("%s with Host %q: body %q", route, host, body)
			}
		}
	}
	for _, host := range []string{"localhost:%d", "127.0.0.1:%d", "[::1]:%d"} {
		if status, _, _ := gatewaytest.SendRaw(t, g.Port(), "GET /nothing HTTP/1.1\nHost: "+host+"\nConnection: close\n\n"); status != http.StatusNotFound {
			t.Errorf("our own Host %q: %d", host, status)
		}
	}
	// What is in the request line counts, as it does for the router.
	if status, _, _ := gatewaytest.SendRaw(t, g.Port(), "GET http://evil.example/mcp HTTP/1.1\nHost: localhost:%d\nConnection: close\n\n"); status != http.StatusForbidden {
		t.Errorf("absolute form: %d", status)
	}
	if status, _, _ := gatewaytest.SendRaw(t, g.Port(), "GET /mcp HTTP/1.0\n\n"); status != http.StatusForbidden {
		t.Errorf("no Host: %d", status)
	}
	if status, _, _ := gatewaytest.SendRaw(t, g.Port(), "GET /mcp HTTP/1.1\nHost: localhost:%d\nHost: evil.example\nConnection: close\n\n"); status == http.StatusOK || status == http.StatusMethodNotAllowed {
		t.Errorf("two Hosts: %d", status)
	}
}

const upgradeLines = "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n"

const discover = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`

// Requests that a page can send without a preflight never reach an engine, even if the
// body is JSON-RPC.
func TestCrossSitePostsAreNotServed(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{NoToken: true, AssistantOrigins: []string{testOrigin}})
	post := func(lines string) int {
		t.Helper()
		status, _, _ := gatewaytest.SendRaw(t, g.Port(), fmt.Sprintf(
			"POST /mcp HTTP/1.1\nHost: 127.0.0.1:%%d\nConnection: close\nMCP-Protocol-Version: 2026-07-28\nMcp-Method: server/discover\n%sContent-Length: %d\n\n%s",
			lines, len(discover), discover))
		return status
	}
	for lines, want := range map[string]int{
		"Content-Type: text/plain\nOrigin: null\nSec-Fetch-Site: cross-site\n": 403,
		"Content-Type: application/json\nOrigin: https://evil.example\n":       403,
		"Content-Type: application/json\nSec-Fetch-Site: cross-site\n":         403,
		"Content-Type: application/json\nSec-Fetch-Site: same-site\n":          403,
		"Content-Type: text/plain\n":                                           415,
		"Content-Type: multipart/form-data; boundary=x\n":                      415,
		"Content-Type: application/x-www-form-urlencoded\n":                    415,
		"Content-Type: text/plain; application/json\n":                         415,
		"Content-Type: application/json-rpc\n":                                 415,
		"Content-Type: application/json, text/plain\n":                         415,
		"Content-Type: application/json; charset=utf-16\n":                     415,
		"Content-Type: application/json\nContent-Type: text/plain\n":           415,
		"Content-Type: application/json\nContent-Encoding: gzip\n":             415,
		"": 415,
	} {
		if status := post(lines); status != want {
			t.Errorf("%q: %d, want %d", lines, status, want)
		}
	}
	if lines := served(t, g); len(lines) > 0 {
		t.Errorf("served: %s", lines)
	}
	for _, lines := range []string{
		"Content-Type: application/json\n", "Content-Type: Application/JSON\n", "Content-Type: application/json;x=y\n", "Content-Type: application/json; charset=UTF-8\n",
		"Content-Type: application/json\nOrigin: https://app.example\nSec-Fetch-Site: cross-site\n", "Content-Type: application/json\nOrigin: http://localhost:%d\n",
		"Content-Type: application/json\nSec-Fetch-Site: none\n",
	} {
		if status := post(strings.ReplaceAll(lines, "%d", strconv.Itoa(g.Port()))); status != 200 {
			t.Errorf("%q: %d, want 200", lines, status)
		}
	}
}

// Tokens are compared as a whole, on every request, and wrong ones run into a
// pause that never locks out the right one. R-268 R-275 R-276.
func TestTokenIsRequiredForEachRequest(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	ask := func(authorization string) int {
		t.Helper()
		status, _, _ := gatewaytest.SendRaw(t, g.Port(), fmt.Sprintf("POST /mcp HTTP/1.1\nHost: 127.0.0.1:%%d\nConnection: close\nContent-Type: application/json\n"+
			"MCP-Protocol-Version: 2026-07-28\nMcp-Method: server/discover\n%sContent-Length: %d\n\n%s", authorization, len(discover), discover))
		return status
	}
	right := "Authorization: Bearer " + g.testToken() + "\n"
	for i, wrong := range []string{
		"Authorization: Bearer x\n", "Authorization: Basic " + g.testToken() + "\n", "Authorization: Bearer " + g.testToken() + "x\n", "Authorization: Bearer\n",
		"Authorization: Bearer " + g.testToken()[:42] + "\n", "Authorization: " + g.testToken() + "\n", right + right, "Authorization: \n", "Authorization: Bearer a b\n", "Authorization: Bearer null\n",
	} {
		if status := ask(wrong); status != http.StatusUnauthorized {
			t.Errorf("%d %q: %d", i, wrong, status)
		}
		if status := ask(right); status != http.StatusOK {
			t.Errorf("the right token after %d wrong ones: %d", i+1, status)
		}
	}
	if status := ask("Authorization: Bearer x\n"); status != http.StatusTooManyRequests {
		t.Errorf("the eleventh wrong token: %d", status)
	}
	if status := ask(right); status != http.StatusOK {
		t.Errorf("the right token during the pause: %d", status)
	}
	if status := ask(""); status != http.StatusUnauthorized {
		t.Errorf("no token: %d", status)
	}
	status, header, _ := gatewaytest.SendRaw(t, g.Port(), "POST /mcp HTTP/1.1\nHost: localhost:%d\nConnection: close\nContent-Length: 0\n\n")
	if status != http.StatusUnauthorized || header.Get("Access-Control-Allow-Origin") != "" || header.Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("nobody: %d %v", status, header)
	}
	status, _, _ = gatewaytest.SendRaw(t, g.Port(), "GET /page HTTP/1.1\nHost: 127.0.0.1:%d\nOrigin: "+testOrigin+"\nConnection: close\n\n")
	if status != http.StatusUpgradeRequired {
		t.Errorf("a page without an upgrade: %d", status)
	}
	if strings.Contains(audited(t, g), g.testToken()) {
		t.Error("the token is in the audit log")
	}
}

// hasMode reports whether a file has these permissions. Windows has no permission bits: Go
// reports 0666 or 0777 there, and files have the access list of the directory of their user.
func hasMode(info os.FileInfo, want os.FileMode) bool {
	return runtime.GOOS == "windows" || info.Mode().Perm() == want
}

// Nobody else on this machine can read the files, and the gateway starts on none
// that others could have read.
func TestStateIsPrivate(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	for name, want := range map[string]os.FileMode{".": 0o700, "sessions": 0o700, "token": 0o600, "keys.json": 0o600, socketName: 0o600, "audit.jsonl": 0o600} {
		info, err := os.Stat(g.state.path(name))
		if err != nil {
			t.Error(err)
		} else if !hasMode(info, want) {
			t.Errorf("%s: %v, want %v", name, info.Mode().Perm(), want)
		}
	}
	file := t.TempDir() + "/token"
	if err := os.WriteFile(file, []byte(strings.Repeat("a", 43)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{State: t.TempDir(), TokenFile: file}); runtime.GOOS != "windows" && (err == nil || !strings.Contains(err.Error(), "chmod 600")) {
		t.Errorf("a token that others can read: %v", err)
	}
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:8808", "[::]:0", "example.com:80", "localhost.:1"} {
		if err := (&Gateway{}).Listen(addr); err == nil {
			t.Errorf("bound to %q", addr)
		}
	}
}
