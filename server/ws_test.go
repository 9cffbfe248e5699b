package server

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

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

// Every text frame gets the documented response, and the connection stays open: both
// eras, unusual ids, malformed and oversized messages.
func TestSocketSurvivesBadMessages(t *testing.T) {
	g := startGateway(t, Options{})
	w := openWire(t, g)
	for _, test := range []struct{ name, msg, want string }{
		{"discover", modern(`"x"`, "server/discover", ""), `"id":"x"`},
		{"not initialized", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, "-32602"},
		{"initialize", initialize, `"protocolVersion":"2025-11-25"`},
		{"again", initialize, "-32600"},
		{"classic and modern on one socket", modern("9007199254740993", "server/discover", ""), `"id":9007199254740993`},
		{"not JSON", "{", "-32700"},
		{"line breaks between tokens", "{\n\"jsonrpc\":\"2.0\",\r\n\"id\":2,\"method\":\"ping\"}", `"id":2`},
		{"an array", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "-32600"},
		{"a name twice", `{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}`, "-32600"},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, "-32600"},
		{"too large", `{"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":"` + strings.Repeat("a", limits.MaxMessage) + `"}}`, "-32600"},
		{"very large", strings.Repeat(" ", 4*limits.MaxMessage), "-32600"},
		{"unknown method", `{"jsonrpc":"2.0","id":4,"method":"acme/x"}`, "-32601"},
	} {
		w.send(test.msg)
		if got := w.receive(); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s; want %s", test.name, got, test.want)
		}
		w.send(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`)
		if got := w.receive(); got != `{"jsonrpc":"2.0","id":"alive","result":{}}` {
			t.Errorf("after %s: %s", test.name, got)
		}
	}
}

// A frame that is not UTF-8 text closes the connection with the corresponding code.
func TestSocketClosesOnWrongFrames(t *testing.T) {
	g := startGateway(t, Options{})
	for name, test := range map[string]struct {
		kind websocket.MessageType
		data string
		code websocket.StatusCode
	}{
		"binary":    {websocket.MessageBinary, "{}", websocket.StatusUnsupportedData},
		"not UTF-8": {websocket.MessageText, "\"\xff\"", websocket.StatusInvalidFramePayloadData},
	} {
		w := openWire(t, g)
		if err := w.conn.Write(w.ctx, test.kind, []byte(test.data)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.conn.Read(w.ctx); websocket.CloseStatus(err) != test.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	conn, answer, err := websocket.Dial(t.Context(), "ws://127.0.0.1:"+strconv.Itoa(g.Port())+"/ws", &websocket.DialOptions{Subprotocols: []string{"mcp"}})
	if err == nil {
		conn.CloseNow()
		t.Error("without a token")
	} else if answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token: %d", answer.StatusCode)
	}
}

// A thousand cancelled requests do not close the socket of the page, and do not affect
// responses to another assistant.
func TestCancelledRequestsLeaveSocketsAlone(t *testing.T) {
	g := startGateway(t, Options{Limits: Limits{ReadsPerSecond: 100_000}})
	page := newPage(t, testOrigin, "tab")
	page.write("notes://a", "1")
	page.join(g)
	c := testCaller{t, g}
	for range 1000 {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, "POST", g.URL(), strings.NewReader(modern("1", "resources/read", `"uri":"notes+notes://a"`)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{
			"Authorization": {"Bearer " + g.testToken()}, "Content-Type": {"application/json"}, "Mcp-Protocol-Version": {"2026-07-28"},
			"Mcp-Method": {"resources/read"}, "Mcp-Name": {"notes+notes://a"},
		}
		go cancel()
		if answer, err := http.DefaultClient.Do(r); err == nil {
			answer.Body.Close()
		}
		cancel()
	}
	if !g.core.Views("").IsConnected("notes") {
		t.Error("the page's socket is gone")
	}
	_, body := c.do(t.Context(), "POST", "/mcp", modern("1", "resources/read", `"uri":"notes+notes://a"`), v2026, "Mcp-Method: resources/read", "Mcp-Name: notes+notes://a")
	if !strings.Contains(body, `"text":"1"`) {
		t.Errorf("another read: %s", body)
	}
}

// A client that sends nothing but broken messages is disconnected as a violator, not as one
// that has ended.
func TestSocketOfBrokenMessagesIsClosedAsViolation(t *testing.T) {
	w := openWire(t, startGateway(t, Options{}))
	for range access.MaxBroken {
		w.send("{")
	}
	for {
		if _, _, err := w.conn.Read(w.ctx); err != nil {
			if code := websocket.CloseStatus(err); code != websocket.StatusPolicyViolation {
				t.Errorf("closed with %v", err)
			}
			return
		}
	}
}
