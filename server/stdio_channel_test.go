package server

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
)

// A channel sends what happens in pages, one line at a time, after the older handshake and not
// before its end; the newer one is refused, so that the client falls back.
func TestStdioChannel(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	g := startGateway(t, Options{State: state})
	p := newPage(t, testOrigin, "tab")
	p.write("note:a", "1")
	p.event("asked", "The user asked.\x1b[2J", false)
	p.join(g)
	assistant := startStdio(t, StdioOptions{State: state, Channel: true})

	for _, method := range []string{"server/discover", "tools/list", "subscriptions/listen"} {
		if got := assistant.ask(gatewaytest.Modern("0", method, "")); got != `{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"Method not found"}}` {
			t.Errorf("%s: %s", method, got)
		}
	}
	got := assistant.ask(gatewaytest.Initialize)
	for _, part := range []string{`"experimental":{"claude/channel":{}}`, `"protocolVersion":"2025-11-25"`, `"tools":{`, `"instructions":`} {
		if !strings.Contains(got, part) {
			t.Errorf("%s\n  has no %s", got, part)
		}
	}
	p.write("note:a", "before initialized")
	if got := assistant.ask(`{"jsonrpc":"2.0","id":9,"method":"ping"}`); got != `{"jsonrpc":"2.0","id":9,"result":{}}` {
		t.Errorf("before initialized: %s", got)
	}
	if _, err := io.WriteString(assistant.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	next := func(act func(), want string) string {
		t.Helper()
		for deadline := time.Now().Add(testTime); time.Now().Before(deadline); {
			act()
			select {
			case line := <-assistant.lines:
				if strings.Contains(line, `"method":"notifications/claude/channel"`) && strings.Contains(line, want) {
					return line
				}
			case <-time.After(50 * time.Millisecond):
			}
		}
		t.Fatalf("no message with %s", want)
		return ""
	}
	got = next(func() { p.write("note:a", "2") }, "notes+note:a")
	for _, part := range []string{`"params":{"content":"`, ` changed, to be read by URI: notes+note:a (named \"note:a\" by the page)"`, `"meta":{"changed":"1","time":"`} {
		if !strings.Contains(got, part) {
			t.Errorf("%s\n  has no %s", got, part)
		}
	}
	got = next(func() { p.emit("asked", `{"secret":"of the page"}`) }, "notes+event:///asked happened")
	if !strings.Contains(got, `(the page says: \"The user asked.\")`) || strings.Contains(got, "secret") || !strings.Contains(got, `"event":"notes+event:///asked"`) {
		t.Errorf("an event: %s", got)
	}
	assistant.end()
}
