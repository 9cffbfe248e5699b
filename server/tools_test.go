package server

import (
	"fmt"
	"strings"
	"testing"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A toolCaller calls tools as a client of 2026-07-28.
type toolCaller struct {
	testCaller
	path string
}

// A calledTool is the result of tools/call. MCP 2026-07-28, server/tools.
type calledTool struct {
	Content           []calledBlock  `json:"content"`
	StructuredContent jsontext.Value `json:"structuredContent"`
	IsError           bool           `json:"isError"`
}

type calledBlock struct {
	Type     string         `json:"type"`
	Text     *string        `json:"text"`
	Data     string         `json:"data"` // Base64
	MIMEType string         `json:"mimeType"`
	Resource jsontext.Value `json:"resource"`
}

// call returns the text of the result's blocks, and the whole result.
func (c toolCaller) call(name string, arguments any) (text string, result calledTool) {
	c.t.Helper()
	body := modern("1", "tools/call", `"name":"`+name+`","arguments":`+string(toJSON(arguments)))
	answer, got := c.do(c.t.Context(), "POST", c.path, body, v2026, "Mcp-Method: tools/call", "Mcp-Name: "+name)
	var message struct {
		Result calledTool     `json:"result"`
		Error  jsontext.Value `json:"error"`
	}
	if err := json.Unmarshal([]byte(got), &message); err != nil || answer.StatusCode != 200 || message.Error != nil {
		c.t.Fatalf("%s: %d %s %v", name, answer.StatusCode, got, err)
	}
	for _, b := range message.Result.Content {
		if b.Text != nil {
			text += *b.Text
		}
	}
	return text, message.Result
}

// An assistant that supports tools only can list and read resources of each kind, page
// through long lists, and gets text for errors. Requests of the tools have the rights of
// the assistant. R-362 R-363 R-364 R-357.
func TestResourceToolsReachResources(t *testing.T) {
	g := startGateway(t, Options{Limits: Limits{ReadsPerSecond: 1000}})
	page := newConformancePage(t)
	page.join(g)
	for _, at := range []struct{ path, prefix string }{{"/mcp", "conformance+"}, {"/mcp/conformance", ""}} {
		c := toolCaller{testCaller{t, g}, at.path}
		text, result := c.call("list_resources", object{})
		if !strings.Contains(text, `"uri":"`+at.prefix+`test://static-text"`) || !strings.Contains(text, `"uriTemplate":"`+at.prefix+`test://template/{id}/data"`) ||
			string(result.StructuredContent) != text || result.IsError {
			t.Errorf("%s: %s", at.path, text)
		}
		if text, _ = c.call("list_resources", object{"filter": "BINARY"}); !strings.Contains(text, "static-binary") || strings.Contains(text, "static-text") || strings.Contains(text, "template") {
			t.Errorf("%s, filtered: %s", at.path, text)
		}
		if text, _ = c.call("read_resource", object{"uri": at.prefix + "test://static-text"}); text != "This is the content of the static text resource." {
			t.Errorf("%s: %q", at.path, text)
		}
		if text, _ = c.call("read_resource", object{"uri": at.prefix + "test://template/7/data"}); !strings.Contains(text, "Data for ID: 7") {
			t.Errorf("%s: %q", at.path, text)
		}
		_, result = c.call("read_resource", object{"uri": at.prefix + "test://static-binary"})
		if len(result.Content) != 1 || result.Content[0].Type != "image" || result.Content[0].Data != pngData || result.Content[0].MIMEType != "image/png" {
			t.Errorf("%s, an image: %+v", at.path, result)
		}
		for arguments, want := range map[string]string{
			`{"uri":"` + at.prefix + `test://none"}`: "list_resources", `{}`: "uri must be", `{"uri":7}`: "uri must be", `{"uri":"no uri"}`: "no resource",
		} {
			if text, result := c.call("read_resource", jsontext.Value(arguments)); !result.IsError || !strings.Contains(text, want) {
				t.Errorf("%s, %s: %s", at.path, arguments, text)
			}
		}
		if text, result := c.call("list_resources", object{"cursor": "x"}); !result.IsError || !strings.Contains(text, "cursor") {
			t.Errorf("%s, a wrong cursor: %s", at.path, text)
		}
	}
	if log := audited(t, g); !strings.Contains(log, `"client":"read_resource"`) || !strings.Contains(log, `"who":"token"`) {
		t.Errorf("the audit log does not say who read: %s", log)
	}

	many := newPage(t, testOrigin, "many")
	for i := range 450 {
		many.write(fmt.Sprintf("many://%03d", i), "")
	}
	many.join(g)
	c := toolCaller{testCaller{t, g}, "/mcp/" + many.name}
	seen, cursor, pages := 0, "", 0
	for pages == 0 || cursor != "" {
		arguments := object{}
		if cursor != "" {
			arguments["cursor"] = cursor
		}
		var list struct {
			Resources  []jsontext.Value
			NextCursor string
		}
		_, result := c.call("list_resources", arguments)
		if err := json.Unmarshal(result.StructuredContent, &list, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		seen, cursor, pages = seen+len(list.Resources), list.NextCursor, pages+1
	}
	if seen != 450 || pages < 2 {
		t.Errorf("%d resources on %d pages", seen, pages)
	}
}

// wait_for_change returns with the first change and its URI; without one it returns
// after the timeout; and it ends when its caller cancels. R-151 R-158 R-294.
func TestWaitForChange(t *testing.T) {
	g := startGateway(t, Options{})
	page := newConformancePage(t)
	page.join(g)
	const watched = "conformance+test://watched-resource"
	c := toolCaller{testCaller{t, g}, "/mcp"}
	listening := func() bool {
		return strings.Contains(audited(t, g), `"verb":"subscriptions/listen"`)
	}
	done := make(chan string, 1)
	go func() {
		text, _ := c.call("wait_for_change", object{"uris": array{watched, "conformance+test://static-text"}})
		done <- text
	}()
	eventually(t, "the change is seen", func() bool { // the listen may not be armed at the first
		page.write("test://watched-resource", "1")
		return len(done) > 0
	})
	if text := <-done; !strings.Contains(text, "Changed: "+watched+".") || strings.Contains(text, "static-text") {
		t.Errorf("it says: %s", text)
	}
	eventually(t, "its listen ends", listening)

	go func() {
		text, result := c.call("wait_for_change", object{"uris": array{"conformance+test://static-text"}, "timeoutSeconds": 0.2})
		done <- fmt.Sprintf("%v %s %s", result.IsError, text, result.StructuredContent)
	}()
	if got := receive(t, done); !strings.HasPrefix(got, "false Nothing changed") || !strings.HasSuffix(got, ` {"changed":[],"timedOut":true}`) {
		t.Errorf("without a change: %s", got)
	}
	for arguments, want := range map[string]string{
		`{}`: "uris must be", `{"uris":[]}`: "uris must be", `{"uris":["a b"]}`: "cannot be watched: a b",
		`{"uris":["a:b"],"timeoutSeconds":0}`: "timeoutSeconds must be", `{"uris":["a:b"],"timeoutSeconds":301}`: "timeoutSeconds must be",
	} {
		if text, result := c.call("wait_for_change", jsontext.Value(arguments)); !result.IsError || !strings.Contains(text, want) {
			t.Errorf("%s: %s", arguments, text)
		}
	}
}

// A page may have tools with the names of the generated ones: at its endpoint they are
// listed and called instead. The generated tools can be switched off. R-358 R-362.
func TestToolsOfThePageReplaceGenerated(t *testing.T) {
	g := startGateway(t, Options{})
	page := newConformancePage(t)
	page.tool("read_resource", "The page's own.", nil, always("the page's own"))
	page.join(g)
	list := func(g *Gateway, path string) string {
		_, body := testCaller{t, g}.do(t.Context(), "POST", path, modern("1", "tools/list", ""), v2026, "Mcp-Method: tools/list")
		return body
	}
	if got := list(g, "/mcp/conformance"); strings.Count(got, `"name":"read_resource"`) != 1 || !strings.Contains(got, "The page's own.") || !strings.Contains(got, `"name":"list_resources"`) {
		t.Errorf("listed: %s", got)
	}
	if text, _ := (toolCaller{testCaller{t, g}, "/mcp/conformance"}).call("read_resource", object{}); text != "the page's own" {
		t.Errorf("called: %s", text)
	}
	if got := list(g, "/mcp"); !strings.Contains(got, `"name":"conformance.read_resource"`) || !strings.Contains(got, `"name":"read_resource"`) {
		t.Errorf("listed at /mcp: %s", got)
	}
	without := startGateway(t, Options{NoResourceTools: true})
	if got := list(without, "/mcp"); !strings.Contains(got, `"tools":[]`) {
		t.Errorf("switched off: %s", got)
	}
}
