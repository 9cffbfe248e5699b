package engine

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A call of a prompt or tool that asks a modern client for input stays as it is: its request is
// answered by input_required, and the request that brings the answers takes its place. The
// requestState is the name of the call here, so what the client has to know is nothing but that.
// MCP 2026-07-28, basic/patterns/mrtr.

// Limits of the calls that wait between two requests.
const (
	heldLasts = 10 * time.Minute
	maxHeld   = 128     // of an engine
	maxHeldOf = 16      // of one principal
	maxHeldIn = 8 << 20 // bytes of their arguments
)

var (
	errHeldTooLong = errors.New("the client has not answered for 10 minutes")
	errOver        = errors.New("the engine is shutting down")
)

// A turn is one request of a call.
type turn struct {
	client *Client // nil: there is no request
	call   sink.Call
	token  []byte // progressToken as it came, or nil
	level  level  // of the request; classic ones have their session's
	inputs []byte // inputResponses, or nil
	state  []byte // requestState as it came, a JSON string, or nil

	leave    func() bool  // the end of the request is not that of the call any more; false: it has ended
	answered chan outcome // the answer to a request that has taken another one's place; else nil. Has room for it
}

type outcome struct {
	result sink.Result
	err    error
}

// A held is the call of a modern client.
type held struct {
	i      *Invocation
	cancel context.CancelCauseFunc
	next   chan turn // the request that goes on; has room for it

	// What it was allowed to do, once grants have decided; guarded by i.mu.
	isGranted bool
	byGrant   bool // which may end before the call
	right     grantRight
	tool      string
}

// holds are the calls that wait between two requests, by requestState.
type holds struct {
	mu  sync.Mutex
	all map[string]*held
}

// add names a call that waits, unless there are too many.
func (hs *holds) add(h *held) (state string, ok bool) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	own, size := 0, len(h.i.what)
	for _, other := range hs.all {
		size += len(other.i.what)
		if other.i.who == h.i.who {
			own++
		}
	}
	if len(hs.all) >= maxHeld || own >= maxHeldOf || size > maxHeldIn {
		return "", false
	}
	if hs.all == nil {
		hs.all = map[string]*held{}
	}
	state = strconv.FormatUint(rand.Uint64(), 36) + "-" + strconv.FormatUint(rand.Uint64(), 36) // see newTaskID
	hs.all[state] = h
	return state, true
}

// take returns the call that a request goes on with, which waits no longer; nil: there is none.
func (hs *holds) take(req *Request, what []byte) *held {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	state, _ := jsonrpc.Text(req.state)
	h := hs.all[state]
	if h == nil || h.i.who != req.who || !bytes.Equal(h.i.what, what) {
		return nil
	}
	delete(hs.all, state)
	return h
}

// remove returns false if a request has taken the call.
func (hs *holds) remove(state string) bool {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	_, has := hs.all[state]
	delete(hs.all, state)
	return has
}

// endDenied ends the calls that are denied from now on.
func (hs *holds) endDenied(g *Grants) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	for _, h := range hs.all {
		if err := h.denied(g); err != nil {
			h.cancel(err)
		}
	}
}

// denied returns an error if the call may not run any more.
func (h *held) denied(g *Grants) error {
	h.i.mu.Lock()
	defer h.i.mu.Unlock()
	if g == nil || !h.isGranted {
		return nil
	}
	if d, reason := g.decide(h.i.who, h.right, h.tool); d == denied {
		return denial(reason, "")
	}
	return nil
}

// isOver reports whether the grant that has allowed the call is over.
func (h *held) isOver(g *Grants) bool {
	h.i.mu.Lock()
	defer h.i.mu.Unlock()
	d, _ := g.decide(h.i.who, h.right, h.tool)
	return h.byGrant && d != allowed
}

// noteGrant records what the call was allowed to do, and why.
func (i *Invocation) noteGrant(right grantRight, tool, reason string) {
	if i.held == nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.held.isGranted, i.held.byGrant, i.held.right, i.held.tool = true, reason == reasonGrant, right, tool
}

// inRounds calls a prompt or tool of a modern client, or goes on with a call that waits for the
// input of this request.
func (e *Engine) inRounds(ctx context.Context, req *Request, ask func(context.Context) (sink.Result, error)) (sink.Result, error) {
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	own, i := e.invocation(own, req)
	this := i.at
	if h := e.holds.take(req, i.what); h != nil {
		cancel(nil)
		return h.goOn(ctx, req, this)
	}
	i.held = &held{i: i, cancel: cancel, next: make(chan turn, 1)}
	i.at.leave = context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	defer context.AfterFunc(e.over, func() { cancel(errOver) })()
	out := outcome{err: errPanicked}
	defer func() { i.pass(out) }()
	out.result, out.err = e.resolve(own, i, req, ask)
	return out.result, out.err
}

// goOn lets a call go on with a request, and returns what answers that: the call's result, or a
// further request for input.
func (h *held) goOn(ctx context.Context, req *Request, r turn) (sink.Result, error) {
	err := h.denied(req.client.engine.grants.Load())
	if err != nil {
		h.cancel(err)
	}
	if h.isGranted {
		req.client.noteGrant(req, &AccessQuestion{right: h.right, tool: h.tool})
	}
	r.answered = make(chan outcome, 1)
	r.leave = context.AfterFunc(ctx, func() { h.cancel(context.Cause(ctx)) })
	h.next <- r // wait counts on it
	if err != nil {
		return sink.Result{}, err
	}
	select {
	case out := <-r.answered:
		return out.result, out.err
	case <-ctx.Done():
		return sink.Result{}, ctx.Err()
	}
}

// pass answers the request that waits for the outcome of a call, unless it is the first one: the
// engine answers that.
func (i *Invocation) pass(out outcome) {
	if at := i.now(); at.answered != nil {
		at.answered <- out
	}
}

// wait answers the request of a call by input_required, and waits for the next one. The answers are
// a JSON object by the keys of requests.
func (h *held) wait(ctx context.Context, requests []byte) ([]byte, error) {
	i := h.i
	at := i.now()
	if answers, whole := answersTo(requests, at.inputs); whole { // the client knew what it would be asked
		i.takeTurn(turn{client: at.client, call: at.call, token: at.token, level: at.level, leave: at.leave, answered: at.answered})
		return answers, nil
	}
	e := at.client.engine
	state, ok := e.holds.add(h)
	if !ok {
		return nil, ErrBusy
	}
	if !at.leave() {
		e.holds.remove(state)
		return nil, context.Cause(ctx)
	}
	at.answer(sink.Result{Document: e.inputRequiredResult(requests, state)})
	i.takeTurn(turn{client: at.client}) // nothing is sent meanwhile
	timer := time.AfterFunc(heldLasts, func() { h.cancel(errHeldTooLong) })
	defer timer.Stop()
	var next turn
	select {
	case next = <-h.next:
	case <-ctx.Done():
		if e.holds.remove(state) {
			return nil, context.Cause(ctx)
		}
		next = <-h.next // a request has come at this moment: it gets why the call ends
	}
	answers, _ := answersTo(requests, next.inputs)
	next.inputs = nil
	i.takeTurn(next)
	return answers, context.Cause(ctx)
}

// answer answers the request of a turn.
func (at *turn) answer(r sink.Result) {
	if at.answered != nil {
		at.answered <- outcome{result: r}
		return
	}
	at.client.engine.safely("a Sink", func() { at.client.complete(at.call, r, nil) })
}

func (i *Invocation) takeTurn(next turn) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.at, i.hasProgress = next, i.hasProgress && next.call == i.at.call
}

// answersTo returns the members of inputs that requests has, and whether these are all of it.
func answersTo(requests, inputs []byte) (answers []byte, whole bool) {
	found := emit.JSON("{")
	whole = true
	for s := jsonrpc.Scan(requests); s.Next(); {
		if answer := jsonrpc.Member(inputs, string(s.Name)); answer != nil {
			found.Member(string(s.Name), answer)
		} else {
			whole = false
		}
	}
	found.Text("}")
	return found, whole
}
