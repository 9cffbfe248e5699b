package server

import (
	"context"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// The statuses and codes of the modern era, in the order of the checks. R-280 R-284
// R-286 R-295…R-306.
func TestModernStatuses(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	page := newPage(t, testOrigin, "tab")
	page.write("notes://%C3%A9", "text")
	page.join(g)
	c := caller(t, g)
	read := gatewaytest.Modern("1", "resources/read", `"uri":"notes+notes://%C3%A9"`)
	const uri = "notes+notes://%C3%A9"
	wrapped := "=?base64?" + base64.StdEncoding.EncodeToString([]byte(uri)) + "?="
	for _, test := range []struct {
		name, body string
		lines      []string
		status     int
		want       string // in the body
	}{
		{"discover", gatewaytest.Modern("1", "server/discover", ""), []string{gatewaytest.V2026, "Mcp-Method: server/discover"}, 200, `"id":1`},
		{"string id", gatewaytest.Modern(`"1"`, "server/discover", ""), []string{gatewaytest.V2026, "Mcp-Method: server/discover"}, 200, `"id":"1"`},
		{"large id", gatewaytest.Modern("9007199254740993", "server/discover", ""), []string{gatewaytest.V2026, "Mcp-Method: server/discover"}, 200, `"id":9007199254740993`},
		{"spaces around the values", gatewaytest.Modern("1", "server/discover", ""), []string{"MCP-Protocol-Version:  2026-07-28 ", "mcp-method: server/discover\t"}, 200, `"result"`},
		{"no version header", gatewaytest.Modern("1", "server/discover", ""), []string{"Mcp-Method: server/discover"}, 400, "-32020"},
		{"another version header", gatewaytest.Modern("1", "server/discover", ""), []string{"MCP-Protocol-Version: 2025-11-25", "Mcp-Method: server/discover"}, 400, "-32020"},
		{"version header twice", gatewaytest.Modern("1", "server/discover", ""), []string{gatewaytest.V2026, gatewaytest.V2026, "Mcp-Method: server/discover"}, 400, "-32600"},
		{"unknown version, other header", strings.Replace(gatewaytest.Modern("1", "server/discover", ""), "2026-07-28", "2030-01-01", 1), []string{gatewaytest.V2026, "Mcp-Method: server/discover"}, 400, "-32020"},
		{"unknown version", strings.Replace(gatewaytest.Modern("1", "server/discover", ""), "2026-07-28", "2030-01-01", 1), []string{"MCP-Protocol-Version: 2030-01-01", "Mcp-Method: server/discover"}, 400, "-32022"},
		{"no Mcp-Method", gatewaytest.Modern("1", "server/discover", ""), []string{gatewaytest.V2026}, 400, "-32020"},
		{"Mcp-Method in another case", gatewaytest.Modern("1", "server/discover", ""), []string{gatewaytest.V2026, "Mcp-Method: Server/Discover"}, 400, "-32020"},
		{"unknown method", gatewaytest.Modern("1", "acme/x", ""), []string{gatewaytest.V2026, "Mcp-Method: acme/x"}, 404, "-32601"},
		{"initialize with an envelope", gatewaytest.Modern("1", "initialize", ""), []string{gatewaytest.V2026, "Mcp-Method: initialize"}, 404, "-32601"},
		{"no envelope", `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{}}`, []string{gatewaytest.V2026, "Mcp-Method: resources/list"}, 400, "-32602"},
		{"discover without envelope", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, nil, 400, "-32602"},
		{"half an envelope", `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, []string{gatewaytest.V2026, "Mcp-Method: resources/list"}, 400, "-32602"},
		{"read without Mcp-Name", read, []string{gatewaytest.V2026, "Mcp-Method: resources/read"}, 400, "-32020"},
		{"read with another Mcp-Name", read, []string{gatewaytest.V2026, "Mcp-Method: resources/read", "Mcp-Name: notes://x"}, 400, "-32020"},
		{"read, plain", read, []string{gatewaytest.V2026, "Mcp-Method: resources/read", "Mcp-Name: " + uri}, 200, `"text":"text"`},
		{"read, raw UTF-8", gatewaytest.Modern("1", "resources/read", `"uri":"notes+notes://é"`), []string{gatewaytest.V2026, "Mcp-Method: resources/read", "Mcp-Name: notes+notes://é"}, 200, `"text":"text"`},
		{"read, Base64", read, []string{gatewaytest.V2026, "Mcp-Method: resources/read", "Mcp-Name: " + wrapped}, 200, `"text":"text"`},
		{"read, broken Base64", read, []string{gatewaytest.V2026, "Mcp-Method: resources/read", "Mcp-Name: =?base64?%%%?="}, 400, "-32020"},
		{"not found", gatewaytest.Modern("1", "resources/read", `"uri":"notes+notes://none"`), []string{gatewaytest.V2026, "Mcp-Method: resources/read", "Mcp-Name: notes+notes://none"}, 200, "-32602"},
		{"bad cursor", gatewaytest.Modern("1", "resources/list", `"cursor":"x"`), []string{gatewaytest.V2026, "Mcp-Method: resources/list"}, 200, "-32602"},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, []string{gatewaytest.V2026}, 202, ""},
		{"a notification without headers, with envelope", `{"jsonrpc":"2.0","method":"notifications/x","params":{` + gatewaytest.Envelope + `}}`, nil, 202, ""},
		{"a response", `{"jsonrpc":"2.0","id":1,"result":{}}`, []string{gatewaytest.V2026}, 400, "-32600"},
		{"an array", "[" + gatewaytest.Modern("1", "server/discover", "") + "]", []string{gatewaytest.V2026, "Mcp-Method: server/discover"}, 400, "-32600"},
		{"not JSON", "{", []string{gatewaytest.V2026}, 400, "-32700"},
		{"a BOM", "\ufeff" + gatewaytest.Modern("1", "server/discover", ""), []string{gatewaytest.V2026}, 400, "-32700"},
		{"not UTF-8", `{"jsonrpc":"2.0","id":1,"method":"` + "\xff" + `"}`, []string{gatewaytest.V2026}, 400, "-32700"},
		{"nothing", "", []string{gatewaytest.V2026}, 400, "-32700"},
		{"a name twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, nil, 400, "-32600"},
		{"a fraction as id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, nil, 400, "-32600"},
		{"too deep", strings.Repeat("[", 200) + strings.Repeat("]", 200), nil, 400, "-32"},
		{"a listen that takes no stream", gatewaytest.Modern("1", "subscriptions/listen", `"notifications":{}`), []string{gatewaytest.V2026, "Mcp-Method: subscriptions/listen", "Accept: application/json"}, 406, "-32600"},
		{"a listen without a filter", gatewaytest.Modern("1", "subscriptions/listen", ""), []string{gatewaytest.V2026, "Mcp-Method: subscriptions/listen", "Accept: application/json, text/event-stream"}, 200, "-32602"},
		{"a session id is ignored", gatewaytest.Modern("1", "server/discover", ""), []string{gatewaytest.V2026, "Mcp-Method: server/discover", "Mcp-Session-Id: none"}, 200, `"result"`},
		{"ping without a session", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, nil, 200, `"result":{}`},
		{"a list without anything", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, nil, 200, `"resources":[`},
		{"initialized without a session", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202, ""},
		{"too large", strings.Repeat(" ", limits.MaxMessage) + "{}", nil, 413, "-32600"},
		{"as large as may be", gatewaytest.Modern("1", "server/discover", "") + strings.Repeat(" ", limits.MaxMessage-len(gatewaytest.Modern("1", "server/discover", ""))), []string{gatewaytest.V2026, "Mcp-Method: server/discover"}, 200, `"result"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), testTime)
			defer cancel()
			answer, body := caller(t, g).Do(ctx, "POST", "/mcp", test.body, test.lines...)
			if answer.StatusCode != test.status || !strings.Contains(body, test.want) {
				t.Errorf("%d %s; want %d with %s", answer.StatusCode, body, test.status, test.want)
			}
			if test.status == 202 && body != "" {
				t.Errorf("a body: %q", body)
			}
			if kind := answer.Header.Get("Content-Type"); body != "" && kind != "application/json" {
				t.Errorf("as %q", kind)
			}
			if answer, body := c.Do(ctx, "POST", "/mcp", gatewaytest.Modern("7", "server/discover", ""), gatewaytest.V2026, "Mcp-Method: server/discover"); answer.StatusCode != 200 || !strings.Contains(body, `"id":7`) {
				t.Errorf("afterwards: %d %s", answer.StatusCode, body)
			}
		})
	}
	for _, test := range []struct {
		method, path string
		lines        []string
		status       int
	}{
		{"GET", "/mcp", nil, 405}, {"DELETE", "/mcp", nil, 405}, {"PUT", "/mcp", nil, 405}, {"OPTIONS", "/mcp", nil, 405}, {"HEAD", "/mcp", nil, 405},
		{"GET", "/mcp", []string{"Mcp-Session-Id: none", "Accept: text/event-stream"}, 404},
		{"GET", "/mcp", []string{"Mcp-Session-Id: none"}, 406}, {"DELETE", "/mcp", []string{"Mcp-Session-Id: none"}, 404},
		{"POST", "/mcp/", nil, 404}, {"POST", "/mcp/Notes", nil, 404}, {"POST", "/mcp/a/b", nil, 404}, {"POST", "/mcp/a%2Fb", nil, 404},
		{"POST", "/MCP", nil, 404}, {"POST", "/mcp/../mcp", nil, 404}, {"GET", "/ws", nil, 426},
	} {
		answer, _ := c.Do(t.Context(), test.method, test.path, "", test.lines...)
		if answer.StatusCode != test.status {
			t.Errorf("%s %s %v: %d, want %d", test.method, test.path, test.lines, answer.StatusCode, test.status)
		}
		if test.status == 405 && !strings.Contains(answer.Header.Get("Allow"), "POST") {
			t.Errorf("%s %s: no Allow", test.method, test.path)
		}
	}
}

// Reads are rate-limited by principal: the error is 429 with Retry-After. R-260.
func TestReadsAreRateLimited(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{ReadsPerSecond: 0.001})
	c := caller(t, g)
	busy := 0
	for range 1 + 3 { // one at once, at this rate
		answer, body := c.Do(t.Context(), "POST", "/mcp", gatewaytest.Modern("1", "resources/read", `"uri":"a:b"`), gatewaytest.V2026, "Mcp-Method: resources/read", "Mcp-Name: a:b")
		if answer.StatusCode == 429 && answer.Header.Get("Retry-After") != "" && strings.Contains(body, `"reason":"busy"`) {
			busy++
		}
	}
	if busy != 3 {
		t.Errorf("%d were refused", busy)
	}
	if answer, _ := c.Do(t.Context(), "POST", "/mcp", discover, gatewaytest.V2026, "Mcp-Method: server/discover"); answer.StatusCode != 200 {
		t.Errorf("discover: %d", answer.StatusCode)
	}
}

// Models learn how a name tells its page: the instructions quote what separates both in the lists.
func TestInstructionsNameTheSeparatorOfNames(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	page := newPage(t, testOrigin, "tab")
	page.engine = engine.New(engine.Info{Name: "notes", Version: "1"}, &engine.Options{Tools: true})
	page.engine.Mount("", page.table)
	gatewaytest.PutTool(t, page.table, "add", `{}`, func() string { return "" })
	page.join(g)
	_, text := caller(t, g).Ask("/mcp", "tools/list", "")
	_, after, _ := strings.Cut(text, `"name":"notes`)
	separator, _, found := strings.Cut(after, `add"`)
	if !found || separator == "" || !strings.Contains(instructions, "of a name before the first "+separator+",") {
		t.Errorf("names have %q between page and tool; the instructions: %s", separator, instructions)
	}
}
