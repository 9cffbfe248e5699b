package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
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
			d.say(`{"jsonrpc":"2.0","id":"listen","method":"subscriptions/listen","params":{` + modernMeta + `,"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["bad+a:1"]}}}`)
			const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{},"elicitation":{}},"io.modelcontextprotocol/logLevel":"debug","progressToken":"p"}`
			for i, request := range [][2]string{
				{"resources/list", ""}, {"resources/templates/list", ""}, {"prompts/list", ""}, {"tools/list", ""},
				{"resources/read", `,"uri":"bad+a:1"`}, {"prompts/get", `,"name":"bad.p"`}, {"tools/call", `,"name":"bad.t"`},
				{"completion/complete", `,"ref":{"type":"ref/prompt","name":"bad.p"},"argument":{"name":"a","value":""}`},
			} {
				got := []byte(d.request(request[0], meta+request[1]))
				if !json.Valid(got) {
					t.Errorf("%s is answered by %s", request[0], got)
				}
				if isList := i < 4; isList && !bytes.Contains(got, []byte("zlast")) && !bytes.Contains(got, []byte("nextCursor")) {
					t.Errorf("%s without the other page: %s", request[0], got)
				}
			}
			if kept := engine.ListBytes(g.remotes[0]); kept > 16<<20 {
				t.Errorf("%d bytes are kept", kept)
			}
			time.Sleep(time.Minute)
			newDialogue(t, g.engine).alive("the page")
			g.end()
		})
	})
}

// Listen filters: what is acknowledged is a part of what was requested, and a
// change of each acknowledged URI arrives.
func FuzzListenFilter(f *testing.F) {
	for _, filter := range []string{
		`{"resourceSubscriptions":["notes://cart"],"resourcesListChanged":true}`, `{"resourceSubscriptions":["notes://cart","notes://cart"]}`,
		`{"resourceSubscriptions":["","prompts","tools"]}`, `{"resourceSubscriptions":[],"unknown":{}}`, `{}`, `[]`, `null`, `{"resourceSubscriptions":{}}`,
		`{"resourcesListChanged":"true"}`, `{"toolsListChanged":true,"promptsListChanged":false}`, `{"resourceSubscriptions":["a b","notes:\u0000","NOTES://cart"]}`,
	} {
		f.Add([]byte(filter), uint8(0))
		f.Add([]byte(filter), uint8(3))
	}
	f.Fuzz(func(t *testing.T, filter []byte, options uint8) {
		if _, refusal := jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":` + string(filter) + `}}`)); refusal != nil || len(filter) > 4000 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			o := fuzzOptions(options)
			table := engine.NewTable()
			e := engine.New(engine.Info{Name: "e", Version: "1"}, &o)
			e.Mount("", table)
			d := newDialogue(t, e)
			d.send("subscriptions/listen", modernMeta+`,"notifications":`+string(filter))
			first := []byte(d.next("the acknowledgement or an error"))
			if jsonrpc.Member(first, "error") == nil {
				honoured := jsonrpc.Member(jsonrpc.Member(jsonrpc.Member(first, "params"), "notifications"), "resourceSubscriptions")
				uris, _ := jsonrpc.Elements(honoured)
				for _, element := range uris {
					if !bytes.Contains(filter, element) && !bytes.Contains(filter, []byte(`\`)) {
						t.Errorf("%s acknowledged, but not requested in %s", element, filter)
					}
					uri, _ := jsonrpc.Text(element)
					table.Changed(uri)
					if got := d.next("an update"); !bytes.Contains([]byte(got), element) {
						t.Errorf("after a change of %s: %s", element, got)
					}
				}
			}
			d.alive(fmt.Sprintf("the filter %s", filter))
			d.port.Close()
			synctest.Wait()
		})
	})
}

// fuzzOptions makes options of the bits of a number.
func fuzzOptions(bits uint8) engine.Options {
	is := func(bit int) bool { return bits>>bit&1 != 0 }
	return engine.Options{
		Lenient: is(0), Tools: !is(1), Prompts: !is(2), Completions: !is(3), Logging: !is(4), NoSubscribe: is(5), NoListChanged: is(6),
		PageSize: 1 + int(bits>>7),
	}
}
