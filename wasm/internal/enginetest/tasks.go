package enginetest

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A TaskClient is a client with the extension for tasks.
type TaskClient struct {
	*testing.T
	Port jsonrpc.Port
	last int
}

// TaskClientOf lets e serve a client with the extension, until the test ends.
func TaskClientOf(t *testing.T, e *engine.Engine, who engine.Principal) *TaskClient {
	near, far := jsonrpc.Pipe()
	go e.Serve(engine.WithPrincipal(context.Background(), who), far) // ends with near
	t.Cleanup(func() { near.Close() })
	return &TaskClient{T: t, Port: near}
}

const taskMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{},` +
	`"extensions":{"` + engine.ExtensionTasks + `":{}}}}`

// Send sends a request with further members of params, and returns its id.
func (c *TaskClient) Send(method, members string) string {
	c.Helper()
	c.last++
	id := strconv.Itoa(c.last)
	if members != "" {
		members = "," + members
	}
	if err := c.Port.Write(c.Context(), []byte(`{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`","params":{`+taskMeta+members+`}}`)); err != nil {
		c.Fatal(err)
	}
	return id
}

// Next returns the next message; why is what the test waits for.
func (c *TaskClient) Next(why string) string {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), 5*time.Minute) // of the bubble's clock
	defer cancel()
	message, err := c.Port.Read(ctx)
	if err != nil {
		c.Fatalf("waited for %s: %v", why, err)
	}
	return string(message)
}

// Request sends a request and returns the answer.
func (c *TaskClient) Request(method, members string) string {
	c.Helper()
	id := c.Send(method, members)
	for {
		message := c.Next(method)
		if string(jsonrpc.Member([]byte(message), "id")) == id {
			return message
		}
	}
}

// Create calls a tool, and returns the id of the task.
func (c *TaskClient) Create(tool, arguments string) string {
	c.Helper()
	answer := c.Request("tools/call", `"name":"`+tool+`","arguments":`+arguments)
	id, ok := jsonrpc.Text(jsonrpc.Member(jsonrpc.Member([]byte(answer), "result"), "taskId"))
	if !ok || !strings.Contains(answer, `"resultType":"task"`) {
		c.Fatalf("the call became no task: %s", answer)
	}
	return id
}

// Task returns the answer to tasks/get.
func (c *TaskClient) Task(id string) string {
	c.Helper()
	return c.Request("tasks/get", `"taskId":"`+id+`"`)
}

// Wants fails the test unless tasks/get answers with all parts.
func (c *TaskClient) Wants(id string, parts ...string) {
	c.Helper()
	got := c.Task(id)
	for _, part := range parts {
		if !strings.Contains(got, part) {
			c.Errorf("%s\n  has no %s", got, part)
		}
	}
}
