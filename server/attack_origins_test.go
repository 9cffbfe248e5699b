package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/loopback"
)

// An origin whose pages may join cannot read the pages of other origins over HTTP or
// /ws, with or without --no-token. An origin whose pages may send requests cannot join.
func TestJoiningGivesNoRightsOfAssistants(t *testing.T) {
	t.Parallel()
	const joins, asks = "https://b.example", "https://assistant.example"
	g := startGateway(t, Options{NoToken: true, Origins: []string{testOrigin, joins}, AssistantOrigins: []string{asks}})
	page := newPage(t, testOrigin, "tab")
	page.write("notes://secret", "canary-of-a")
	page.join(g)
	read := gatewaytest.Modern("1", "resources/read", `"uri":"notes+notes://secret"`)
	requests := map[string]string{
		"POST": fmt.Sprintf("POST /mcp HTTP/1.1\nHost: 127.0.0.1:%%d\nConnection: close\nContent-Type: application/json\nMCP-Protocol-Version: 2026-07-28\n"+
			"Mcp-Method: resources/read\nMcp-Name: notes+notes://secret\nORIGINContent-Length: %d\n\n%s", len(read), read),
		"POST /mcp/notes": fmt.Sprintf("POST /mcp/notes HTTP/1.1\nHost: localhost:%%d\nConnection: close\nContent-Type: application/json\nORIGINContent-Length: %d\n\n%s", len(gatewaytest.Initialize), gatewaytest.Initialize),
		"OPTIONS":         "OPTIONS /mcp HTTP/1.1\nHost: 127.0.0.1:%d\nConnection: close\nAccess-Control-Request-Method: POST\nAccess-Control-Request-Headers: content-type\nORIGIN\n",
		"GET":             "GET /mcp HTTP/1.1\nHost: 127.0.0.1:%d\nConnection: close\nMcp-Session-Id: x\nORIGIN\n",
		"/ws":             "GET /ws HTTP/1.1\nHost: 127.0.0.1:%d\nSec-WebSocket-Protocol: mcp\nORIGIN" + upgradeLines + "\n",
	}
	from := func(origin, request string) string {
		return strings.Replace(request, "ORIGIN", "Origin: "+origin+"\nSec-Fetch-Site: cross-site\n", 1)
	}

	// The twin has one list, as it was.
	twin := &access.Guard{OwnOrigins: g.guard.OwnOrigins, AssistantOrigins: access.NewOrigins(joins), Next: http.HandlerFunc(g.core.Route)}
	port := serveTwin(t, twin)
	twin.Hosts = loopback.NewGuard(port, false, nil).Hosts
	for name, want := range map[string]int{"POST": 200, "OPTIONS": 204, "/ws": 101} {
		status, header, body := gatewaytest.SendRaw(t, port, from(joins, requests[name]))
		if status != want || name == "POST" && (!strings.Contains(body, "canary-of-a") || header.Get("Access-Control-Allow-Origin") != joins) {
			t.Fatalf("%s at the unguarded twin: %d %s", name, status, body)
		}
	}
	before := len(served(t, g))

	for name, request := range requests {
		for _, origin := range []string{joins, testOrigin} {
			status, header, body := gatewaytest.SendRaw(t, g.Port(), from(origin, request))
			if status != http.StatusForbidden || body != "forbidden\n" || header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s of %s: %d %v %q", name, origin, status, header, body)
			}
		}
		if status, header, _ := gatewaytest.SendRaw(t, g.Port(), from(asks, request)); status == http.StatusForbidden || name != "/ws" && header.Get("Access-Control-Allow-Origin") != asks {
			t.Errorf("%s of an origin that may ask: %d %v", name, status, header)
		}
	}
	for _, endpoint := range []string{"/page", access.MonitorPath} {
		for _, origin := range []string{asks, "http://127.0.0.1:%d"} {
			request := "GET " + endpoint + " HTTP/1.1\nHost: 127.0.0.1:%d\nSec-WebSocket-Protocol: pagemcp.v1\nOrigin: " + origin + "\n" + upgradeLines + "\n"
			if status, _, _ := gatewaytest.SendRaw(t, g.Port(), request); status != http.StatusForbidden {
				t.Errorf("%s at %s: %d", origin, endpoint, status)
			}
		}
	}
	after := served(t, g)[before:]
	if slices.ContainsFunc(after, func(line string) bool {
		return !strings.Contains(line, `"verb":"resources/read"`) && !strings.Contains(line, `"verb":"initialize"`)
	}) || len(after) != 2 {
		t.Errorf("served besides the two of the origin that may ask: %q", after)
	}
}
