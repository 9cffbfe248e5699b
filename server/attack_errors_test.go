package server

import (
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A page that fails, answers nonsense or does not answer removes only its own entries
// from the lists of all pages. Its error text, which may be a megabyte long, is in no
// list and no log; the caller gets 2,000 characters of it without hidden ones.
func TestFailingPageLosesOnlyItsOwnEntries(t *testing.T) {
	t.Parallel()
	canary := "canary\x1b[31m" + strings.Repeat("\u202e", 1<<18)
	text := string(jsonrpc.AppendString(nil, canary))
	fail := func(h *attackingPage, m jsonrpc.Message, object string) {
		h.buffer = append(append(append(h.buffer[:0], `{"jsonrpc":"2.0","id":`...), m.ID...), `,`+object+`}`...)
		h.conn.Write(t.Context(), 1, h.buffer) // a text frame
	}
	list := func(entry string) func(h *attackingPage, m jsonrpc.Message) {
		return func(h *attackingPage, m jsonrpc.Message) {
			if member := members[m.Method]; member != "" {
				h.result(m, `{"resultType":"complete","ttlMs":0,"cacheScope":"private","`+member+`":[`+entry+`]}`)
				return
			}
			h.result(m, `{"resultType":"complete","`+canary[:6]+`":[`+entry+`]}`)
		}
	}
	for name, answer := range map[string]func(h *attackingPage, m jsonrpc.Message){
		"an error of 1 MiB": func(h *attackingPage, m jsonrpc.Message) { fail(h, m, `"error":{"code":-32603,"message":`+text+`}`) },
		"an error with data": func(h *attackingPage, m jsonrpc.Message) {
			fail(h, m, `"error":{"code":-32602,"message":"x","data":`+text+`}`)
		},
		"an error of another code": func(h *attackingPage, m jsonrpc.Message) { fail(h, m, `"error":{"code":12345,"message":`+text+`}`) },
		"no object":                func(h *attackingPage, m jsonrpc.Message) { fail(h, m, `"result":`+text) },
		"a malformed entry":        list(`{"uri":7,"name":` + text + `}`),
		"a bad icon":               list(`{"uri":"a:1","uriTemplate":"a:{x}","name":"n","inputSchema":{"type":"object"},"icons":[{"src":"javascript:canary"}]}`),
		"a hostile template": func(h *attackingPage, m jsonrpc.Message) {
			entry := ""
			if m.Method == "resources/templates/list" {
				entry = `{"uriTemplate":"{a}{b}{canary:9999}","name":"n"}`
			}
			list(entry)(h, m)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := startGateway(t, Options{})
			honest := newPage(t, testOrigin, "tab")
			honest.write("notes://a", "1")
			honest.join(g)
			joinHostile(t, g, answer)
			c := caller(t, g)
			for method, member := range members {
				start := time.Now()
				response, body := c.Do(t.Context(), "POST", "/mcp", gatewaytest.Modern("1", method, ""), gatewaytest.V2026, "Mcp-Method: "+method)
				if response.StatusCode != 200 || strings.Contains(body, `"error"`) || strings.ContainsAny(body, "\x1b\u202e") || strings.Contains(body, `\u`) || len(body) > 16<<10 ||
					method == "resources/list" && !strings.Contains(body, "notes+notes://a") {
					t.Errorf("%s: %s %.300s", method, response.Status, body)
				}
				t.Logf("%s (%s) took %v", method, member, time.Since(start))
			}
			for _, x := range [][3]string{
				{"resources/read", "evil+a:1", `"uri":"evil+a:1"`}, {"tools/call", "evil__n", `"name":"evil__n","arguments":{}`}, {"prompts/get", "evil__n", `"name":"evil__n"`},
				{"completion/complete", "", `"ref":{"type":"ref/prompt","name":"evil__n"},"argument":{"name":"a","value":""}`},
			} {
				lines := []string{gatewaytest.V2026, "Mcp-Method: " + x[0]}
				if x[1] != "" {
					lines = append(lines, "Mcp-Name: "+x[1])
				}
				_, body := c.Do(t.Context(), "POST", "/mcp", gatewaytest.Modern("1", x[0], x[2]), lines...)
				if strings.ContainsAny(body, "\x1b\u202e") || strings.Contains(body, `\u`) || len(body) > 4<<10 {
					t.Errorf("%s: %d bytes, %.300s", x[0], len(body), body)
				}
			}
			if log := audited(t, g); strings.Contains(log, "canary") {
				t.Errorf("audited: %.500s", log)
			}
		})
	}
}
