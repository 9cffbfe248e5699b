package server

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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
		got := headOf(msg)
		m, err := jsonrpc.Parse(msg)
		if err != nil {
			return // no engine says so: that it does not fall is enough
		}
		if got.kind != m.Kind || got.id != m.ID || got.method != m.Method || got.failed != (m.Error != nil) {
			t.Errorf("%q: %+v, but it is %+v", msg, got, m)
		}
	})
}

// Whatever stands in a header: an argument is equal to itself in each way that a
// client may write it, and to nothing that reads otherwise. R-302 R-305.
func FuzzParamHeader(f *testing.F) {
	f.Add("eu", "us", int64(42))
	f.Add("=?base64?SGVsbG8=?=", "Hello", int64(-1))
	f.Add(" é\n", "1e999999999", int64(9007199254740993))
	f.Fuzz(func(t *testing.T, text, header string, number int64) {
		if !utf8.ValidString(text) {
			return
		}
		value := jsonrpc.AppendString(nil, text)
		if !mirrorsArgument("=?base64?"+base64.StdEncoding.EncodeToString([]byte(text))+"?=", value) {
			t.Errorf("%q is not itself in Base64", text)
		}
		if read, ok := decoded(strings.Trim(header, " \t")); mirrorsArgument(header, value) != (ok && read == text) {
			t.Errorf("%q for %q", header, text)
		}
		digits := strconv.AppendInt(nil, number, 10)
		if !mirrorsArgument(string(digits), digits) {
			t.Errorf("%s is not itself", digits)
		}
		if n, err := strconv.ParseInt(header, 10, 64); err == nil && mirrorsArgument(header, digits) != (n == number) {
			t.Errorf("%q for %d", header, number)
		}
		checkArguments(http.Header{"Mcp-Param-Region": {header}}, []byte(text), []byte(header)) // schemas are the page's
	})
}

func mirrorsArgument(header string, value []byte) bool {
	return checkArgument(http.Header{"Mcp-Param-X": {header}}, "Mcp-Param-X", value) == nil
}

// Whatever passes: a frame holds no secret, and is as good JSON as before.
func FuzzWithoutSecrets(f *testing.F) {
	for _, text := range []string{
		`{"result":{"requestState":"s"}}`, `{"\u0072equestState":{"requestState":[1]}}`, `[{"access_token":null},"requestState"]`,
		`{"requestState":`, `"requestState"`, `{"a":"\ud800\u0000","authorization":1e400}`, "",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		got := withoutSecrets(msg)
		var before, after any
		if json.Unmarshal(msg, &before, jsontext.AllowDuplicateNames(true)) != nil {
			return // that it does not fall is enough
		}
		if err := json.Unmarshal(got, &after, jsontext.AllowDuplicateNames(true)); err != nil {
			t.Fatalf("%q became %q: %v", msg, got, err)
		}
		var look func(value any)
		look = func(value any) {
			switch value := value.(type) {
			case []any:
				for _, one := range value {
					look(one)
				}
			case map[string]any:
				for name, one := range value {
					if isSecretMember(name) && one != withheld {
						t.Errorf("%q became %q", msg, got)
					}
					look(one)
				}
			}
		}
		look(after)
	})
}
