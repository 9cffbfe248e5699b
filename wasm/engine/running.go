package engine

import (
	"bytes"
	"context"
	"time"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A running is a request with a goroutine of its own.
type running struct {
	method  sink.Method
	cancel  context.CancelCauseFunc
	silence *time.Timer // cancels when the source says nothing for too long
	ends    time.Time   // at the latest
}

// later answers in a goroutine of its own, which ends with the answer, a cancel,
// the timeout, or the client.
func (c *Client) later(call sink.Call, m sink.Method, extension string, params []byte) error {
	run, ctx := c.start(call, m)
	if run == nil {
		return ErrBusy
	}
	params = bytes.Clone(params)
	session := c.session // as it is now: a handshake may follow while this waits
	go func() {
		defer run.cancel(nil)
		defer run.silence.Stop()
		req := &request{client: c, call: call, method: m, extension: extension, session: session, mayWait: true}
		result, err := c.runSafely(ctx, req, params)
		if err != nil && err != errSent {
			switch context.Cause(ctx) {
			case nil:
			case ErrTimeout:
				err = ErrTimeout
			default:
				return // cancelled: nobody is told, and nothing is wrong
			}
			err = req.wireError(err)
		}
		c.engine.safely("a Sink", func() { c.complete(call, result, err) })
	}()
	return nil
}

// start takes note of a request that runs; nil: too many do.
func (c *Client) start(call sink.Call, m sink.Method) (*running, context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	most := c.engine.options.MaxInFlight
	if c.proxy {
		most *= proxyInFlight
	}
	if len(c.waiting) >= most {
		return nil, nil
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	timeout := c.engine.options.Timeout
	run := &running{method: m, cancel: cancel, ends: time.Now().Add(timeout * longest)}
	if m == methodCallTool {
		run.ends = time.Now().Add(timeout * longestTool)
	}
	run.silence = time.AfterFunc(timeout, func() { cancel(ErrTimeout) })
	c.waiting[call] = run
	return run, ctx
}

// complete answers a request that ran, unless it was cancelled, or the client is
// gone. err is nil, errSent or one of the wire.
func (c *Client) complete(call sink.Call, result sink.Result, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, waits := c.waiting[call]; !waits {
		return
	}
	delete(c.waiting, call)
	failure, failed := err.(*jsonrpc.Error)
	switch {
	case failed:
		c.sink.Fail(call, failure)
	case err == nil:
		c.sink.Respond(call, result)
	}
}

// proxyInFlight is the factor by which a client that speaks for others may have more
// requests in flight. It limits each of those itself; hung requests of one must not
// block the others.
const proxyInFlight = 16

// How often the timeout a request may last while its source makes progress.
const (
	longest     = 4  // 2 min by default; gateway.md §3
	longestTool = 20 // 10 min
)

// extendTimeout restarts a request's timeout: its source has reported progress.
func (c *Client) extendTimeout(call sink.Call) { c.extend(call, c.engine.options.Timeout) }

// extendToLongest lets a request run until its last deadline: it waits for input of its client.
func (c *Client) extendToLongest(call sink.Call) {
	c.extend(call, c.engine.options.Timeout*longestTool)
}

func (c *Client) extend(call sink.Call, by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if run := c.waiting[call]; run != nil && run.silence.Stop() {
		run.silence.Reset(min(by, time.Until(run.ends)))
	}
}

// ifPending calls send if a request has no answer yet and was not cancelled. Neither can happen while send runs.
func (c *Client) ifPending(call sink.Call, send func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, waits := c.waiting[call]; waits && !c.closed {
		send()
	}
}
