package gateway

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// call returns the text of the blocks of a tool's result, and the whole result.
func (g *testGateway) call(path, name, arguments string) (text string, result toolResult) {
	g.t.Helper()
	status, got := g.Ask(path, engine.MethodCallTool, `"name":"`+name+`","arguments":`+arguments)
	var message struct {
		Result toolResult     `json:"result"`
		Error  jsontext.Value `json:"error"`
	}
	if err := json.Unmarshal([]byte(got), &message); err != nil || status != 200 || message.Error != nil {
		g.t.Fatalf("%s %s: %d %s %v", name, arguments, status, got, err)
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
// the assistant. R-127 R-362 R-363 R-364 R-357.
func TestResourceToolsReachResources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		page := newPage(t, "notes")
		page.write("notes://a", "the text")
		image := []byte("\x89PNG")
		blob := func(uri, mimeType string) engine.Entry {
			return engine.Entry{JSON: engine.Describe("uri", uri, "name", "Scan", "description", "A BINARY one", "mimeType", mimeType), Read: func(context.Context, string) ([]engine.Contents, error) {
				return []engine.Contents{{URI: uri, MIMEType: mimeType, Blob: image}}, nil
			}}
		}
		page.must(page.table.Put(blob("notes://image", "image/png"), blob("notes://archive", "application/zip")))
		page.must(page.table.Put(engine.Entry{
			Kind: engine.Templates, JSON: engine.Describe("uriTemplate", "notes://by/{id}", "name", "By number"),
			Expand: func(_ context.Context, uri string, variables []byte) ([]engine.Contents, error) {
				return []engine.Contents{{URI: uri, MIMEType: "application/json", Text: string(variables)}}, nil
			},
		}))
		page.join(g)
		for path, prefix := range map[string]string{"/mcp": "notes+", "/mcp/notes": ""} {
			text, result := g.call(path, "list_resources", `{}`)
			if !strings.Contains(text, `"uri":"`+prefix+`notes://a"`) || !strings.Contains(text, `"uriTemplate":"`+prefix+`notes://by/{id}"`) ||
				string(result.StructuredContent) != text || result.IsError {
				t.Errorf("%s: %s", path, text)
			}
			if text, _ = g.call(path, "list_resources", `{"filter":"Binary"}`); !strings.Contains(text, "notes://image") || strings.Contains(text, "notes://a\"") || strings.Contains(text, "notes://by") {
				t.Errorf("%s, filtered: %s", path, text)
			}
			if text, _ = g.call(path, "read_resource", `{"uri":"`+prefix+`notes://a"}`); text != "the text" {
				t.Errorf("%s: %q", path, text)
			}
			if text, _ = g.call(path, "read_resource", `{"uri":"`+prefix+`notes://by/7"}`); text != `{"id":"7"}` {
				t.Errorf("%s: %q", path, text)
			}
			data := base64.StdEncoding.EncodeToString(image)
			_, result = g.call(path, "read_resource", `{"uri":"`+prefix+`notes://image"}`)
			if len(result.Content) != 1 || result.Content[0].Type != "image" || result.Content[0].Data != data || result.Content[0].MIMEType != "image/png" {
				t.Errorf("%s, an image: %+v", path, result)
			}
			_, result = g.call(path, "read_resource", `{"uri":"`+prefix+`notes://archive"}`)
			if link := result.Content[len(result.Content)-1]; link.Type != "resource_link" || link.URI != prefix+"notes://archive" || link.MIMEType != "application/zip" || link.Size != len(image) || link.Name == "" {
				t.Errorf("%s, another blob: %+v", path, result)
			}
			for _, x := range []struct{ tool, arguments, want string }{
				{"read_resource", `{"uri":"` + prefix + `notes://none"}`, "list_resources"}, {"read_resource", `{}`, "uri must be"}, {"read_resource", `{"uri":7}`, "uri must be"},
				{"read_resource", `{"uri":"no uri"}`, "no resource"}, {"list_resources", `{"cursor":"x"}`, "cursor"}, {"list_resources", `{"filter":7}`, "filter and cursor must be"},
			} {
				if text, result := g.call(path, x.tool, x.arguments); !result.IsError || !strings.Contains(text, x.want) {
					t.Errorf("%s, %s of %s: %s", path, x.tool, x.arguments, text)
				}
			}
		}
		if g.audited(func(e access.Entry) bool {
			return e.Verb == engine.MethodReadResource && e.Client == "read_resource" && e.Principal == "p"
		}) == 0 {
			t.Errorf("the audit log does not say who read: %+v", g.entries)
		}
	})
}

// wait_for_change returns with the first change and its URI; without one it returns
// after the timeout; and its listen ends with it. R-151 R-158 R-294.
func TestWaitForChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		page := newPage(t, "notes")
		page.write("notes://a", "1")
		page.write("notes://b", "1")
		page.join(g)
		listens := func() int {
			return g.audited(func(e access.Entry) bool {
				return e.Verb == engine.MethodListen && e.Client == "wait_for_change"
			})
		}
		done := make(chan string, 1)
		go func() { // ends with the change
			text, _ := g.call("/mcp", "wait_for_change", `{"uris":["notes+notes://a","notes+notes://b"]}`)
			done <- text
		}()
		synctest.Wait()
		if n := len(done) + listens(); n != 0 {
			t.Error("it does not wait")
		}
		page.write("notes://a", "2")
		if text := gatewaytest.Await(t, "the change is seen", done); !strings.Contains(text, "Changed: notes+notes://a.") || strings.Contains(text, "notes://b") {
			t.Errorf("it says: %s", text)
		}
		if n := listens(); n != 1 {
			t.Errorf("%d listens have ended", n)
		}

		began := time.Now()
		text, result := g.call("/mcp", "wait_for_change", `{"uris":["notes+notes://b"],"timeoutSeconds":0.2}`)
		if result.IsError || !strings.HasPrefix(text, "Nothing changed") || string(result.StructuredContent) != `{"changed":[],"timedOut":true}` || time.Since(began) != 200*time.Millisecond {
			t.Errorf("without a change: %s %s after %v", text, result.StructuredContent, time.Since(began))
		}

		ctx, cancel := context.WithCancel(t.Context())
		params := `"name":"wait_for_change","arguments":{"uris":["notes+notes://b"]}`
		before := listens()
		time.AfterFunc(time.Second, cancel)
		g.HTTP.Do(g.Request(ctx, "POST", "/mcp", gatewaytest.Modern("1", engine.MethodCallTool, params), gatewaytest.HeadersOf(engine.MethodCallTool, params)...)) // its error is the cancellation
		if n := listens(); n != before+1 || time.Since(began) > defaultWait {
			t.Errorf("%d listens have ended after a cancellation", n)
		}
		for arguments, want := range map[string]string{
			`{}`: "uris must be", `{"uris":[]}`: "uris must be", `{"uris":["a:b"],"since":"forged"}`: "since must be", `{"uris":["a b"]}`: "cannot be watched: a b",
			`{"uris":["a:b"],"timeoutSeconds":0}`: "timeoutSeconds must be", `{"uris":["a:b"],"timeoutSeconds":301}`: "timeoutSeconds must be",
		} {
			if text, result := g.call("/mcp", "wait_for_change", arguments); !result.IsError || !strings.Contains(text, want) {
				t.Errorf("%s: %s", arguments, text)
			}
		}
	})
}

// With the cursor of an answer, the next call returns the events after it, counts those that the
// page has dropped, and reports a page that was loaded again, whatever its numbers are.
func TestWaitForEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		page := newPage(t, "notes")
		const uri = "event:///saved"
		lines := func(day string, from, to int) (text string) {
			for i := from; i <= to; i++ {
				text += fmt.Sprintf(`{"number":%d,"time":"2026-11-%[2]sT10:00:00.000Z","since":"2026-11-%[2]sT09:00:00.000Z","data":{"id":%[1]d}}`+"\n", i, day)
			}
			return text
		}
		page.write(uri, lines("01", 1, 2))
		page.join(g)
		call := func(since string) string {
			arguments := jsonrpc.AppendString([]byte(`{"uris":["notes+event:///saved"],"timeoutSeconds":5,"since":`), since)
			_, result := g.call("/mcp", "wait_for_change", string(arguments)+"}")
			return string(result.StructuredContent)
		}
		cursor := func(answer string) string {
			text, _ := jsonrpc.Text(jsonrpc.Member([]byte(answer), "cursor"))
			return text
		}
		time.AfterFunc(time.Second, func() { page.write(uri, lines("01", 1, 3)) })
		first := call("")
		page.write(uri, lines("01", 2, 4))
		second := call(cursor(first))
		page.write(uri, lines("01", 7, 8))
		third := call(cursor(second))
		page.write(uri, lines("02", 1, 1))
		fourth := call(cursor(third))
		page.write(uri, lines("03", 2, 3))
		for i, row := range []struct{ answer, want string }{
			{first, `{"changed":[],"events":[{"uri":"notes+event:///saved","number":3,"time":"2026-11-01T10:00:00.000Z","since":"2026-11-01T09:00:00.000Z","data":{"id":3}}],"timedOut":false,`},
			{second, `{"changed":[],"events":[{"uri":"notes+event:///saved","number":4,"time":"2026-11-01T10:00:00.000Z","since":"2026-11-01T09:00:00.000Z","data":{"id":4}}],"timedOut":false,`},
			{third, `"data":{"id":8}}],"lost":{"notes+event:///saved":2},"timedOut":false,`},
			{fourth, `"data":{"id":1}}],"lost":{"notes+event:///saved":-1},"timedOut":false,`},
			{call(cursor(fourth)), `"data":{"id":3}}],"lost":{"notes+event:///saved":-1},"timedOut":false,`},
		} {
			if !strings.Contains(row.answer, row.want) {
				t.Errorf("%d: %s, want %s", i, row.answer, row.want)
			}
		}
	})
}

// A page may have tools with the names of the generated ones: at its endpoint they are
// listed and called instead. The generated tools can be switched off. R-358 R-362.
func TestToolsOfThePageReplaceGenerated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		page := newPage(t, "notes")
		page.tool("read_resource", `{}`, always("the page's own"))
		page.join(g)
		_, got := g.Ask("/mcp/notes", engine.MethodListTools, "")
		if strings.Count(got, `"name":"read_resource"`) != 1 || !strings.Contains(got, "A tool of the page.") || !strings.Contains(got, `"name":"list_resources"`) {
			t.Errorf("listed: %s", got)
		}
		if text, _ := g.call("/mcp/notes", "read_resource", `{}`); text != "the page's own" {
			t.Errorf("called: %s", text)
		}
		if _, got := g.Ask("/mcp", engine.MethodListTools, ""); !strings.Contains(got, `"name":"notes__read_resource"`) || !strings.Contains(got, `"name":"read_resource"`) {
			t.Errorf("listed at /mcp: %s", got)
		}
		without := startGateway(t, func(o *Options) { o.NoResourceTools = true })
		if _, got := without.Ask("/mcp", engine.MethodListTools, ""); !strings.Contains(got, `"tools":[]`) {
			t.Errorf("switched off: %s", got)
		}
	})
}

// Headers are checked against the current schema of the page: a header that it has just
// begun to require is required at once. On a mismatch the response is -32020 with 400,
// and nothing is called. R-304 R-305 R-360.
func TestParamHeadersFollowThePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		page := newPage(t, "notes")
		const mirrored = `{"region":{"type":"string","x-mcp-header":"Region"}}`
		page.tool("move", mirrored, always("moved"))
		page.tool("plain", `{}`, always("plainly"))
		page.join(g)
		wrong := func(what string, status int, body string) {
			t.Helper()
			if status != 400 || !strings.Contains(body, "-32020") {
				t.Errorf("%s: %d %s", what, status, body)
			}
		}
		for path, prefix := range map[string]string{"/mcp": "notes__", "/mcp/notes": ""} {
			call := `"name":"` + prefix + `move","arguments":{"region":"eu"}`
			if status, body := g.Ask(path, engine.MethodCallTool, call, "Mcp-Param-Region: eu"); status != 200 || !strings.Contains(body, "moved") {
				t.Errorf("%s, equal: %d %s", path, status, body)
			}
			status, body := g.Ask(path, engine.MethodCallTool, call)
			wrong(path+", missing", status, body)
			status, body = g.Ask(path, engine.MethodCallTool, call, "Mcp-Param-Region: us")
			wrong(path+", another", status, body)
		}
		if status, body := g.Ask("/mcp/notes", engine.MethodCallTool, `"name":"plain","arguments":{}`, "Mcp-Param-Region: eu"); status != 200 || !strings.Contains(body, "plainly") {
			t.Errorf("a tool without such arguments: %d %s", status, body)
		}
		if status, body := g.Ask("/mcp/notes", engine.MethodCallTool, `"name":"none","arguments":{}`, "Mcp-Param-Region: eu"); status != 200 || !strings.Contains(body, "-32602") {
			t.Errorf("no such tool: %d %s", status, body)
		}
		page.tool("plain", mirrored, always("with a region"))
		status, body := g.Ask("/mcp/notes", engine.MethodCallTool, `"name":"plain","arguments":{"region":"eu"}`)
		wrong("after the change", status, body)
	})
}
