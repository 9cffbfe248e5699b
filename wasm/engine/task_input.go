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

// A taskInput is one request.
type taskInput struct {
	key     string // of the client
	name    string // of the tool; several requests may have it, one after the other
	request []byte // JSON object: method and params
	answer  []byte // JSON object, or nil

	isShown   bool // it is stored, and may be seen
	isStored  bool // the answer is
	isClaimed bool // the tool has asked for it since the engine began
	isOver    bool // a checkpoint, or another request, has replaced it
}

func (i *taskInput) append(o *emit.JSON) {
	o.Text(`{"key":`)
	o.Quote(i.key)
	o.Name("name")
	o.Quote(i.name)
	if i.isOver {
		o.Text(`,"over":true}`)
		return
	}
	o.Member("request", i.request)
	if i.answer != nil {
		o.Member("answer", i.answer)
	}
	o.Text("}")
}

func readTaskInput(object []byte) (i taskInput) {
	i.key, _ = jsonrpc.Text(jsonrpc.Member(object, "key"))
	i.name, _ = jsonrpc.Text(jsonrpc.Member(object, "name"))
	i.request, i.answer = jsonrpc.Member(object, "request"), jsonrpc.Member(object, "answer")
	i.isOver = isTrue(jsonrpc.Member(object, "over")) || i.request == nil
	i.isShown, i.isStored = true, true
	return i
}

func (i *taskInput) waits() bool { return !i.isOver && i.answer == nil }

// outstanding returns inputRequests, a JSON object, or nil; tasks.mu is held.
func (t *task) outstanding() []byte {
	o := emit.JSON("{")
	for i := range t.inputs {
		if one := &t.inputs[i]; one.waits() && one.isShown {
			o.Member(one.key, one.request)
		}
	}
	if len(o) == 1 {
		return nil
	}
	o.Text("}")
	return o
}

// requestTaskInput requests input of the client of a task, and waits for all of it. The answers are a
// JSON object by the names in requests.
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
	claimed, isNew, err := e.tasks.claim(t, requests)
	if err == nil && isNew {
		err = e.storeTask(t)
	}
	if err != nil {
		return nil, err
	}
	e.tasks.showInputs(t, claimed)
	e.announceTask(t)
	for {
		answers, wake := e.tasks.answersOf(t, claimed)
		if answers != nil {
			return answers, nil
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// claim returns the indexes in t.inputs of requests, which are added if the tool has not asked for
// them before.
func (ts *tasks) claim(t *task, requests []byte) (claimed []int, isNew bool, err error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	s := jsonrpc.Scan(requests)
	for s.Next() {
		name, at := string(s.Name), -1
		for i := range t.inputs {
			one := &t.inputs[i]
			switch {
			case one.isOver || one.isClaimed || one.name != name:
			case at < 0 && bytes.Equal(one.request, s.Value):
				at = i
			case one.answer == nil:
				one.isOver = true
			}
		}
		if at < 0 {
			if !ts.grow(t, len(s.Value)+fixedInputSize) {
				return nil, false, ErrTooLarge
			}
			at, isNew = len(t.inputs), true
			t.inputs = append(t.inputs, taskInput{key: t.newKey(name), name: name, request: bytes.Clone(s.Value)})
		}
		t.inputs[at].isClaimed = true
		claimed = append(claimed, at)
	}
	return claimed, isNew, nil
}

// fixedInputSize is about what an input takes besides its values.
const fixedInputSize = 128 // bytes

// newKey returns a key that the task has not had.
func (t *task) newKey(name string) string {
	key := name
	for n := 2; ; n++ {
		taken := false
		for i := range t.inputs {
			taken = taken || t.inputs[i].key == key
		}
		if !taken {
			return key
		}
		key = name + "-" + strconv.Itoa(n)
	}
}

func (ts *tasks) showInputs(t *task, claimed []int) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, i := range claimed {
		t.inputs[i].isShown = true
	}
	t.settle()
	t.touch()
}

// settle derives the status of a task that has not ended; tasks.mu is held.
func (t *task) settle() {
	if t.hasEnded() {
		return
	}
	t.status = TaskWorking
	for i := range t.inputs {
		if t.inputs[i].waits() && t.inputs[i].isShown {
			t.status = TaskInputRequired
		}
	}
}

// answersOf returns the answers, or nil and what is closed when there are more of them.
func (ts *tasks) answersOf(t *task, claimed []int) (answers []byte, wake <-chan struct{}) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	o := emit.JSON("{")
	for _, i := range claimed {
		one := &t.inputs[i]
		if one.answer == nil || !one.isStored {
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

// answerTask takes the answers of a client to requests of a task; those to others are ignored.
func (e *Engine) answerTask(t *task, answers []byte) error {
	taken, err := e.tasks.takeAnswers(t, answers)
	if err != nil || taken == nil {
		return err
	}
	err = e.storeTask(t)
	e.tasks.passAnswers(t, taken, err == nil)
	e.announceTask(t)
	return err
}

func (ts *tasks) takeAnswers(t *task, answers []byte) (taken []int, err error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for i := range t.inputs {
		one := &t.inputs[i]
		if !one.waits() || !one.isShown || t.hasEnded() {
			continue
		}
		if answer := jsonrpc.Member(answers, one.key); answer != nil {
			if !ts.grow(t, len(answer)) {
				return taken, ErrTooLarge
			}
			one.answer = bytes.Clone(answer)
			taken = append(taken, i)
		}
	}
	return taken, nil
}

// passAnswers passes answers to the tool, or takes them back if they could not be stored.
func (ts *tasks) passAnswers(t *task, taken []int, stored bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, i := range taken {
		one := &t.inputs[i]
		if one.isStored = stored; !stored {
			ts.grow(t, -len(one.answer))
			one.answer = nil
		}
	}
	t.settle()
	t.touch()
	if t.wake != nil {
		close(t.wake)
		t.wake = nil
	}
}
