package access

import (
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

func TestPageConcerned(t *testing.T) {
	e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{Tools: true, Prompts: true, Completions: true})
	for _, x := range []struct{ endpoint, method, params, want string }{
		{"/mcp", "resources/read", `"uri":"notes+idb:///a.b"`, "notes"},
		{"/mcp", "resources/read", `"uri":"a.b"`, ""},
		{"/mcp", "resources/read", `"uri":"No name+x:y"`, ""},
		{"/ws", "resources/subscribe", `"uri":"notes-2+x:y"`, "notes-2"},
		{"stdio", "tools/call", `"name":"notes__add","arguments":{"uri":"other+x:y"}`, "notes"},
		{"/mcp", "tools/call", `"name":"read_resource","arguments":{"uri":"notes+x:y"}`, "notes"},
		{"/mcp", "tools/call", `"name":"read_resource","arguments":{"uri":7}`, ""},
		{"/mcp", "prompts/get", `"name":"notes__plan"`, "notes"},
		{"/mcp", "tools/call", `"name":"wait_for_change","arguments":{"uris":["notes+x:y","mail+x:y"]}`, "notes"},
		{"/mcp", "tools/call", `"name":"wait_for_change","arguments":{"uris":[]}`, ""},
		{"/mcp", "tools/call", `"name":"wait_for_change","arguments":{"uris":[7]}`, ""},
		{"/mcp", "completion/complete", `"ref":{"type":"ref/prompt","name":"notes__plan"},"argument":{"name":"a","value":""}`, "notes"},
		{"/mcp", "completion/complete", `"ref":{"type":"ref/resource","uri":"notes+x:{a}"},"argument":{"name":"a","value":""}`, "notes"},
		{"/mcp", "resources/list", ``, ""},
		{"/mcp/mail", "resources/list", ``, "mail"},
		{"/mcp/mail", "resources/read", `"uri":"notes+x:y"`, "mail"},
	} {
		msg := []byte(`{"jsonrpc":"2.0","id":1,"method":"` + x.method + `","params":{` + x.params + `}}`)
		if got := PageConcerned(x.endpoint, e.Examine(msg)); got != x.want {
			t.Errorf("%s at %s, %s: %q, want %q", x.method, x.endpoint, x.params, got, x.want)
		}
	}
}
