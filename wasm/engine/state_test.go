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
			i := engine.InvocationOf(ctx)
			inputs, state, err := i.Answers()
			if err != nil {
				return nil, err
			}
			if state != nil && inputs != nil {
				return []byte(`{"content":[{"type":"text","text":"taken"}]}`), nil
			}
			return nil, i.Need([]byte(`{"k":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}`), []byte(`1`))
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
				for used, other := range tuples {
					for _, user := range whos {
						got := enginetest.DialogueOf(t, e, user).Request("tools/call", meta+","+other+`,"inputResponses":{"k":{"action":"accept"}},"requestState":`+string(state))
						if taken, right := strings.Contains(got, "taken"), made == used && maker == user; taken != right {
							t.Errorf("state of %q for %s used by %q for %s: taken %v: %s", maker, params, user, other, taken, got)
						}
					}
				}
			}
		}
	})
}
