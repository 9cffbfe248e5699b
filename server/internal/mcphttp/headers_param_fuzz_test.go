package mcphttp

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A header matches its argument in each encoding that a client may use, and no other
// value. R-302 R-305.
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
		if read, ok := decodeHeader(strings.Trim(header, " \t")); mirrorsArgument(header, value) != (ok && read == text) {
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
