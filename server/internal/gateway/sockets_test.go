package gateway

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
)

// Every text frame gets the documented response, and the connection stays open: both
// eras, unusual ids, malformed and oversized messages. R-004 R-247 R-248 R-339 R-340.
func TestSocketSurvivesBadMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := startGateway(t).Wire(access.SocketPath, AssistantProtocol)
		for _, test := range []struct{ name, msg, want string }{
			{"discover", gatewaytest.Modern(`"x"`, "server/discover", ""), `"id":"x"`},
			{"initialize", gatewaytest.Initialize, `"protocolVersion":"2025-11-25"`},
			{"again", gatewaytest.Initialize, "-32600"},
			{"classic and modern on one socket", gatewaytest.Modern("9007199254740993", "server/discover", ""), `"id":9007199254740993`},
			{"not JSON", "{", "-32700"},
			{"line breaks between tokens", "{\n\"jsonrpc\":\"2.0\",\r\n\"id\":2,\"method\":\"ping\"}", `"id":2`},
			{"an array", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "-32600"},
			{"a name twice", `{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}`, "-32600"},
			{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, "-32600"},
			{"too large", `{"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":"` + strings.Repeat("a", limits.MaxMessage) + `"}}`, "-32600"},
			{"very large", strings.Repeat(" ", 4*limits.MaxMessage), "-32600"},
			{"unknown method", `{"jsonrpc":"2.0","id":4,"method":"acme/x"}`, "-32601"},
		} {
			w.Send(test.msg)
			if got := w.Receive(); !strings.Contains(got, test.want) {
				t.Errorf("%s: %s; want %s", test.name, got, test.want)
			}
			w.Send(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`)
			if got := w.Receive(); got != `{"jsonrpc":"2.0","id":"alive","result":{}}` {
				t.Errorf("after %s: %s", test.name, got)
			}
		}
	})
}

// A frame that is not UTF-8 text, or a WebSocket without the subprotocol, closes the
// connection with the corresponding code. R-013.
func TestSocketClosesOnWrongFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t, func(o *Options) { o.MaxSockets = 1 })
		for name, test := range map[string]struct {
			kind websocket.MessageType
			data string
			code websocket.StatusCode
		}{
			"binary":    {websocket.MessageBinary, "{}", websocket.StatusUnsupportedData},
			"not UTF-8": {websocket.MessageText, "\"\xff\"", websocket.StatusInvalidFramePayloadData},
		} {
			w := g.Wire(access.SocketPath, AssistantProtocol)
			if _, _, err := websocket.Dial(t.Context(), "ws://"+testHost+access.SocketPath, &websocket.DialOptions{HTTPClient: g.HTTP}); err == nil || !strings.Contains(err.Error(), "429") {
				t.Errorf("one socket more than there may be: %v", err)
			}
			if err := w.Write(t.Context(), test.kind, []byte(test.data)); err != nil {
				t.Fatal(err)
			}
			if code := closed(t, w.Conn).Code; code != test.code {
				t.Errorf("%s: %v", name, code)
			}
			synctest.Wait()
		}
		if g.audited(func(e access.Entry) bool { return e.Verb == "connect" && e.Outcome == "busy" }) != 2 {
			t.Errorf("refused sockets are not recorded: %+v", g.entries)
		}
		if code := closed(t, g.Wire(access.SocketPath).Conn).Code; code != socket.CloseVersion {
			t.Errorf("without the subprotocol: %v", code)
		}
	})
}

// A thousand cancelled requests do not close the socket of the page, and do not affect
// responses to another assistant. R-070 R-345.
func TestCancelledRequestsLeaveSocketsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		page := newPage(t, "notes")
		page.write("notes://a", "1")
		page.join(g)
		params := `"uri":"notes+notes://a"`
		for range 1000 {
			ctx, cancel := context.WithCancel(t.Context())
			r := g.Request(ctx, "POST", "/mcp", gatewaytest.Modern("1", "resources/read", params), gatewaytest.HeadersOf("resources/read", params)...)
			go cancel()
			if answer, err := g.HTTP.Do(r); err == nil {
				answer.Body.Close()
			}
			cancel()
		}
		if !g.Views("o").IsConnected("notes") {
			t.Error("the page's socket is gone")
		}
		if _, body := g.Read("/mcp", "notes+notes://a"); !strings.Contains(body, `"text":"1"`) {
			t.Errorf("another read: %s", body)
		}
	})
}

// A page, or an assistant on a WebSocket, is disconnected as a violator after 100 invalid
// messages in a row. Valid messages reset the count.
func TestBrokenMessagesCloseTheSocket(t *testing.T) {
	for name, broken := range map[string]string{
		"half a message": `{"jsonrpc":`, "no JSON-RPC": `{"hello":1}`, "too deep": strings.Repeat("[", 1_000), "a number": "7", "an empty array": "[]",
	} {
		synctest.Test(t, func(t *testing.T) {
			g := startGateway(t)
			page := newPage(t, "notes")
			page.join(g)
			w := g.Wire(access.SocketPath, AssistantProtocol)
			answers, end := 0, make(chan websocket.StatusCode, 1)
			go func() { // ends with the connection
				for {
					_, data, err := w.Read(context.Background())
					if err != nil {
						end <- websocket.CloseStatus(err)
						return
					}
					if strings.Contains(string(data), `"error"`) {
						answers++
					}
				}
			}()
			for _, conn := range []*websocket.Conn{page.conn, w.Conn} {
				send := func(text string) error { return conn.Write(t.Context(), websocket.MessageText, []byte(text)) }
				for range 3 {
					for range access.MaxBroken - 1 {
						if err := send(broken); err != nil {
							t.Fatalf("%s: closed too early: %v", name, err)
						}
					}
					if err := send(`{"jsonrpc":"2.0","method":"notifications/x"}`); err != nil {
						t.Fatalf("%s: closed too early: %v", name, err)
					}
				}
				for range access.MaxBroken + 1 {
					send(broken) // its error is that the connection is closed
				}
			}
			gatewaytest.Await(t, "the page is disconnected", page.gone)
			if code := gatewaytest.Await(t, "the assistant is disconnected", end); code != websocket.StatusPolicyViolation || answers > 4*access.MaxBroken {
				t.Errorf("%s: closed with %v after %d answers", name, code, answers)
			}
			left := g.audited(func(e access.Entry) bool { return e.Verb == "leave" && e.Outcome == "ok" })
			if all := g.audited(func(e access.Entry) bool { return e.Verb != "malformed" }); left != 1 || all != 2 {
				t.Errorf("%s is recorded as %+v, want the page's join and leave", name, g.entries)
			}
		})
	}
}
