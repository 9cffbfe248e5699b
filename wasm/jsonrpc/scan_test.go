package jsonrpc_test

import (
	"encoding/json"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// In text that Parse has accepted, a Scanner finds what a decoder finds; in any
// other it comes to an end.
func FuzzScanner(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":1,"b":[1,{"c":"]}"}],"\u0063":"\\\"","":null}`, ` { "x" : -1.5e3 , "y" : true } `, `{"a":}`, `{"a"`, `{,}`, `{"a":1,}`, `[`, ``, `{"a":"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		found := map[string]string{}
		refusal := jsonrpc.Members(data, func(name string, value []byte) *jsonrpc.Error {
			found[name] = string(value)
			return nil
		})
		elements, isArray := jsonrpc.Elements(data)
		if _, refused := jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","method":"x","params":{"value":` + string(data) + `}}`)); refused != nil {
			return
		}
		var members map[string]json.RawMessage
		if json.Unmarshal(data, &members) == nil && members != nil {
			if refusal != nil || len(found) != len(members) {
				t.Errorf("%q has members %q, %v", data, found, refusal)
			}
			for name, value := range members {
				if found[name] != string(value) {
					t.Errorf("%q: member %q is %q, want %q", data, name, found[name], value)
				}
			}
		}
		var items []json.RawMessage
		if json.Unmarshal(data, &items) == nil && items != nil {
			if !isArray || len(items) != len(elements) {
				t.Errorf("%q has elements %q", data, elements)
			}
		}
	})
}

func TestStringsEndAtTheFirstQuotationMarkThatIsNotEscaped(t *testing.T) {
	for text, want := range map[string]int{
		``: 0, `"`: 0, `"a`: 0, `"\`: 0, `"\"`: 0, `"\\\"`: 0,
		`""`: 2, `"a"`: 3, `"a" "`: 3, `"\"" "`: 4, `"\\"`: 4, `"\\" \"`: 4, `"a\\\"b" "`: 8, `"\\\\"x"`: 6,
	} {
		if got := jsonrpc.StringLength([]byte(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
