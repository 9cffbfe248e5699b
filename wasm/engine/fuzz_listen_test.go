package engine_test

import (
	"bytes"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

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
			d := enginetest.NewDialogue(t, e)
			d.Send("subscriptions/listen", enginetest.ModernMeta+`,"notifications":`+string(filter))
			first := []byte(d.Next("the acknowledgement or an error"))
			if jsonrpc.Member(first, "error") == nil {
				honoured := jsonrpc.Member(jsonrpc.Member(jsonrpc.Member(first, "params"), "notifications"), "resourceSubscriptions")
				uris, _ := jsonrpc.Elements(honoured)
				for _, element := range uris {
					if !bytes.Contains(filter, element) && !bytes.Contains(filter, []byte(`\`)) {
						t.Errorf("%s acknowledged, but not requested in %s", element, filter)
					}
					uri, _ := jsonrpc.Text(element)
					table.Changed(uri)
					if got := d.Next("an update"); !bytes.Contains([]byte(got), element) {
						t.Errorf("after a change of %s: %s", element, got)
					}
				}
			}
			d.Alive(fmt.Sprintf("the filter %s", filter))
			d.Port.Close()
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
