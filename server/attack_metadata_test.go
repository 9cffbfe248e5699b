package server

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// hostileText has a character of each class that can deceive: terminal escapes,
// bidirectional controls, invisible characters.
const hostileText = "\x1b[2J\x1b]0;pwned\x07\u009b31m\u202e\u2066\u200b\u200d\u2060\ufeff\u00ad\u061c\u034f\ufff9\ufe00\U000e0069\U000e0067\x00\x08\x7f"

// The engine of this page cleans nothing. No list, result or description that an
// assistant gets has a hidden character or exceeds its maximum length. Entries that can
// no longer be addressed are omitted, the others are present.
func TestMetadataOfPagesIsCleaned(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	page := newPage(t, testOrigin, "tab")
	page.engine = engine.New(engine.Info{Name: "@INFO@", Title: "@INFO@", Version: "1@INFO@", Instructions: "@LONG@"}, &engine.Options{Tools: true, Prompts: true})
	page.engine.Mount("", page.table)
	put(t, page.table)
	hostile := jsonText(t, "good"+hostileText)
	sent := 0 // times that it crossed the wire: what an unguarded gateway would pass on
	page.tap.Forge = func(msg []byte) []byte {
		sent += bytes.Count(msg, []byte("@"))
		return []byte(strings.NewReplacer(
			"@INFO@", hostile, "@NAME@", hostile, "@TOOL@", hostile, "@LONG@", hostile+strings.Repeat("x", 10_000),
			`"x/wrong"`, `"text/plain\r\nX: y"`, "data:image/@HTML@", "data:text/html,<script>alert(1)</script>", "https://@SCRIPT@", "javascript:alert(1)",
		).Replace(string(msg)))
	}
	page.join(g)
	c := caller(t, g)
	for _, path := range []string{"/mcp", "/mcp/notes"} {
		uris, names := "", ""
		if path == "/mcp" {
			uris, names = "notes+", "notes__"
		}
		for _, ask := range []struct{ method, subject, params, want string }{
			{"server/discover", "", "", ""},
			{"resources/list", "", "", `"good"`},
			{"resources/templates/list", "", "", `"good"`},
			{"prompts/list", "", "", `"` + names + `plainPrompt"`},
			{"tools/list", "", "", `"` + names + `plainTool"`},
			{"tools/call", names + "plainTool", `"arguments":{},"name":`, `"resource_link"`},
			{"prompts/get", names + "plainPrompt", `"name":`, `"description":"good`},
			{"resources/read", uris + "a:1", `"uri":`, `"text/plain"`},
		} {
			headers := []string{gatewaytest.V2026, "Mcp-Method: " + ask.method}
			if ask.subject != "" {
				ask.params += `"` + ask.subject + `"`
				headers = append(headers, "Mcp-Name: "+ask.subject)
			}
			_, body := c.Do(t.Context(), "POST", path, gatewaytest.Modern("1", ask.method, ask.params), headers...)
			if !strings.Contains(body, ask.want) || strings.Contains(body, `"error"`) {
				t.Errorf("%s at %s is answered %.500s", ask.method, path, body)
			}
			for _, problem := range deceptions(t, body) {
				t.Errorf("%s at %s: %s", ask.method, path, problem)
			}
			if strings.Contains(body, "<script>") || strings.Contains(body, "refused") {
				t.Errorf("%s at %s has what was to be left out: %.500s", ask.method, path, body)
			}
		}
	}
	if sent < 40 {
		t.Errorf("the page sent %d hostile texts: the test proves little", sent)
	}
	if log := audited(t, g); strings.ContainsFunc(log, isDeceptive) {
		t.Error("the audit log has hidden characters")
	}
}

// put registers one of everything, by placeholders that the wire replaces.
func put(t *testing.T, table *engine.Table) {
	t.Helper()
	const texts = `"title":"@NAME@","description":"@LONG@"`
	call := func(context.Context, []byte) ([]byte, error) {
		return []byte(`{"content":[{"type":"resource_link","uri":"a:1","name":"@NAME@","mimeType":"text/plain",` + texts + `}]}`), nil
	}
	get := func(context.Context, []byte) ([]byte, error) {
		return []byte(`{"description":"@LONG@","messages":[]}`), nil
	}
	read := func(_ context.Context, uri string) ([]engine.Contents, error) {
		return []engine.Contents{{URI: uri, MIMEType: "text/plain", Text: "x"}}, nil
	}
	schema := `"inputSchema":{"type":"object","title":"@NAME@","properties":{"a":{"description":"@LONG@","title":"@NAME@"}}}`
	for _, err := range []error{
		table.Put(
			engine.Entry{JSON: []byte(`{"uri":"a:1","name":"@NAME@",` + texts + `,"mimeType":"text/plain","newer":"@NAME@","x@NAME@":1}`), Read: read},
			engine.Entry{JSON: []byte(`{"uri":"a:2","name":"refused","icons":[{"src":"data:image/@HTML@"}]}`)},
			engine.Entry{JSON: []byte(`{"uri":"a:3","name":"refused","annotations":{"x":"@NAME@"}}`)},
			engine.Entry{JSON: []byte(`{"uri":"a:4","name":"refused","icons":[{"src":"https://@SCRIPT@"}]}`)},
			engine.Entry{JSON: []byte(`{"uri":"a:5","name":"refused","icons":[{"src":"https://a.example/@NAME@"}]}`)},
			engine.Entry{JSON: engine.Describe("uri", "a:6", "name", "refused", "mimeType", "x/wrong")},
			engine.Entry{JSON: engine.Describe("uri", "a:@NAME@", "name", "refused")},
		),
		table.Put(
			engine.Entry{Kind: engine.Templates, JSON: engine.Describe("uriTemplate", "a:{x}", "name", "@NAME@", "title", "@NAME@", "description", "@LONG@", "mimeType", "text/plain")},
			engine.Entry{Kind: engine.Templates, JSON: engine.Describe("uriTemplate", "b:@NAME@{x}", "name", "refused")},
			engine.Entry{Kind: engine.Templates, JSON: engine.Describe("uriTemplate", "c:{x}", "name", "refused", "mimeType", "x/wrong")},
		),
		table.Put(
			engine.Entry{Kind: engine.Prompts, JSON: []byte(`{"name":"@TOOL@","description":"refused"}`), Call: get},
			engine.Entry{Kind: engine.Prompts, JSON: []byte(`{"name":"plainPrompt",` + texts + `,"arguments":[{"name":"a",` + texts + `}]}`), Call: get},
			engine.Entry{Kind: engine.Prompts, JSON: []byte(`{"name":"p2","description":"refused","arguments":[{"name":"@TOOL@"}]}`), Call: get},
		),
		table.Put(
			engine.Entry{Kind: engine.Tools, JSON: []byte(`{"name":"@TOOL@","description":"refused","inputSchema":{"type":"object"}}`), Call: call},
			engine.Entry{Kind: engine.Tools, JSON: []byte(`{"name":"plainTool",` + texts + `,"annotations":{"title":"@NAME@"},` + schema + `,"outputSchema":{"type":"object","title":"@NAME@"}}`), Call: call},
			engine.Entry{Kind: engine.Tools, JSON: []byte(`{"name":"t2","description":"refused","inputSchema":{"type":"object","properties":{"@NAME@":{}}}}`), Call: call},
			engine.Entry{Kind: engine.Tools, JSON: []byte(`{"name":"t3","description":"refused","inputSchema":{"type":"object","properties":{"a":{"enum":["@NAME@"]}}}}`), Call: call},
		),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// deceptions returns what is wrong with texts of an answer. Its _meta belongs to
// a reader that knows the key, and its text and structure to the page.
func deceptions(t *testing.T, body string) (problems []string) {
	t.Helper()
	body, _ = strings.CutPrefix(strings.TrimSpace(body), "data: ")
	var answer any
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatalf("%v: %.300s", err, body)
	}
	limits := map[string]int{"name": 128, "title": 200, "description": 2_000, "instructions": 2_000, "mimeType": 200}
	var walk func(name string, value any)
	walk = func(name string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for name, inner := range value {
				if strings.ContainsFunc(name, isDeceptive) {
					problems = append(problems, "a hidden character in the name of a member")
				}
				walk(name, inner)
			}
		case []any:
			for _, inner := range value {
				walk(name, inner)
			}
		case string:
			if strings.ContainsFunc(value, isDeceptive) {
				problems = append(problems, "a hidden character in "+name)
			}
			if most := limits[name]; most > 0 && utf8.RuneCountInString(value) > most+len("notes-") {
				problems = append(problems, name+" is too long")
			}
		}
	}
	walk("", answer)
	return problems
}

func isDeceptive(r rune) bool {
	return r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// jsonText returns text as it stands between the quotation marks of JSON.
func jsonText(t *testing.T, text string) string {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Trim(string(quoted), `"`)
}
