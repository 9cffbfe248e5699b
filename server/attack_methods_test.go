package server

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// attackMethods are requests of all methods, by their params.
var attackMethods = map[string]string{
	"initialize": `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}`, "ping": "", "server/discover": "",
	"resources/list": "", "resources/templates/list": "", "resources/read": `"uri":"notes+a:1"`, "resources/subscribe": `"uri":"notes+a:1"`,
	"resources/unsubscribe": `"uri":"notes+a:1"`, "prompts/list": "", "prompts/get": `"name":"notes__x"`, "tools/list": "", "tools/call": `"name":"notes__works","arguments":{}`,
	"completion/complete": `"ref":{"type":"ref/prompt","name":"notes__x"},"argument":{"name":"a","value":""}`, "logging/setLevel": `"level":"debug"`,
	"subscriptions/listen": `"notifications":{"resourceSubscriptions":["notes+a:1"]}`, "no/such": "", "": "", "notifications/initialized": "",
}

// Every method, on every transport, with every option of the gateway and in both eras,
// with params, without, and with wrong ones, gets a response and does not block others.
func TestNoMethodBlocksATransport(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Options){
		"default": func(*Options) {}, "lenient": func(o *Options) { o.Lenient = true }, "no token": func(o *Options) { o.NoToken = true },
		"no tools": func(o *Options) { o.NoResourceTools, o.Lenient = true, true }, "logging": func(o *Options) { o.Logging, o.Lenient = true, true },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, client, kill := startInMemory(t, newMemDisk(), change, func(o *Options) { o.Limits.ReadsPerSecond, o.Logger = 100_000, nil })
				defer kill()
				tabInMemory(t, g, client, "tab", hostilePage(t))
				post := func(path, session, body string, x http.Header) (status int, answer string) {
					if status, answer = answerInMemory(t, g, client, path, session, body, x); status == 0 {
						t.Fatalf("%s at %s: %s", body, path, answer)
					}
					return status, answer
				}
				dial := func() *socket.Socket {
					return socket.New(socketInMemory(t, client, g.testToken()), limits.MaxAnswer, false)
				}
				alive := func(s *socket.Socket, after string) {
					s.Write(t.Context(), []byte(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`))
					ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
					defer cancel()
					for {
						msg, err := s.Read(ctx)
						if err != nil {
							t.Fatalf("/ws after %s: %v", after, err)
						}
						if h := message.HeadOf(msg); h.Kind == jsonrpc.Response && string(h.ID) == `"alive"` {
							return
						}
					}
				}
				session := beginInMemory(t, g, client)
				fresh, old := dial(), dial()
				old.Write(t.Context(), []byte(initialize))
				for method, params := range attackMethods {
					for _, params := range []string{params, "", `"uri":7,"name":{},"ref":[],"level":0,"notifications":1,"arguments":""`} {
						classic := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`
						newer := modern("1", method, params)
						_, called, _ := strings.Cut(params, `:"`)
						called, _, _ = strings.Cut(called, `"`)
						x := http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method}, "Mcp-Name": {called}}
						for _, path := range []string{"/mcp", "/mcp/notes", "/mcp/none"} {
							post(path, "", newer, x)
							post(path, "", classic, nil)
							post(path, "", newer, nil)
						}
						post("/mcp", session, classic, nil)
						post("/mcp", session, strings.Replace(classic, `"id":1,`, "", 1), nil)
						for _, s := range []*socket.Socket{fresh, old} {
							s.Write(t.Context(), []byte(classic))
							s.Write(t.Context(), []byte(newer))
							alive(s, method)
						}
						if status, body := post("/mcp", "", modern("1", "tools/call", `"name":"notes__works","arguments":{}`),
							http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"notes__works"}}); status != 200 || !strings.Contains(body, `"content":[]`) {
							t.Fatalf("the page after %s {%s}: %d %.200s", method, params, status, body)
						}
						if status, body := post("/mcp", session, `{"jsonrpc":"2.0","id":"alive","method":"ping"}`, nil); status != 200 || !strings.Contains(body, `"result":{}`) {
							t.Fatalf("the session after %s {%s}: %d %.200s", method, params, status, body)
						}
					}
				}
				for _, s := range []*socket.Socket{fresh, old} {
					s.Close()
					<-s.Done()
				}
			})
		})
	}
}
