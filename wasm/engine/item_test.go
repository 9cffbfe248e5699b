package engine_test

import (
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Members that the engine does not know reach the clients, of each kind: a newer page, or an app, may have them. Those
// with hidden characters are left out, and the entry stays.
func TestUnknownMembersSurvive(t *testing.T) {
	options := engine.Options{Tools: true, Prompts: true, Skills: true}
	e, table := engine.New(engine.Info{Name: "e", Version: "1"}, &options), engine.NewTable()
	e.Mount("p+", table)
	d := enginetest.NewDialogue(t, e)
	const newer = `"newer":{"a":[1,{"b":"ü"}]}`
	for kind, row := range map[engine.Kind][2]string{
		engine.Resources: {`{"name":"n","uri":"a:b",`, `{"uri":"p+a:b","name":"n",`},
		engine.Templates: {`{"name":"n","uriTemplate":"a:{b}",`, `{"uriTemplate":"p+a:{b}","name":"n",`},
		engine.Prompts:   {`{"title":"T","name":"n",`, `{"name":"p__n","title":"T",`},
		engine.Tools:     {`{"inputSchema":{"type":"object"},"name":"n",`, `{"name":"p__n","inputSchema":{"type":"object"},`},
		engine.Skills: {
			`{"frontmatter":{"name":"n","description":"d"},"resources":[{"size":1,"uri":"s://n/SKILL.md"}],"uri":"s://n/SKILL.md",`,
			`{"uri":"p+s://n/SKILL.md","frontmatter":{"name":"n","description":"d"},"resources":[{"size":1,"uri":"p+s://n/SKILL.md"}],`,
		},
	} {
		hidden := `"x\u200b":1,"y":"\u202e",`
		if kind == engine.Skills {
			hidden = "" // ParseSkill refuses it
		}
		entry := engine.Entry{Kind: kind, JSON: []byte(row[0] + hidden + newer + "}"), Call: answersNothing}
		if err := table.Put(entry); err != nil {
			t.Fatal(err)
		}
		got := d.Modern(kind.Method(), "")
		if list := string(jsonrpc.Member(jsonrpc.Member([]byte(got), "result"), kind.Member())); list != "["+row[1]+newer+"}]" {
			t.Errorf("%s: %s", kind.Method(), got)
		}
	}
}

// A prompt without arguments that says so is valid JSON in the revisions whose arguments have no titles.
func TestEmptyArgumentsInOldRevisions(t *testing.T) {
	e, table := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{Prompts: true}), engine.NewTable()
	e.Mount("", table)
	for _, prompt := range []string{`{"name":"none","arguments":[]}`, `{"name":"one","arguments":[{"name":"a","title":"A","required":true}]}`} {
		if err := table.Put(engine.Entry{Kind: engine.Prompts, JSON: []byte(prompt), Call: answersNothing}); err != nil {
			t.Fatal(err)
		}
	}
	d := enginetest.NewDialogue(t, e)
	d.Request("initialize", `"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"c","version":"1"}`)
	const want = `"prompts":[{"name":"none","arguments":[]},{"name":"one","arguments":[{"name":"a","required":true}]}]`
	if got := d.Request("prompts/list", ""); !strings.Contains(got, want) {
		t.Error(got)
	}
}
