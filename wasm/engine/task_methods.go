package engine

import (
	"context"
	"errors"
	"hash/fnv"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/plain"
)

// The requests and notifications of the extension. Whether an id is wrong, expired, or of another
// principal, its error is the same. task_others.go has the tasks of mounted engines.

// runTool runs a tool, or makes a task of the call.
func (e *Engine) runTool(ctx context.Context, req *request, source Tooler, name string, ask *pendingAsk) ([]byte, error) {
	tool := taskTool(source, name)
	takes := e.takesTasks(req)
	switch {
	case tool.Mode == TaskRequired && !takes:
		return nil, missingTasks()
	case tool.Mode == TaskNever && ask == nil || !takes:
		return source.CallTool(ctx, name, req.arguments)
	}
	description, err := toolNamed(ctx, source, name)
	if err != nil {
		return nil, err
	}
	var kept []byte
	if tool.Prepare != nil && ask == nil {
		result, prepared, err := tool.Prepare(ctx, req.arguments)
		if result != nil || err != nil {
			return result, err
		}
		kept = prepared
	}
	return nil, e.createTask(req, tool, description, kept, ask)
}

func taskTool(source Tooler, name string) (tool TaskTool) {
	if s, ok := source.(TaskTooler); ok {
		tool = s.TaskTool(name)
	}
	return tool
}

// takesTasks reports whether a call of the client may become a task of this engine.
func (e *Engine) takesTasks(req *request) bool {
	return req.rev == modern && e.declaresTasks.Load() && hasTasks(req.capabilities)
}

// hasTasks reports whether capabilities have the extension.
func hasTasks(capabilities []byte) bool {
	return jsonrpc.Member(jsonrpc.Member(capabilities, "extensions"), ExtensionTasks) != nil
}

func missingTasks() error {
	return &jsonrpc.Error{
		Code: codeMissingCapability, Message: "The client lacks the extension for tasks, which is required",
		Data: []byte(`{"requiredCapabilities":{"extensions":{"` + ExtensionTasks + `":{}}}}`),
	}
}

// onTask answers tasks/get, tasks/update and tasks/cancel.
func (e *Engine) onTask(ctx context.Context, req *request) (sink.Result, error) {
	switch {
	case !hasTasks(req.capabilities):
		return sink.Result{}, missingTasks()
	case req.name == "":
		return sink.Result{}, BadParams("taskId is missing")
	case req.method == updateTaskMethod && req.inputs == nil:
		return sink.Result{}, BadParams("inputResponses is missing")
	case !e.options.Allow(req.who, VerbCall, "tool:"+req.name):
		return sink.Result{}, ErrNotFound
	}
	t := e.tasks.find(req.name)
	if t == nil && e.options.OtherTasks != nil {
		if !req.mayWait {
			return sink.Result{}, errMustWait
		}
		return e.options.OtherTasks.answer(e, ctx, req)
	}
	if t == nil || !t.isOf(req.client, req.who) {
		return sink.Result{}, ErrNotFound
	}
	err := e.mayHaveTask(t)
	if req.method == getTaskMethod {
		err = e.mayGetTask(t)
	}
	switch {
	case err != nil:
	case req.method == getTaskMethod:
		return e.stateResult("complete", e.tasks.state(t)), nil
	case req.method == cancelTaskMethod:
		e.finishTask(t, TaskCancelled, "The assistant has cancelled the task.", nil, nil)
	case !e.tasks.answer(t, req.inputs):
		err = ErrTooLarge
	default:
		e.announceTask(t)
	}
	return sink.Result{Document: &sink.Document{JSON: append(e.fixed.Load().begin(0), '}')}}, err
}

// isOf reports whether a task belongs to a client's principal.
func (t *task) isOf(c *Client, who Principal) bool { return t.who == who && t.isOwn == c.isOwnPage() }

// stateResult makes a result of a state: of tasks/get, "complete", or of a call that became a task,
// "task".
func (e *Engine) stateResult(kind string, s TaskState) sink.Result {
	o := emit.JSON(`{"resultType":"` + kind + `",` + string(e.fixed.Load().meta))
	addState(&o, s)
	o.Text("}")
	return sink.Result{Document: &sink.Document{JSON: o}}
}

// addState adds the members of a state.
func addState(o *emit.JSON, s TaskState) {
	for _, one := range [...]struct{ name, value string }{
		{"taskId", s.ID}, {"status", s.Status}, {"createdAt", s.Created}, {"lastUpdatedAt", s.Updated},
		{"statusMessage", plain.Text(s.Message, plain.MaxDescription)},
	} {
		if one.value != "" {
			o.Name(one.name)
			o.Quote(one.value)
		}
	}
	ttl, poll := []byte("null"), []byte(nil)
	if s.TTL >= 0 {
		ttl = []byte(jsonrpc.IDOf(s.TTL))
	}
	if s.Poll > 0 {
		poll = []byte(jsonrpc.IDOf(s.Poll))
	}
	for _, one := range [...]struct {
		name  string
		value []byte
	}{{"ttlMs", ttl}, {"pollIntervalMs", poll}, {"inputRequests", s.Inputs}, {"error", s.Error}, {"result", s.Result}} {
		if one.value != nil {
			o.Member(one.name, one.value)
		}
	}
}

// createdResult makes the result of a call that became a task, here or in the engine of m.
func (e *Engine) createdResult(req *request, m *mount, created *taskCreated) (sink.Result, error) {
	if !hasTasks(req.capabilities) || req.rev != modern {
		return sink.Result{}, errors.New("a source made a task for a client without the extension")
	}
	s := created.state
	s.Inputs, s.Result, s.Error = nil, nil, nil
	if !created.own {
		s.ID = m.dotted + s.ID
	}
	return e.stateResult("task", s), nil
}

// mayListenTo reports whether a subscription may have a task.
func (e *Engine) mayListenTo(s *subscription, id string) bool {
	if t := e.tasks.find(id); t != nil {
		return t.isOf(s.client, s.who)
	}
	return e.options.OtherTasks != nil && e.options.OtherTasks.mayListen(e, s, id)
}

// taskNotification returns the notification about the state of a task now, or nil if the client
// may not have it, has it already, or is not subscribed any more. A state may be announced twice: by
// the listen, and by a mounted engine. It is called with the client's mu held.
func (e *Engine) taskNotification(s *subscription, key string) *sink.Document {
	var state TaskState
	t := e.tasks.find(TaskOfURI(key))
	switch {
	case !e.registry.hasSpelled(s, key):
		return nil
	case t != nil && e.mayGetTask(t) != nil:
		return nil
	case t != nil:
		state = e.tasks.state(t)
	case e.options.OtherTasks == nil:
		return nil
	default:
		var known bool
		if state, known = e.options.OtherTasks.last(e, s, key); !known {
			return nil
		}
	}
	o := emit.JSON(`{"_meta":{}`)
	addState(&o, state)
	o.Text("}")
	hash := fnv.New64a()
	hash.Write(o)
	if last, sent := s.states[key]; sent && last == hash.Sum64() {
		return nil
	}
	if s.states == nil {
		s.states = map[string]uint64{}
	}
	s.states[key] = hash.Sum64()
	return &sink.Document{JSON: jsonrpc.AppendNotification(nil, MethodTask, o)}
}
