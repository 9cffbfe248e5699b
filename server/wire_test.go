package server

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// A page gets the name and the capabilities of the client; no header, no token, no id
// and no progress token of it. R-244 R-279 R-352 R-354 R-357 R-360.
func TestPageSeesNoCredentials(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{Lenient: true, Logging: true})
	page := newConformancePage(t)
	page.join(g)
	c := testCaller{t, g}
	answer, body := c.do(t.Context(), "POST", "/mcp/conformance",
		`{"jsonrpc":"2.0","id":"id-of-one","method":"tools/call","params":{"name":"test_x_mcp_header","arguments":{"region":"eu"},"_meta":{`+
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{}},`+
			`"progressToken":"token-of-one","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}}`,
		v2026, "Mcp-Method: tools/call", "Mcp-Name: test_x_mcp_header", "Mcp-Param-Region: =?base64?ZXU=?=", "Mcp-Param-Secret: hidden-value", "Cookie: hidden-value")
	if answer.StatusCode != 200 || !strings.Contains(body, `"id":"id-of-one"`) {
		t.Fatalf("%d %s", answer.StatusCode, body)
	}
	session := openAble(t, g, "/mcp/conformance")
	if _, body := session.request(`"id-of-two"`, "tools/call", `"name":"test_simple_text","_meta":{"progressToken":"token-of-two"}`); !strings.Contains(body, `"id":"id-of-two"`) {
		t.Errorf("in a session: %s", body)
	}
	if status, body := plainPost(t, g, "/mcp/conformance", `{"jsonrpc":"2.0","id":"id-of-three","method":"prompts/list"}`, "X-Agent-API-Key: "+g.testToken()); status != 200 {
		t.Errorf("leniently: %d %s", status, body)
	}
	wire := strings.Join(page.received(), "\n")
	for _, secret := range []string{g.testToken(), session.id, "Bearer", "Authorization", "Mcp-", "hidden-value", "base64", "id-of-", "token-of-"} {
		if strings.Contains(wire, secret) {
			t.Errorf("%q is on the page's wire", secret)
		}
	}
	for _, want := range []string{
		`"io.github.pagemcp/principal":"token"`, `"io.modelcontextprotocol/clientCapabilities":{"sampling":{}}`,
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"sampling":{},"roots":{}}`, `"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"`,
	} {
		if !strings.Contains(wire, want) {
			t.Errorf("%s is not on the page's wire", want)
		}
	}
}

// In the modern era progress and log messages are sent on the stream of the request
// before the response, which ends it. A client without event streams gets the response
// only; closing the stream cancels. R-079 R-101 R-287 R-288 R-289 R-290 R-294.
func TestModernCallStreams(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{Logging: true})
	page := newConformancePage(t)
	page.join(g)
	c := testCaller{t, g}
	call := func(ctx context.Context, tool, meta string, lines ...string) (<-chan string, string) {
		body := strings.Replace(modern("1", "tools/call", `"name":"`+tool+`"`), `"_meta":{`, `"_meta":{`+meta, 1)
		answer, text := c.do(ctx, "POST", "/mcp/conformance", body, append(lines, v2026, "Mcp-Method: tools/call", "Mcp-Name: "+tool)...)
		if answer.StatusCode != 200 {
			t.Fatalf("%s: %d %s", tool, answer.StatusCode, text)
		}
		if text != "" {
			return nil, text
		}
		messages, _ := events(t, answer.Body)
		return messages, ""
	}
	const stream = "Accept: application/json, text/event-stream"
	const level = `"io.modelcontextprotocol/logLevel":"info",`
	messages, _ := call(t.Context(), "test_tool_with_progress", `"progressToken":7,`, stream)
	for _, want := range []string{`"progress":0`, `"progress":50`, `"progress":100`, `"id":1,"result"`} {
		if got := receive(t, messages); !strings.Contains(got, want) || !strings.Contains(got, `"progressToken":7`) && !strings.Contains(got, "result") {
			t.Errorf("%s; want %s", got, want)
		}
	}
	ends(t, "after the answer", messages)
	messages, _ = call(t.Context(), "test_logging_tool", level, stream)
	for _, want := range []string{`"data":"one"`, `"data":"two"`, `"id":1,"result"`} {
		if got := receive(t, messages); !strings.Contains(got, want) {
			t.Errorf("%s; want %s", got, want)
		}
	}
	ends(t, "after the answer", messages)
	if messages, text := call(t.Context(), "test_logging_tool", "", stream); messages != nil || !strings.Contains(text, "done") {
		t.Errorf("without a level: %q", text)
	}
	if messages, text := call(t.Context(), "test_tool_with_progress", `"progressToken":7,`+level); messages != nil || !strings.Contains(text, "done") {
		t.Errorf("a client that takes JSON alone: %q", text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	messages, _ = call(ctx, "test_slow", `"progressToken":7,`, stream)
	receive(t, messages)
	cancel()
	eventually(t, "the page stops", func() bool {
		page.mu.Lock()
		defer page.mu.Unlock()
		return page.slow == 0
	})

	quiet := startGateway(t, Options{}) // --logging is off: not declared, not passed on
	other := newConformancePage(t)
	other.join(quiet)
	c.g = quiet
	if messages, text := call(t.Context(), "test_logging_tool", level, stream); messages != nil || !strings.Contains(text, "done") {
		t.Errorf("with logging off: %q", text)
	}
	if _, body := c.do(t.Context(), "POST", "/mcp", discover, v2026, "Mcp-Method: server/discover"); strings.Contains(body, `"logging"`) || !strings.Contains(body, `"completions"`) || !strings.Contains(body, `"prompts"`) {
		t.Errorf("discover with logging off: %s", body)
	}
}

// A wire is an assistant's WebSocket, frame by frame.
type wire struct {
	t    *testing.T
	ctx  context.Context
	conn *websocket.Conn
}

func openWire(t *testing.T, g *Gateway) wire {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	t.Cleanup(cancel)
	conn, _, err := websocket.Dial(ctx, "ws://127.0.0.1:"+strconv.Itoa(g.Port())+"/ws", &websocket.DialOptions{
		Subprotocols: []string{"mcp"}, HTTPHeader: http.Header{"Authorization": {"Bearer " + g.testToken()}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseNow() })
	conn.SetReadLimit(limits.MaxAnswer)
	return wire{t, ctx, conn}
}

func (w wire) send(msg string) {
	w.t.Helper()
	if err := w.conn.Write(w.ctx, websocket.MessageText, []byte(msg)); err != nil {
		w.t.Fatal(err)
	}
}

func (w wire) receive() string {
	w.t.Helper()
	_, msg, err := w.conn.Read(w.ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(msg)
}
