package server

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/server/internal/testlimit"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// Requests that one page does not answer, however many, reject no request of the same
// assistant for another page or for lists, in both eras and by the generated tools.
func TestSlowPageCostsItselfOnly(t *testing.T) {
	for _, x := range []struct {
		name, method, params string
		classic              bool
	}{
		{"2026-07-28", "resources/read", `"uri":"slow+slow://a"`, false},
		{"a session", "resources/read", `"uri":"slow+slow://a"`, true},
		{"read_resource in a session", "tools/call", `"name":"read_resource","arguments":{"uri":"slow+slow://a"}`, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			g := startGateway(t, Options{State: "/state", disk: newMemDisk(), Origins: []string{testOrigin}})
			joinSlow(t, g)
			mail := newPage(t, testOrigin, "mail")
			mail.app = "mail"
			mail.write("mail://a", "a letter")
			mail.join(g)
			a := &assistant{t: t, g: g}
			if x.classic {
				a.session = openSession(t, g, "/mcp").id
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var rejected atomic.Int32
			var sent sync.WaitGroup
			const extra = 6
			for i := range limits.MaxInFlight + extra {
				sent.Go(func() {
					if body, err := a.request(ctx, "/mcp", 1000+i, x.method, x.params); err == nil && strings.Contains(body, `"busy"`) {
						rejected.Add(1)
					}
				})
			}
			eventually(t, "the requests over the share are rejected", func() bool { return rejected.Load() == extra })
			for i, other := range []struct{ path, method, params, want string }{
				{"/mcp", "resources/read", `"uri":"mail+mail://a"`, "a letter"},
				{"/mcp", "resources/list", ``, "mail+mail://a"},
				{"/mcp", "tools/list", ``, "read_resource"},
				{"/mcp/mail", "resources/read", `"uri":"mail://a"`, "a letter"},
			} {
				if body, err := a.request(t.Context(), other.path, i+1, other.method, other.params); err != nil || !strings.Contains(body, other.want) {
					t.Errorf("%s at %s: %s, %v", other.method, other.path, body, err)
				}
			}
			cancel()
			sent.Wait()
		})
	}
}

// An assistant sends requests in its session at /mcp, and without one elsewhere.
type assistant struct {
	t       *testing.T
	g       *Gateway
	session string
}

func (a *assistant) request(ctx context.Context, path string, id int, method, params string) (body string, err error) {
	body = modern(strconv.Itoa(id), method, params)
	if a.session != "" && path == "/mcp" {
		body = `{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + `,"method":"` + method + `","params":{` + params + `}}`
	}
	r, err := http.NewRequestWithContext(ctx, "POST", strings.TrimSuffix(a.g.URL(), "/mcp")+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+a.g.testToken())
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if a.session != "" && path == "/mcp" {
		r.Header.Set(mcphttp.SessionHeader, a.session)
	} else {
		r.Header.Set("MCP-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", method)
		if method == "resources/read" {
			r.Header.Set("Mcp-Name", strings.Split(params, `"`)[3])
		}
	}
	answer, err := testlimit.Client.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	return string(data), err
}

// joinSlow joins the page slow, which never answers reads of slow://a.
func joinSlow(t *testing.T, g *Gateway) {
	t.Helper()
	slow := newPage(t, testOrigin, "slow")
	slow.app = "slow"
	err := slow.table.Put(engine.Entry{
		Resource: engine.Resource{URI: "slow://a", Name: "a", Size: -1},
		Read: func(ctx context.Context, _ string) ([]engine.Contents, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	slow.join(g)
}
