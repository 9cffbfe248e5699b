package engine

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// The life of a task, from top to bottom of this file: createTask stores it before the client gets
// it, startTask begins a goroutine for it, and finishTask gives it its last state, once. A tool is
// never called twice for a task, unless it says that it continues: see TaskTool.Resume.

// Causes of the end of a task's context.
var (
	errTaskEnded   = errors.New("the task has ended")
	errTaskStopped = errors.New("the engine ends") // the task goes on in the next one
)

// createTask makes a task of a call. ask is a question that waits for the user, or nil.
func (e *Engine) createTask(req *request, tool TaskTool, description Tool, ask *pendingAsk) error {
	ttl := tool.TTL
	if ttl <= 0 {
		ttl = DefaultTaskTTL
	}
	now := time.Now().UnixMilli()
	t := &task{
		who: req.who, isOwn: req.client.isOwnPage(), tool: string([]byte(req.name)), arguments: bytes.Clone(req.arguments),
		capabilities: bytes.Clone(req.capabilities), clientName: req.clientName(),
		created: now, updated: now, ttl: min(ttl, MaxTaskTTL).Milliseconds(), status: TaskWorking,
		right: grantAct, prepared: ask == nil,
	}
	if onlyReads(description) {
		t.right = grantRead
	} else if isDestructive(description) {
		t.only = description.Name
	}
	if ask != nil {
		t.asks, t.message = true, askMessage
	}
	t.id = newTaskID(t.who, t.created, t.ttl)
	if !e.tasks.add(t) {
		return e.reason("You have too many tasks here; wait until some have ended", "busy", true)
	}
	if err := e.storeTask(t); err != nil {
		e.tasks.remove(t)
		return e.reason("The page could not store the task", "unavailable", true)
	}
	e.expireTask(t)
	created := &taskCreated{state: e.tasks.state(t), own: true}
	e.startTask(t, ask)
	return created
}

// touch records that the state has changed; tasks.mu is held.
func (t *task) touch() { t.updated = time.Now().UnixMilli() }

// startTask runs a task, unless it runs or has ended.
func (e *Engine) startTask(t *task, ask *pendingAsk) {
	ctx, ok := e.tasks.begin(t)
	if !ok {
		if ask != nil {
			ask.cancel()
		}
		return
	}
	go func() { // ends with the task, or the engine
		growStack()
		if ask != nil {
			defer ask.cancel()
		}
		e.runTask(ctx, t, ask)
	}()
}

func (ts *tasks) begin(t *task) (ctx context.Context, ok bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.stopped || t.stop != nil || t.hasEnded() {
		return nil, false
	}
	ctx, t.stop = context.WithCancelCause(WithPrincipal(context.Background(), t.who))
	return ctx, true
}

// runTask calls the tool of a task, and ends the task with the outcome.
func (e *Engine) runTask(ctx context.Context, t *task, ask *pendingAsk) {
	var result []byte
	err := errPanicked
	m := &mount{}
	e.safely("the tool of a task", func() {
		for {
			offered := e.tasks.offers()
			if m, err = e.toolOfTask(ctx, t); !errors.Is(err, ErrNotFound) || !t.isRestored {
				break
			}
			e.setTaskMessage(t, "Waits for the app to offer the tool "+jsonrpc.Brief(t.tool)+" again.")
			if e.tasks.rest(t, offered) {
				err = errTaskStopped
				return
			}
		}
		if err == nil {
			result, err = e.callTask(ctx, t, m, ask)
		}
		if err == nil { // else it is checked when it cannot be reported any more
			var shaped sink.Result
			shaped, err = e.namedResult(modern, m, result, true)
			if err == nil {
				result = shaped.Document.JSON
			}
		}
	})
	switch cause := context.Cause(ctx); {
	case cause != nil, err == errTaskStopped: // it has its last state, or goes on in another engine
	case err == nil:
		if !e.finishTask(t, TaskCompleted, "", result, nil) && !e.tasks.isEnded(t) {
			e.failTask(t, ErrTooLarge)
		}
	default:
		e.failTask(t, begun(err))
	}
}

// offers counts the calls of ResumeTasks.
func (ts *tasks) offers() int {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.offered
}

// rest lets ResumeTasks start a task again whose tool is not there. It returns false if there may
// be further tools by now.
func (ts *tasks) rest(t *task, offered int) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.offered != offered {
		return false
	}
	t.stop = nil
	return true
}

func (ts *tasks) isEnded(t *task) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return t.hasEnded()
}

// toolOfTask returns the mount of the tool of a task.
func (e *Engine) toolOfTask(ctx context.Context, t *task) (*mount, error) {
	for l := e.lookupName(t.tool); l.next(); {
		source, ok := l.mount.source.(Tooler)
		if !ok {
			continue
		}
		if _, err := toolNamed(ctx, source, l.own); !errors.Is(err, ErrNotFound) {
			return l.mount, err
		}
	}
	return nil, ErrNotFound
}

// callTask calls the tool of a task, once it may run.
func (e *Engine) callTask(ctx context.Context, t *task, m *mount, ask *pendingAsk) ([]byte, error) {
	i := &Invocation{
		client: &Client{engine: e, who: t.who}, method: callToolMethod, rev: modern, who: t.who,
		capabilities: t.capabilities, info: append(jsonrpc.AppendString([]byte(`{"name":`), t.clientName), '}'), task: t,
	}
	i.rateLimit.rate, i.rateLimit.most = 50, 50
	ctx = context.WithValue(context.WithValue(ctx, invocationKey{}, i), taskKey{}, &Task{e, t, i})
	source, own := m.source.(Tooler), t.tool[len(m.names):]
	if err := e.admitTask(ctx, t, source, own, ask); err != nil {
		return nil, err
	}
	tool := taskTool(source, own)
	wasBegun, arguments, prepared := e.tasks.stage(t)
	switch {
	case wasBegun && !tool.Resume:
		return nil, e.reason("The page was closed or loaded again while the tool ran, and the tool cannot continue; it may have taken effect", "interrupted", false)
	case !wasBegun && !prepared && tool.Prepare != nil:
		var err error
		arguments, err = e.taskRounds(ctx, t, i, func() ([]byte, error) { return tool.Prepare(ctx, arguments) })
		if err != nil {
			return nil, err
		}
	}
	if !e.tasks.markBegun(t, arguments) {
		return nil, ErrTooLarge
	}
	if !wasBegun {
		if err := e.storeTask(t); err != nil {
			return nil, e.reason("The page could not store the task", "unavailable", true)
		}
	}
	e.setTaskMessage(t, "")
	return e.taskRounds(ctx, t, i, func() ([]byte, error) { return source.CallTool(ctx, own, arguments) })
}

// taskRounds calls f until it needs no further input.
func (e *Engine) taskRounds(ctx context.Context, t *task, i *Invocation, f func() ([]byte, error)) ([]byte, error) {
	for range maxRounds {
		result, err := f()
		var need *inputRequired
		if err == nil || !errors.As(err, &need) {
			return result, err
		}
		if need.wrong != nil {
			return nil, need.wrong
		}
		answers, err := e.requestTaskInput(ctx, t, need.requests)
		if err != nil {
			return nil, err
		}
		i.answered(answers, need.state)
	}
	return nil, errors.New("a source asked the client too often")
}

func (ts *tasks) stage(t *task) (begun bool, arguments []byte, prepared bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return t.begun, t.arguments, t.prepared
}

func (ts *tasks) markBegun(t *task, arguments []byte) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if !ts.grow(t, len(arguments)-len(t.arguments)) {
		return false
	}
	t.isResumed, t.begun, t.prepared, t.arguments = t.begun, true, true, arguments
	return true
}

// failTask ends a task with the error that the call would have had. It returns false if the task
// has ended already.
func (e *Engine) failTask(t *task, err error) bool {
	wire := (&request{client: &Client{engine: e}, method: callToolMethod, rev: modern}).wireError(err)
	o := emit.JSON(`{"code":` + strconv.FormatInt(wire.Code, 10))
	o.Name("message")
	o.Quote(wire.Message)
	if wire.Data != nil {
		o.Member("data", wire.Data)
	}
	o.Text("}")
	return e.finishTask(t, TaskFailed, wire.Message, nil, o)
}

// finishTask gives a task its last state. It returns false if it has one, or there is no room for
// the result. Clients see the state once it is stored, so that it never turns back.
func (e *Engine) finishTask(t *task, status, message string, result, failure []byte) bool {
	stop, ok := e.tasks.finish(t, status, message, result, failure)
	if !ok {
		return false
	}
	if stop != nil {
		stop(errTaskEnded)
	}
	e.storeTask(t) // an error is reported: memory has it
	e.tasks.show(t)
	e.announceTask(t)
	return true
}

func (ts *tasks) finish(t *task, status, message string, result, failure []byte) (stop context.CancelCauseFunc, ok bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t.hasEnded() || ts.stopped || result != nil && !ts.grow(t, len(result)) {
		return nil, false
	}
	t.status, t.message, t.result, t.failure, t.isShown = status, message, result, failure, false
	for i := range t.inputs {
		one := &t.inputs[i]
		ts.grow(t, -len(one.request)-len(one.answer))
	}
	ts.grow(t, -len(t.checkpoint))
	t.inputs, t.checkpoint = nil, nil
	t.touch()
	return t.stop, true
}

func (ts *tasks) show(t *task) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t.isShown = true
}

// stopTasks ends what runs for tasks, which keep their state for the next engine.
func (e *Engine) stopTasks() {
	for _, stop := range e.tasks.stopAll() {
		stop(errTaskStopped)
	}
}

func (ts *tasks) stopAll() (stops []context.CancelCauseFunc) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.stopped = true
	for _, t := range ts.byID {
		if t.stop != nil {
			stops = append(stops, t.stop)
		}
		if t.timer != nil {
			t.timer.Stop()
		}
	}
	return stops
}
