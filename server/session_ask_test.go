package server

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// able are all capabilities of a client.
var able = gatewaytest.As(`{"elicitation":{},"sampling":{},"roots":{}}`)

// callIn sends tools/call in a session and returns what comes on its event stream.
func callIn(ctx context.Context, c *gatewaytest.Session, id, tool, members string) <-chan string {
	c.T.Helper()
	return c.Call(ctx, id, "tools/call", `"name":"`+tool+`"`+members).Messages
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
	c := caller(t, g).Begin("/mcp/conformance", able)
	session := c.Listen(t.Context()).Messages

	one := callIn(t.Context(), c, "1", "test_elicitation", `,"arguments":{"message":"first"}`)
	other := callIn(t.Context(), c, `"1"`, "test_elicitation", `,"arguments":{"message":"second"}`)
	for _, stream := range []struct {
		messages <-chan string
		id, says string
	}{{other, `"1"`, "second"}, {one, "1", "first"}} { // not in the order of the requests
		question := gatewaytest.Receive(t, stream.messages)
		if !strings.Contains(question, `"method":"elicitation/create"`) || !strings.Contains(question, stream.says) ||
			!strings.Contains(question, `"`+engine.MetaRequest+`":`+stream.id) || !strings.HasPrefix(idOf(question), `"pagemcp:`) {
			t.Errorf("the question of %s: %s", stream.id, question)
		}
		answer := `{"jsonrpc":"2.0","id":` + idOf(question) + `,"result":{"action":"accept","content":{"username":"` + stream.says + `","email":"a@b.example"}}}`
		if status, body := c.Say(answer); status != 202 || body != "" {
			t.Errorf("the answer: %d %s", status, body)
		}
		if result := gatewaytest.Receive(t, stream.messages); idOf(result) != stream.id || !strings.Contains(result, "User response:") || !strings.Contains(result, stream.says) {
			t.Errorf("the result of %s: %s", stream.id, result)
		}
		ends(t, "after the result", stream.messages)
	}

	stream := callIn(t.Context(), c, "2", "test_tool_with_logging", "")
	for _, want := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if got := gatewaytest.Receive(t, stream); !strings.Contains(got, "notifications/message") || !strings.Contains(got, want) {
			t.Errorf("logged: %s; want %s", got, want)
		}
	}
	if got := gatewaytest.Receive(t, stream); !strings.Contains(got, `"id":2,"result"`) {
		t.Errorf("the result: %s", got)
	}
	ends(t, "after the result", stream)

	progress := callIn(t.Context(), c, "3", "test_tool_with_progress", `,"_meta":{"progressToken":"mine"}`)
	for _, want := range []string{`"progress":0`, `"progress":50`, `"progress":100`} {
		if got := gatewaytest.Receive(t, progress); !strings.Contains(got, `"progressToken":"mine"`) || !strings.Contains(got, want) {
			t.Errorf("progress: %s; want %s", got, want)
		}
	}
	if got := gatewaytest.Receive(t, progress); !strings.Contains(got, `"id":3,"result"`) {
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
	c := caller(t, g).Begin("/mcp/conformance", able)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_elicitation","arguments":{"message":"?"}}}`
	answer, text := c.Do(t.Context(), "POST", c.Path, body, "Mcp-Session-Id: "+c.ID, "Accept: application/json")
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
	c := caller(t, g).Begin("/mcp/conformance", able)
	stream := callIn(t.Context(), c, "1", "test_elicitation", `,"arguments":{"message":"?"}`)
	question := gatewaytest.Receive(t, stream)
	if status, _ := c.Say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`); status != 202 {
		t.Errorf("the cancel: %d", status)
	}
	if got := gatewaytest.Receive(t, stream); !strings.Contains(got, "notifications/cancelled") || !strings.Contains(got, `"requestId":`+idOf(question)) {
		t.Errorf("after the cancel: %s", got)
	}
	ends(t, "after the cancel", stream)

	slow := callIn(t.Context(), c, "1", "test_slow", `,"_meta":{"progressToken":1}`) // the id is free again
	gatewaytest.Receive(t, slow)
	if running() != 1 {
		t.Errorf("%d calls run", running())
	}
	c.Say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	ends(t, "after the cancel", slow)
	gatewaytest.Eventually(t, "the page stops", func() bool { return running() == 0 })
	if log := audited(t, g); strings.Count(log, `"verb":"tools/call","uri":"test_slow","app":"conformance","right":"act","outcome":"cancelled"`) != 1 {
		t.Errorf("the audit log: %s", log)
	}

	done := make(chan string, 1)
	go func() {
		answer, text := c.Do(t.Context(), "POST", c.Path, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_slow"}}`, "Mcp-Session-Id: "+c.ID)
		done <- fmt.Sprint(answer.StatusCode, text)
	}()
	gatewaytest.Eventually(t, "it runs", func() bool { return running() == 1 })
	c.Say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	if got := gatewaytest.Receive(t, done); got != "202" {
		t.Errorf("a client that takes JSON alone: %s", got)
	}
	gatewaytest.Eventually(t, "the page stops", func() bool { return running() == 0 })

	ctx, cancel := context.WithCancel(t.Context())
	abandoned := callIn(ctx, c, "3", "test_slow", `,"_meta":{"progressToken":1}`)
	gatewaytest.Receive(t, abandoned)
	cancel()
	gatewaytest.Eventually(t, "the post is forgotten", func() bool {
		state, _ := g.core.Sessions.Inspect(c.ID)
		reads, waits := state.Pending["3"]
		return waits && !reads
	})
	if running() != 1 {
		t.Error("a closed stream cancelled the call")
	}
	answer, _ := c.Do(t.Context(), "DELETE", c.Path, "", "Mcp-Session-Id: "+c.ID)
	if answer.StatusCode != 204 {
		t.Errorf("DELETE: %d", answer.StatusCode)
	}
	gatewaytest.Eventually(t, "the page stops", func() bool { return running() == 0 })
}
