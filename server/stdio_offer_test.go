package server

import (
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// skill registers a skill.
func (p *testPage) skill() {
	p.t.Helper()
	entry := []byte(`{"uri":"skill://list/SKILL.md","frontmatter":{"name":"list","description":"About lists"},"resources":[` +
		`{"uri":"skill://list/SKILL.md","digest":"sha256:` + strings.Repeat("0", 64) + `","size":1},{"uri":"skill://list/facts.md","digest":"sha256:` + strings.Repeat("1", 64) + `","size":1}]}`)
	_, err := engine.ParseSkill(entry)
	p.must(err)
	p.must(p.table.Put(engine.Entry{Kind: engine.Skills, JSON: entry}))
	p.engine.SetSkills(true)
}

// An assistant on standard streams gets requests to the client and log messages, in both eras on
// one stream. What pages offer is in matrixActs. R-096 R-336.
func TestStdioOffersWhatTheGatewayDoes(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	g := startGateway(t, Options{State: state, Logging: true})
	page := newConformancePage(t)
	page.join(g)
	p := startStdio(t, StdioOptions{State: state})

	if got := p.ask(gatewaytest.Modern("2", "tools/call", `"name":"conformance__test_input_required_result_elicitation"`)); !strings.Contains(got, "-32021") || !strings.Contains(got, `"elicitation"`) {
		t.Errorf("a client that cannot be asked: %s", got)
	}
	p.ask(strings.Replace(gatewaytest.Initialize, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1))
	if _, err := p.in.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")); err != nil {
		t.Fatal(err)
	}
	question := p.ask(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"conformance__test_elicitation","arguments":{"message":"Who?"}}}`)
	if !strings.Contains(question, "elicitation/create") || !strings.Contains(question, "Who?") {
		t.Fatalf("the question: %s", question)
	}
	got := p.ask(`{"jsonrpc":"2.0","id":` + idOf(question) + `,"result":{"action":"accept","content":{"username":"Ann","email":"a@b.example"}}}`)
	if !strings.Contains(got, `"id":5,"result"`) || !strings.Contains(got, "Ann") {
		t.Errorf("the result: %s", got)
	}
	got = p.ask(`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"conformance__test_tool_with_logging"}}`)
	for _, want := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if !strings.Contains(got, "notifications/message") || !strings.Contains(got, want) {
			t.Errorf("logged: %s; want %s", got, want)
		}
		got = gatewaytest.Receive(t, p.lines)
	}
	if !strings.Contains(got, `"id":6,"result"`) {
		t.Errorf("the result: %s", got)
	}
	p.end()
}
