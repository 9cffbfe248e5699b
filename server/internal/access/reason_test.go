package access_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A decidingSource fails with the reason that its URIs and names end with, after "why:".
type decidingSource struct{}

func failWith(name string) error {
	if _, reason, ok := strings.Cut(name, "why:"); ok {
		data := jsonrpc.AppendString([]byte(`{"origin":"page","reason":`), reason)
		return &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "no", Data: append(data, '}')}
	}
	return engine.ErrNotFound
}

func (decidingSource) List(context.Context, engine.Kind, string) (engine.Listing, error) {
	return engine.Listing{}, nil
}

func (decidingSource) Read(ctx context.Context, uri string) ([]engine.Contents, error) {
	switch {
	case strings.HasSuffix(uri, "slow"):
		<-ctx.Done()
		return nil, ctx.Err()
	case strings.Contains(uri, "why:"):
		return nil, failWith(uri)
	}
	return []engine.Contents{{URI: uri, Text: "secret"}}, nil
}

func (decidingSource) CallTool(_ context.Context, name string, _ []byte) ([]byte, error) {
	if name == "notes__add" || name == "add" || name == "read_resource" {
		return []byte(`{"content":[]}`), nil
	}
	return nil, failWith(name)
}

// testRights are of the principals "reader", which may only read, "noter", which has the page
// notes alone, and "gone", which was revoked.
type testRights struct{ generates *engine.Engine }

func (testRights) HasEnded(principal string) bool    { return principal == "gone" }
func (testRights) MayOnlyRead(principal string) bool { return principal == "reader" }
func (testRights) Denies(c access.Client, _ engine.Verb, uri string) bool {
	return c.Principal == "noter" && !strings.Contains(uri, "notes")
}
func (r testRights) IsGenerated(e *engine.Engine, tool string) bool {
	return tool == "read_resource" && e == r.generates
}

// Each request is one entry with the right that it needs, the app that it is for, and why it
// was denied: by the gateway, or in the page, of whose reasons a few words alone are copied.
func TestEntriesSayRightAppAndReason(t *testing.T) {
	read := func(uri string) string { return `"uri":"` + uri + `"` }
	tool := func(name string) string { return `"name":"` + name + `","arguments":{}` }
	for _, x := range []struct {
		principal, endpoint, method, params string
		uri, app, right, outcome, reason    string
	}{
		{"claude", "/mcp", "server/discover", "", "", "", "", "ok", ""},
		{"claude", "/mcp", "resources/list", "", "", "", "read", "ok", ""},
		{"claude", "/mcp", "tools/list", "", "", "", "read", "ok", ""},
		{"claude", "/mcp/notes", "prompts/list", "", "", "notes", "read", "ok", ""},
		{"claude", "/mcp", "resources/read", read("notes+x:1"), "notes+x:1", "notes", "read", "ok", ""},
		{"claude", "stdio", "resources/read", read("notes+x:1"), "notes+x:1", "notes", "read", "ok", ""},
		{"claude", "/mcp/mail", "resources/read", read("x:1"), "x:1", "mail", "read", "ok", ""},
		{"claude", "/mcp", "tools/call", tool("notes__add"), "notes__add", "notes", "act", "ok", ""},
		{"claude", "/mcp/notes", "tools/call", tool("add"), "add", "notes", "act", "ok", ""},
		{"claude", "/mcp", "tools/call", `"name":"read_resource","arguments":{"uri":"notes+x:1"}`, "read_resource", "notes", "", "ok", ""},
		{"claude", "/mcp/notes", "tools/call", tool("read_resource"), "read_resource", "notes", "act", "ok", ""},
		{"claude", "/mcp", "completion/complete", `"ref":{"type":"ref/prompt","name":"notes__ask"},"argument":{"name":"a","value":""}`, "notes__ask", "notes", "read", "-32602", ""},
		{"claude", "/mcp", "completion/complete", `"ref":{"type":"ref/resource","uri":"notes+x:{a}"},"argument":{"name":"a","value":""}`, "notes+x:{a}", "notes", "read", "-32602", ""},
		{"claude", "/mcp", "acme/x", "", "", "", "act", "-32601", ""},

		{"claude", "/mcp", "resources/read", read("notes+why:declined"), "notes+why:declined", "notes", "read", "-32603", "declined"},
		{"claude", "/mcp", "resources/read", read("notes+why:paused"), "notes+why:paused", "notes", "read", "-32603", "paused"},
		{"claude", "/mcp", "resources/read", read("notes+why:unanswered"), "notes+why:unanswered", "notes", "read", "-32603", "unanswered"},
		{"claude", "/mcp", "resources/read", read("notes+why:policy"), "notes+why:policy", "notes", "read", "-32603", "policy"},
		{"claude", "/mcp", "resources/read", read("notes+why:revoked"), "notes+why:revoked", "notes", "read", "-32603", "revoked"},
		{"claude", "/mcp", "tools/call", tool("notes.why:declined"), "notes.why:declined", "notes", "act", "-32603", "declined"},
		{"claude", "/mcp", "resources/read", read("notes+why:page-away"), "notes+why:page-away", "notes", "read", "-32603", ""},
		{"claude", "/mcp", "resources/read", read("notes+why:rights"), "notes+why:rights", "notes", "read", "-32603", ""},
		{"claude", "/mcp", "resources/read", read("notes+why:The+user+said+no"), "notes+why:The+user+said+no", "notes", "read", "-32603", ""},

		{"reader", "/mcp", "tools/call", tool("notes.why:read-only"), "notes.why:read-only", "notes", "act", "-32603", "rights"},
		{"claude", "/mcp", "tools/call", tool("notes.why:read-only"), "notes.why:read-only", "notes", "act", "-32603", ""},
		{"noter", "/mcp", "resources/read", read("mail+why:declined"), "mail+why:declined", "mail", "read", "-32603", "declined"},
		{"noter", "/mcp", "resources/read", read("mail+why:other"), "mail+why:other", "mail", "read", "-32603", "rights"},
		{"noter", "/mcp", "tools/call", tool("mail__none"), "mail__none", "mail", "act", "-32602", "rights"},
		{"noter", "/mcp", "tools/call", tool("notes__none"), "notes__none", "notes", "act", "-32602", ""},
		{"noter", "/mcp", "completion/complete", `"ref":{"type":"ref/prompt","name":"mail__ask"},"argument":{"name":"a","value":""}`, "mail__ask", "mail", "read", "-32602", "rights"},
		{"noter", "/mcp", "acme/x", "", "", "", "act", "-32601", ""},
		{"gone", "/mcp", "resources/read", read("notes+why:other"), "notes+why:other", "notes", "read", "-32603", "revoked"},
	} {
		gate, audit := newGate("", 0)
		e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{Tools: true, Prompts: true, Completions: true})
		rights := testRights{}
		if x.endpoint == "/mcp" {
			rights.generates = e
		}
		gate.Rights = rights
		unmount := e.Mount("", decidingSource{})
		d := gate.Direct(t.Context(), e, access.Client{Principal: x.principal, Endpoint: x.endpoint})
		msg := []byte(modern("1", x.method, x.params))
		d.Send(d.Examine(msg), msg, d.Outbox())
		answered, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if _, err := d.Next(answered, d.Outbox()); err != nil {
			t.Fatalf("%s {%s}: %v", x.method, x.params, err)
		}
		cancel()
		d.Close()
		unmount()
		got, entries := access.Entry{}, audit.all()
		if len(entries) == 1 {
			got = entries[0]
		}
		if got.URI != x.uri || got.App != x.app || got.Right != x.right || got.Outcome != x.outcome || got.Reason != x.reason {
			t.Errorf("%s at %s: %s {%s}: %d entries, %+v", x.principal, x.endpoint, x.method, x.params, len(entries), got)
		}
	}
}

// A request that ends without a response says whether that is since the access has ended.
func TestEntriesOfEndedRequestsSayWhy(t *testing.T) {
	for principal, want := range map[string]string{"claude": "", "noter": "", "gone": "revoked"} {
		synctest.Test(t, func(t *testing.T) {
			gate, audit := newGate("", 0)
			gate.Rights = testRights{}
			e := newEngine()
			defer e.Mount("", decidingSource{})()
			d := gate.Direct(t.Context(), e, access.Client{Principal: principal, Endpoint: "/mcp"})
			for id, request := range map[string]string{"1": `"uri":"notes+x:slow"`, "2": `"uri":"mail+x:slow"`} {
				msg := []byte(modern(id, engine.MethodReadResource, request))
				go d.Send(d.Examine(msg), msg, d.Outbox())
			}
			synctest.Wait()
			cancel := []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"the user\u202e went on"}}`)
			d.Send(d.Examine(cancel), cancel, d.Outbox())
			d.Close()
			synctest.Wait()
			entries := audit.all()
			if len(entries) != 2 {
				t.Fatalf("%+v", entries)
			}
			if notes := entries[0].Note + entries[1].Note; notes != "the user went on" {
				t.Errorf("the reasons of the client are %q", notes)
			}
			for _, e := range entries {
				if e.Outcome != "cancelled" || e.Reason != want || e.Right != "read" || e.App == "" {
					t.Errorf("%s: %+v", principal, e)
				}
			}
		})
	}
}

// A request over the rate says so. TestPauseRejectsEveryMethodOfPages has the pause.
func TestEntriesOverTheRateSayWhy(t *testing.T) {
	gate, audit := newGate("callsPerSecond", 1e-9)
	e := newEngine()
	defer e.Mount("", decidingSource{})()
	d := gate.Direct(t.Context(), e, access.Client{Principal: "claude", Endpoint: "/mcp"})
	for id := range 20 {
		msg := []byte(modern(strconv.Itoa(id), engine.MethodCallTool, `"name":"notes__add","arguments":{}`))
		d.Send(d.Examine(msg), msg, d.Outbox())
		if _, err := d.Next(t.Context(), d.Outbox()); err != nil {
			t.Fatal(err)
		}
	}
	entries := audit.all()
	limited := entries[len(entries)-1]
	if limited.Outcome != "busy" || limited.Reason != access.ReasonRate || limited.Right != access.RightAct || limited.App != "notes" {
		t.Errorf("over the rate: %+v", limited)
	}
	d.Close()
}
