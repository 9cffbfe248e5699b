package enginetest

import (
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
	"github.com/pagemcp/pagemcp/wasm/engine/task"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Extensions are ours, for one engine.
func Extensions() []*engine.Extension {
	return []*engine.Extension{skill.Extension, task.Extension(&task.Tasks{})}
}

// A TaskClient is a client with the extension for tasks.
type TaskClient struct{ *Dialogue }

// TaskClientOf lets e serve a client with the extension, until the test ends.
func TaskClientOf(t *testing.T, e *engine.Engine, who engine.Principal) *TaskClient {
	return &TaskClient{DialogueOf(t, e, who)}
}

const taskMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{},` +
	`"extensions":{"` + task.ID + `":{}}}}`

// Send sends a request with further members of params, and returns its id.
func (c *TaskClient) Send(method, members string) string {
	c.T.Helper()
	if members != "" {
		members = "," + members
	}
	return c.Dialogue.Send(method, taskMeta+members)
}

// Request sends a request and returns the answer.
func (c *TaskClient) Request(method, members string) string {
	c.T.Helper()
	return c.Await(c.Send(method, members), method)
}

// Create calls a tool, and returns the id of the task.
func (c *TaskClient) Create(tool, arguments string) string {
	c.T.Helper()
	answer := c.Request("tools/call", `"name":"`+tool+`","arguments":`+arguments)
	id, ok := jsonrpc.Text(jsonrpc.Member(jsonrpc.Member([]byte(answer), "result"), "taskId"))
	if !ok || !strings.Contains(answer, `"resultType":"task"`) {
		c.T.Fatalf("the call became no task: %s", answer)
	}
	return id
}

// Task returns the answer to tasks/get.
func (c *TaskClient) Task(id string) string {
	c.T.Helper()
	return c.Request("tasks/get", `"taskId":"`+id+`"`)
}

// Wants fails the test unless tasks/get answers with all parts.
func (c *TaskClient) Wants(id string, parts ...string) {
	c.T.Helper()
	got := c.Task(id)
	for _, part := range parts {
		if !strings.Contains(got, part) {
			c.T.Errorf("%s\n  has no %s", got, part)
		}
	}
}
