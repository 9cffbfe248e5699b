package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Texts of requests for input, of progress and of log messages are cleaned, and a user is
// sent to https: addresses only.
func TestRequestsForInputAreCleaned(t *testing.T) {
	const dirty = `a\u001b[2J\u202eb\u200b\udb40\udc41c`
	var request []byte
	table := engine.NewTable()
	tool, err := engine.Tools.Parse([]byte(`{"name":"ask","inputSchema":{"type":"object"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Put(engine.Entry{Kind: engine.Tools, JSON: tool.JSON, Call: func(ctx context.Context, _ []byte) ([]byte, error) {
		i := engine.InvocationOf(ctx)
		i.Progress([]byte(`{"progress":1,"total":"` + dirty + `","message":"` + dirty + `"}`))
		i.Log([]byte(`{"level":"error","logger":"` + dirty + `","data":{"` + dirty + `":["` + dirty + `"]}}`))
		return i.Ask(ctx, []byte(`{"key":`+string(request)+`}`))
	}}); err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{Tools: true, Logging: true})
	e.Mount("", table)
	near, far := jsonrpc.Pipe()
	go e.Serve(t.Context(), far) // ends with near
	defer near.Close()
	const params = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","progressToken":1,"io.modelcontextprotocol/logLevel":"error",` +
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}},"name":"ask"}`
	for _, x := range []struct{ name, request, want string }{
		{"a form", `{"method":"elicitation/create","params":{"message":"` + dirty + `","requestedSchema":{"type":"object","properties":{"p":{"type":"string","title":"` + dirty + `"}}}}}`,
			`"params":{"message":"abc","requestedSchema":{"type":"object","properties":{"p":{"type":"string","title":"abc"}}}}`},
		{"a name in a form", `{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"properties":{"` + dirty + `":{}}}}}`, `"reason":"declined"`},
		{"an escaped member", `{"method":"elicitation/create","params":{"mode":"url","message":"m","\u0075rl":"javascript:alert(1)"}}`, `"reason":"declined"`},
		{"https", `{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://bank.example/a?b=c#d"}}`, `"url":"https://bank.example/a?b=c#d"`},
		{"javascript", `{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"javascript:alert(1)"}}`, `"reason":"declined"`},
		{"http", `{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"http://bank.example/"}}`, `"reason":"declined"`},
		{"user information", `{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://bank.example@evil.example/"}}`, `"reason":"declined"`},
		{"no host", `{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https:///a"}}`, `"reason":"declined"`},
		{"a control character", `{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://bank.example/\u0000"}}`, `"reason":"declined"`},
		{"sampling", `{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"` + dirty + `\n"}}],"systemPrompt":"` + dirty + `","maxTokens":1}}`,
			`"params":{"messages":[{"role":"user","content":{"type":"text","text":"abc\n"}}],"systemPrompt":"abc","maxTokens":1}`},
		{"unknown members of a form", `{"method":"elicitation/create","params":{"x":"` + dirty + `","_meta":{"x":1},"task":{"ttl":1},"url":"javascript:alert(1)","messages":[],"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}}`,
			`{"key":{"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}}}`},
		{"unknown members of an address", `{"method":"elicitation/create","params":{"x":1,"requestedSchema":{},"mode":"url","message":"m","url":"https://bank.example/"}}`,
			`{"key":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://bank.example/"}}}`},
		{"all members of sampling", `{"method":"sampling/createMessage","params":{"x":"` + dirty + `","message":"m","_meta":{},"messages":[],"modelPreferences":{},"systemPrompt":"s","includeContext":"none","temperature":1,"maxTokens":1,"stopSequences":[],"metadata":{},"tools":[],"toolChoice":{}}}`,
			`{"key":{"method":"sampling/createMessage","params":{"messages":[],"modelPreferences":{},"systemPrompt":"s","includeContext":"none","temperature":1,"maxTokens":1,"stopSequences":[],"metadata":{},"tools":[],"toolChoice":{}}}}`},
		{"unknown members of roots", `{"method":"roots/list","params":{"x":"` + dirty + `","message":"m"}}`, `{"key":{"method":"roots/list","params":{}}}`},
		{"roots", `{"method":"roots/list"}`, `"inputRequests":{"key":{"method":"roots/list"}}`},
	} {
		request = []byte(x.request)
		if err := near.Write(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`)); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for !strings.Contains(got.String(), `"id":1`) {
			msg, err := near.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got.Write(msg)
		}
		for _, want := range []string{x.want, `"progress":1,"message":"abc"`, `"logger":"abc","data":{"abc":["abc"]}`} {
			if !strings.Contains(got.String(), want) {
				t.Errorf("%s: %s, want %s", x.name, got.String(), want)
			}
		}
	}
}
