package engine

import (
	"bytes"
	"context"
	"strconv"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// What a task requests of its client. Each request has a key that no other one of the task has.

// A taskInput is one request. Its key is made of its name and place.
type taskInput struct {
	name    string // of the tool; several requests may have it, one after the other
	request []byte // JSON object: method and params
	answer  []byte // JSON object, or nil
}

// key returns the key of the input at a place in t.inputs.
func (t *task) key(at int) string { return t.inputs[at].name + "-" + strconv.Itoa(at+1) }

// outstanding returns inputRequests, a JSON object, or nil; tasks.mu is held.
func (t *task) outstanding() []byte {
	o := emit.JSON("{")
	for at := range t.inputs {
		if t.inputs[at].answer == nil {
			o.Member(t.key(at), t.inputs[at].request)
		}
	}
	if len(o) == 1 {
		return nil
	}
	o.Text("}")
	return o
}

// settle derives the status of a task that has not ended; tasks.mu is held.
func (t *task) settle() {
	if t.hasEnded() {
		return
	}
	t.status = TaskWorking
	for at := range t.inputs {
		if t.inputs[at].answer == nil {
			t.status = TaskInputRequired
		}
	}
}

// requestTaskInput requests input of the client of a task, and waits for all of it. The answers are
// a JSON object by the names in requests.
func (e *Engine) requestTaskInput(ctx context.Context, t *task, requests []byte) ([]byte, error) {
	added, ok := e.tasks.addInputs(t, requests)
	if !ok {
		return nil, ErrTooLarge
	}
	for {
		answers, wake := e.tasks.answersOf(t, added)
		e.announceTask(t)
		if answers != nil {
			return answers, nil
		}
		if wake == nil {
			return nil, errTaskOver
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// addInputs returns the places of requests in t.inputs; false: there is no room, or the task has ended.
func (ts *tasks) addInputs(t *task, requests []byte) (added []int, ok bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t.hasEnded() {
		return nil, false
	}
	s := jsonrpc.Scan(requests)
	for s.Next() {
		if !ts.grow(t, fixedTaskSize+len(s.Value)) {
			return nil, false
		}
		added = append(added, len(t.inputs))
		t.inputs = append(t.inputs, taskInput{name: string(s.Name), request: bytes.Clone(s.Value)})
	}
	t.updated = nowMs()
	t.settle()
	return added, true
}

// answersOf returns the answers, or nil and what is closed when there are more of them; nil: the task
// has ended.
func (ts *tasks) answersOf(t *task, added []int) (answers []byte, wake <-chan struct{}) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t.hasEnded() { // its inputs are gone
		return nil, nil
	}
	o := emit.JSON("{")
	for _, at := range added {
		one := &t.inputs[at]
		if one.answer == nil {
			if t.wake == nil {
				t.wake = make(chan struct{})
			}
			return nil, t.wake
		}
		o.Member(one.name, one.answer)
	}
	o.Text("}")
	return o, nil
}

// answer takes the answers of a client to requests of a task; those to others are ignored. It
// returns false if there is no room.
func (ts *tasks) answer(t *task, answers []byte) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for at := range t.inputs {
		one := &t.inputs[at]
		if answer := jsonrpc.Member(answers, t.key(at)); answer != nil && one.answer == nil {
			if !ts.grow(t, len(answer)) {
				return false
			}
			one.answer, t.updated = bytes.Clone(answer), nowMs()
		}
	}
	t.settle()
	if t.wake != nil {
		close(t.wake)
		t.wake = nil
	}
	return true
}
