package server

import (
	"context"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// extend gives a page an extension with the method acme/x, and a skill.
func (p *testPage) extend() {
	p.t.Helper()
	p.engine = engine.New(engine.Info{Name: p.app, Version: "1"}, &engine.Options{
		Extensions: []byte(`{"com.acme/ext":{"level":7}}`),
		Extend:     func(_ context.Context, _ string, params []byte) ([]byte, error) { return params, nil },
	})
	p.engine.Mount("", p.table)
	p.skill()
}

// skill registers a skill.
func (p *testPage) skill() {
	p.t.Helper()
	skill, err := engine.ParseSkill([]byte(`{"uri":"skill://list/SKILL.md","frontmatter":{"name":"list","description":"About lists"},"resources":[` +
		`{"uri":"skill://list/SKILL.md","digest":"sha256:` + strings.Repeat("0", 64) + `","size":1},{"uri":"skill://list/facts.md","digest":"sha256:` + strings.Repeat("1", 64) + `","size":1}]}`))
	p.must(err)
	p.table.PutSkill(skill)
	p.engine.SetSkills(true)
}

// An assistant on standard streams has all features of the gateway, in both eras on one
// stream: tools and prompts of pages, generated tools, requests to the client, log
// messages, extensions, skills. R-096 R-336 R-350 R-361.
func TestStdioOffersWhatTheGatewayDoes(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	g := startGateway(t, Options{State: state, Logging: true})
	page := newConformancePage(t)
	page.join(g)
	other := newPage(t, testOrigin, "other")
	other.extend()
	other.join(g)
	p := startStdio(t, StdioOptions{Gateway: Options{State: state, Logging: true}})

	for _, x := range []struct{ what, method, params, want, alsoWant string }{
		{"discover", "server/discover", "", `"com.acme/ext":{"level":7},"io.modelcontextprotocol/skills":{}`, `"completions"`},
		{"an extension's method", "acme/x", `"a":[2]`, `"id":2,"result"`, `"a":[2]`},
		{"a generated tool", "tools/call", `"name":"read_resource","arguments":{"uri":"conformance+test://static-text"}`, "static text resource", ""},
		{"a client that cannot be asked", "tools/call", `"name":"conformance__test_input_required_result_elicitation"`, "-32021", `"elicitation"`},
		{"skills", "skills/list", "", other.name + "+skill://list/SKILL.md", "ttlMs"},
		{"a skill", "skills/get", `"uri":"` + other.name + `+skill://list/SKILL.md"`, "facts.md", ""},
		{"an unknown skill", "skills/get", `"uri":"` + other.name + `+skill://none/SKILL.md"`, "-32602", ""},
	} {
		if got := p.ask(gatewaytest.Modern("2", x.method, x.params)); !strings.Contains(got, x.want) || !strings.Contains(got, x.alsoWant) {
			t.Errorf("%s: %s", x.what, got)
		}
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
