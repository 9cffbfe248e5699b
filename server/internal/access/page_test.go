package access

import (
	"fmt"
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
		{"stdio", "tools/call", `"name":"notes.add","arguments":{"uri":"other+x:y"}`, "notes"},
		{"/mcp", "tools/call", `"name":"read_resource","arguments":{"uri":"notes+x:y"}`, "notes"},
		{"/mcp", "tools/call", `"name":"read_resource","arguments":{"uri":7}`, ""},
		{"/mcp", "prompts/get", `"name":"notes.plan"`, "notes"},
		{"/mcp", "tools/call", `"name":"wait_for_change","arguments":{"uris":["notes+x:y","mail+x:y"]}`, "notes"},
		{"/mcp", "tools/call", `"name":"wait_for_change","arguments":{"uris":[]}`, ""},
		{"/mcp", "tools/call", `"name":"wait_for_change","arguments":{"uris":[7]}`, ""},
		{"/mcp", "completion/complete", `"ref":{"type":"ref/prompt","name":"notes.plan"},"argument":{"name":"a","value":""}`, "notes"},
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

// A page whose requests stay unanswered uses up its own share; an assistant with many such
// pages has some requests left for each other page.
func TestSharesArePerPage(t *testing.T) {
	l := NewAllowances(Rates{Requests: 8})
	fill := func(page string) (n int, release func()) {
		for {
			leave, over := l.Acquire(Client{Principal: "token", Page: page}, "a", UseRequest)
			if over != nil {
				return n, release
			}
			n, release = n+1, leave
		}
	}
	for _, x := range []struct {
		page string
		want int
	}{{"one", 8}, {"two", 8}, {"", 8}, {"three", 8}, {"four", 4}, {"five", 4}, {"one", 0}} {
		if n, _ := fill(x.page); n != x.want {
			t.Errorf("page %q: %d requests in flight, want %d", x.page, n, x.want)
		}
	}
	_, release := fill("six")
	release()
	if n, _ := fill("six"); n != 1 {
		t.Errorf("after the end of one: %d more", n)
	}
}

// When all shares together are used up, a page that has limits.MinInFlight gets no more. Names
// of pages are the client's: those without requests are not remembered.
func TestSharesAreForgotten(t *testing.T) {
	l := NewAllowances(Rates{Requests: 8})
	take := func(page string, n int) (releases []func()) {
		for range n {
			if release, over := l.Acquire(Client{Principal: "token", Page: page}, "a", UseRequest); over == nil {
				releases = append(releases, release)
			}
		}
		return releases
	}
	for _, x := range []struct {
		page    string
		n, want int
	}{{"one", 8, 8}, {"two", 8, 8}, {"three", 8, 8}, {"four", 4, 4}, {"five", 4, 4}, {"four", 1, 0}} {
		if got := len(take(x.page, x.n)); got != x.want {
			t.Errorf("page %s: %d more requests, want %d", x.page, got, x.want)
		}
	}
	for i := range 100 {
		for _, release := range take(fmt.Sprint("invented", i), 1) {
			release()
		}
	}
	if got := len(l.of("token").byCaller["a"].byPage); got != 5 {
		t.Errorf("%d pages are remembered", got)
	}
}
