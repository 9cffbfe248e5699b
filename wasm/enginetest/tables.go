package enginetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
)

// ToolOf puts a tool into a table.
func ToolOf(t *testing.T, table *engine.Table, name string, call func(ctx context.Context, arguments []byte) ([]byte, error)) {
	t.Helper()
	parsed, err := engine.Tools.Parse([]byte(`{"name":"` + name + `","inputSchema":{"type":"object"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Put(engine.Entry{Kind: engine.Tools, JSON: parsed.JSON, Call: call}); err != nil {
		t.Fatal(err)
	}
}

// NotesOf returns a Table with a tool, a prompt and a template for each name.
func NotesOf(t *testing.T, names ...string) *engine.Table {
	table := engine.NewTable()
	for _, name := range names {
		quoted := `"` + name + `"`
		err := table.Put(engine.Entry{
			Kind: engine.Tools, JSON: []byte(`{"name":` + quoted + `,"inputSchema":{"type":"object"}}`),
			Call: func(context.Context, []byte) ([]byte, error) { return []byte(`{"content":[]}`), nil },
		})
		if err == nil {
			err = table.Put(engine.Entry{
				Kind: engine.Prompts, JSON: []byte(`{"name":` + quoted + `,"arguments":[{"name":"a"}]}`),
				Call: func(context.Context, []byte) ([]byte, error) { return []byte(`{"messages":[]}`), nil },
				Complete: func(context.Context, engine.CompletionRequest) (engine.Completion, error) {
					return engine.Completion{Values: []string{"value of " + name}}, nil
				},
			})
		}
		if err == nil {
			err = table.Put(engine.Entry{
				Kind: engine.Templates, JSON: engine.Describe("uriTemplate", name+":{a}", "name", name),
				Expand: func(_ context.Context, uri string, _ []byte) ([]engine.Contents, error) {
					return []engine.Contents{{URI: uri, Text: name}}, nil
				},
				Complete: func(context.Context, engine.CompletionRequest) (engine.Completion, error) {
					return engine.Completion{Values: []string{"value of " + name}}, nil
				},
			})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return table
}

// SkillEntry returns the entry of a skill with one file.
func SkillEntry(name string) string {
	return fmt.Sprintf(`{"uri":"skill://%[1]s/SKILL.md","frontmatter":{"name":"%[1]s","description":"About %[1]s"},"resources":[{"uri":"skill://%[1]s/SKILL.md","digest":"sha256:%064[2]d","size":7}]}`, name, 0)
}

// TableOfSkills returns a Table with n skills: s0, s1 and so on.
func TableOfSkills(t *testing.T, n int) *engine.Table {
	t.Helper()
	table := engine.NewTable()
	for i := range n {
		entry := []byte(SkillEntry(fmt.Sprintf("s%d", i)))
		if err := table.Put(engine.Entry{Kind: skill.Kind, JSON: entry}); err != nil {
			t.Fatal(err)
		}
	}
	return table
}
