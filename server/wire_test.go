package server

import (
	"context"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
)

// A page gets the name and the capabilities of the client; no header, no token, no id
// and no progress token of it. R-244 R-279 R-352 R-354 R-357 R-360.
func TestPageSeesNoCredentials(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{Lenient: true, Logging: true})
	page := newConformancePage(t)
	page.join(g)
	c := caller(t, g)
	answer, body := c.Do(t.Context(), "POST", "/mcp/conformance",
		`{"jsonrpc":"2.0","id":"id-of-one","method":"tools/call","params":{"name":"test_x_mcp_header","arguments":{"region":"eu"},"_meta":{`+
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{}},`+
			`"progressToken":"token-of-one","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}}`,
		gatewaytest.V2026, "Mcp-Method: tools/call", "Mcp-Name: test_x_mcp_header", "Mcp-Param-Region: =?base64?ZXU=?=", "Mcp-Param-Secret: hidden-value", "Cookie: hidden-value")
	if answer.StatusCode != 200 || !strings.Contains(body, `"id":"id-of-one"`) {
		t.Fatalf("%d %s", answer.StatusCode, body)
	}
	session := caller(t, g).Begin("/mcp/conformance", able)
	if _, body := session.Request(`"id-of-two"`, "tools/call", `"name":"test_simple_text","_meta":{"progressToken":"token-of-two"}`); !strings.Contains(body, `"id":"id-of-two"`) {
		t.Errorf("in a session: %s", body)
	}
	if status, body := plainPost(t, g, "/mcp/conformance", `{"jsonrpc":"2.0","id":"id-of-three","method":"prompts/list"}`, "X-Agent-API-Key: "+g.testToken()); status != 200 {
		t.Errorf("leniently: %d %s", status, body)
	}
	wire := strings.Join(page.tap.Received(), "\n")
	for _, secret := range []string{g.testToken(), session.ID, "Bearer", "Authorization", "Mcp-", "hidden-value", "base64", "id-of-", "token-of-"} {
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
	c := caller(t, g)
	call := func(ctx context.Context, tool, meta string, lines ...string) (<-chan string, string) {
		body := strings.Replace(gatewaytest.Modern("1", "tools/call", `"name":"`+tool+`"`), `"_meta":{`, `"_meta":{`+meta, 1)
		answer, text := c.Do(ctx, "POST", "/mcp/conformance", body, append(lines, gatewaytest.V2026, "Mcp-Method: tools/call", "Mcp-Name: "+tool)...)
		if answer.StatusCode != 200 {
			t.Fatalf("%s: %d %s", tool, answer.StatusCode, text)
		}
		if text != "" {
			return nil, text
		}
		messages := gatewaytest.NewStream(t, answer).Messages
		return messages, ""
	}
	const stream = "Accept: application/json, text/event-stream"
	const level = `"io.modelcontextprotocol/logLevel":"info",`
	messages, _ := call(t.Context(), "test_tool_with_progress", `"progressToken":7,`, stream)
	for _, want := range []string{`"progress":0`, `"progress":50`, `"progress":100`, `"id":1,"result"`} {
		if got := gatewaytest.Receive(t, messages); !strings.Contains(got, want) || !strings.Contains(got, `"progressToken":7`) && !strings.Contains(got, "result") {
			t.Errorf("%s; want %s", got, want)
		}
	}
	ends(t, "after the answer", messages)
	messages, _ = call(t.Context(), "test_logging_tool", level, stream)
	for _, want := range []string{`"data":"one"`, `"data":"two"`, `"id":1,"result"`} {
		if got := gatewaytest.Receive(t, messages); !strings.Contains(got, want) {
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
	gatewaytest.Receive(t, messages)
	cancel()
	gatewaytest.Eventually(t, "the page stops", func() bool {
		page.mu.Lock()
		defer page.mu.Unlock()
		return page.slow == 0
	})

	quiet := startGateway(t, Options{}) // --logging is off: not declared, not passed on
	other := newConformancePage(t)
	other.join(quiet)
	c = caller(t, quiet)
	if messages, text := call(t.Context(), "test_logging_tool", level, stream); messages != nil || !strings.Contains(text, "done") {
		t.Errorf("with logging off: %q", text)
	}
	if _, body := c.Do(t.Context(), "POST", "/mcp", discover, gatewaytest.V2026, "Mcp-Method: server/discover"); strings.Contains(body, `"logging"`) || !strings.Contains(body, `"completions"`) || !strings.Contains(body, `"prompts"`) {
		t.Errorf("discover with logging off: %s", body)
	}
}
