package server

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A request of exactly 1 MiB reaches the page on every transport and in both eras. One
// more byte is rejected at once.
func TestLargestMessageIsServed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	t.Parallel()
	state := t.TempDir()
	g := startGateway(t, Options{State: state, Lenient: true})
	page := newConformancePage(t)
	page.join(g)
	padded := func(body string, size int) string {
		return strings.Replace(body, `"arguments":{`, `"arguments":{"pad":"`+strings.Repeat("x", size-len(body)-len(`"pad":""`))+`"`, 1)
	}
	const tool = "conformance__test_simple_text"
	classicCall := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}}}`
	modernCall := modern("7", "tools/call", `"name":"`+tool+`","arguments":{}`)
	idLast := `{"method":"tools/call","params":{"name":"` + tool + `","arguments":{}},"jsonrpc":"2.0","id":7}`

	c := testCaller{t, g}
	session := openSession(t, g, "/mcp")
	socket := func() func(string) string {
		conn := openWire(t, g).conn
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
				if message.HeadOf(msg).Kind == jsonrpc.Response {
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
		for _, size := range []int{limits.MaxMessage - 1, limits.MaxMessage} {
			start := time.Now()
			if got := way.send(padded(way.body, size)); !strings.Contains(got, "simple text response") || !strings.Contains(got, `"id":7`) {
				t.Errorf("%s, %d bytes: %.200s, after %v", way.name, size, got, time.Since(start))
			}
		}
		got := way.send(padded(way.body, limits.MaxMessage+1))
		if !strings.Contains(got, "-32600") || strings.HasPrefix(way.name, "/ws") && !strings.Contains(got, `"id":7`) {
			t.Errorf("%s, a byte too many: %.200s", way.name, got)
		}
		if got := way.send(strings.Replace(way.body, `"pad":1`, ``, 1)); !strings.Contains(got, "simple text response") {
			t.Errorf("%s, afterwards: %.200s", way.name, got)
		}
	}
	attached.end()
}
