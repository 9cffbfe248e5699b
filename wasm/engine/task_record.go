package engine

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// What is stored of a task: a JSON object. A record replaces the earlier one, so they are written
// one after the other; those that come meanwhile become one.

// store writes the record of a task as it is now, and returns when it is stored.
func (e *Engine) storeTask(t *task) error {
	if e.options.TaskStore == nil {
		return nil
	}
	done := make(chan error, 1)
	if e.tasks.queueWrite(t, done) {
		for e.writeTask(t) {
		}
	}
	return <-done
}

// queueWrite reports whether the caller has to write.
func (ts *tasks) queueWrite(t *task, done chan<- error) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t.writes = append(t.writes, done)
	wasIdle := !t.writing
	t.writing = true
	return wasIdle
}

// writeTask writes one record, for all that wait for it. It returns false if none does.
func (e *Engine) writeTask(t *task) bool {
	waiting, record := e.tasks.nextWrite(t)
	if waiting == nil {
		return false
	}
	err := errPanicked
	e.safely("a TaskStore", func() {
		ctx, cancel := context.WithTimeout(context.Background(), hop.Timeout)
		defer cancel()
		err = e.options.TaskStore.PutTask(ctx, t.id, record)
	})
	if err != nil {
		e.report(jsonrpc.Wrap("store the task of "+jsonrpc.Brief(t.tool), err))
	}
	for _, done := range waiting {
		done <- err // has room
	}
	return true
}

func (ts *tasks) nextWrite(t *task) (waiting []chan<- error, record []byte) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	waiting, t.writes = t.writes, nil
	if waiting == nil {
		t.writing = false
		return nil, nil
	}
	return waiting, t.record()
}

// record returns the record; tasks.mu is held.
func (t *task) record() []byte {
	o := emit.JSON("{")
	for _, one := range [...]struct{ name, value string }{
		{"id", t.id}, {"principal", string(t.who)}, {"tool", t.tool}, {"only", t.only}, {"client", t.clientName},
		{"status", t.status}, {"message", t.message}, {"right", rightNames[t.right]},
	} {
		o.Name(one.name)
		o.Quote(one.value)
	}
	for _, one := range [...]struct {
		name  string
		value int64
	}{{"created", t.created}, {"ttl", t.ttl}, {"updated", t.updated}} {
		o.Member(one.name, strconv.AppendInt(nil, one.value, 10))
	}
	for _, one := range [...]struct {
		name string
		is   bool
	}{{"own", t.isOwn}, {"asks", t.asks}, {"begun", t.begun}, {"prepared", t.prepared}} {
		if one.is {
			o.Member(one.name, []byte("true"))
		}
	}
	for _, one := range [...]struct {
		name  string
		value []byte
	}{{"arguments", t.arguments}, {"capabilities", t.capabilities}, {"checkpoint", t.checkpoint}, {"result", t.result}, {"error", t.failure}} {
		if one.value != nil {
			o.Member(one.name, one.value)
		}
	}
	o.Name("inputs")
	for i := range t.inputs {
		o.Text(emit.Separator(i))
		t.inputs[i].append(&o)
	}
	if len(t.inputs) == 0 {
		o.Text("[")
	}
	o.Text("]}")
	return o
}

// readTask reads a record.
func readTask(record []byte) (*task, error) {
	record = bytes.Clone(record)
	text := func(name string) string {
		value, _ := jsonrpc.Text(jsonrpc.Member(record, name))
		return value
	}
	number := func(name string) int64 {
		value, _ := jsonrpc.Int(jsonrpc.Member(record, name))
		return value
	}
	is := func(name string) bool { return isTrue(jsonrpc.Member(record, name)) }
	t := &task{
		id: text("id"), who: Principal(text("principal")), isOwn: is("own"), tool: text("tool"), only: text("only"), clientName: text("client"),
		arguments: jsonrpc.Member(record, "arguments"), capabilities: jsonrpc.Member(record, "capabilities"),
		created: number("created"), ttl: number("ttl"), updated: number("updated"),
		status: text("status"), message: text("message"), asks: is("asks"), begun: is("begun"), prepared: is("prepared"), isShown: true, isRestored: true,
		checkpoint: jsonrpc.Member(record, "checkpoint"), result: jsonrpc.Member(record, "result"), failure: jsonrpc.Member(record, "error"),
	}
	if text("right") == rightNames[grantAct] {
		t.right = grantAct
	}
	inputs, ok := jsonrpc.Elements(jsonrpc.Member(record, "inputs"))
	for _, one := range inputs {
		t.inputs = append(t.inputs, readTaskInput(one))
	}
	t.settle()
	if _, err := TaskOfID(t.id, t.who); !ok || t.tool == "" || t.status == "" || err != nil {
		return t, errors.New("the record of a task is not valid, or has expired")
	}
	return t, nil
}

// RestoreTasks takes over tasks by the records of a [TaskStore], which an earlier engine has left.
// Those that had not begun run now; those that had begun continue if their tool can, else they
// fail. Both wait for a tool that is not there yet: call ResumeTasks when there are further tools.
func (e *Engine) RestoreTasks(records ...[]byte) {
	for _, record := range records {
		t, err := readTask(record)
		if err != nil {
			if t.id != "" && e.options.TaskStore != nil {
				e.safely("a TaskStore", func() { e.options.TaskStore.DeleteTask(t.id) })
			}
			continue
		}
		if e.tasks.find(t.id) == nil && e.tasks.add(t) {
			e.SetTasks(true)
			e.expireTask(t)
			e.announceTask(t)
		}
	}
	e.ResumeTasks()
}

// ResumeTasks runs restored tasks whose tools are there by now.
func (e *Engine) ResumeTasks() {
	for _, t := range e.tasks.offer() {
		e.startTask(t, nil)
	}
}

// offer records that there may be further tools, and returns the tasks that do not run.
func (ts *tasks) offer() []*task {
	ts.countOffer() // first: see rest
	return ts.all(func(t *task) bool { return t.isRestored && !t.hasEnded() && t.stop == nil })
}

func (ts *tasks) countOffer() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.offered++
}

// expireTask ends a task when its time is over, and forgets one that has ended.
func (e *Engine) expireTask(t *task) {
	left := time.Until(time.UnixMilli(t.created + t.ttl))
	e.tasks.mu.Lock()
	defer e.tasks.mu.Unlock()
	t.timer = time.AfterFunc(left, func() {
		if e.failTask(t, e.reason("The task was not done when its time was over", "timeout", false)) {
			e.resetTaskTimer(t)
			return
		}
		e.tasks.remove(t)
		if e.options.TaskStore != nil {
			e.safely("a TaskStore", func() { e.options.TaskStore.DeleteTask(t.id) })
		}
	})
}

func (e *Engine) resetTaskTimer(t *task) {
	e.tasks.mu.Lock()
	defer e.tasks.mu.Unlock()
	t.timer.Reset(taskFailedBy)
}
