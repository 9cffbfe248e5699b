package gateway

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A model gets what fits its context: a long text in parts that join to the whole, bytes of a text
// as text, images that APIs take, and of the rest no bytes. resources/read has all of it.
func TestReadResourceFitsAModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		page := newPage(t, "notes")
		long := strings.Repeat("äö😀x", 25_000) // 100,000 characters
		put := func(uri, mimeType, text string, blob []byte) {
			page.must(page.table.Put(engine.Entry{JSON: engine.Describe("uri", uri, "name", "r", "mimeType", mimeType), Read: func(context.Context, string) ([]engine.Contents, error) {
				return []engine.Contents{{URI: uri, MIMEType: mimeType, Text: text, Blob: blob}}, nil
			}}))
		}
		put("notes://long", "text/plain", long, nil)
		put("notes://empty", "text/plain", "", nil)
		put("notes://csv", "text/csv", "", []byte("a,b\n1,ü"))
		put("notes://svg", "image/svg+xml", "", []byte("<svg/>"))
		put("notes://latin", "text/csv", "", []byte("a,\xfc"))
		put("notes://pdf", "application/pdf", "", []byte("%PDF-1.7"))
		put("notes://photo", "image/jpeg", "", make([]byte, 1<<20+1))
		put("notes://tiff", "image/tiff", "", []byte("II*"))
		page.join(g)
		read := func(more string) string {
			_, result := g.call("/mcp", "read_resource", `{"uri":"notes+notes://`+more+`}`)
			if len(result.Content) == 0 || result.Content[0].Text == nil {
				t.Fatalf("%s: %+v", more, result)
			}
			return *result.Content[0].Text
		}
		got := ""
		for offset := 0; offset < 100_000; offset += 40_000 {
			text, _ := g.call("/mcp", "read_resource", fmt.Sprintf(`{"uri":"notes+notes://long","offset":%d}`, offset))
			if next := fmt.Sprintf("offset %d.", offset+40_000); strings.Contains(text, next) != (offset < 80_000) {
				t.Errorf("at %d the text does not say how to go on: …%s", offset, text[len(text)-100:])
			}
			got += read(fmt.Sprintf(`long","offset":%d`, offset))
		}
		if got != long {
			t.Errorf("the parts have %d bytes, the text %d", len(got), len(long))
		}
		for more, want := range map[string]string{
			`long","offset":1,"limit":2`:     "ö😀",
			`long","offset":"3","limit":"1"`: "x", // JSON as text
			`long","offset":null,"limit":3`:  "äö😀",
			`csv"`:                           "a,b\n1,ü",
			`svg"`:                           "<svg/>",
			`latin"`:                         "notes+notes://latin is of the type text/csv, with 3 bytes",
			`pdf"`:                           "application/pdf, with 8 bytes",
			`photo"`:                         "image/jpeg, with 1048577 bytes",
			`tiff"`:                          "image/tiff, with 3 bytes",
			`long","offset":-1`:              "offset must be at least 0",
			`long","limit":0`:                "limit 1 to",
			`long","limit":"many"`:           "whole numbers",
			`long","offset":1.5`:             "whole numbers",
		} {
			if got := read(more); !strings.Contains(got, want) || len(got) > len(want)+200 {
				t.Errorf("%s: %s", more, got[:min(len(got), 300)])
			}
		}
		if got := read(`empty"`); got != "" {
			t.Errorf("an empty text: %q", got)
		}
		if text, _ := g.call("/mcp", "read_resource", `{"uri":"notes+notes://long","offset":100000}`); !strings.Contains(text, "behind the end") {
			t.Errorf("behind the end: %s", text)
		}
		if _, body := g.Read("/mcp", "notes+notes://long"); !strings.Contains(body, long) {
			t.Error("resources/read does not return the whole text")
		}
		if text, result := g.call("/mcp", "wait_for_change", `{"uris":"[\"notes+notes://none\"]","timeoutSeconds":"1"}`); strings.Contains(text, "must be a list") {
			t.Errorf("uris as text: %+v %s", result, text)
		}
	})
}

// Names of pages reach no model API as they are: each is one that it takes, and a call by the name
// of the list, with or without dots, runs the tool that it belongs to.
func TestToolsRunUnderTheNamesOfTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		page := newPage(t, "notes")
		for _, own := range []string{"add", "a.b", "a b", "a_c", "a.c", "read.resource", "x" + strings.Repeat("long", 20)} {
			page.tool(own, `{}`, always("ran "+own))
			page.must(page.table.Put(engine.Entry{
				Kind: engine.Prompts, JSON: []byte(`{"name":"` + own + `","arguments":[{"name":"x"}]}`),
				Call: func(context.Context, []byte) ([]byte, error) {
					return []byte(`{"description":"is ` + own + `","messages":[]}`), nil
				},
				Complete: func(context.Context, engine.CompletionRequest) (engine.Completion, error) {
					return engine.Completion{Values: []string{"of " + own}}, nil
				},
			}))
		}
		page.join(g)
		for _, path := range []string{"/mcp", "/mcp/notes"} {
			seen := map[string]bool{}
			for _, one := range g.named(path, engine.MethodListTools, "tools") {
				if IsGenerated(one) {
					continue
				}
				text, _ := g.call(path, one, `{}`)
				if !strings.HasPrefix(text, "ran ") || seen[text] {
					t.Errorf("%s: %s: %s", path, one, text)
				}
				seen[text] = true
				if dotted := strings.Replace(one, "__", ".", 1); path == "/mcp" {
					if again, _ := g.call(path, dotted, `{}`); again != text {
						t.Errorf("%s: %s", dotted, again)
					}
				}
			}
			if len(seen) != 7 {
				t.Errorf("%s: %d tools", path, len(seen))
			}
			for _, one := range g.named(path, engine.MethodListPrompts, "prompts") {
				_, got := g.Ask(path, engine.MethodGetPrompt, `"name":"`+one+`"`)
				_, completed := g.Ask(path, engine.MethodComplete, `"ref":{"type":"ref/prompt","name":"`+one+`"},"argument":{"name":"x","value":""}`)
				if !strings.Contains(got, `"is `) || !strings.Contains(completed, `"of `) {
					t.Errorf("%s: %s: %s %s", path, one, got, completed)
				}
			}
		}
	})
}

// named returns the names of a list.
func (g *testGateway) named(path, method, member string) (names []string) {
	g.t.Helper()
	_, body := g.Ask(path, method, "")
	var message struct {
		Result map[string]jsontext.Value `json:"result"`
	}
	var entries []struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal([]byte(body), &message); err != nil {
		g.t.Fatal(err)
	}
	if err := json.Unmarshal(message.Result[member], &entries); err != nil {
		g.t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name)
	}
	return names
}
