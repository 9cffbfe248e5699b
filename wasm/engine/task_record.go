package engine

import (
	"bytes"
	"context"
	"time"

	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// What is stored of a task: a JSON object. A record replaces the earlier one, so they are written
// one after the other.

// storeTask stores a task as it is now.
func (e *Engine) storeTask(t *task) error {
	if e.options.TaskStore == nil {
		return nil
	}
	err := errPanicked
	e.safely("a TaskStore", func() {
		ctx, cancel := context.WithTimeout(context.Background(), hop.Timeout)
		defer cancel()
		t.turn <- struct{}{} // waits as long as the store takes
		defer func() { <-t.turn }()
		err = e.options.TaskStore.PutTask(ctx, t.id, e.tasks.record(t))
	})
	if err != nil {
		e.report(jsonrpc.Wrap("store a task", err))
		return e.reason("The page could not store the task", "unavailable", true)
	}
	return nil
}

// A taskField is a member of a record.
type taskField struct {
	name string
	text *string
	json *[]byte
}

// fields are the members that writing and reading have in common.
func (t *task) fields() []taskField {
	return []taskField{
		{name: "id", text: &t.id}, {name: "principal", text: (*string)(&t.who)}, {name: "tool", text: &t.tool}, {name: "only", text: &t.only},
		{name: "client", text: &t.clientName}, {name: "status", text: &t.status}, {name: "message", text: &t.message},
		{name: "arguments", json: &t.arguments}, {name: "capabilities", json: &t.capabilities}, {name: "answers", json: &t.answers}, {name: "checkpoint", json: &t.checkpoint},
		{name: "result", json: &t.result}, {name: "error", json: &t.failure},
	}
}

// Flags of a record.
const (
	flagOwn = 1 << iota
	flagReads
	flagAsks
	flagBegun
)

func (ts *tasks) record(t *task) []byte {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	flags := int64(0)
	for i, is := range [...]bool{t.isOwn, t.reads, t.asks.Load(), t.begun.Load()} {
		if is {
			flags |= 1 << i
		}
	}
	o := emit.JSON(`{"numbers":[` + string(jsonrpc.IDOf(t.created)+","+jsonrpc.IDOf(t.ttl)+","+jsonrpc.IDOf(t.updated)+","+jsonrpc.IDOf(flags)) + "]")
	for _, f := range t.fields() {
		switch {
		case f.text != nil:
			o.Name(f.name)
			o.Quote(*f.text)
		case *f.json != nil:
			o.Member(f.name, *f.json)
		}
	}
	o.Text(`,"inputs":[`)
	for i := range t.inputs {
		one := &t.inputs[i]
		if i > 0 {
			o.Text(",")
		}
		o.Text(`{"name":`)
		o.Quote(one.name)
		if !one.isOver {
			o.Member("request", one.request)
			if one.answer != nil {
				o.Member("answer", one.answer)
			}
		}
		o.Text("}")
	}
	o.Text("]}")
	return o
}

// readTask reads a record.
func readTask(record []byte) *task {
	record = bytes.Clone(record)
	t := &task{isRestored: true}
	for _, f := range t.fields() {
		value := jsonrpc.Member(record, f.name)
		if f.text != nil {
			*f.text, _ = jsonrpc.Text(value)
		} else {
			*f.json = value
		}
	}
	numbers := [4]int64{}
	elements, _ := jsonrpc.Elements(jsonrpc.Member(record, "numbers"))
	for i, element := range elements[:min(4, len(elements))] {
		numbers[i], _ = jsonrpc.Int(element)
	}
	flags := numbers[3]
	t.created, t.ttl, t.updated = numbers[0], numbers[1], numbers[2]
	t.isOwn, t.reads = flags&flagOwn != 0, flags&flagReads != 0
	t.asks.Store(flags&flagAsks != 0)
	t.begun.Store(flags&flagBegun != 0)
	t.isShown.Store(true)
	inputs, _ := jsonrpc.Elements(jsonrpc.Member(record, "inputs"))
	for _, input := range inputs {
		one := taskInput{request: jsonrpc.Member(input, "request"), answer: jsonrpc.Member(input, "answer")}
		one.name, _ = jsonrpc.Text(jsonrpc.Member(input, "name"))
		one.isOver = one.request == nil
		t.inputs = append(t.inputs, one)
	}
	t.shown = len(t.inputs)
	t.settle()
	return t
}

// RestoreTasks takes over tasks by the records of a [TaskStore], which an earlier engine has left.
// Those that had not begun run now; those that had begun continue if their tool can, else they
// fail. Both wait for a tool that is not there yet: call ResumeTasks when there are further tools.
func (e *Engine) RestoreTasks(records ...[]byte) {
	for _, record := range records {
		t := readTask(record)
		if _, err := TaskOfID(t.id, t.who); err != nil {
			e.deleteTask(t)
			continue
		}
		e.tasks.init(t)
		if e.tasks.add(t) {
			e.SetTasks(true)
			e.expireAfter(t, time.Until(time.UnixMilli(t.created+t.ttl)))
			e.announceTask(t)
		}
	}
	e.ResumeTasks()
}

// ResumeTasks runs restored tasks whose tools are there by now.
func (e *Engine) ResumeTasks() {
	e.tasks.offered.Add(1) // first: see runTask
	for _, t := range e.tasks.unfinished() {
		if t.isRestored {
			e.startTask(t, nil)
		}
	}
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
			e.deleteTask(t)
		}
	})
}

func (e *Engine) deleteTask(t *task) {
	if e.options.TaskStore != nil {
		e.safely("a TaskStore", func() { e.options.TaskStore.DeleteTask(t.id) })
	}
}
