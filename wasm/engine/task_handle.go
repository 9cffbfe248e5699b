package engine

import (
	"context"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Task is the call of a tool as the tool sees it: a task, or an ordinary call, so that one
// handler serves both. Its methods may be called concurrently, until Call returns.
type Task struct {
	task       *task // nil: an ordinary call
	invocation *Invocation
}

// TaskOf returns the call for which a tool runs.
func TaskOf(ctx context.Context) Task {
	i := InvocationOf(ctx)
	return Task{i.task, i}
}

// IsTask reports whether the call became a task.
func (t Task) IsTask() bool { return t.task != nil }

// Input requests input of the client, as [Invocation.Need] does, and returns the answers, a JSON
// object by the same keys. A task waits for them, until ctx ends. In an ordinary call there are
// answers only if the client has sent them with the call; otherwise err makes the client do that,
// and has to be returned by Call, which is called again.
func (t Task) Input(ctx context.Context, requests []byte) (answers []byte, err error) {
	if t.task != nil {
		return t.invocation.client.engine.requestTaskInput(ctx, t.task, requests)
	}
	known, _, err := t.invocation.Answers()
	if err != nil {
		return nil, err
	}
	found, missing := emit.JSON("{"), emit.JSON("{")
	s := jsonrpc.Scan(requests)
	for s.Next() {
		name := string(s.Name)
		if answer := jsonrpc.Member(known, name); answer != nil {
			found.Member(name, answer)
		} else {
			missing.Member(name, s.Value)
		}
	}
	if len(missing) > 1 {
		missing.Text("}")
		return nil, t.invocation.Need(missing, nil)
	}
	found.Text("}")
	return found, nil
}
