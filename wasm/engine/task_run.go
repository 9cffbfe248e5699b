package engine

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// The life of a task, from top to bottom of this file: createTask begins a goroutine for
// it, and finishTask gives it its last state, once. A tool is called once for a task.

// errTaskOver ends the context of a task that has its last state, or whose engine ends.
var errTaskOver = errors.New("the task is over")

func nowMs() int64 { return time.Now().UnixMilli() }

// createTask makes a task of a call, and returns it as an error: [taskCreated]. kept is what its
// preparation has left, or nil; ask is a question that waits for the user, or nil.
func (e *Engine) createTask(req *request, tool TaskTool, description Item, kept []byte, ask *pendingAsk) error {
	ttl := tool.TTL
	if ttl <= 0 {
		ttl = DefaultTaskTTL
	}
	t := &task{
		who: req.who, isOwn: req.client.isOwnPage(), tool: string([]byte(req.name)), arguments: bytes.Clone(req.arguments),
		capabilities: bytes.Clone(req.capabilities), clientName: req.clientName(),
		created: nowMs(), ttl: min(ttl, MaxTaskTTL).Milliseconds(), status: TaskWorking,
		reads: onlyReads(description), prepared: bytes.Clone(kept),
	}
	if !t.reads && isDestructive(description) {
		t.only = description.Key
	}
	if ask != nil {
		t.message = askMessage
	} else if g := e.grants.Load(); g != nil && t.only == "" && !t.isOwn {
		_, reason := g.decide(t.who, t.right(), "")
		t.isGranted = reason == reasonGrant
	}
	t.updated, t.id = t.created, newTaskID(t.who, t.created, t.ttl)
	e.tasks.init(t)
	if !e.tasks.add(t) {
		return e.reason("You have too many tasks here; wait until some have ended", "busy", true)
	}
	e.expireAfter(t, time.Duration(t.ttl)*time.Millisecond)
	created := &taskCreated{state: e.tasks.state(t), own: true}
	go e.runTask(t, ask) // ends with the task, or the engine
	return created
}

// runTask calls the tool of a task, and ends the task with the outcome.
func (e *Engine) runTask(t *task, ask *pendingAsk) {
	if ask != nil {
		defer ask.cancel()
	}
	var result []byte
	err := errPanicked
	e.safely("the tool of a task", func() {
		result, err = e.callTask(t, ask)
	})
	switch {
	case t.ctx.Err() != nil:
	case err != nil:
		e.failTask(t, begun(err))
	default:
		e.finishTask(t, TaskCompleted, "", result, nil)
	}
}

// callTask calls the tool of a task, once it may run. The result is as clients get it.
func (e *Engine) callTask(t *task, ask *pendingAsk) ([]byte, error) {
	i := &Invocation{
		at: turn{client: &Client{engine: e, who: t.who}}, rev: modern, who: t.who,
		capabilities: t.capabilities, info: append(jsonrpc.AppendString([]byte(`{"name":`), t.clientName), '}'), task: t,
	}
	ctx := context.WithValue(t.ctx, invocationKey{}, i)
	m, source, description, err := e.toolOfTask(ctx, t)
	if err != nil {
		return nil, err
	}
	if err := e.admitTask(t, description, ask); err != nil {
		return nil, err
	}
	own := t.tool[len(m.names):]
	e.setTaskMessage(t, "")
	result, err := source.CallTool(ctx, own, t.arguments)
	if err != nil {
		return nil, err
	}
	shaped, err := e.namedResult(modern, m, result, true)
	if err != nil {
		return nil, err
	}
	return shaped.Document.JSON, nil
}

// toolOfTask returns the mount and description of the tool of a task.
func (e *Engine) toolOfTask(ctx context.Context, t *task) (m *mount, source Tooler, description Item, err error) {
	for l := e.lookupName(t.tool); l.next(); {
		if source, ok := l.mount.source.(Tooler); ok {
			description, err = toolNamed(ctx, source, l.own)
			if err == nil || !errors.Is(err, ErrNotFound) {
				return l.mount, source, description, err
			}
		}
	}
	return nil, nil, description, ErrNotFound
}

// failTask ends a task with the error that the call would have had. It returns false if the task
// has ended already.
func (e *Engine) failTask(t *task, err error) bool {
	wire := (&request{client: &Client{engine: e}, method: callToolMethod, rev: modern}).wireError(err)
	o := emit.JSON(`{"code":` + string(jsonrpc.IDOf(wire.Code)))
	o.Name("message")
	o.Quote(wire.Message)
	if wire.Data != nil {
		o.Member("data", wire.Data)
	}
	o.Text("}")
	return e.finishTask(t, TaskFailed, wire.Message, nil, o)
}

// finishTask gives a task its last state, unless it has one.
func (e *Engine) finishTask(t *task, status, message string, result, failure []byte) bool {
	ok, fits := e.tasks.finish(t, status, message, result, failure)
	switch {
	case !ok:
		return false
	case !fits:
		return e.failTask(t, ErrTooLarge)
	}
	t.stop(errTaskOver)
	e.announceTask(t)
	return true
}

func (ts *tasks) finish(t *task, status, message string, result, failure []byte) (ok, fits bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t.hasEnded() || ts.ctx.Err() != nil {
		return false, true
	}
	ts.grow(t, fixedTaskSize+len(t.arguments)-t.size) // the rest is not needed any more
	if !ts.grow(t, len(result)) {
		return true, false
	}
	t.status, t.message, t.updated, t.result, t.failure = status, message, nowMs(), result, failure
	t.inputs = nil
	return true, true
}

// expireAfter ends a task when its time is over, and forgets it when it has ended.
func (e *Engine) expireAfter(t *task, left time.Duration) {
	time.AfterFunc(left, func() {
		switch {
		case e.tasks.ctx.Err() != nil:
		case e.failTask(t, e.reason("The task was not done when its time was over", "timeout", false)):
			e.expireAfter(t, taskFailedBy)
		default:
			e.tasks.remove(t)
		}
	})
}
