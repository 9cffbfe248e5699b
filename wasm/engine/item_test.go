package engine_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Members that the engine does not know reach the clients, of each kind: a newer page, or an app, may have them. Those
// with hidden characters are left out, and the entry stays.
func TestUnknownMembersSurvive(t *testing.T) {
	options := engine.Options{Tools: true, Prompts: true, Extensions: enginetest.Extensions()}
	e, table := engine.New(engine.Info{Name: "e", Version: "1"}, &options), engine.NewTable()
	e.Mount("p+", table)
	d := enginetest.NewDialogue(t, e)
	const newer = `"newer":{"a":[1,{"b":"ü"}]}`
	for kind, row := range map[engine.Kind][2]string{
		engine.Resources: {`{"name":"n","uri":"a:b",`, `{"uri":"p+a:b","name":"n",`},
		engine.Templates: {`{"name":"n","uriTemplate":"a:{b}",`, `{"uriTemplate":"p+a:{b}","name":"n",`},
		engine.Prompts:   {`{"title":"T","name":"n",`, `{"name":"p__n","title":"T",`},
		engine.Tools:     {`{"inputSchema":{"type":"object"},"name":"n",`, `{"name":"p__n","inputSchema":{"type":"object"},`},
		skill.Kind: {
			`{"frontmatter":{"name":"n","description":"d"},"resources":[{"size":1,"uri":"s://n/SKILL.md"}],"uri":"s://n/SKILL.md",`,
			`{"uri":"p+s://n/SKILL.md","frontmatter":{"name":"n","description":"d"},"resources":[{"size":1,"uri":"p+s://n/SKILL.md"}],`,
		},
	} {
		hidden := `"x\u200b":1,"y":"\u202e",`
		if kind == skill.Kind {
			hidden = "" // gateways refuse it
		}
		entry := engine.Entry{Kind: kind, JSON: []byte(row[0] + hidden + newer + "}"), Call: answersNothing}
		if err := table.Put(entry); err != nil {
			t.Fatal(err)
		}
		got := d.Modern(kind.Method, "")
		if list := string(jsonrpc.Member(jsonrpc.Member([]byte(got), "result"), kind.Member)); list != "["+row[1]+newer+"}]" {
			t.Errorf("%s: %s", kind.Method, got)
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

// What Parse returns is JSON with the key first, and what a second engine makes of it is the same: it is compared by its
// bytes.
func FuzzItems(f *testing.F) {
	f.Add(uint8(0), `{"uri":"a:b","name":"n\u200b","title":"","mimeType":"text/plain","size":0,"annotations":{"priority":1},"x":[1]}`)
	f.Add(uint8(1), `{"name":"\u200b","uriTemplate":"a:{b}","icons":[{"src":"https://a.example/"}],"_meta":{}}`)
	f.Add(uint8(2), `{"name":"n","title":"a\u202eb","arguments":[{"name":"a","description":"x\u0000"}]}`)
	f.Add(uint8(3), `{"inputSchema":{"type":"object","t\u0069tle":"\u202e"},"name":"n","outputSchema":{}}`)
	f.Add(uint8(4), `{"uri":"s://n/SKILL.md","frontmatter":{"name":"n"},"resources":"dynamic"}`)
	f.Fuzz(func(t *testing.T, kind uint8, text string) {
		k := [...]engine.Kind{engine.Resources, engine.Templates, engine.Prompts, engine.Tools, skill.Kind}[kind%5]
		if !jsontext.Value(text).IsValid() {
			return // it is valid wherever it comes from
		}
		item, err := k.Parse([]byte(text))
		if err != nil {
			return
		}
		again, err := k.Parse(item.JSON)
		if err != nil || again.Key != item.Key || string(again.JSON) != string(item.JSON) {
			t.Errorf("%s becomes\n%s, and that\n%s, %v", text, item.JSON, again.JSON, err)
		}
		if s := jsonrpc.Scan(item.JSON); !jsontext.Value(item.JSON).IsValid() || !s.Next() {
			t.Errorf("%s becomes %s", text, item.JSON)
		} else if key, _ := jsonrpc.Text(s.Value); key != item.Key {
			t.Errorf("%s does not begin with its key %q", item.JSON, item.Key)
		}
	})
}

// An entry that is nested deeply makes no list that a peer refuses whole.
func TestEntriesFitIntoAMessage(t *testing.T) {
	nested := func(levels int) string {
		return `{"name":"deep","inputSchema":{"type":"object","x":` + strings.Repeat("[", levels-2) + strings.Repeat("]", levels-2) + `}}`
	}
	e, table := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{Tools: true}), engine.NewTable()
	e.Mount("", table)
	put := func(levels int) error {
		return table.Put(engine.Entry{Kind: engine.Tools, JSON: []byte(nested(levels)), Call: answersNothing})
	}
	if err := put(jsonrpc.MaxDepth - 8); err != nil {
		t.Error(err)
	}
	if _, refusal := jsonrpc.Parse([]byte(enginetest.NewDialogue(t, e).Modern("tools/list", ""))); refusal != nil {
		t.Error(refusal)
	}
	if err := put(jsonrpc.MaxDepth - 7); err == nil || !strings.Contains(err.Error(), "nested deeper") {
		t.Errorf("an entry that no list can have: %v", err)
	}
}
