package server

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/testports"
)

// A pause reaches assistants by every way in, and holds at the next gateway of the state
// directory, until the user ends it.
func TestPauseStopsAllAssistants(t *testing.T) {
	t.Parallel()
	state, port := t.TempDir(), testports.Free(t, 1)[0]
	g := startGatewayAt(t, port, Options{State: state})
	page := newPage(t, testOrigin, "tab")
	page.write("notes://a", "secret")
	page.join(g)
	assistant := startStdio(t, StdioOptions{Gateway: Options{State: state}, Listen: "127.0.0.1:" + strconv.Itoa(port)})
	socket := func(g *Gateway) string {
		ctx, cancel := context.WithTimeout(t.Context(), testTime)
		defer cancel()
		conn, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(strings.TrimSuffix(g.URL(), "/mcp"), "http")+"/ws", &websocket.DialOptions{
			HTTPHeader: map[string][]string{"Authorization": {"Bearer " + g.testToken()}}, Subprotocols: []string{gateway.AssistantProtocol},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.CloseNow()
		if err := conn.Write(ctx, websocket.MessageText, []byte(modern("1", "resources/read", `"uri":"notes+notes://a"`))); err != nil {
			t.Fatal(err)
		}
		_, msg, err := conn.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return string(msg)
	}
	session := func(g *Gateway) string {
		c := testCaller{t, g}
		answer, _ := c.do(t.Context(), "POST", "/mcp", initialize)
		_, body := c.do(t.Context(), "POST", "/mcp", `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"notes+notes://a"}}`,
			"Mcp-Session-Id: "+answer.Header.Get("Mcp-Session-Id"), "MCP-Protocol-Version: 2025-11-25")
		return body
	}
	ways := map[string]func(*Gateway) string{
		"HTTP": func(g *Gateway) string { _, body := readNote(testCaller{t, g}); return body },
		"a tool": func(g *Gateway) string {
			_, body := testCaller{t, g}.do(t.Context(), "POST", "/mcp", modern("1", "tools/call", `"name":"read_resource","arguments":{"uri":"notes+notes://a"}`), v2026, "Mcp-Method: tools/call", "Mcp-Name: read_resource")
			return body
		},
		"a session": session,
		"a socket":  socket,
		"stdio":     func(*Gateway) string { return assistant.ask(modern("1", "resources/read", `"uri":"notes+notes://a"`)) },
	}
	check := func(when string, g *Gateway, want string) {
		t.Helper()
		for way, read := range ways {
			if got := read(g); !strings.Contains(got, want) || want != "secret" && strings.Contains(got, "secret") {
				t.Errorf("%s, by %s: %s", when, way, got)
			}
		}
	}
	check("before", g, "secret")
	paused, err := connect(t, g).Pause(t.Context(), time.Hour)
	if err != nil || time.Until(paused.Until) < 59*time.Minute {
		t.Fatalf("%v, %v", paused, err)
	}
	check("in the pause", g, `"reason":"paused"`)
	g.Close(context.Background())
	page.leave()
	g = startGatewayAt(t, port, Options{State: state})
	page.joinAt(g.PageURL(), nil)
	if until := g.status().Paused; !until.Equal(paused.Until) {
		t.Errorf("the next gateway is paused until %v, want %v", until, paused.Until)
	}
	check("in the pause, at the next gateway", g, `"reason":"paused"`)
	if resumed, err := connect(t, g).Pause(t.Context(), 0); err != nil || !resumed.Until.IsZero() {
		t.Errorf("%v, %v", resumed, err)
	}
	check("afterwards", g, "secret")
	for _, seconds := range []string{"-1", "1e10", `"1"`} {
		if answer, body := (testCaller{t, g}).do(t.Context(), "POST", controlPause, `{"seconds":`+seconds+`}`); answer.StatusCode != 400 || !g.pause.Until().IsZero() {
			t.Errorf("%s seconds: %d %s", seconds, answer.StatusCode, body)
		}
	}
	assistant.end()
}
