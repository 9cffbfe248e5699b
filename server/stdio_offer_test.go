package server

import (
	"strings"
	"testing"
)

// An assistant on standard streams has all features of the gateway, in both eras on one
// stream: tools and prompts of pages, generated tools, requests to the client, log
// messages, extensions. R-096 R-336 R-350 R-361.
func TestStdioOffersWhatTheGatewayDoes(t *testing.T) {
	state := t.TempDir()
	g := startGateway(t, Options{State: state, Logging: true})
	page := newConformancePage(t)
	page.join(g)
	newPage(t, testOrigin, "other").extending(`{"level":7}`).join(g)
	p := startStdio(t, StdioOptions{Gateway: Options{State: state, Logging: true}})

	if got := p.ask(modern("1", "server/discover", "")); !strings.Contains(got, `"com.acme/ext":{"level":7}`) || !strings.Contains(got, `"completions"`) {
		t.Errorf("discover: %s", got)
	}
	if got := p.ask(modern("2", "acme/x", `"a":[2]`)); !strings.Contains(got, `"id":2,"result"`) || !strings.Contains(got, `"a":[2]`) {
		t.Errorf("an extension's method: %s", got)
	}
	if got := p.ask(modern("3", "tools/call", `"name":"read_resource","arguments":{"uri":"conformance+test://static-text"}`)); !strings.Contains(got, "static text resource") {
		t.Errorf("a generated tool: %s", got)
	}
	if got := p.ask(modern("4", "tools/call", `"name":"conformance.test_input_required_result_elicitation"`)); !strings.Contains(got, "-32021") || !strings.Contains(got, `"elicitation"`) {
		t.Errorf("a client that cannot be asked: %s", got)
	}

	p.ask(strings.Replace(initialize, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1))
	if _, err := p.in.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")); err != nil {
		t.Fatal(err)
	}
	question := p.ask(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"conformance.test_elicitation","arguments":{"message":"Who?"}}}`)
	if !strings.Contains(question, "elicitation/create") || !strings.Contains(question, "Who?") {
		t.Fatalf("the question: %s", question)
	}
	got := p.ask(`{"jsonrpc":"2.0","id":` + idOf(question) + `,"result":{"action":"accept","content":{"username":"Ann","email":"a@b.example"}}}`)
	if !strings.Contains(got, `"id":5,"result"`) || !strings.Contains(got, "Ann") {
		t.Errorf("the result: %s", got)
	}
	got = p.ask(`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"conformance.test_tool_with_logging"}}`)
	for _, want := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if !strings.Contains(got, "notifications/message") || !strings.Contains(got, want) {
			t.Errorf("logged: %s; want %s", got, want)
		}
		got = receive(t, p.lines)
	}
	if !strings.Contains(got, `"id":6,"result"`) {
		t.Errorf("the result: %s", got)
	}
	p.end()
}
