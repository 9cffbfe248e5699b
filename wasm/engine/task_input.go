package engine

import (
	"bytes"
	"context"
	"strconv"

	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// What a task requests of its client. Each request has a key that no other one of the task has,
// also after a restart. A tool that continues asks again for what it needs: the same request under
// the same name is then the one from before, with its answer, if there is one.

// A taskInput is one request. Its key is made of its name and place.
type taskInput struct {
	name    string // of the tool; several requests may have it, one after the other
	request []byte // JSON object: method and params
	answer  []byte // JSON object, or nil

	isClaimed bool // the tool has asked for it since the engine began
	isOver    bool // a checkpoint, or another request, has replaced it
}

// key returns the key of the input at a place in t.inputs.
func (t *task) key(at int) string { return t.inputs[at].name + "-" + strconv.Itoa(at+1) }

func (t *task) waits(at int) bool {
	return at < t.shown && !t.inputs[at].isOver && t.inputs[at].answer == nil
}

// outstanding returns inputRequests, a JSON object, or nil; tasks.mu is held.
func (t *task) outstanding() []byte {
	o := emit.JSON("{")
	for at := range t.inputs {
		if t.waits(at) {
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
		if t.waits(at) {
			t.status = TaskInputRequired
		}
	}
}

// requestTaskInput requests input of the client of a task, and waits for all of it. The answers are
// a JSON object by the names in requests.
func (e *Engine) requestTaskInput(ctx context.Context, t *task, requests []byte) ([]byte, error) {
	if requests == nil {
		return []byte("{}"), nil
	}
	if err := InvocationOf(ctx).canAnswer(requests); err != nil {
		return nil, err
	}
	requests, err := cleanInput(requests, InputPolicy{})
	if err != nil {
		return nil, err
	}
	claimed, ok := e.tasks.claim(t, requests)
	if !ok {
		return nil, ErrTooLarge
	}
	for {
		// Keys are stored before the client sees them, and answers before the tool does.
		if err := e.storeTask(t); err != nil {
			return nil, err
		}
		answers, wake := e.tasks.answersOf(t, claimed)
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

// claim returns the places of requests in t.inputs. They are added if the tool has not asked for
// them before; false: there is no room, or the task has ended.
func (ts *tasks) claim(t *task, requests []byte) (claimed []int, ok bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t.hasEnded() {
		return nil, false
	}
	s := jsonrpc.Scan(requests)
	for s.Next() {
		place := -1
		for at := range t.inputs {
			one := &t.inputs[at]
			switch {
			case one.isOver || one.isClaimed || one.name != string(s.Name):
			case place < 0 && bytes.Equal(one.request, s.Value):
				place = at
			case one.answer == nil:
				one.isOver = true
			}
		}
		if place < 0 {
			if !ts.grow(t, fixedTaskSize+len(s.Value)) {
				return nil, false
			}
			place = len(t.inputs)
			t.inputs = append(t.inputs, taskInput{name: string(s.Name), request: bytes.Clone(s.Value)})
		}
		t.inputs[place].isClaimed = true
		claimed = append(claimed, place)
	}
	return claimed, true
}

// answersOf returns the answers, or nil and what is closed when there are more of them; nil: the task
// has ended. All inputs are stored by now.
func (ts *tasks) answersOf(t *task, claimed []int) (answers []byte, wake <-chan struct{}) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t.hasEnded() { // its inputs are gone
		return nil, nil
	}
	if last := claimed[len(claimed)-1]; last >= t.shown {
		t.shown, t.updated = last+1, nowMs()
	}
	t.settle()
	o := emit.JSON("{")
	for _, at := range claimed {
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
		if answer := jsonrpc.Member(answers, t.key(at)); answer != nil && t.waits(at) {
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
