package engine

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// The life of a request, from top to bottom of this file:
//
//	Direct.Post   a whole JSON-RPC message that Examine has read; in the wasm program,
//	              Message takes and reads one, and Take one whose envelope
//	              JavaScript has read
//	run           reads the params (params.go)
//	answer        decides the era (era.go) and calls the method (methods.go)
//	settle        what can be answered from memory is answered now, on the
//	              caller's stack
//	runLater      what has to wait runs again from the params, in a goroutine
//	complete      passes its answer to the Sink, unless it was cancelled
//
// Nothing here waits, except in the goroutine of runLater: Take may run inside a wasm
// export, where waiting would corrupt the stack.

// Message takes any whole message as JSON text, without an allocation for a request that is
// answered at once. It never waits. The text may be used again when it returns. isIdle says
// that it was a read that was answered at once: no goroutine wants to run because of it.
func (c *Client) Message(data []byte) (isIdle bool) {
	if len(data) > c.engine.options.MaxMessage {
		c.refuse(tooLarge())
		return false
	}
	msg, refusal := jsonrpc.Parse(data)
	call, method, isRequest := c.receive(msg, refusal)
	if !isRequest {
		return false
	}
	req := c.newRequest(call, method)
	result, err := c.runSafely(c.ctx, req, msg.Params)
	isIdle = c.finish(req, msg.Params, result, err)
	if len(data) > maxScratch {
		c.scratch = Request{} // it shares memory with data, and would keep that until the next request
	}
	return isIdle
}

// receive handles a message, unless it is a valid request: then it opens a call for it.
// refusal is that of Parse.
func (c *Client) receive(msg jsonrpc.Message, refusal *jsonrpc.Error) (call sink.Call, m sink.Method, isRequest bool) {
	switch msg.Kind {
	case jsonrpc.Notification: // never answered, whatever is wrong with it
		if refusal == nil {
			c.notification(msg)
		}
		return 0, 0, false
	case jsonrpc.Response:
		if refusal == nil {
			c.receiveResponse(msg)
		}
		return 0, 0, false
	}
	if msg.ID == "" {
		c.refuse(refusal)
		return 0, 0, false
	}
	call, fresh, closed := c.open(msg.ID)
	method := c.engine.methodByName(msg.Method)
	switch {
	case closed:
	case !fresh: // an error with that id would end the older request
		c.refuse(&jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "This id still waits for its answer"})
	case refusal != nil:
		c.fail(call, refusal)
	default:
		return call, method, true
	}
	return 0, 0, false
}

// finish passes the outcome of a request that came as a message to the Sink, and reports whether
// it was a read that is answered.
func (c *Client) finish(req *Request, params []byte, result sink.Result, err error) bool {
	_, _, outcome := c.settle(req, params, result, err)
	if outcome == sink.Answered {
		c.respond(req.call, result)
	}
	return outcome == sink.Answered && req.method == readResourceMethod
}

// maxScratch is the size in bytes of a message that Client.scratch may keep.
const maxScratch = 4 << 10

// open opens the call of a request in the Sink.
func (c *Client) open(id jsonrpc.ID) (call sink.Call, fresh, closed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, false, true
	}
	call, fresh = c.sink.Open(id)
	return call, fresh, false
}

// notification handles a notification of the client. Unknown ones are ignored.
func (c *Client) notification(msg jsonrpc.Message) {
	switch msg.Method {
	case MethodCancelled:
		id := jsonrpc.ID(jsonrpc.Member(msg.Params, "requestId"))
		if call, found := c.find(id); found {
			c.Cancel(call)
		}
	case MethodInitialized:
		c.initialized()
	}
}

// find returns the call of a request that has no answer yet.
func (c *Client) find(id jsonrpc.ID) (sink.Call, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sink.Find(id)
}

// Take takes a request whose envelope the caller has checked and whose id it
// keeps. params is JSON text of an object, or empty; it belongs to the caller
// again when Take returns. Take never waits. It may panic when a source does that
// is called at once, such as an [Immediate] one. The Ref, if it is not zero, belongs in the only
// item of the Document, and the URI of the request is that item's.
func (c *Client) Take(call sink.Call, m sink.Method, params []byte) (*sink.Document, sink.Ref, sink.Outcome) {
	req := c.newRequest(call, m)
	result, err := c.run(c.ctx, req, params)
	return c.settle(req, params, result, err)
}

// newRequest returns the client's request, all of it new. That spares an allocation for each.
func (c *Client) newRequest(call sink.Call, m sink.Method) *Request {
	c.scratch = Request{engine: c.engine, client: c, call: call, method: m, session: c.session}
	return &c.scratch
}

// runSafely is run, and makes an error of a panic: a source may panic.
func (c *Client) runSafely(ctx context.Context, req *Request, params []byte) (result sink.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.engine.report(jsonrpc.Wrap("answer "+c.engine.method(req.method).Name, jsonrpc.Panicked(p)))
			err = &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "Internal error"}
		}
	}()
	return c.run(ctx, req, params)
}

// run reads the params and answers. The callers of Take recover from panics
// themselves: a defer here would cost more than a ping.
func (c *Client) run(ctx context.Context, req *Request, params []byte) (result sink.Result, err error) {
	if len(params) > c.engine.options.MaxMessage {
		return result, tooLarge()
	}
	if err := req.read(params); err != nil {
		return result, err
	}
	return c.answer(ctx, req)
}

// answer decides the era of a request that was read, and calls its method.
func (c *Client) answer(ctx context.Context, req *Request) (sink.Result, error) {
	if err := req.decide(); err != nil {
		return sink.Result{}, err
	}
	m := c.engine.method(req.method)
	if m.Waits && !req.mayWait {
		return sink.Result{}, errMustWait
	}
	req.who = c.who
	if c.proxy {
		if who, ok := jsonrpc.Text(req.principal); ok {
			req.who = assistantPrincipal(who)
			ctx = WithPrincipal(ctx, req.who)
		}
	}
	if g := c.engine.grants.Load(); g != nil {
		if result, answered, err := c.engine.admit(ctx, g, req); answered || err != nil {
			return result, err
		}
	}
	if m.Lists != nil {
		return c.engine.list(ctx, req)
	}
	return m.Answer(c.engine, ctx, req)
}

// settle returns a Document that the Sink may hold, and what belongs in it, if that is the whole
// answer, as for Take. Any other outcome goes to the Sink, now or later.
func (c *Client) settle(req *Request, params []byte, result sink.Result, err error) (*sink.Document, sink.Ref, sink.Outcome) {
	switch err {
	case nil:
		switch doc := result.Document; {
		case !doc.Kept:
		case len(result.Refs) == 0:
			return doc, 0, sink.Answered
		case len(result.Refs) == 1 && result.URI == req.uri && result.Variables == nil:
			return doc, result.Refs[0], sink.Answered
		}
		c.respond(req.call, result)
		return nil, 0, sink.Sent
	case ErrSent:
		return nil, 0, sink.Sent
	case errMustWait:
		if err = c.runLater(req, params); err == nil {
			return nil, 0, sink.Pending
		}
	}
	c.fail(req.call, req.wireError(err))
	return nil, 0, sink.Sent
}

// A running is a request without an answer: it has a goroutine of its own, or is a listen that was acknowledged.
type running struct {
	listen  *subscription // else nil
	method  sink.Method
	cancel  context.CancelCauseFunc
	timeout *time.Timer // cancels when the source makes no progress for too long
	ends    time.Time   // at the latest

	// What it was allowed to do, and for whom, if grants have decided.
	isGranted bool
	who       Principal
	right     grantRight
	tool      string
	uri       string // of a resource that it reads, or ""
}

// How many timeouts a request may last while its source makes progress.
const (
	longest     = 4  // 2 min by default
	longestTool = 20 // 10 min
)

// proxyInFlight is how many times MaxInFlight a client may have that sends requests on
// behalf of others. It limits each of those itself; hung requests of one must not
// block the others.
const proxyInFlight = 16

// runLater runs a request in a goroutine of its own, which ends with the answer, a
// cancel, the timeout, or the client.
func (c *Client) runLater(req *Request, params []byte) error {
	run, ctx := c.start(req.call, req.method)
	if run == nil {
		return ErrBusy
	}
	if req.owned {
		req.mayWait, req.rev = true, 0
	} else {
		params = bytes.Clone(params)
		session := c.session // as it is now: a handshake may follow while this waits
		req = &Request{engine: c.engine, client: c, call: req.call, method: req.method, session: session, mayWait: true}
	}
	go func() {
		growStack()
		isPassed := false // then ctx ends when the answer is written: what it holds is in memory until then
		defer func() {
			run.timeout.Stop()
			if !isPassed {
				run.cancel(nil)
			}
		}()
		result, err := c.runSafely(ctx, req, params)
		if err != nil && err != ErrSent {
			switch cause := context.Cause(ctx); {
			case cause == nil:
			case cause == ErrTimeout || errors.As(cause, new(*accessError)):
				err = cause
			default:
				return // cancelled: no answer follows, and nothing is wrong
			}
			err = req.wireError(err)
		}
		result.Written = func() { run.cancel(nil) }
		c.engine.safely("a Sink", func() { isPassed = c.complete(req.call, result, err) })
	}()
	return nil
}

// growStack grows the stack of a new goroutine to about what a read through a Remote takes. Else it is copied at 2, 4 and
// 8 KB, each time with more frames to adjust: a tenth of what a read costs.
//
//go:noinline
func growStack() {
	var room [8 << 10]byte
	use(&room)
}

//go:noinline
func use(*[8 << 10]byte) {}

// start registers a request that runs; nil: too many do.
func (c *Client) start(call sink.Call, m sink.Method) (*running, context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	most := c.engine.options.MaxInFlight
	if c.proxy {
		most *= proxyInFlight
	}
	if len(c.running)-c.listens >= most {
		return nil, nil
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	timeout := c.engine.options.Timeout
	run := &running{method: m, cancel: cancel, ends: time.Now().Add(timeout * longest)}
	if m == callToolMethod {
		run.ends = time.Now().Add(timeout * longestTool)
	}
	run.timeout = time.AfterFunc(timeout, func() { cancel(ErrTimeout) })
	c.running[call] = run
	return run, ctx
}

// complete answers a request that ran, unless it was cancelled, or the client is
// gone. err is nil, ErrSent or one of the wire. It reports whether the result is passed to the Sink.
func (c *Client) complete(call sink.Call, result sink.Result, err error) (isPassed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if run := c.running[call]; run == nil || run.listen != nil {
		return false
	}
	delete(c.running, call)
	if failure, failed := err.(*jsonrpc.Error); failed {
		c.sink.Fail(call, failure)
		return false
	}
	if err == nil {
		c.sink.Respond(call, result)
	}
	return err == nil
}

// extendTimeout restarts a request's timeout: its source has reported progress.
func (c *Client) extendTimeout(call sink.Call) { c.extend(call, c.engine.options.Timeout) }

// extendToLongest lets a request run until its last deadline: it waits for input of its client.
func (c *Client) extendToLongest(call sink.Call) {
	c.extend(call, c.engine.options.Timeout*longestTool)
}

func (c *Client) extend(call sink.Call, by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if run := c.running[call]; run != nil && run.listen == nil && run.timeout.Stop() {
		run.timeout.Reset(min(by, time.Until(run.ends)))
	}
}

// ifPending calls send if a request has no answer yet and was not cancelled. Neither can happen while send runs.
func (c *Client) ifPending(call sink.Call, send func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running[call] != nil && !c.closed {
		send()
	}
}
