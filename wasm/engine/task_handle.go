package engine

import (
	"bytes"
	"context"

	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/plain"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Task is the call of a tool as the tool sees it: a task, or an ordinary call, so that one
// handler serves both. Its methods may be called concurrently, until Call returns.
type Task struct {
	engine     *Engine
	task       *task // nil: an ordinary call
	invocation *Invocation
}

type taskKey struct{}

// TaskOf returns the call for which a tool runs. It is never nil.
func TaskOf(ctx context.Context) *Task {
	if t, ok := ctx.Value(taskKey{}).(*Task); ok {
		return t
	}
	return &Task{invocation: InvocationOf(ctx)}
}

// ID returns the id of the task, or "" for an ordinary call.
func (t *Task) ID() string {
	if t.task == nil {
		return ""
	}
	return t.task.id
}

// Message says what the task does now, to the user and the model: it is cleaned by [PlainText]. In
// an ordinary call it is sent as progress.
func (t *Task) Message(text string) {
	if t.task == nil {
		t.invocation.progressMessage(text)
		return
	}
	t.engine.setTaskMessage(t.task, text)
}

// Input requests input of the client, as [Invocation.Need] does, and returns the answers, a JSON
// object by the same keys. A task waits for them, until ctx ends. In an ordinary call there are
// answers only if the client has sent them with the call; otherwise err makes the client do that,
// and has to be returned by Call, which is called again.
func (t *Task) Input(ctx context.Context, requests []byte) (answers []byte, err error) {
	if t.task != nil {
		return t.engine.requestTaskInput(ctx, t.task, requests)
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

// Save stores state, any JSON value, for a tool that continues after a restart. The answers before
// it are forgotten: what is still needed of them belongs into state. It returns when the state is
// stored, and does nothing in an ordinary call.
func (t *Task) Save(state []byte) error {
	if t.task == nil {
		return nil
	}
	if !t.engine.tasks.save(t.task, state) {
		return ErrTooLarge
	}
	return t.engine.storeTask(t.task)
}

func (ts *tasks) save(t *task, state []byte) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if !ts.grow(t, len(state)-len(t.checkpoint)) {
		return false
	}
	t.checkpoint = bytes.Clone(state)
	for i := range t.inputs {
		if one := &t.inputs[i]; !one.isOver && (one.isStored || !one.isClaimed) {
			ts.grow(t, -len(one.request)-len(one.answer))
			one.isOver, one.request, one.answer = true, nil, nil
		}
	}
	t.settle()
	return true
}

// Saved returns what Save has stored last, or nil. resumed reports whether the tool continues what
// it had begun before a restart.
func (t *Task) Saved() (state []byte, resumed bool) {
	if t.task == nil {
		return nil, false
	}
	t.engine.tasks.mu.Lock()
	defer t.engine.tasks.mu.Unlock()
	return t.task.checkpoint, t.task.isResumed
}

// setTaskMessage sets the message of a task that has not ended.
func (e *Engine) setTaskMessage(t *task, text string) {
	if e.tasks.setMessage(t, plain.Text(text, plain.MaxDescription)) {
		e.announceTask(t)
	}
}

func (ts *tasks) setMessage(t *task, text string) (changed bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t.hasEnded() || t.message == text {
		return false
	}
	t.message = text
	t.touch()
	return true
}
