package engine_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/enginetest"
)

// Each class of characters that could deceive, and what has to remain of it.
var awkwardTexts = map[string][2]string{ // class: text, and how it is listed
	"C0":                            {"a\x00\x01\x08\x0e\x1fb", "ab"},
	"line ends and tabs":            {"a\nb\tc\r\nd", "a b c d"},
	"line and paragraph separators": {"a\u2028b\u2029c\u0085d", "a b c d"},
	"DEL":                           {"a\x7fb", "ab"},
	"C1":                            {"a\u0080\u0081\u0099\u009ab", "ab"},
	"a colour of a terminal":        {"a\x1b[1;31mb\x1b[0mc", "abc"},
	"a cursor movement, 8 bits":     {"a\u009b2Jb", "ab"},
	"a private sequence":            {"a\x1b[?1049hb", "ab"},
	"a title of a window":           {"a\x1b]0;pwned\x07b", "ab"},
	"a link of a terminal":          {"\x1b]8;;https://evil.example\x1b\\here\x1b]8;;\x1b\\!", "here!"},
	"a link with 8-bit controls":    {"\u009d8;;https://evil.example\u009chere\u009d8;;\u009c!", "here!"},
	"a device control string":       {"a\x1bPq#0\x1b\\b\u0090x\u009cc", "abc"},
	"application commands":          {"a\x1b_x\x1b\\b\x1b^x\x1b\\c\x1bXx\x1b\\d\u0098x\u009ce\u009ex\u009cf\u009fx\u009cg", "abcdefg"},
	"a character set":               {"a\x1b(0b\x1b)Bc", "ac"}, // 0 and b: as parameter and final of a control sequence
	"a reset":                       {"a\x1bcb", "ab"},
	"an escape sequence in another": {"a\x1b[3\x1b[1mb", "ab"},
	"escape before another script":  {"a\x1bäb", "aäb"},
	"one that is cut off":           {"a\x1b[31", "a"},
	"bidirectional marks":           {"a\u200eb\u200fc\u061cd", "abcd"},
	"bidirectional embeddings":      {"a\u202ab\u202bc\u202cd", "abcd"},
	"bidirectional overrides":       {"a\u202dtxt.exe\u202ecod.b", "atxt.execod.b"},
	"bidirectional isolates":        {"a\u2066b\u2067c\u2068d\u2069e", "abcde"},
	"zero-width space":              {"a\u200bb", "ab"},
	"zero-width joiners":            {"a\u200cb\u200dc", "abc"},
	"word joiner, BOM":              {"\ufeffa\u2060b\ufeffc", "abc"},
	"invisible operators":           {"a\u2061b\u2062c\u2063d\u2064e\u2065f", "abcdef"},
	"deprecated format characters":  {"a\u206ab\u206fc", "abc"},
	"soft hyphen":                   {"a\u00adb", "ab"},
	"grapheme joiner":               {"a\u034fb", "ab"},
	"Hangul fillers":                {"a\u115f\u1160\u3164\uffa0b", "ab"},
	"Khmer inherent vowels":         {"a\u17b4\u17b5b", "ab"},
	"Mongolian selectors":           {"a\u180b\u180c\u180d\u180e\u180fb", "ab"},
	"blank of Braille":              {"a\u2800b", "a b"},
	"interlinear annotations":       {"a\ufff9b\ufffac\ufffbd", "abcd"},
	"replacement characters":        {"a\ufffcb\ufffdc", "abc"},
	"noncharacters":                 {"a\ufdd0\ufdef\ufffe\uffff\U0001fffe\U0010ffffb", "ab"},
	"not UTF-8":                     {"a\xff\xc0b\xed\xa0\x80c", "abc"}, // the last is a lone surrogate
	"tags":                          {"a\U000e0001\U000e0069\U000e0067\U000e006e\U000e007fb", "ab"},
	"private use of planes 15, 16":  {"a\U000f0000\U0010fffdb", "ab"},
	"a message in selectors":        {"a\ufe00\ufe0f\ufe01\U000e0100\U000e01efb", "ab"},
	"selectors behind a letter":     {"a\ufe0fb\ufe0e", "ab"},
	"a second selector":             {"❤\ufe0f\ufe0e\ufe0f", "❤\ufe0f"},
	"joiners at ends":               {"\u200d🙂\u200d \u200cم\u200c", "🙂 م"},
	"joiners in a row":              {"🙂\u200d\u200c\u200d\u200d🙂", "🙂\u200d🙂"},
	"a joiner of two kinds":         {"م\u200d🙂\u200dم", "م🙂م"},
	"musical and shorthand format":  {"a\U0001d173b\U0001bca0c\U00013430d", "abcd"},
	"a flag of tags":                {"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "🏴"},

	"plain ASCII":           {"Notes (3) ~ <b>{x}</b>", "Notes (3) ~ <b>{x}</b>"},
	"letters of others":     {"Käse Ελλάδα Ж 日本 한국 עברית العربية ไทย", "Käse Ελλάδα Ж 日本 한국 עברית العربية ไทย"},
	"emoji":                 {"🧀👍🏽☎️1️⃣🇩🇪", "🧀👍🏽☎️1️⃣🇩🇪"},
	"emoji of several":      {"👨‍👩‍👧‍👦❤️‍🔥🏳️‍🌈🧑🏽‍🚀", "👨‍👩‍👧‍👦❤️‍🔥🏳️‍🌈🧑🏽‍🚀"},
	"Persian":               {"می\u200cخواهم", "می\u200cخواهم"},
	"Devanagari":            {"क्\u200dष क्\u200cष", "क्\u200dष क्\u200cष"},
	"Sinhala":               {"ශ්\u200dරී ලංකා", "ශ්\u200dරී ලංකා"},
	"private use of fonts":  {"a\ue000\uf8ffb", "a\ue000\uf8ffb"},
	"combining characters":  {"e\u0301", "e\u0301"},
	"signs before a number": {"\u0600٣", "\u0600٣"},
}

func TestPlainText(t *testing.T) {
	for class, text := range awkwardTexts {
		if got := engine.PlainText(text[0], 100); got != text[1] {
			t.Errorf("%s: %q becomes %q, want %q", class, text[0], got, text[1])
		}
		if strings.ContainsAny(text[0], "\n\t\r") {
			continue
		}
		if got := engine.PlainLines(text[0], 100); got != text[1] {
			t.Errorf("%s, of several lines: %q becomes %q, want %q", class, text[0], got, text[1])
		}
	}
	if got := engine.PlainLines("a\r\n\tb\x00\n", 100); got != "a\n\tb\n" {
		t.Errorf("lines become %q", got)
	}
	for text, want := range map[string]string{
		strings.Repeat("x", 1<<20):    "xxx",
		strings.Repeat("ü", 1<<20):    "üüü",
		"ab\u200b\u200bcd":            "abc",
		"a" + strings.Repeat("\n", 9): "a  ",
		"ab🙂\u200d🙂":                  "ab🙂", // no joiner without what it joins
		"🙂\u200d🙂\u200d🙂":             "🙂\u200d🙂",
	} {
		if got := engine.PlainText(text, 3); got != want {
			t.Errorf("three characters of %.40q are %q, want %q", text, got, want)
		}
	}
}

// No character that Unicode calls a control, a format character, ignorable or not a
// character is left, wherever it stands. The exceptions are visible signs in front of
// digits, and blanks.
func TestPlainTextKeepsNothingThatUnicodeHides(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		hides := unicode.In(r, unicode.Cc, unicode.Cf, unicode.Cs, unicode.Other_Default_Ignorable_Code_Point,
			unicode.Variation_Selector, unicode.Noncharacter_Code_Point, unicode.Zl, unicode.Zp) &&
			!unicode.In(r, unicode.Prepended_Concatenation_Mark)
		for _, text := range []string{string(r), "a" + string(r) + "b", "م" + string(r), string(r) + "🙂"} {
			if got := engine.PlainText(text, 9); hides && strings.ContainsRune(got, r) {
				t.Errorf("%U is left in %q", r, got)
			} else if !hides && unicode.IsGraphic(r) && r < 0xe0000 && r != 0x2800 && r != utf8.RuneError && got != text &&
				!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point) && !isBlankFor(r) {
				t.Errorf("%U is removed from %q", r, text)
			}
		}
	}
}

// isBlankFor: graphic by its category and not to be seen, or an object that is not there.
func isBlankFor(r rune) bool { return r == 0xfffc || r >= 0x13430 && r <= 0x1345f }

func FuzzPlainText(f *testing.F) {
	for _, text := range awkwardTexts {
		f.Add(text[0], 7)
	}
	f.Fuzz(func(t *testing.T, text string, most int) {
		most = min(max(most, 0), 1_000)
		for _, clean := range []func(string, int) string{engine.PlainText, engine.PlainLines} {
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
		tool, err := engine.ParseTool([]byte(`{"name":"t","inputSchema":` + string(quoted) + `}`))
		if err != nil {
			t.Fatal(err)
		}
		var read struct {
			InputSchema struct {
				Title      string
				Properties struct{ Title struct{ Description string } }
			}
		}
		if err := json.Unmarshal(tool.Object, &read); err != nil {
			t.Fatalf("%s: %v", tool.Object, err)
		}
		var listed struct{ Title string }
		if err := json.Unmarshal(quoted, &listed); err != nil {
			t.Fatal(err)
		}
		if want := engine.PlainText(listed.Title, engine.MaxTitle); read.InputSchema.Title != want {
			t.Errorf("the title is %q, want %q", read.InputSchema.Title, want)
		}
		if want := engine.PlainLines(listed.Title, engine.MaxDescription); read.InputSchema.Properties.Title.Description != want {
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
	var err error
	method, member := "resources/list", "resources"
	switch {
	case strings.HasPrefix(text, `{"uriTemplate"`):
		method, member = "resources/templates/list", "resourceTemplates"
		var parsed engine.Template
		if parsed, err = engine.ParseTemplate([]byte(text)); err == nil {
			err = table.PutTemplate(engine.TemplateEntry{Template: parsed})
		}
	case strings.HasPrefix(text, `{"prompt"`):
		method, member = "prompts/list", "prompts"
		var parsed engine.Prompt
		if parsed, err = engine.ParsePrompt([]byte(text)); err == nil {
			err = table.PutPrompt(engine.PromptEntry{Prompt: parsed, Get: answersNothing})
		}
	case strings.HasPrefix(text, `{"tool"`):
		method, member = "tools/list", "tools"
		var parsed engine.Tool
		if parsed, err = engine.ParseTool([]byte(text)); err == nil {
			err = table.PutTool(engine.ToolEntry{Tool: parsed, Call: answersNothing})
		}
	default:
		var parsed engine.Resource
		if parsed, err = engine.ParseResource([]byte(text)); err == nil {
			err = table.Put(engine.Entry{Resource: parsed})
		}
	}
	if err != nil {
		return "", err
	}
	var answer struct{ Result map[string]json.RawMessage }
	if err := json.Unmarshal([]byte(enginetest.NewDialogue(t, e).Modern(method, "")), &answer); err != nil {
		t.Fatal(err)
	}
	return strings.Trim(string(answer.Result[member]), "[]"), nil
}

func answersNothing(context.Context, []byte) ([]byte, error) { return nil, engine.ErrNotFound }
