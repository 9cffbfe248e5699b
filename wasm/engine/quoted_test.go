package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/plain"
)

// An error message quotes the beginning of a URI, template or name. Defect 25.
func TestErrorsQuoteLongTextInPart(t *testing.T) {
	const most = 300 // bytes of a whole message
	long := strings.Repeat("ü", 4_500)
	uri := "a:" + strings.Repeat("x", 8_000)
	table := engine.NewTable()
	for name, err := range map[string]error{
		"resource, its URI":       table.Put(engine.Entry{JSON: engine.Describe("uri", "a:"+long, "name", "n")}),
		"resource without a name": table.Put(engine.Entry{JSON: engine.Describe("uri", uri)}),
		"template":                table.Put(engine.Entry{Kind: engine.Templates, JSON: engine.Describe("uriTemplate", "a:{"+long, "name", "n")}),
		"template, its scheme":    table.Put(engine.Entry{Kind: engine.Templates, JSON: engine.Describe("uriTemplate", uri[2:]+"{x}", "name", "n")}),
		"template without a name": table.Put(engine.Entry{Kind: engine.Templates, JSON: engine.Describe("uriTemplate", uri+"/{x}")}),
		"tool":                    table.Put(engine.Entry{Kind: engine.Tools, JSON: engine.Describe("name", long)}),
		"prompt":                  table.Put(engine.Entry{Kind: engine.Prompts, JSON: engine.Describe("name", long)}),
	} {
		if err == nil || len(err.Error()) > most || !strings.Contains(err.Error(), "…") {
			t.Errorf("%s: %.400v", name, err)
		}
	}
}

// So do the reports of what a source failed to answer, and answers to clients.
func TestReportsQuoteLongTextInPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reports []string
		options := engine.Options{Tools: true, Prompts: true, Completions: true, Report: func(err error) { reports = append(reports, err.Error()) }}
		long, name := strings.Repeat("x", 7_900), strings.Repeat("n", plain.MaxName)
		e := engine.New(engine.Info{Name: "e", Version: "1"}, &options)
		failure := errors.New("the store is closed")
		table := engine.NewTable()
		fail := func(context.Context, []byte) ([]byte, error) { return nil, failure }
		prompt, err := engine.Prompts.Parse([]byte(`{"name":"p","arguments":[{"name":"` + name + `","required":true}]}`))
		if err != nil {
			t.Fatal(err)
		}
		tool, err := engine.Tools.Parse([]byte(`{"name":"` + name + `","inputSchema":{"type":"object"}}`))
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(
			table.Put(engine.Entry{
				Kind: engine.Templates, JSON: engine.Describe("uriTemplate", "a:"+long+"{x}", "name", "n"),
				Expand: func(context.Context, string, []byte) ([]engine.Contents, error) { return nil, failure },
				Complete: func(context.Context, engine.CompletionRequest) (engine.Completion, error) {
					return engine.Completion{}, failure
				},
			}),
			table.Put(engine.Entry{Kind: engine.Prompts, JSON: prompt.JSON, Call: fail}),
			table.Put(engine.Entry{Kind: engine.Tools, JSON: tool.JSON, Call: fail}),
		)
		if err != nil {
			t.Fatal(err)
		}
		e.Mount("", table)
		d := enginetest.NewDialogue(t, e)
		for _, request := range [][2]string{
			{"resources/read", `"uri":"a:` + long + `1"`},
			{"completion/complete", `"ref":{"type":"ref/resource","uri":"a:` + long + `{x}"},"argument":{"name":"x","value":""}`},
			{"tools/call", `"name":"` + name + `","arguments":{}`},
			{"prompts/get", `"name":"p","arguments":{}`},
		} {
			reports = nil
			answer := d.Modern(request[0], request[1])
			if !strings.Contains(answer, `"error"`) || len(answer) > 500 {
				t.Errorf("%s is answered %.400s", request[0], answer)
			}
			if request[0] != "prompts/get" && (len(reports) != 1 || len(reports[0]) > 400 || !strings.Contains(reports[0], "…")) {
				t.Errorf("%s is reported as %.800q", request[0], reports)
			}
		}
	})
}
