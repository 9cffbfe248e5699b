package message

import (
	"bytes"
	"strings"
	"testing"
)

func TestIDOfOversizedMessage(t *testing.T) {
	long := strings.Repeat("x", 5_000)
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"a","params":{"x":"` + long + `"}}`:         `7`,
		`{"method":"a","params":{"x":"` + long + `"},"jsonrpc":"2.0","id":"a-1"}`:     `"a-1"`,
		`{"method":"a","params":{"x":"` + long + `"},"id":12,"jsonrpc":"2.0"}` + "\n": `12`,
		`{"method":"a","params":{"x":"` + long + `","id":5}}`:                         ``,
		`{"method":"a","params":{"id":5,"x":"` + long + `"}}`:                         ``,
		`{"method":"a","params":{"x":"` + long + `,\"id\":5}"}}`:                      ``,
		`{"method":"a","params":{"x":"` + long + `"},"id":1.5}`:                       ``,
		`{"method":"a","params":{"x":"` + long + `"},"id":null}`:                      ``,
		`[{"jsonrpc":"2.0","id":7,"method":"a","params":{"x":"` + long + `"}}]`:       ``,
		long: ``,
	} {
		end := &Tail{}
		for part := range bytes.SplitSeq([]byte(text[2_000:]), []byte("xxxxxxx")) {
			end.Write(part)
			end.Write([]byte("xxxxxxx"))
		}
		end.Bytes = end.Bytes[:len(end.Bytes)-7]
		if got := IDOfParts([]byte(text[:2_000]), end.Bytes); string(got) != want {
			t.Errorf("%.20s…%s: %q, want %q", text, text[len(text)-30:], got, want)
		}
	}
}
