package server

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A request of exactly 1 MiB reaches the page by every way in, in both eras, and one
// byte more is refused at once. Defect 12.
func TestLargestMessageIsServed(t *testing.T) {
	state := t.TempDir()
	g := startGateway(t, Options{State: state, Lenient: true})
	page := newConformancePage(t)
	page.join(g)
	padded := func(body string, size int) string {
		return strings.Replace(body, `"arguments":{`, `"arguments":{"pad":"`+strings.Repeat("x", size-len(body)-len(`"pad":""`))+`"`, 1)
	}
	const tool = "conformance.test_simple_text"
	classicCall := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}}}`
	modernCall := modern("7", "tools/call", `"name":"`+tool+`","arguments":{}`)
	idLast := `{"method":"tools/call","params":{"name":"` + tool + `","arguments":{}},"jsonrpc":"2.0","id":7}`

	c := testCaller{t, g}
	session := openSession(t, g, "/mcp")
	socket := func() func(string) string {
		conn, _, err := websocket.Dial(t.Context(), strings.Replace(strings.TrimSuffix(g.URL(), "mcp"), "http", "ws", 1)+"ws", &websocket.DialOptions{
			HTTPHeader: http.Header{"Authorization": {"Bearer " + g.testToken()}}, Subprotocols: []string{assistantProtocol},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.CloseNow() })
		conn.SetReadLimit(maxAnswer)
		return func(body string) string {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), testTime)
			defer cancel()
			if err := conn.Write(ctx, websocket.MessageText, []byte(body)); err != nil {
				t.Fatal(err)
			}
			for {
				_, msg, err := conn.Read(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if headOf(msg).kind == jsonrpc.Response {
					return string(msg)
				}
			}
		}
	}
	classicSocket, modernSocket := socket(), socket()
	classicSocket(strings.Replace(initialize, `"id":0`, `"id":"i"`, 1))
	classicSocket(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
	attached := startStdio(t, StdioOptions{Gateway: Options{State: state}})
	for _, way := range []struct {
		name, body string
		send       func(body string) string
	}{
		{"HTTP, a session", classicCall, func(body string) string {
			_, text := session.say(body)
			return text
		}},
		{"HTTP, lenient", classicCall, func(body string) string {
			_, text := c.do(t.Context(), "POST", "/mcp", body)
			return text
		}},
		{"HTTP, 2026-07-28", modernCall, func(body string) string {
			_, text := c.do(t.Context(), "POST", "/mcp", body, v2026, "Mcp-Method: tools/call", "Mcp-Name: "+tool)
			return text
		}},
		{"/ws, a session", classicCall, classicSocket},
		{"/ws, 2026-07-28", modernCall, modernSocket},
		{"/ws, the id last", idLast, classicSocket},
		{"stdio, attached", modernCall, attached.ask},
	} {
		for _, size := range []int{maxMessage - 1, maxMessage} {
			begun := time.Now()
			if got := way.send(padded(way.body, size)); !strings.Contains(got, "simple text response") || !strings.Contains(got, `"id":7`) {
				t.Errorf("%s, %d bytes: %.200s, after %v", way.name, size, got, time.Since(begun))
			}
		}
		got := way.send(padded(way.body, maxMessage+1))
		if !strings.Contains(got, "-32600") || strings.HasPrefix(way.name, "/ws") && !strings.Contains(got, `"id":7`) {
			t.Errorf("%s, a byte too many: %.200s", way.name, got)
		}
		if got := way.send(strings.Replace(way.body, `"pad":1`, ``, 1)); !strings.Contains(got, "simple text response") {
			t.Errorf("%s, afterwards: %.200s", way.name, got)
		}
	}
	attached.end()
}

// What has grown over the limit on its way, like arguments and answers to what a
// page asked, is refused at once by the gateway: the page could not say whose it is.
func TestGrownMessageIsRefusedBeforeThePage(t *testing.T) {
	s := &socket{drop: true, closing: make(chan struct{}), out: make(chan []byte, 1), ctx: t.Context()}
	if err := s.Write(t.Context(), make([]byte, maxMessage+maxSlack)); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	if err := s.Write(t.Context(), make([]byte, maxMessage+maxSlack+1)); err == nil {
		t.Error("a byte more was sent")
	}
}

func TestIDOfOversizedMessage(t *testing.T) {
	long := strings.Repeat("x", 5_000)
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"a","params":{"x":"` + long + `"}}`:         `7`,
		`{"method":"a","params":{"x":"` + long + `"},"jsonrpc":"2.0","id":"a-1"}`:     `"a-1"`,
		`{"method":"a","params":{"x":"` + long + `"},"id":12,"jsonrpc":"2.0"}` + "\n": `12`,
		`{"method":"a","params":{"x":"` + long + `","id":5}}`:                         ``,
		`{"method":"a","params":{"id":5,"x":"` + long + `"}}`:                         ``,
		`{"method":"a","params":{"x":"` + long + `,\"id\":5}"}}`:                      ``,
		`{"method":"a","params":{"x":"` + long + `"},"id":1.5}`:                       ``,
		`{"method":"a","params":{"x":"` + long + `"},"id":null}`:                      ``,
		`[{"jsonrpc":"2.0","id":7,"method":"a","params":{"x":"` + long + `"}}]`:       ``,
		long: ``,
	} {
		end := &tail{}
		for part := range bytes.SplitSeq([]byte(text[2_000:]), []byte("xxxxxxx")) {
			end.Write(part)
			end.Write([]byte("xxxxxxx"))
		}
		end.bytes = end.bytes[:len(end.bytes)-7]
		if got := idOfParts([]byte(text[:2_000]), end.bytes); string(got) != want {
			t.Errorf("%.20s…%s: %q, want %q", text, text[len(text)-30:], got, want)
		}
	}
}
