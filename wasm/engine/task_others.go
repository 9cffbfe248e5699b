package engine

import (
	"context"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
)

// OtherTasks serves the tasks of mounted engines, by the prefix that their ids have: see
// [ForwardTasks]. Pages have none, and do not contain this code: the linker leaves it out.
type OtherTasks struct {
	answer    func(*Engine, context.Context, *request) (sink.Result, error)
	mayListen func(e *Engine, s *subscription, id string) bool
	last      func(e *Engine, s *subscription, key string) (TaskState, bool)
}

// ForwardTasks is for the Options of an engine that mounts others. The methods of tasks are served
// also while the extension is not declared: a gateway may have lost the pages that have the tasks.
func ForwardTasks() *OtherTasks { return &OtherTasks{answerOther, mayListenToOther, lastOfOther} }

// answerOther passes a request on.
func answerOther(e *Engine, ctx context.Context, req *request) (sink.Result, error) {
	ctx, _ = e.invocation(ctx, req)
	done := sink.Result{Document: &sink.Document{JSON: append(e.fixed.Load().begin(0), '}')}}
	for l := e.lookupDotted(req.name); l.next(); {
		source, ok := l.mount.source.(Tasker)
		if !ok {
			continue
		}
		var state TaskState
		var err error
		switch req.method {
		case getTaskMethod:
			state, err = source.Task(ctx, l.own)
			if err == nil {
				state, err = e.ofMount(l.mount, state)
			}
			if err == nil {
				done = e.stateResult("complete", state)
			}
		case updateTaskMethod:
			err = source.UpdateTask(ctx, l.own)
		default:
			err = source.CancelTask(ctx, l.own)
		}
		if err == nil || !tryNextSource(err) {
			return done, err
		}
	}
	state, err := InterruptedTask(req.name, req.who)
	if err == nil && req.method == getTaskMethod {
		done = e.stateResult("complete", state)
	}
	return done, err
}

// ofMount returns a state as clients of this engine get it.
func (e *Engine) ofMount(m *mount, s TaskState) (TaskState, error) {
	s.ID = m.dotted + s.ID
	if s.Result != nil {
		result, err := e.namedResult(modern, m, s.Result, true)
		if err != nil {
			return s, err
		}
		s.Result = result.Document.JSON
	}
	return s, nil
}

// mayListenToOther decides by the id, since the mounted engine that has the task may be away.
func mayListenToOther(e *Engine, s *subscription, id string) bool {
	for l := e.lookupDotted(id); l.next(); {
		if source, ok := l.mount.source.(Tasker); ok && source.MayBeOf(s.who, l.own) {
			return e.options.Allow(s.who, VerbCall, "tool:"+id)
		}
	}
	return false
}

// lastOfOther returns the state that a mounted engine has announced last.
func lastOfOther(e *Engine, s *subscription, key string) (TaskState, bool) {
	for l := e.lookup(key); l.next(); {
		m := l.mount
		source, ok := m.source.(Tasker)
		if !ok || m.guard != nil && !m.guard.MayHaveKept(s.who) {
			continue
		}
		if state, known := source.LastTask(TaskOfURI(l.own)); known {
			state, err := e.ofMount(m, state)
			return state, err == nil
		}
	}
	return TaskState{}, false
}
