package engine

import (
	"context"
	"errors"
	"strconv"

	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/plain"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// The requests and notifications of the extension. A task is one of this engine's, or of a mounted
// engine whose prefix its id has. Whether an id is wrong, expired, or of another principal, its
// error is the same.

// runTool runs a tool, or makes a task of the call.
func (e *Engine) runTool(ctx context.Context, req *request, source Tooler, name string, ask *pendingAsk) ([]byte, error) {
	tool := taskTool(source, name)
	takes := e.takesTasks(req)
	if tool.Mode == TaskRequired && !takes {
		return nil, missingTasks()
	}
	if tool.Mode != TaskNever || ask != nil {
		if tool.Prepare != nil && ask == nil {
			arguments, err := tool.Prepare(ctx, req.arguments)
			if err != nil {
				return nil, err
			}
			req.arguments = arguments
		}
		if takes {
			description, err := toolNamed(ctx, source, name)
			if err != nil {
				return nil, err
			}
			return nil, e.createTask(req, tool, description, ask)
		}
	}
	return source.CallTool(ctx, name, req.arguments)
}

func taskTool(source Tooler, name string) (tool TaskTool) {
	if s, ok := source.(TaskTooler); ok {
		tool = s.TaskTool(name)
	}
	return tool
}

// toolNamed returns the description of a tool of a source.
func toolNamed(ctx context.Context, source Tooler, name string) (Tool, error) {
	all, err := source.Tools(ctx)
	for _, tool := range all {
		if tool.Name == name {
			return tool, err
		}
	}
	if err == nil {
		err = ErrNotFound
	}
	return Tool{}, err
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

// getTask answers tasks/get.
func (e *Engine) getTask(ctx context.Context, req *request) (sink.Result, error) {
	return e.onTask(ctx, req, func(t *task) (sink.Result, error) {
		return e.stateResult("complete", nil, e.tasks.state(t))
	}, func(ctx context.Context, m *mount, source Tasker, own string) (sink.Result, error) {
		s, err := source.Task(ctx, own)
		if err != nil {
			return sink.Result{}, err
		}
		return e.stateResult("complete", m, s)
	})
}

// updateTask answers tasks/update.
func (e *Engine) updateTask(ctx context.Context, req *request) (sink.Result, error) {
	return e.onTask(ctx, req, func(t *task) (sink.Result, error) {
		if !req.mayWait {
			return sink.Result{}, errMustWait
		}
		return e.emptyResult(), e.answerTask(t, req.inputs)
	}, func(ctx context.Context, _ *mount, source Tasker, own string) (sink.Result, error) {
		return e.emptyResult(), source.UpdateTask(ctx, own)
	})
}

// cancelTask answers tasks/cancel.
func (e *Engine) cancelTask(ctx context.Context, req *request) (sink.Result, error) {
	return e.onTask(ctx, req, func(t *task) (sink.Result, error) {
		if !req.mayWait {
			return sink.Result{}, errMustWait
		}
		e.finishTask(t, TaskCancelled, "The assistant has cancelled the task.", nil, nil)
		return e.emptyResult(), nil
	}, func(ctx context.Context, _ *mount, source Tasker, own string) (sink.Result, error) {
		return e.emptyResult(), source.CancelTask(ctx, own)
	})
}

func (e *Engine) emptyResult() sink.Result {
	return sink.Result{Document: &sink.Document{JSON: append(e.fixed.Load().begin(), '}')}}
}

// onTask finds the task of a request.
func (e *Engine) onTask(ctx context.Context, req *request, onOwn func(*task) (sink.Result, error),
	onOther func(context.Context, *mount, Tasker, string) (sink.Result, error)) (sink.Result, error) {
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
	if t := e.tasks.find(req.name); t != nil {
		if !t.isOf(req.client, req.who) {
			return sink.Result{}, ErrNotFound
		}
		if err := e.mayHaveTask(req.who, t); err != nil {
			return sink.Result{}, err
		}
		return onOwn(t)
	}
	if !req.mayWait {
		return sink.Result{}, errMustWait
	}
	ctx, _ = e.invocation(ctx, req)
	for l := e.lookupName(req.name); l.next(); {
		source, ok := l.mount.source.(Tasker)
		if !ok {
			continue
		}
		result, err := onOther(ctx, l.mount, source, l.own)
		if err == nil || !tryNextSource(err) {
			return result, err
		}
	}
	return sink.Result{}, ErrNotFound
}

// isOf reports whether a task belongs to a client's principal.
func (t *task) isOf(c *Client, who Principal) bool { return t.who == who && t.isOwn == c.isOwnPage() }

// stateResult makes a result of a state: of tasks/get, "complete", or of a call that became one,
// "task". m is nil for a task of this engine.
func (e *Engine) stateResult(kind string, m *mount, s TaskState) (sink.Result, error) {
	o := emit.JSON(`{"resultType":"` + kind + `",` + string(e.fixed.Load().meta))
	if kind == "task" {
		s.Inputs, s.Result, s.Error = nil, nil, nil
	}
	if err := e.appendState(&o, m, s); err != nil {
		return sink.Result{}, err
	}
	o.Text("}")
	return sink.Result{Document: &sink.Document{JSON: o}}, nil
}

// appendState adds the members of a state.
func (e *Engine) appendState(o *emit.JSON, m *mount, s TaskState) error {
	names := ""
	if m != nil {
		names = m.names
	}
	for _, one := range [...]struct{ name, value string }{
		{"taskId", names + s.ID}, {"status", s.Status}, {"createdAt", s.Created}, {"lastUpdatedAt", s.Updated},
	} {
		o.Name(one.name)
		o.Quote(one.value)
	}
	if message := plain.Text(s.Message, plain.MaxDescription); message != "" {
		o.Name("statusMessage")
		o.Quote(message)
	}
	o.Name("ttlMs")
	if s.TTL < 0 {
		o.Text("null")
	} else {
		o.Text(strconv.FormatInt(s.TTL, 10))
	}
	if s.Poll > 0 {
		o.Member("pollIntervalMs", strconv.AppendInt(nil, s.Poll, 10))
	}
	if s.Inputs != nil {
		o.Member("inputRequests", s.Inputs)
	}
	if s.Error != nil {
		o.Member("error", s.Error)
	}
	if s.Result != nil {
		if m != nil {
			result, err := e.namedResult(modern, m, s.Result, true)
			if err != nil {
				return err
			}
			s.Result = result.Document.JSON
		}
		o.Member("result", s.Result)
	}
	return nil
}

// createdResult makes the result of a call that became a task.
func (e *Engine) createdResult(req *request, m *mount, created *taskCreated) (sink.Result, error) {
	if !hasTasks(req.capabilities) || req.rev != modern {
		return sink.Result{}, errors.New("a source made a task for a client without the extension")
	}
	if created.own {
		m = nil
	}
	return e.stateResult("task", m, created.state)
}

// announceTask notifies those that listen to a task.
func (e *Engine) announceTask(t *task) {
	key := TaskURI(t.id)
	for _, s := range e.registry.subscribers(key) {
		s.enqueue(key)
	}
}

// mayListenTo reports whether a subscription may have a task: by its id, since the mounted engine
// that has it may be away. A gateway decides for its own clients.
func (e *Engine) mayListenTo(s *subscription, id string) bool {
	if t := e.tasks.find(id); t != nil {
		return s.client.proxy || t.isOf(s.client, s.who)
	}
	for l := e.lookupName(id); l.next(); {
		if source, ok := l.mount.source.(Tasker); ok && (s.client.proxy || source.MayBeOf(s.who, l.own)) {
			return e.options.Allow(s.who, VerbCall, "tool:"+id)
		}
	}
	return false
}

// taskNotification returns the notification about the state of a task now, or nil if the client
// may not have it, or is not subscribed any more. It is called with the client's mu held.
func (e *Engine) taskNotification(s *subscription, key string) *sink.Document {
	if !e.registry.has(s, key) {
		return nil
	}
	o := emit.JSON(`{"_meta":{}`)
	if t := e.tasks.find(TaskOfURI(key)); t != nil {
		if !s.client.proxy && e.mayHaveTask(s.who, t) != nil {
			return nil
		}
		if e.appendState(&o, nil, e.tasks.state(t)) != nil {
			return nil
		}
	} else if !e.appendLast(&o, s, key) {
		return nil
	}
	o.Text("}")
	return &sink.Document{JSON: jsonrpc.AppendNotification(nil, MethodTask, o)}
}

// appendLast adds the members of the state that a mounted engine has announced last.
func (e *Engine) appendLast(o *emit.JSON, s *subscription, key string) bool {
	for l := e.lookup(key); l.next(); {
		m := l.mount
		source, ok := m.source.(Tasker)
		if !ok || !s.client.proxy && m.guard != nil && !m.guard.Grants().MayHaveTasks(s.who) {
			continue
		}
		if state, known := source.LastTask(TaskOfURI(l.own)); known {
			return e.appendState(o, m, state) == nil
		}
	}
	return false
}
