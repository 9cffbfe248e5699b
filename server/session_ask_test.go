package server

import (
	"context"
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
