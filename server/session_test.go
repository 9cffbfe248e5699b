package server

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A sessionCaller is an assistant of 2025-11-25.
type sessionCaller struct {
	testCaller
	id       string
	path     string
	received []string // notifications received before responses
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

func openSession(t *testing.T, g *Gateway, path string) *sessionCaller {
	t.Helper()
	c := &sessionCaller{testCaller: testCaller{t, g}, path: path}
	answer, body := c.do(t.Context(), "POST", path, initialize)
	c.id = answer.Header.Get("Mcp-Session-Id")
	if answer.StatusCode != 200 || !strings.Contains(body, `"protocolVersion":"2025-11-25"`) || len(c.id) < 22 || strings.ContainsFunc(c.id, func(r rune) bool { return r < 0x21 || r > 0x7e }) {
		t.Fatalf("initialize: %d %s, session %q", answer.StatusCode, body, c.id)
	}
	if status, body := c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`); status != 202 || body != "" {
		t.Fatalf("initialized: %d %s", status, body)
	}
	return c
}

func (c *sessionCaller) say(body string, lines ...string) (status int, answer string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), testTime)
	defer cancel()
	lines = append(lines, "Mcp-Session-Id: "+c.id, streams)
	got, text := c.do(ctx, "POST", c.path, body, lines...)
	if !strings.HasPrefix(got.Header.Get("Content-Type"), mcphttp.EventStreamType) {
		return got.StatusCode, text
	}
	defer got.Body.Close()
	events, err := io.ReadAll(got.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	for line := range strings.Lines(string(events)) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			if text != "" {
				c.received = append(c.received, text)
			}
			text = strings.TrimSuffix(data, "\n")
		}
	}
	return got.StatusCode, text
}

func (c *sessionCaller) request(id, method, params string) (int, string) {
	c.t.Helper()
	return c.say(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `}}`)
}

// stream opens the GET stream. ctx ends it.
func (c *sessionCaller) stream(ctx context.Context) (<-chan string, int) {
	c.t.Helper()
	answer, _ := c.do(ctx, "GET", c.path, "", "Mcp-Session-Id: "+c.id, "Accept: text/event-stream")
	if answer.StatusCode != 200 {
		return nil, answer.StatusCode
	}
	messages, other := events(c.t, answer.Body)
	if first := receive(c.t, other); first != "retry: 3000" {
		c.t.Errorf("first line of the stream: %q", first)
	}
	return messages, 200
}

// A session from its handshake to its end. R-310…R-327.
func TestSessionLives(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	page := newPage(t, testOrigin, "tab")
	page.write("notes://a", "1")
	page.join(g)
	c := openSession(t, g, "/mcp")
	messages, _ := c.stream(t.Context())
	if status, body := c.request("1", "resources/read", `"uri":"notes+notes://a"`); status != 200 || !strings.Contains(body, `"text":"1"`) || strings.Contains(body, "resultType") {
		t.Errorf("read: %d %s", status, body)
	}
	if status, body := c.request("2", "resources/read", `"uri":"notes+notes://none"`); status != 200 || !strings.Contains(body, "-32002") {
		t.Errorf("not found: %d %s", status, body)
	}
	if status, body := c.request("3", "resources/subscribe", `"uri":"notes+notes://a"`); status != 200 || !strings.Contains(body, `"result":{}`) {
		t.Errorf("subscribe: %d %s", status, body)
	}
	page.write("notes://a", "2")
	if got := receive(t, messages); got != `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"notes+notes://a"}}` {
		t.Errorf("on the stream: %s", got)
	}
	for _, test := range []struct {
		body   string
		lines  []string
		status int
		want   string
	}{
		{initialize, nil, 400, "-32600"}, // row 6: the session is kept
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"MCP-Protocol-Version: 2025-11-25"}, 200, `"result":{}`},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"MCP-Protocol-Version: banana"}, 400, "-32600"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{v2026}, 400, "-32602"},
		{modern("1", "server/discover", ""), []string{v2026, "Mcp-Method: server/discover"}, 200, "resultType"},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, nil, 400, "-32600"},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 202, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"acme/x"}`, nil, 200, "-32601"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil, 200, `"name":"list_resources"`},
	} {
		if status, body := c.say(test.body, test.lines...); status != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%s %v: %d %s; want %d with %s", test.body, test.lines, status, body, test.status, test.want)
		}
	}
	other := openSession(t, g, "/mcp")
	other.path = "/mcp/notes"
	if status, _ := other.request("1", "ping", ""); status != 404 {
		t.Errorf("a session at another endpoint: %d", status)
	}
	answer, _ := c.do(t.Context(), "DELETE", "/mcp", "", "Mcp-Session-Id: "+c.id)
	if answer.StatusCode != 204 {
		t.Errorf("DELETE: %d", answer.StatusCode)
	}
	if _, more := <-messages; more {
		t.Error("the stream outlives its session")
	}
	if status, _ := c.request("9", "ping", ""); status != 404 {
		t.Errorf("after DELETE: %d", status)
	}
	if files, _ := filepath.Glob(g.state.path("sessions/*.json")); len(files) != 1 {
		t.Errorf("stored: %v", files)
	}
}

// A batch of 2025-03-26 is answered by an array. R-311.
func TestBatchOfMarch2025(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	c := &sessionCaller{testCaller: testCaller{t, g}, path: "/mcp"}
	answer, _ := c.do(t.Context(), "POST", "/mcp", strings.Replace(initialize, "2025-11-25", "2025-03-26", 1))
	c.id = answer.Header.Get("Mcp-Session-Id")
	status, body := c.say(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":"b","method":"resources/list"}]`)
	if status != 200 || !strings.HasPrefix(body, "[") || !strings.Contains(body, `"id":1,"result":{}`) || !strings.Contains(body, `"id":"b"`) {
		t.Errorf("%d %s", status, body)
	}
	if status, body := c.say(`[{"jsonrpc":"2.0","method":"notifications/initialized"}]`); status != 202 || body != "" {
		t.Errorf("notifications alone: %d %s", status, body)
	}
	if status, body := c.say(`[]`); status != 400 || !strings.Contains(body, "-32600") {
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
		{modern(`"m"`, "subscriptions/listen", `"notifications":{"resourcesListChanged":true}`), `"id":"m","error":{"code":-32600`},
	} {
		status, body := c.say("[" + x.element + "," + ping + "]")
		answers, _ := jsonrpc.Elements([]byte(body))
		if status != 200 || len(answers) != 2 || !strings.Contains(string(answers[0]), x.want) || string(answers[1]) != `{"jsonrpc":"2.0","id":1,"result":{}}` {
			t.Errorf("%s: %d %s", x.element, status, body)
		}
	}
	if status, body := c.say("[1" + strings.Repeat(",1", 1_000) + "]"); status != 400 || !strings.Contains(body, "-32600") {
		t.Errorf("1,001 messages: %d %.200s", status, body)
	}
	var many strings.Builder
	for i := range 200 {
		fmt.Fprintf(&many, `,{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)
	}
	if status, body := c.say("[" + many.String()[1:] + "]"); status != 200 || strings.Count(body, `"result":{}`) != 200 {
		t.Errorf("200 pings: %d %.200s", status, body)
	}
	// No other revision has batches.
	other := openSession(t, g, "/mcp")
	if status, body := other.say(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`); status != 400 || !strings.Contains(body, "-32600") {
		t.Errorf("a batch of 2025-11-25: %d %s", status, body)
	}
	if status, body := other.request("1", "ping", ""); status != 200 || !strings.Contains(body, `"result":{}`) {
		t.Errorf("after it: %d %s", status, body)
	}
}
