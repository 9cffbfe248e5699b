package message

import (
	"testing"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// HeadOf returns the same as parsing the whole message.
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
			return // no engine sends it: it must not panic, only
		}
		if got.Kind != m.Kind || got.ID != m.ID || got.Method != m.Method || got.Failed != (m.Error != nil) {
			t.Errorf("%q: %+v, but it is %+v", msg, got, m)
		}
	})
}
