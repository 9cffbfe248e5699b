package message

import (
	"testing"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// The quick look at an engine's message says the same as reading all of it.
func FuzzHead(f *testing.F) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":"a\"b","error":{"code":1,"message":""}}`,
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{}}`, `{"jsonrpc":"2.0","method":"a"}`, `{"jsonrpc":"2.0","id":,"result":1}`, `{"jsonrpc":"2.0","id":"`, "",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		got := HeadOf(msg)
		m, err := jsonrpc.Parse(msg)
		if err != nil {
			return // no engine says so: that it does not fall is enough
		}
		if got.Kind != m.Kind || got.ID != m.ID || got.Method != m.Method || got.Failed != (m.Error != nil) {
			t.Errorf("%q: %+v, but it is %+v", msg, got, m)
		}
	})
}
