package server

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A session from its handshake to its end. R-310…R-327.
func TestSessionLives(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	page := newPage(t, testOrigin, "tab")
	page.write("notes://a", "1")
	page.join(g)
	c := caller(t, g).Begin("/mcp", gatewaytest.Initialize)
	stream := c.Listen(t.Context())
	messages := stream.Messages
	if first := gatewaytest.Receive(t, stream.Lines); first != "retry: 3000" {
		t.Errorf("the first line of the stream: %q", first)
	}
	if status, body := c.Request("1", "resources/read", `"uri":"notes+notes://a"`); status != 200 || !strings.Contains(body, `"text":"1"`) || strings.Contains(body, "resultType") {
		t.Errorf("read: %d %s", status, body)
	}
	if status, body := c.Request("2", "resources/read", `"uri":"notes+notes://none"`); status != 200 || !strings.Contains(body, "-32002") {
		t.Errorf("not found: %d %s", status, body)
	}
	if status, body := c.Request("3", "resources/subscribe", `"uri":"notes+notes://a"`); status != 200 || !strings.Contains(body, `"result":{}`) {
		t.Errorf("subscribe: %d %s", status, body)
	}
	page.write("notes://a", "2")
	if got := gatewaytest.Receive(t, messages); got != `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"notes+notes://a"}}` {
		t.Errorf("on the stream: %s", got)
	}
	for _, test := range []struct {
		body   string
		lines  []string
		status int
		want   string
	}{
		{gatewaytest.Initialize, nil, 400, "-32600"}, // row 6: the session is kept
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"MCP-Protocol-Version: 2025-11-25"}, 200, `"result":{}`},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"MCP-Protocol-Version: banana"}, 400, "-32600"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{gatewaytest.V2026}, 400, "-32602"},
		{gatewaytest.Modern("1", "server/discover", ""), []string{gatewaytest.V2026, "Mcp-Method: server/discover"}, 200, "resultType"},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, nil, 400, "-32600"},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 202, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"acme/x"}`, nil, 200, "-32601"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil, 200, `"name":"list_resources"`},
	} {
		if status, body := c.Say(test.body, test.lines...); status != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%s %v: %d %s; want %d with %s", test.body, test.lines, status, body, test.status, test.want)
		}
	}
	other := caller(t, g).Begin("/mcp", gatewaytest.Initialize)
	other.Path = "/mcp/notes"
	if status, _ := other.Request("1", "ping", ""); status != 404 {
		t.Errorf("a session at another endpoint: %d", status)
	}
	answer, _ := c.Do(t.Context(), "DELETE", "/mcp", "", "Mcp-Session-Id: "+c.ID)
	if answer.StatusCode != 204 {
		t.Errorf("DELETE: %d", answer.StatusCode)
	}
	if _, more := <-messages; more {
		t.Error("the stream outlives its session")
	}
	if status, _ := c.Request("9", "ping", ""); status != 404 {
		t.Errorf("after DELETE: %d", status)
	}
	if files, _ := filepath.Glob(g.state.path("sessions/*.json")); len(files) != 1 { // that of other
		t.Errorf("stored: %v", files)
	}
}

// A batch of 2025-03-26 is answered by an array. R-311.
func TestBatchOfMarch2025(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	c := caller(t, g).Begin("/mcp", strings.Replace(gatewaytest.Initialize, "2025-11-25", "2025-03-26", 1))
	status, body := c.Say(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":"b","method":"resources/list"}]`)
	if status != 200 || !strings.HasPrefix(body, "[") || !strings.Contains(body, `"id":1,"result":{}`) || !strings.Contains(body, `"id":"b"`) {
		t.Errorf("%d %s", status, body)
	}
	if status, body := c.Say(`[{"jsonrpc":"2.0","method":"notifications/initialized"}]`); status != 202 || body != "" {
		t.Errorf("notifications alone: %d %s", status, body)
	}
	if status, body := c.Say(`[]`); status != 400 || !strings.Contains(body, "-32600") {
		t.Errorf("nothing: %d %s", status, body)
	}
	// What is wrong with one message is an error of that one.
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, x := range []struct{ element, want string }{
		{`{"jsonrpc":"2.0","id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":2,"result":{}}`},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `-32600`},
		{`[` + ping + `]`, `-32600`},
		{`7`, `-32600`},
		{`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{}}`, `"id":"i","error":{"code":-32600,"message":"initialize cannot be in a batch"}`},
		{gatewaytest.Modern(`"m"`, "subscriptions/listen", `"notifications":{"resourcesListChanged":true}`), `"id":"m","error":{"code":-32600`},
	} {
		status, body := c.Say("[" + x.element + "," + ping + "]")
		answers, _ := jsonrpc.Elements([]byte(body))
		if status != 200 || len(answers) != 2 || !strings.Contains(string(answers[0]), x.want) || string(answers[1]) != `{"jsonrpc":"2.0","id":1,"result":{}}` {
			t.Errorf("%s: %d %s", x.element, status, body)
		}
	}
	if status, body := c.Say("[1" + strings.Repeat(",1", 1_000) + "]"); status != 400 || !strings.Contains(body, "-32600") {
		t.Errorf("1,001 messages: %d %.200s", status, body)
	}
	var many strings.Builder
	for i := range 200 {
		fmt.Fprintf(&many, `,{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)
	}
	if status, body := c.Say("[" + many.String()[1:] + "]"); status != 200 || strings.Count(body, `"result":{}`) != 200 {
		t.Errorf("200 pings: %d %.200s", status, body)
	}
	// No other revision has batches.
	other := caller(t, g).Begin("/mcp", gatewaytest.Initialize)
	if status, body := other.Say(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`); status != 400 || !strings.Contains(body, "-32600") {
		t.Errorf("a batch of 2025-11-25: %d %s", status, body)
	}
	if status, body := other.Request("1", "ping", ""); status != 200 || !strings.Contains(body, `"result":{}`) {
		t.Errorf("after it: %d %s", status, body)
	}
}
