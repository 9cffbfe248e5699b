package engine

import (
	"context"
	"unsafe"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Take takes a request whose envelope the caller has checked and whose id it
// keeps. params is JSON text of an object, or empty; it belongs to the caller
// again when Take returns. Take never waits. It may panic when a source does that
// is asked at once, an [Immediate] one.
func (c *Client) Take(call sink.Call, m sink.Method, params []byte) (*sink.Document, sink.Outcome) {
	result, outcome := c.take(call, m, "", params, (*Client).run)
	if outcome == sink.Answered && (len(result.Refs) > 0 || !result.Document.Kept) {
		c.respond(call, result)
		return nil, sink.Sent
	}
	return result.Document, outcome
}

// TakeURI takes a request whose params are nothing but a uri: what reads of the
// classic revisions are. It is Take without the JSON.
func (c *Client) TakeURI(call sink.Call, m sink.Method, uri []byte) (*sink.Document, sink.Outcome) {
	result, outcome := c.take(call, m, "", uri, (*Client).runURI)
	if outcome == sink.Answered && (len(result.Refs) > 0 || !result.Document.Kept) {
		c.respond(call, result)
		return nil, sink.Sent
	}
	return result.Document, outcome
}

// A runner is run or runSafely.
type runner func(*Client, context.Context, *request, []byte) (sink.Result, error)

// take is Take for all; extension is the name of a method that is not known here,
// but may be to Options.Extend.
func (c *Client) take(call sink.Call, m sink.Method, extension string, params []byte, run runner) (sink.Result, sink.Outcome) {
	if int(m) >= len(methods) {
		m = unknownMethod
	}
	req := &c.scratch
	req.clear(c, call, m)
	req.extension = extension
	result, err := run(c, c.ctx, req, params)
	switch {
	case err == nil:
		return result, sink.Answered
	case err == errSent:
		return result, sink.Sent
	case err == errPending:
		return result, sink.Pending
	case err == errMustWait:
		if err = c.later(call, m, extension, params); err == nil {
			return result, sink.Pending
		}
	}
	c.fail(call, req.wireError(err))
	return result, sink.Sent
}

// run reads the params, decides the era and calls the method. Its callers recover
// from panics: a defer of its own would cost more than a ping.
func (c *Client) run(ctx context.Context, req *request, params []byte) (result sink.Result, err error) {
	if len(params) > c.engine.options.MaxMessage {
		return result, tooLarge()
	}
	if err := req.read(params); err != nil {
		return result, err
	}
	return c.serve(ctx, req)
}

// runURI is run for [Client.TakeURI]. What has to wait runs later, from params.
func (c *Client) runURI(ctx context.Context, req *request, uri []byte) (sink.Result, error) {
	req.uri, req.hasURI = unsafe.String(unsafe.SliceData(uri), len(uri)), true // as textOf
	result, err := c.serve(ctx, req)
	if err != errMustWait {
		return result, err
	}
	params := append(jsonrpc.AppendString([]byte(`{"uri":`), req.uri), '}')
	if err := c.later(req.call, req.method, "", params); err != nil {
		return result, err
	}
	return result, errPending
}

// serve decides the era of a request that was read, and calls its method.
func (c *Client) serve(ctx context.Context, req *request) (sink.Result, error) {
	if err := req.decide(&c.engine.options); err != nil {
		return sink.Result{}, err
	}
	req.who = c.who
	if who, ok := jsonrpc.Text(req.principal); ok && c.proxy {
		req.who = Principal(who)
		ctx = WithPrincipal(ctx, req.who)
	}
	if req.extension != "" {
		return c.engine.extend(ctx, req)
	}
	return methods[req.method].answer(c.engine, ctx, req)
}

// runSafely makes an error of a panic: sources are other people's code.
func (c *Client) runSafely(ctx context.Context, req *request, params []byte) (result sink.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.engine.report(jsonrpc.Wrap("answer "+methodName(req.method), jsonrpc.Panicked(p)))
			err = &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "Internal error"}
		}
	}()
	return c.run(ctx, req, params)
}
