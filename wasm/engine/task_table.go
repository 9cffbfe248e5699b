package engine

import (
	"context"
	"sync"
	"time"
)

// The tasks of an engine.

type tasks struct {
	// mu guards all that follows, and what a task says that it guards. It is not held while
	// something waits, nor while a TaskStore, Source or Sink is called.
	mu      sync.Mutex
	byID    map[string]*task
	bytes   int  // of all tasks, about
	offered int  // calls of ResumeTasks
	stopped bool // the engine ends
}

// A task is one call of a tool. What is not guarded does not change.
type task struct {
	id           string
	who          Principal
	isOwn        bool   // of the page itself: see Client.isOwnPage
	tool         string // by its full name
	arguments    []byte
	capabilities []byte // of the client
	clientName   string
	isRestored   bool
	created, ttl int64      // ms
	right        grantRight // of the tool
	only         string     // the only tool that the grants decide about, or ""

	// Guarded by tasks.mu.
	status     string
	message    string
	updated    int64 // ms
	asks       bool  // the user has to be asked before it begins
	begun      bool
	isShown    bool // its last state is stored, and may be seen
	inputs     []taskInput
	checkpoint []byte
	result     []byte
	failure    []byte
	isResumed  bool // it had begun in another engine, and runs again
	prepared   bool // arguments are those that TaskTool.Prepare has returned

	size    int                     // bytes that tasks.bytes has of it
	stop    context.CancelCauseFunc // while it runs
	wake    chan struct{}           // closed when an input is answered
	timer   *time.Timer
	writes  []chan<- error // wait for a record that is not written yet
	writing bool
}

func (t *task) hasEnded() bool { return t.status != TaskWorking && t.status != TaskInputRequired }

// fixedTaskSize is about what a task takes besides its values.
const fixedTaskSize = 1 << 10

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
	if ts.stopped || running >= maxTasksRunning || kept >= maxTasksKept || !ts.grow(t, fixedTaskSize+len(t.arguments)+len(t.checkpoint)+len(t.result)) {
		return false
	}
	if ts.byID == nil {
		ts.byID = map[string]*task{}
	}
	ts.byID[t.id] = t
	return true
}

// grow takes room for a task that becomes larger; ts.mu is held.
func (ts *tasks) grow(t *task, by int) bool {
	if by > 0 && ts.bytes+by > maxTaskBytes {
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
	if t.timer != nil {
		t.timer.Stop()
	}
}

// find returns a task, or nil.
func (ts *tasks) find(id string) *task {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.byID[id]
}

// all returns the tasks for which filter, under ts.mu, returns true.
func (ts *tasks) all(filter func(*task) bool) (found []*task) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.byID {
		if filter(t) {
			found = append(found, t)
		}
	}
	return found
}

// state returns what clients get of a task.
func (ts *tasks) state(t *task) TaskState {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	s := TaskState{ID: t.id, Status: t.status, Message: t.message, TTL: t.ttl}
	s.Created, s.Updated = isoTime(t.created), isoTime(t.updated)
	switch {
	case t.hasEnded() && t.isShown:
		s.Result, s.Error = t.result, t.failure
		return s
	case t.hasEnded():
		s.Status = TaskWorking
	case t.status == TaskInputRequired:
		s.Inputs = t.outstanding()
		if s.Inputs == nil {
			s.Status = TaskWorking
		}
	}
	s.Poll = taskPoll.Milliseconds()
	return s
}

// SetTasks replaces Options.Tasks.
func (e *Engine) SetTasks(on bool) {
	if e.declaresTasks.Swap(on) != on {
		e.declare(func(o *Options) { o.Tasks = e.declaresTasks.Load() })
	}
}
