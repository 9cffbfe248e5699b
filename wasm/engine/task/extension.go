package task

import (
	"context"
	"errors"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
)

// Methods of the extension, and its notification.
const (
	MethodGet    = "tasks/get"
	MethodUpdate = "tasks/update"
	MethodCancel = "tasks/cancel"
	MethodNotify = "notifications/tasks"
)

// Extension returns the extension of an engine. own are the tasks of its own tools; nil: it has none.
func Extension(own *Tasks) *engine.Extension {
	x := &engine.Extension{ID: ID, Methods: Methods(own), Topics: &engine.Topics{
		Member: "taskIds", Key: Key, IsKey: func(key string) bool { return OfKey(key) != "" },
		May: own.mayListen, State: own.notification,
	}}
	if own != nil {
		x.Run, x.Decided = own.run, own.decided
	}
	return x
}

// Methods returns those of the extension.
func Methods(own *Tasks) []engine.Method {
	methods := make([]engine.Method, 3)
	for i, name := range [...]string{MethodGet, MethodUpdate, MethodCancel} {
		methods[i] = engine.Method{
			Name: name, Right: engine.RightCall, Rate: engine.RateCalls, Named: "taskId", Repeated: true, Waits: true, Decides: true,
			Unknown: "Unknown task, or its time is over",
			Answer: func(e *engine.Engine, ctx context.Context, req *engine.Request) (sink.Result, error) {
				return own.answer(e, e.Invoke(ctx, req), req, name)
			},
		}
	}
	methods[0].Rate = engine.RateReads
	return methods
}

// answer answers a request about a task, of this engine or of one that it mounts. Whether an id is wrong, expired, or of
// another principal, its error is the same.
func (ts *Tasks) answer(e *engine.Engine, ctx context.Context, req *engine.Request, method string) (sink.Result, error) {
	id, i := req.Name(), engine.InvocationOf(ctx)
	inputs, _ := i.Round()
	switch {
	case !engine.Declares(i.Capabilities(), ID):
		return sink.Result{}, engine.MissingExtension(ID)
	case id == "":
		return sink.Result{}, engine.BadParams("taskId is missing")
	case method == MethodUpdate && inputs == nil:
		return sink.Result{}, engine.BadParams("inputResponses is missing")
	case !req.May(engine.VerbCall, "tool:"+id):
		return sink.Result{}, engine.ErrNotFound
	}
	if t := ts.find(req.Who(), id); t != nil {
		return t.answer(e, method, inputs)
	}
	for source, m := range e.Having(id, true) {
		s, ok := source.(Source)
		if !ok {
			continue
		}
		var state State
		var members []byte
		var err error
		switch method {
		case MethodGet:
			if state, err = s.Task(ctx, m.Own); err == nil {
				members, err = ofMount(e, m, state)
			}
		case MethodUpdate:
			err = s.UpdateTask(ctx, m.Own)
		default:
			err = s.CancelTask(ctx, m.Own)
		}
		if err == nil || !errors.Is(err, engine.ErrNotFound) {
			return e.Result("complete", members, false), err
		}
	}
	state, err := Interrupted(id, req.Who())
	if err != nil || method != MethodGet {
		return e.Result("complete", nil, false), err
	}
	return e.Result("complete", state.members(), false), nil
}

// ofMount returns the members of a state of a mounted engine, as clients of this one get them.
func ofMount(e *engine.Engine, m engine.Mounted, s State) (members []byte, err error) {
	s.ID = m.ID(s.ID)
	if s.Result != nil {
		s.Result, err = m.ToolResult(e, s.Result)
	}
	return s.members(), err
}

// mayListen decides by the id, since the mounted engine that has the task may be away.
func (ts *Tasks) mayListen(e *engine.Engine, req *engine.Request, id string) bool {
	if ts.find(req.Who(), id) != nil {
		return true
	}
	for source, m := range e.Having(id, true) {
		if s, ok := source.(Source); ok && s.MayBeOf(req.Who(), m.Own) {
			return req.May(engine.VerbCall, "tool:"+id)
		}
	}
	return false
}

// notification returns the one about the state of a task now. It is called with locks of engines.
func (ts *Tasks) notification(e *engine.Engine, who engine.Principal, key string) (method string, members []byte) {
	id := OfKey(key)
	if t := ts.find(who, id); t != nil {
		if t.invocation.Denied(false) != nil {
			return "", nil
		}
		state := t.state()
		return MethodNotify, state.members()
	}
	for source, m := range e.Having(id, true) {
		if s, ok := source.(Source); ok {
			if state, known := s.LastTask(who, m.Own); known {
				if members, err := ofMount(e, m, state); err == nil {
					return MethodNotify, members
				}
			}
		}
	}
	return "", nil
}
