package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// requestState belongs to one request: its method, name, URI, arguments and
// principal. However the same characters are divided between these, it is refused.
func TestRequestStateBelongsToOneTuple(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := engine.NewTable()
		ask := func(ctx context.Context, _ []byte) ([]byte, error) {
			_, err := engine.InvocationOf(ctx).Ask(ctx, []byte(`{"k":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}`))
			return []byte(`{"content":[{"type":"text","text":"taken"}]}`), err
		}
		const all = "abc"
		for end := 1; end <= len(all); end++ {
			err := table.Put(engine.Entry{
				Kind: engine.Tools, JSON: []byte(`{"name":"` + all[:end] + `","inputSchema":{"type":"object"}}`), Call: ask,
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{Tools: true})
		e.Mount("", table)
		const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
		var tuples []string // the params of each way to divide abc between name, uri and a member of arguments
		for i := 1; i <= len(all); i++ {
			for j := i; j <= len(all); j++ {
				tuples = append(tuples, fmt.Sprintf(`"name":"%s","uri":"%s","arguments":{"%s":0}`, all[:i], all[i:j], all[j:]))
			}
		}
		whos := []engine.Principal{"", "a", "ab"}
		for made, params := range tuples {
			for _, maker := range whos {
				d := enginetest.DialogueOf(t, e, maker)
				first := d.Request("tools/call", meta+","+params)
				state := jsonrpc.Member(jsonrpc.Member([]byte(first), "result"), "requestState")
				if state == nil {
					t.Fatalf("%s: %s", params, first)
				}
				use := func(user engine.Principal, params string) bool {
					got := enginetest.DialogueOf(t, e, user).Request("tools/call", meta+","+params+`,"inputResponses":{"k":{"action":"accept"}},"requestState":`+string(state))
					return strings.Contains(got, "taken")
				}
				for used, other := range tuples {
					for _, user := range whos {
						if (made != used || maker != user) && use(user, other) {
							t.Errorf("state of %q for %s is taken from %q for %s", maker, params, user, other)
						}
					}
				}
				if !use(maker, params) {
					t.Errorf("state of %q for %s is refused", maker, params)
				}
			}
		}
	})
}
