package remote_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Whatever a page answers and sends: the gateway's client gets an answer for each
// request, all of it JSON, the other page's entries are in the list, and what is
// kept of the page is bounded. The input is a list of lines: what the page answers
// to its requests, in turn ("result" or "error" and behind), or, if it begins with
// {, a whole message that it sends before.
func FuzzRemote(f *testing.F) {
	for _, seed := range []string{
		`"result":{"resultType":"complete","resources":[{"uri":"a:1","name":"one"}]}`,
		`"result":{"resultType":"complete","contents":[{"uri":"a:1","text":"x"}]}`,
		`"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"requestState":"x"}`,
		`"error":{"code":-32602,"message":"x","data":{"uri":"a:1"}}` + "\n" + `"error":{"code":-32022,"message":"x"}`,
		`"result":{"completion":{"values":["a"],"total":-1}}`,
		`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2},"uri":"a:1"}}`,
		`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2},"notifications":{"resourceSubscriptions":["a:1"]}}}`,
		`{"jsonrpc":"2.0","id":2,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}` + "\n" + `"result":{"content":[]}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"_meta":{"io.github.pagemcp/request":3},"level":"error","data":1}}`,
		`"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}],"nextCursor":"x"}`,
		`"result":7`, `"result":null`, `"result":[]`, ``, `"error":{}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 4000 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			lines := bytes.Split(script, []byte("\n"))
			at := 0
			g := newGathering(t)
			var p *scriptedPage
			p = g.page("bad", func(msg jsonrpc.Message) string {
				for range len(lines) {
					line := string(lines[at%len(lines)])
					at++
					if len(line) == 0 || line[0] != '{' {
						return line
					}
					p.port.Write(context.Background(), []byte(line)) // ends with the port
				}
				return ""
			})
			g.page("zlast", listsOf(nil))
			d := g.client()
			d.Say(`{"jsonrpc":"2.0","id":"listen","method":"subscriptions/listen","params":{` + enginetest.ModernMeta + `,"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["bad+a:1"]}}}`)
			const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{},"elicitation":{}},"io.modelcontextprotocol/logLevel":"debug","progressToken":"p"}`
			for i, request := range [][2]string{
				{"resources/list", ""}, {"resources/templates/list", ""}, {"prompts/list", ""}, {"tools/list", ""},
				{"resources/read", `,"uri":"bad+a:1"`}, {"prompts/get", `,"name":"bad__p"`}, {"tools/call", `,"name":"bad__t"`},
				{"completion/complete", `,"ref":{"type":"ref/prompt","name":"bad__p"},"argument":{"name":"a","value":""}`},
			} {
				got := []byte(d.Request(request[0], meta+request[1]))
				if !json.Valid(got) {
					t.Errorf("%s is answered by %s", request[0], got)
				}
				if isList := i < 4; isList && !bytes.Contains(got, []byte("zlast")) && !bytes.Contains(got, []byte("nextCursor")) {
					t.Errorf("%s without the other page: %s", request[0], got)
				}
			}
			if kept := remote.ListBytes(g.remotes[0]); kept > 16<<20 {
				t.Errorf("%d bytes are kept", kept)
			}
			time.Sleep(time.Minute)
			enginetest.NewDialogue(t, g.engine).Alive("the page")
			g.end()
		})
	})
}
