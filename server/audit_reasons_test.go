package server

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// By every way in, each request that needs a right is one entry, which says the right, the
// page, and whether the token of the assistant did not suffice. A generated tool needs none:
// the requests that it sends are entries of their own.
func TestAuditSaysWhoMayNotDoWhat(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{Limits: Limits{ReadsPerSecond: 1e6, CallsPerSecond: 1e6, CompletionsPerSecond: 1e6}})
	assistantPage(t, g, "notes", false)
	assistantPage(t, g, "mail", true)
	for _, rights := range []NewToken{{Name: "all"}, {Name: "reader", ReadOnly: true}, {Name: "noter", Apps: []string{"notes"}}} {
		token := mustAdd(t, g, rights)
		for _, way := range waysOf(t, g, rights.Name, token) {
			for _, x := range matrixActs() {
				if way.classic && x.modern || !way.classic && x.classic || x.method == engine.MethodListen {
					continue
				}
				before := len(audited(t, g))
				way.ask(x.method, x.params)
				var decisions []access.Entry
				for _, e := range entriesIn(t, audited(t, g)[before:]) { // all of it would be read a thousand times
					if e.Right != "" && e.Verb != engine.MethodInitialize {
						decisions = append(decisions, e)
					}
				}
				if strings.Contains(strings.ReplaceAll(x.params, "__", ""), "_") { // a generated tool
					for _, e := range decisions {
						if e.Right != access.RightRead || e.Principal != rights.Name {
							t.Errorf("%s by %s: %s {%s} is recorded as %+v", rights.Name, way.name, x.method, x.params, e)
						}
					}
					if len(decisions) == 0 {
						t.Errorf("%s by %s: %s {%s} is not recorded", rights.Name, way.name, x.method, x.params)
					}
					continue
				}
				if len(decisions) != 1 {
					t.Errorf("%s by %s: %s {%s} is recorded %d times", rights.Name, way.name, x.method, x.params, len(decisions))
					continue
				}
				e := decisions[0]
				want := access.Entry{Right: access.RightRead}
				if x.method == engine.MethodCallTool || !engine.MethodOf(x.method).IsKnown() {
					want.Right = access.RightAct
				}
				if !strings.HasSuffix(x.method, "/list") && x.method != "acme/x" { // for one page
					want.App = x.page
				}
				if (want.App == "mail" || x.method == "acme/x") && len(rights.Apps) > 0 || want.Right == access.RightAct && x.acts && rights.ReadOnly {
					want.Reason = access.ReasonRights
				}
				if e.Right != want.Right || e.App != want.App || e.Reason != want.Reason || e.Principal != rights.Name {
					t.Errorf("%s by %s: %s {%s} is recorded as %+v, want %+v", rights.Name, way.name, x.method, x.params, e, want)
				}
			}
		}
	}
}

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

// What a page denies is recorded at the gateway with the page's reason, by every way in and in
// both eras, once; what it allows has none, and neither have lists, which are then empty.
func TestAuditSaysWhatThePageDenied(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{Limits: Limits{ReadsPerSecond: 1e6, CallsPerSecond: 1e6, CompletionsPerSecond: 1e6}})
	grantedPage(t, g, "notes", false, grantsOf(t, `{"default":"ask","grants":[{"assistant":"reader","right":"read","allow":true}]}`))
	for _, assistant := range []string{"reader", "stranger"} {
		token := mustAdd(t, g, NewToken{Name: assistant})
		for _, way := range waysOf(t, g, assistant, token) {
			for _, x := range actsOn("notes") {
				if way.classic && x.modern || !way.classic && x.classic || x.method == engine.MethodListen || strings.Contains(x.params, "_") {
					continue
				}
				before := len(audited(t, g))
				way.ask(x.method, x.params)
				var decisions []access.Entry
				for _, e := range entriesIn(t, audited(t, g)[before:]) { // all of it would be read a thousand times
					if e.Right != "" {
						decisions = append(decisions, e)
					}
				}
				want := ""
				if !strings.HasSuffix(x.method, "/list") && (assistant == "stranger" || x.acts) {
					want = access.ReasonDeclined
				}
				if len(decisions) != 1 || decisions[0].Reason != want || decisions[0].Principal != assistant {
					t.Errorf("%s by %s: %s {%s} is recorded as %+v, want the reason %q", assistant, way.name, x.method, x.params, decisions, want)
				}
			}
		}
	}
}
