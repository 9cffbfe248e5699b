package server

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// At /mcp/{page} a tool of the page may have the name of a generated one: then it is a tool of
// the page in the log, too.
func TestAuditKnowsGeneratedTools(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	p := assistantPage(t, g, "notes", false)
	call := func() (decisions []string) {
		before := len(auditEntries(t, g))
		testCaller{t, g}.do(t.Context(), "POST", "/mcp/notes", modern("1", "tools/call", `"name":"read_resource","arguments":{"uri":"note:a"}`), v2026, "Mcp-Method: tools/call", "Mcp-Name: read_resource")
		for _, e := range auditEntries(t, g)[before:] {
			decisions = append(decisions, e.Verb+" "+e.App+" "+e.Right)
		}
		return decisions
	}
	if got := strings.Join(call(), ", "); got != "resources/read notes read, tools/call notes " {
		t.Errorf("a generated tool: %s", got)
	}
	p.must(p.table.PutTool(engine.ToolEntry{
		Tool: engine.Tool{Name: "read_resource", Object: []byte(`{"name":"read_resource","inputSchema":{"type":"object"}}`)},
		Call: func(context.Context, []byte) ([]byte, error) { return []byte(`{"content":[]}`), nil },
	}))
	eventually(t, "the page's tool is called", func() bool { return strings.Join(call(), ", ") == "tools/call notes act" })
}

// What waits when a token is revoked is recorded as revoked: a read over HTTP, a read and a
// subscription on a socket.
func TestAuditSaysWhatWasRevoked(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	p := newPage(t, testOrigin, "tab")
	slow := slowSource{"note:slow", make(chan bool, 10), make(chan bool, 10)}
	p.engine.Mount("", slow)
	p.join(g)
	token := mustAdd(t, g, NewToken{Name: "claude"})
	go func() {
		if answer, err := http.DefaultClient.Do(readAs(t.Context(), g, token, "notes+note:slow", streams)); err == nil {
			answer.Body.Close()
		}
	}()
	socket, err := dialAs(t, g, token)
	if err != nil {
		t.Fatal(err)
	}
	for _, msg := range []string{
		modern("1", "subscriptions/listen", `"notifications":{"resourceSubscriptions":["notes+note:slow"]}`),
		modern("2", "resources/read", `"uri":"notes+note:slow"`),
	} {
		if err := socket.Write(t.Context(), []byte(msg)); err != nil {
			t.Fatal(err)
		}
	}
	await(t, "a read to begin", slow.begun)
	await(t, "the other read to begin", slow.begun)
	if err := RevokeToken(t.Context(), g.state.dir, "claude"); err != nil {
		t.Fatal(err)
	}
	var ended []string
	eventually(t, "three requests are recorded", func() bool {
		ended = nil
		for _, e := range auditEntries(t, g) {
			if e.Right != "" {
				ended = append(ended, e.Endpoint+" "+e.Verb+" "+e.Outcome+" "+e.Reason)
			}
		}
		return len(ended) == 3
	})
	slices.Sort(ended)
	if want := []string{"/mcp resources/read cancelled revoked", "/ws resources/read cancelled revoked", "/ws subscriptions/listen cancelled revoked"}; !slices.Equal(ended, want) {
		t.Errorf("%q, want %q", ended, want)
	}
}
