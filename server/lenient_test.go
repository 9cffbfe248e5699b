package server

import (
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
)

// plainPost sends what a script without any handshake sends: a body, its type, and a
// key.
func plainPost(t *testing.T, g *Gateway, path, body string, lines ...string) (int, string) {
	t.Helper()
	answer, text := caller(t, g).As("").Post(path, body, lines...)
	return answer.StatusCode, text
}

// The four lines of a well-known tutorial work unchanged in lenient mode and in no
// other; all access checks apply there, too. R-274 R-328.
func TestLenientModeAcceptsPlainPosts(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{Lenient: true})
	page := newConformancePage(t)
	page.join(g)
	key := "X-Agent-API-Key: " + g.testToken()
	for _, test := range []struct {
		body   string
		status int
		want   string
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, 200, `"uri":"test://static-text"`},
		{`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"test://static-text"}}`, 200, "static text resource"},
		{`{"jsonrpc":"2.0","id":3,"method":"prompts/list"}`, 200, `"name":"test_simple_prompt"`},
		{`{"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"test_simple_prompt"}}`, 200, "simple prompt"},
		{`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"test_simple_text"}}`, 200, "simple text"},
		{`{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"test://none"}}`, 200, "-32002"},
		{`{"jsonrpc":"2.0","id":7,"method":"acme/x"}`, 200, "-3260"},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, ""},
		{`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"test_sampling","arguments":{"prompt":"?"}}}`, 200, `"error"`},
		{"{", 400, "-32700"},
		{gatewaytest.Modern("9", "server/discover", ""), 400, "-32020"}, // a modern request is held to its own rules
	} {
		if status, body := plainPost(t, g, "/mcp/conformance", test.body, key); status != test.status || !strings.Contains(body, test.want) || strings.Contains(body, "resultType") {
			t.Errorf("%s: %d %s; want %d with %s", test.body, status, body, test.status, test.want)
		}
	}
	const list = `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`
	for path, want := range map[string]int{"/conformance/mcp": 200, "/conformance/mcp/": 404, "/a/conformance/mcp": 404, "/conformance%2Fmcp": 404} {
		if status, body := plainPost(t, g, path, list, key); status != want || want == 200 && !strings.Contains(body, `"uri":"test://static-text"`) {
			t.Errorf("%s: %d %s, want %d", path, status, body, want)
		}
	}
	for lines, want := range map[string]int{
		"":                                                    401,
		"X-Agent-API-Key: wrong":                              401,
		key + "|Origin: null":                                 403,
		key + "|Host: evil.example":                           403,
		key + "|Sec-Fetch-Site: cross-site":                   403,
		key + "|Content-Type: text/plain":                     415,
		key + "|Authorization: Bearer wrong":                  401, // Authorization takes precedence
		"X-Agent-API-Key: Bearer " + g.testToken():            401,
		"Authorization: Bearer " + g.testToken():              200,
		key + "|MCP-Protocol-Version: banana":                 400,
		key + "|Mcp-Session-Id: none":                         404,
		key + "|MCP-Protocol-Version: 2025-06-18|Accept: */*": 200,
	} {
		if status, _ := plainPost(t, g, "/mcp", list, strings.FieldsFunc(lines, func(r rune) bool { return r == '|' })...); status != want {
			t.Errorf("%q: %d, want %d", lines, status, want)
		}
	}

	strict := startGateway(t, Options{})
	if status, _ := plainPost(t, strict, "/conformance/mcp", list, "Authorization: Bearer "+strict.testToken()); status != 404 {
		t.Errorf("another spelling of a path without lenient mode: %d", status)
	}
	if status, _ := plainPost(t, strict, "/mcp", list, "X-Agent-API-Key: "+strict.testToken()); status != 401 {
		t.Errorf("the key without lenient mode: %d", status)
	}
}

// A preflight of a listed origin may request the key header in lenient mode only.
func TestLenientModeAllowsKeyHeader(t *testing.T) {
	t.Parallel()
	for _, lenient := range []bool{true, false} {
		g := startGateway(t, Options{Lenient: lenient, AssistantOrigins: []string{testOrigin}})
		answer, _ := caller(t, g).Do(t.Context(), "OPTIONS", "/mcp", "", "Origin: "+testOrigin, "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: x-agent-api-key")
		allowed := strings.Contains(strings.ToLower(answer.Header.Get("Access-Control-Allow-Headers")), "x-agent-api-key")
		if answer.StatusCode != 204 || allowed != lenient {
			t.Errorf("lenient %v: %d, allowed %v", lenient, answer.StatusCode, allowed)
		}
	}
}
