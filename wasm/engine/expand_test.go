package engine_test

import (
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// What the public suite (suite_uritemplate_test.go) leaves out: characters beyond ASCII are their bytes, a
// prefix counts characters, and what is no value is refused by name. R-138.
func TestExpand(t *testing.T) {
	for _, test := range []struct{ template, variables, want string }{
		{"notes://tag/{tag}", `{"tag":"grün"}`, "notes://tag/gr%C3%BCn"},
		{"notes://tag/{tag:2}", `{"tag":"üüü"}`, "notes://tag/%C3%BC%C3%BC"},
		{"notes://{+path}", `{"path":"a/ü%2F 100%"}`, "notes://a/%C3%BC%2F%20100%25"},
		{"notes://x{?q*}", `{"q":{"a":"1","b":""}}`, "notes://x?a=1&b="},
		{"notes://x{;n,e,none}", `{"n":1.5,"e":"","none":null}`, "notes://x;n=1.5;e"},
		{"notes://ü/{a}", `{"a":"\ud83d\ude00\u0000"}`, "notes://%C3%BC/%F0%9F%98%80%00"},
	} {
		if got, err := engine.Expand(test.template, []byte(test.variables)); got != test.want || err != nil {
			t.Errorf("%s of %s is %q, %v; want %q", test.template, test.variables, got, err, test.want)
		}
	}
	for _, test := range [][2]string{{"x:{", "{}"}, {"x:{a", "{}"}, {"x:{a}", `{"a":[[1]]}`}, {"x:{a}", "[]"}} {
		if got, err := engine.Expand(test[0], []byte(test[1])); err == nil {
			t.Errorf("%s of %s is %q, want an error", test[0], test[1], got)
		}
	}
}
