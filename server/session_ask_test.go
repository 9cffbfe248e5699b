package server

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// openAble opens a session of a client with all capabilities.
func openAble(t *testing.T, g *Gateway, path string) *sessionCaller {
	t.Helper()
	c := &sessionCaller{testCaller: testCaller{t, g}, path: path}
	able := strings.Replace(initialize, `"capabilities":{}`, `"capabilities":{"elicitation":{},"sampling":{},"roots":{}}`, 1)
	answer, body := c.do(t.Context(), "POST", path, able)
	if c.id = answer.Header.Get("Mcp-Session-Id"); answer.StatusCode != 200 || c.id == "" {
		t.Fatalf("initialize: %d %s", answer.StatusCode, body)
	}
	if status, body := c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`); status != 202 {
		t.Fatalf("initialized: %d %s", status, body)
	}
	return c
}

// call sends tools/call and returns what comes on its event stream.
func (c *sessionCaller) call(ctx context.Context, id, tool, members string) <-chan string {
	c.t.Helper()
	body := `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `"` + members + `}}`
	answer, text := c.do(ctx, "POST", c.path, body, "Mcp-Session-Id: "+c.id, streams)
	if answer.StatusCode != 200 || text != "" {
		c.t.Fatalf("%s: %d %s", tool, answer.StatusCode, text)
	}
	messages, _ := events(c.t, answer.Body)
	return messages
}

// idOf returns the id of a message, JSON.
func idOf(message string) string { return string(jsonrpc.Member([]byte(message), "id")) }

func ends(t *testing.T, what string, messages <-chan string) {
	t.Helper()
	select {
	case more, open := <-messages:
		if open {
			t.Errorf("%s: then came %s", what, more)
		}
	case <-time.After(testTime):
		t.Errorf("%s: the stream does not end", what)
	}
}

// Requests and notifications during a call are sent on the stream of its POST: requests
// with an id of the gateway, progress and log messages before the response, nothing
// after it, and nothing on the stream of the session. Concurrent calls use their own
// streams. R-079 R-096 R-099 R-288 R-313 R-317 R-318.
func TestEngineRequestsUseTheStreamOfTheirCall(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{Logging: true})
	page := newConformancePage(t)
	page.join(g)
	c := openAble(t, g, "/mcp/conformance")
	session, _ := c.stream(t.Context())

	one := c.call(t.Context(), "1", "test_elicitation", `,"arguments":{"message":"first"}`)
	other := c.call(t.Context(), `"1"`, "test_elicitation", `,"arguments":{"message":"second"}`)
	for _, stream := range []struct {
		messages <-chan string
		id, says string
	}{{other, `"1"`, "second"}, {one, "1", "first"}} { // not in the order of the requests
		question := receive(t, stream.messages)
		if !strings.Contains(question, `"method":"elicitation/create"`) || !strings.Contains(question, stream.says) ||
			!strings.Contains(question, `"`+engine.MetaRequest+`":`+stream.id) || !strings.HasPrefix(idOf(question), `"pagemcp:`) {
			t.Errorf("the question of %s: %s", stream.id, question)
		}
		answer := `{"jsonrpc":"2.0","id":` + idOf(question) + `,"result":{"action":"accept","content":{"username":"` + stream.says + `","email":"a@b.example"}}}`
		if status, body := c.say(answer); status != 202 || body != "" {
			t.Errorf("the answer: %d %s", status, body)
		}
		if result := receive(t, stream.messages); idOf(result) != stream.id || !strings.Contains(result, "User response:") || !strings.Contains(result, stream.says) {
			t.Errorf("the result of %s: %s", stream.id, result)
		}
		ends(t, "after the result", stream.messages)
	}

	stream := c.call(t.Context(), "2", "test_tool_with_logging", "")
	for _, want := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if got := receive(t, stream); !strings.Contains(got, "notifications/message") || !strings.Contains(got, want) {
			t.Errorf("logged: %s; want %s", got, want)
		}
	}
	if got := receive(t, stream); !strings.Contains(got, `"id":2,"result"`) {
		t.Errorf("the result: %s", got)
	}
	ends(t, "after the result", stream)

	progress := c.call(t.Context(), "3", "test_tool_with_progress", `,"_meta":{"progressToken":"mine"}`)
	for _, want := range []string{`"progress":0`, `"progress":50`, `"progress":100`} {
		if got := receive(t, progress); !strings.Contains(got, `"progressToken":"mine"`) || !strings.Contains(got, want) {
			t.Errorf("progress: %s; want %s", got, want)
		}
	}
	if got := receive(t, progress); !strings.Contains(got, `"id":3,"result"`) {
		t.Errorf("the result: %s", got)
	}
	ends(t, "after the result", progress)
	select {
	case got := <-session:
		t.Errorf("on the session's stream: %s", got)
	default:
	}
}

// A call that needs a request to a client without event streams fails at once, and the
// error says why. R-096 R-285.
func TestClientWithoutStreamGetsNoEngineRequests(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	page := newConformancePage(t)
	page.join(g)
	c := openAble(t, g, "/mcp/conformance")
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_elicitation","arguments":{"message":"?"}}}`
	answer, text := c.do(t.Context(), "POST", c.path, body, "Mcp-Session-Id: "+c.id, "Accept: application/json")
	if answer.StatusCode != 200 || !strings.Contains(text, `"error"`) || !strings.Contains(text, "elicitation/create") || !strings.Contains(text, "text/event-stream") {
		t.Errorf("%d %s", answer.StatusCode, text)
	}
}

// If a client cancels a call, the call is cancelled in the page, its requests to the
// client are cancelled, and its stream ends without a response. Closing the stream does
// not cancel, but no further request can be sent to the client. R-073 R-074 R-314 R-355.
func TestCancelledCallCancelsItsEngineRequests(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	page := newConformancePage(t)
	page.join(g)
	running := func() int {
		page.mu.Lock()
		defer page.mu.Unlock()
		return page.slow
	}
	c := openAble(t, g, "/mcp/conformance")
	stream := c.call(t.Context(), "1", "test_elicitation", `,"arguments":{"message":"?"}`)
	question := receive(t, stream)
	if status, _ := c.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`); status != 202 {
		t.Errorf("the cancel: %d", status)
	}
	if got := receive(t, stream); !strings.Contains(got, "notifications/cancelled") || !strings.Contains(got, `"requestId":`+idOf(question)) {
		t.Errorf("after the cancel: %s", got)
	}
	ends(t, "after the cancel", stream)

	slow := c.call(t.Context(), "1", "test_slow", `,"_meta":{"progressToken":1}`) // the id is free again
	receive(t, slow)
	if running() != 1 {
		t.Errorf("%d calls run", running())
	}
	c.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	ends(t, "after the cancel", slow)
	eventually(t, "the page stops", func() bool { return running() == 0 })
	if log := audited(t, g); strings.Count(log, `"verb":"tools/call","uri":"test_slow","app":"conformance","right":"act","outcome":"cancelled"`) != 1 {
		t.Errorf("the audit log: %s", log)
	}

	done := make(chan string, 1)
	go func() {
		answer, text := c.do(t.Context(), "POST", c.path, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_slow"}}`, "Mcp-Session-Id: "+c.id)
		done <- fmt.Sprint(answer.StatusCode, text)
	}()
	eventually(t, "it runs", func() bool { return running() == 1 })
	c.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	if got := receive(t, done); got != "202" {
		t.Errorf("a client that takes JSON alone: %s", got)
	}
	eventually(t, "the page stops", func() bool { return running() == 0 })

	ctx, cancel := context.WithCancel(t.Context())
	abandoned := c.call(ctx, "3", "test_slow", `,"_meta":{"progressToken":1}`)
	receive(t, abandoned)
	cancel()
	eventually(t, "the post is forgotten", func() bool {
		state, _ := g.core.Sessions.Inspect(c.id)
		reads, waits := state.Pending["3"]
		return waits && !reads
	})
	if running() != 1 {
		t.Error("a closed stream cancelled the call")
	}
	answer, _ := c.do(t.Context(), "DELETE", c.path, "", "Mcp-Session-Id: "+c.id)
	if answer.StatusCode != 204 {
		t.Errorf("DELETE: %d", answer.StatusCode)
	}
	eventually(t, "the page stops", func() bool { return running() == 0 })
}
