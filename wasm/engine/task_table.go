package engine

import (
	"context"
	"sync"

	"github.com/pagemcp/pagemcp/wasm/plain"
)

// The tasks of an engine. Each function here costs every page about 2 KB: there are few.

type tasks struct {
	ctx  context.Context // of all that run; it ends with the engine
	stop context.CancelCauseFunc

	// mu guards all that follows, and what a task says that it guards. It is not held while
	// something waits, nor while a Source or Sink is called.
	mu    sync.Mutex
	byID  map[string]*task
	bytes int // of all tasks, about
}

// A task is one call of a tool. What is not guarded does not change.
type task struct {
	id           string
	who          Principal
	tool         string // by its full name
	clientName   string
	only         string // the only tool that the grants decide about, or ""
	arguments    []byte
	capabilities []byte // of the client
	prepared     []byte // what TaskTool.Prepare has kept, or nil
	created, ttl int64  // ms
	isOwn        bool   // of the page itself: see Client.isOwnPage
	reads        bool   // the tool says that it changes nothing
	isGranted    bool   // by a grant, which may end before the task

	ctx  context.Context
	stop context.CancelCauseFunc

	// Guarded by tasks.mu.
	status  string
	message string
	updated int64 // ms
	inputs  []taskInput
	result  []byte // as clients get it
	failure []byte
	size    int           // bytes that tasks.bytes has of it
	wake    chan struct{} // closed when an input is answered
}

func (t *task) hasEnded() bool { return t.status != TaskWorking && t.status != TaskInputRequired }

// init completes a new task.
func (ts *tasks) init(t *task) {
	t.ctx, t.stop = context.WithCancelCause(WithPrincipal(ts.ctx, t.who))
}

// fixedTaskSize is about what a task, or an input of one, takes besides its values.
const fixedTaskSize = 512 // bytes

// add adds a task that does not exist yet, and reports whether there was room for it.
func (ts *tasks) add(t *task) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	running, kept := 0, 0
	for _, other := range ts.byID {
		if other.who == t.who && other.isOwn == t.isOwn {
			kept++
			if !other.hasEnded() {
				running++
			}
		}
	}
	if ts.ctx.Err() != nil || ts.byID[t.id] != nil || running >= maxTasksRunning || kept >= maxTasksKept ||
		!ts.grow(t, fixedTaskSize+len(t.arguments)+len(t.prepared)) {
		return false
	}
	if ts.byID == nil {
		ts.byID = map[string]*task{}
	}
	ts.byID[t.id] = t
	return true
}

// grow takes room for a task that becomes larger; ts.mu is held.
//
//go:noinline
func (ts *tasks) grow(t *task, by int) bool {
	own := by
	for _, other := range ts.byID {
		if other.who == t.who && other.isOwn == t.isOwn {
			own += other.size
		}
	}
	if by > 0 && (own > maxTaskBytesOf || ts.bytes+by > maxTaskBytes) {
		return false
	}
	ts.bytes += by
	t.size += by
	return true
}

func (ts *tasks) remove(t *task) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.byID[t.id] == t {
		delete(ts.byID, t.id)
		ts.bytes -= t.size
	}
}

// find returns a task, or nil.
//
//go:noinline
func (ts *tasks) find(id string) *task {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.byID[id]
}

// unfinished returns the tasks that have not ended.
func (ts *tasks) unfinished() (found []*task) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.byID {
		if !t.hasEnded() {
			found = append(found, t)
		}
	}
	return found
}

// state returns what clients get of a task.
func (ts *tasks) state(t *task) TaskState {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	s := TaskState{
		ID: t.id, Status: t.status, Message: t.message, TTL: t.ttl,
		Created: isoTime(t.created), Updated: isoTime(t.updated),
	}
	if t.hasEnded() {
		s.Result, s.Error = t.result, t.failure
	} else {
		s.Poll, s.Inputs = taskPoll.Milliseconds(), t.outstanding()
	}
	return s
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
	t.message, t.updated = text, nowMs()
	return true
}

// announceTask notifies those that listen to a task.
func (e *Engine) announceTask(t *task) {
	key := TaskURI(t.id)
	e.registry.subscribed(key, (*subscription).enqueue)
}

// SetTasks replaces Options.Tasks.
func (e *Engine) SetTasks(on bool) {
	if e.declaresTasks.Swap(on) != on {
		e.declare(func(o *Options) { o.Tasks = e.declaresTasks.Load() })
	}
}
