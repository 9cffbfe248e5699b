package engine_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/plain"
)

func FuzzPlainText(f *testing.F) {
	for _, text := range enginetest.AwkwardTexts {
		f.Add(text[0], 7)
	}
	f.Fuzz(func(t *testing.T, text string, most int) {
		most = min(max(most, 0), 1_000)
		for _, clean := range []func(string, int) string{plain.Text, plain.Lines} {
			got := clean(text, most)
			if !utf8.ValidString(got) || utf8.RuneCountInString(got) > most {
				t.Errorf("%d characters of %q are %q", most, text, got)
			}
			if again := clean(got, most); again != got {
				t.Errorf("%q becomes %q, and that %q", text, got, again)
			}
		}
		// As a title in a schema: the JSON stays JSON, and nothing else changes.
		quoted, err := json.Marshal(map[string]any{"type": "object", "title": text, "properties": map[string]any{"title": map[string]any{"description": text}}})
		if err != nil {
			t.Fatal(err)
		}
		tool, err := engine.Tools.Parse([]byte(`{"name":"t","inputSchema":` + string(quoted) + `}`))
		if err != nil {
			t.Fatal(err)
		}
		var read struct {
			InputSchema struct {
				Title      string
				Properties struct{ Title struct{ Description string } }
			}
		}
		if err := json.Unmarshal(tool.JSON, &read); err != nil {
			t.Fatalf("%s: %v", tool.JSON, err)
		}
		var listed struct{ Title string }
		if err := json.Unmarshal(quoted, &listed); err != nil {
			t.Fatal(err)
		}
		if want := plain.Text(listed.Title, plain.MaxTitle); read.InputSchema.Title != want {
			t.Errorf("the title is %q, want %q", read.InputSchema.Title, want)
		}
		if want := plain.Lines(listed.Title, plain.MaxDescription); read.InputSchema.Properties.Title.Description != want {
			t.Errorf("the description is %q, want %q", read.InputSchema.Properties.Title.Description, want)
		}
	})
}

// What is shown is cleaned and cut; what is called by its name, or compared with, is
// refused instead.
func TestDescriptionsArePlain(t *testing.T) {
	const bad = `\u202e\u200b\u001b[31m\udb40\udc41\ud800`
	long := strings.Repeat("x", 1<<20)
	xs := func(n int) string { return long[:n] }
	for text, want := range map[string]string{ // what ParseX returns, as JSON; or the error
		`{"uri":"a:b","name":"n` + bad + `","title":"t` + bad + `","description":"d` + bad + `\ne","mimeType":"text/plain"}`: `{"uri":"a:b","name":"n","title":"t","description":"d\ne","mimeType":"text/plain"}`,
		`{"uri":"a:b","name":"` + long + `","title":"` + long + `","description":"` + long + `"}`:                            `{"uri":"a:b","name":"` + xs(128) + `","title":"` + xs(200) + `","description":"` + xs(2000) + `"}`,
		`{"uri":"a:b","name":"` + bad + `"}`:                                                       `{"uri":"a:b","name":"a:b"}`,
		`{"uri":"a:` + bad + `","name":"n"}`:                                                       "uri has a character",
		`{"uri":"a:b","name":"n","annotations":{"x":"` + bad + `"}}`:                               "annotations has hidden",
		`{"uri":"a:b","name":"n","icons":[{"src":"https://a.example/` + bad + `"}]}`:               "icons has hidden",
		`{"uri":"a:b","name":"n","icons":[{"src":"https://a.example/","sizes":["` + bad + `"]}]}`:  "icons has hidden",
		`{"uri":"a:b","name":"n","icons":[{"src":"https://a.example/","mimeType":"` + bad + `"}]}`: "icons must be",
		`{"uri":"a:b","name":"n","icons":[{"src":"https://a.example/` + xs(8200) + `"}]}`:          "icons must be",
		`{"uri":"a:b","name":"n","icons":[{"src":"data:image/png;base64,` + xs(64<<10) + `"}]}`:    "icons must be",
		`{"uri":"a:b","name":"n","icons":[{"src":"data:text/html,x"}]}`:                            "icons must be",
		`{"uri":"a:b","name":"n","icons":[{"src":"javascript:alert(1)"}]}`:                         "icons must be",
		`{"uri":"a:b","name":"n","icons":[{"src":"data:image/png;base64,` + xs(60<<10) + `"}]}`:    `{"uri":"a:b","name":"n","icons":[{"src":"data:image/png;base64,` + xs(60<<10) + `"}]}`,
		`{"uriTemplate":"a:{x}","name":"n` + bad + `","title":"` + long + `"}`:                     `{"uriTemplate":"a:{x}","name":"n","title":"` + xs(200) + `"}`,
		`{"uriTemplate":"a:` + bad + `{x}","name":"n"}`:                                            "uriTemplate is longer",
		`{"uriTemplate":"a:` + xs(8192) + `{x}","name":"n"}`:                                       "uriTemplate is longer",

		`{"prompt":1,"name":"n` + bad + `"}`:                                          "name has more than 128 characters, or hidden ones",
		`{"prompt":1,"name":"` + xs(129) + `"}`:                                       "name has more than 128 characters, or hidden ones",
		`{"prompt":1,"name":"n","title":"t` + bad + `","description":"` + long + `"}`: `{"name":"n","title":"t","description":"` + xs(2000) + `"}`,
		`{"prompt":1,"name":"n","arguments":[{"name":"a","title":"t` + bad + `","description":"d` + bad + `\nx"},{"name":"b"}]}`:                                                                    `{"name":"n","arguments":[{"name":"a","title":"t","description":"d\nx"},{"name":"b"}]}`,
		`{"prompt":1,"name":"n","arguments":[{"name":"a` + bad + `"}]}`:                                                                                                                             "arguments must be objects",
		`{"prompt":1,"name":"n","arguments":[{"name":"` + xs(129) + `"}]}`:                                                                                                                          "arguments must be objects",
		`{"prompt":1,"name":"n","arguments":[{"name":"a","` + bad + `":1}]}`:                                                                                                                        "arguments has hidden",
		`{"tool":1,"name":"n` + bad + `","inputSchema":{"type":"object"}}`:                                                                                                                          "name has more than 128 characters, or hidden ones",
		`{"tool":1,"name":"n\nm","inputSchema":{"type":"object"}}`:                                                                                                                                  "name has more than 128 characters, or hidden ones",
		`{"tool":1,"name":"n","title":"t` + bad + `","annotations":{"title":"` + long + `","readOnlyHint":true},"inputSchema":{"type":"object"}}`:                                                   `{"name":"n","title":"t","annotations":{"title":"` + xs(200) + `","readOnlyHint":true},"inputSchema":{"type":"object"}}`,
		`{"tool":1,"name":"n","inputSchema":{"type":"object","properties":{"title":{"type":"string","title" : "t` + bad + `"},"b":{"description":"d` + bad + `","enum":["description","title"]}}}}`: `{"name":"n","inputSchema":{"type":"object","properties":{"title":{"type":"string","title" : "t"},"b":{"description":"d","enum":["description","title"]}}}}`,
		`{"tool":1,"name":"n","inputSchema":{"type":"object","properties":{"` + bad + `":{}}}}`:                                                                                                     "inputSchema has hidden",
		`{"tool":1,"name":"n","inputSchema":{"type":"object","properties":{"a":{"enum":["` + bad + `"]}}}}`:                                                                                         "inputSchema has hidden",
		`{"tool":1,"name":"n","inputSchema":{"type":"object","properties":{"a":{"default":"a\r\n\tb 👨‍👩‍👧 ü","pattern":"\\x00"}}}}`:                                                                 `{"name":"n","inputSchema":{"type":"object","properties":{"a":{"default":"a\r\n\tb 👨‍👩‍👧 ü","pattern":"\\x00"}}}}`,
		`{"tool":1,"name":"n","inputSchema":{"type":"object"},"outputSchema":{"$comment":"` + bad + `"}}`:                                                                                           "outputSchema has hidden",
		`{"tool":1,"name":"n","inputSchema":{"type":"object"},"_meta":{"x":"a\u0000"}}`:                                                                                                             `{"name":"n","inputSchema":{"type":"object"},"_meta":{"x":"a\u0000"}}`,
	} {
		got, err := listed(t, text)
		switch {
		case err != nil && (want[0] == '{' || !strings.Contains(err.Error(), want)):
			t.Errorf("%.200s is refused: %.300v", text, err)
		case err == nil && got != want:
			t.Errorf("%.200s becomes\n%.300s, want\n%.300s", text, got, want)
		}
	}
}

// listed returns a description as a client gets it from a Table.
func listed(t *testing.T, text string) (string, error) {
	t.Helper()
	options := engine.Options{Prompts: true, Tools: true}
	e, table := engine.New(engine.Info{Name: "e", Version: "1"}, &options), engine.NewTable()
	e.Mount("", table)
	kind := engine.Resources
	switch {
	case strings.HasPrefix(text, `{"uriTemplate"`):
		kind = engine.Templates
	case strings.HasPrefix(text, `{"prompt"`):
		kind, text = engine.Prompts, strings.Replace(text, `"prompt":1,`, "", 1)
	case strings.HasPrefix(text, `{"tool"`):
		kind, text = engine.Tools, strings.Replace(text, `"tool":1,`, "", 1)
	}
	err := table.Put(engine.Entry{Kind: kind, JSON: []byte(text), Call: answersNothing})
	if err != nil {
		return "", err
	}
	var answer struct{ Result map[string]json.RawMessage }
	if err := json.Unmarshal([]byte(enginetest.NewDialogue(t, e).Modern(kind.Method, "")), &answer); err != nil {
		t.Fatal(err)
	}
	return strings.Trim(string(answer.Result[kind.Member]), "[]"), nil
}

func answersNothing(context.Context, []byte) ([]byte, error) { return nil, engine.ErrNotFound }
