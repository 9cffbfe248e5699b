package server

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// Each decision is in the audit log exactly once, on every transport.
func TestEveryDecisionIsAuditedOnce(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{Allow: func(principal engine.Principal, _ engine.Verb, uri string) bool {
		return principal == "token" && uri != "notes+notes://secret"
	}})
	page := newPage(t, testOrigin, "tab")
	page.write("notes://a", "1")
	page.write("notes://secret", "1")
	page.join(g)
	c := caller(t, g)
	const read = `"uri":"notes+notes://a"`
	readLines := []string{gatewaytest.V2026, "Mcp-Method: resources/read", "Mcp-Name: notes+notes://a"}
	post := func(body string, lines ...string) func() {
		return func() { c.Do(t.Context(), "POST", "/mcp", body, lines...) }
	}
	rawly := func(request string) func() { return func() { gatewaytest.SendRaw(t, g.Port(), request) } }
	began, _ := c.Do(t.Context(), "POST", "/mcp", strings.Replace(gatewaytest.Initialize, "2025-11-25", "2025-03-26", 1))
	socket := caller(t, g).Wire("/ws", gateway.AssistantProtocol)
	session := caller(t, g).Begin("/mcp", gatewaytest.Initialize)

	audited(t, g)
	for _, x := range []struct {
		name string
		do   func()
		want []string // verb and outcome of each new line, in any order
	}{
		{"a foreign site", rawly("POST /mcp HTTP/1.1\nHost: 127.0.0.1:%d\nConnection: close\nOrigin: https://evil.example\nContent-Length: 0\n\n"), []string{"refuse 403"}},
		{"a foreign host", rawly("GET /page HTTP/1.1\nHost: evil.example\nConnection: close\n\n"), []string{"refuse 403"}},
		{"a page that is not listed", rawly("GET /page HTTP/1.1\nHost: 127.0.0.1:%d\nConnection: close\n\n"), []string{"refuse 403"}},
		{"no token", rawly("POST /mcp HTTP/1.1\nHost: 127.0.0.1:%d\nConnection: close\nContent-Length: 0\n\n"), []string{"login 401"}},
		{"no token at /ws", rawly("GET /ws HTTP/1.1\nHost: 127.0.0.1:%d\n" + upgradeLines + "\n"), []string{"login 401"}},
		{"a read over HTTP", post(gatewaytest.Modern("1", "resources/read", read), readLines...), []string{"resources/read ok"}},
		{"one that is not found", post(gatewaytest.Modern("1", "resources/read", `"uri":"notes+none:1"`), gatewaytest.V2026, "Mcp-Method: resources/read", "Mcp-Name: notes+none:1"), []string{"resources/read -32602"}},
		{"one that the policy denies", post(gatewaytest.Modern("1", "resources/read", `"uri":"notes+notes://secret"`), gatewaytest.V2026, "Mcp-Method: resources/read", "Mcp-Name: notes+notes://secret"), []string{"resources/read -32602"}},
		{"one by a generated tool", post(gatewaytest.Modern("1", "tools/call", `"name":"read_resource","arguments":{`+read+`}`), gatewaytest.V2026, "Mcp-Method: tools/call", "Mcp-Name: read_resource"), []string{"resources/read ok", "tools/call ok"}},
		{"a header that differs", post(gatewaytest.Modern("1", "resources/read", read), gatewaytest.V2026, "Mcp-Method: tools/list"), []string{"resources/read -32020"}},
		{"an unknown method", post(gatewaytest.Modern("1", "no/such", ""), gatewaytest.V2026, "Mcp-Method: no/such"), []string{"no/such -32601"}},
		{"no JSON", post(`{`), []string{"POST -32700"}},
		{"a read without a session", post(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{` + read + `}}`), []string{"resources/read ok"}},
		{"a session's read", func() { session.Request("2", "resources/read", read) }, []string{"resources/read ok"}},
		{"an unknown session", func() {
			c.Do(t.Context(), "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, mcphttp.SessionHeader+": none")
		}, []string{"ping -32600"}},
		{"a read over /ws", func() { socket.Send(gatewaytest.Modern(`"r"`, "resources/read", read)); socket.Receive() }, []string{"resources/read ok"}},
		{"a malformed message over /ws", func() { socket.Send(`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`); socket.Receive() }, []string{"malformed -32600"}},
		{"a batch", post(`[{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{`+read+`}},{"jsonrpc":"2.0","id":6,"method":"ping"},{"jsonrpc":"2.0","id":7,"method":"no/such"}]`,
			mcphttp.SessionHeader+": "+began.Header.Get(mcphttp.SessionHeader)), []string{"resources/read ok", "ping ok", "no/such -32601"}},
		{"a page that leaves", func() {
			page.leave()
			page.awaitAway(g)
			gatewaytest.Eventually(t, "it is noted", func() bool { return strings.Contains(audited(t, g), `"verb":"leave"`) })
		}, []string{"leave ok"}},
		{"a page that comes back", func() { page.join(g) }, []string{"join ok"}},
	} {
		before := len(auditEntries(t, g))
		x.do()
		var got []string
		gatewaytest.Eventually(t, x.name+" is noted", func() bool {
			got = got[:0]
			for _, e := range auditEntries(t, g)[before:] {
				got = append(got, e.Verb+" "+e.Outcome)
			}
			return len(got) >= len(x.want)
		})
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(x.want))) {
			t.Errorf("%s: %q, want %q", x.name, got, x.want)
		}
	}
}

func auditEntries(t *testing.T, g *Gateway) []access.Entry {
	t.Helper()
	return entriesIn(t, audited(t, g))
}

func entriesIn(t *testing.T, log string) (all []access.Entry) {
	t.Helper()
	for line := range strings.Lines(log) {
		var e access.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

const traceID = "0af7651916cd43dd8448eb211c80319c"

// tracedRead returns a request with a traceparent of W3C Trace Context.
func tracedRead(id string) string {
	read := gatewaytest.Modern(id, "resources/read", `"uri":"notes+notes://a"`)
	return strings.Replace(read, `"_meta":{`, `"_meta":{"traceparent":"00-`+traceID+`-b7ad6b7169203331-01",`, 1)
}

// ownedBy authenticates every request as one of owner.
type ownedBy access.Owner

func (o ownedBy) Authenticate(*http.Request) (access.Caller, *access.Challenge) {
	return access.Caller{Principal: "client:test", Owner: access.Owner(o)}, nil
}

// Every entry about a request names the owner of the pages and the trace, whether an
// engine has served the request or not, and in sessions of the classic revisions.
func TestAuditNamesOwnersAndTraces(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	g.core.Gate.Traces, g.core.Gate.Auth = true, ownedBy("alice")
	c := caller(t, g)
	const unknown = `{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"notes+notes://a","_meta":{"traceparent":"00-` + traceID + `-b7ad6b7169203331-01"}}}`
	c.Do(t.Context(), "POST", "/mcp", tracedRead("1"), gatewaytest.V2026, "Mcp-Method: resources/read", "Mcp-Name: notes+notes://a")
	c.Do(t.Context(), "POST", "/mcp", tracedRead("2"), gatewaytest.V2026, "Mcp-Method: tools/list")
	c.Do(t.Context(), "POST", "/mcp", unknown, mcphttp.SessionHeader+": none")
	session := caller(t, g).Begin("/mcp", gatewaytest.Initialize)
	c.Do(t.Context(), "POST", "/mcp", unknown, mcphttp.SessionHeader+": "+session.ID)
	socket := caller(t, g).Wire("/ws", gateway.AssistantProtocol)
	socket.Send(tracedRead("5"))
	socket.Receive()
	reads := 0
	for _, e := range auditEntries(t, g) {
		if e.Verb != "resources/read" {
			continue
		}
		if reads++; e.Owner != "alice" || e.Trace != traceID || e.Principal != "client:test" {
			t.Errorf("%+v", e)
		}
	}
	if reads != 5 {
		t.Errorf("%d reads are recorded", reads)
	}
}
