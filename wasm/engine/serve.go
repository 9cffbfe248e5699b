package engine

import (
	"context"
	"errors"
	"io"

	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

type endKey struct{}

// WithEnd returns a context under which [Engine.Serve] ends what its client has when end
// does: subscriptions with their result, other requests with an error. These are still
// written, and the port stays open.
func WithEnd(ctx, end context.Context) context.Context {
	return context.WithValue(ctx, endKey{}, end)
}

type proxyKey struct{}

// WithSpeakForOthers returns a context under which [Engine.Serve] does what
// [Client.SpeakForOthers] says: the client is a gateway that has proved its identity.
func WithSpeakForOthers(ctx context.Context) context.Context {
	return context.WithValue(ctx, proxyKey{}, true)
}

// Serve serves one client until its port closes or ctx ends; then it closes the
// port. The client's principal is that of ctx ([WithPrincipal]). It returns nil
// if the client closed the port.
func (e *Engine) Serve(ctx context.Context, p jsonrpc.Port) error {
	return e.ServeEach(ctx, p, func(d *Direct) func([]byte, error) error {
		return func(msg []byte, tooLarge error) error {
			if tooLarge != nil {
				d.RefuseTooLarge()
			} else {
				d.Post(e.Examine(msg))
			}
			return nil
		}
	})
}

// ServeEach is Serve for a caller that passes the messages to the engine itself, or
// rejects them. connect is called once, before the first message is read; take then gets
// what each Read of p returns: a message, or an error that wraps [jsonrpc.ErrTooLarge]. An
// error of take, such as [io.EOF], ends ServeEach like one of Read.
func (e *Engine) ServeEach(ctx context.Context, p jsonrpc.Port, connect func(d *Direct) (take func(msg []byte, tooLarge error) error)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sink := newPortSink(e, func(msg []byte) error { return p.Write(ctx, msg) })
	sink.failed = cancel
	d := e.direct(ctx, connectionContext(ctx), sink)
	defer d.Close()
	if ctx.Value(proxyKey{}) != nil {
		d.client.SpeakForOthers()
	}
	stop := context.AfterFunc(ctx, func() { sink.fail(ctx.Err()) })
	defer stop()
	err := errPanicked
	e.safely("reading from a client", func() { err = serveReads(ctx, p, sink, connect(d)) })
	d.Close()
	writeErr := sink.close() // answers in the queue are still written
	p.Close()
	switch {
	case err == io.EOF:
		return nil
	case errors.Is(err, context.Canceled) && writeErr != nil:
		return writeErr
	}
	return err
}

// connectionContext returns the context of a connection's requests: ctx without its end,
// which Client.Close is for, and without values other than those of this package.
func connectionContext(ctx context.Context) context.Context {
	if value := ctx.Value(hop.Delivery{}); value != nil {
		return context.WithValue(context.Background(), hop.Delivery{}, value)
	}
	return context.Background()
}

// endWith ends what the client has when the end of [WithEnd] comes, until stop is called.
func (c *Client) endWith(ctx context.Context) (stop func() bool) {
	end, ok := ctx.Value(endKey{}).(context.Context)
	if !ok {
		return func() bool { return false }
	}
	return context.AfterFunc(end, c.shutDown)
}

var errPanicked = errors.New("a panic, which is reported")

func serveReads(ctx context.Context, p jsonrpc.Port, sink *portSink, take func(msg []byte, tooLarge error) error) error {
	for {
		if err := sink.waitForRoom(ctx); err != nil {
			return err
		}
		msg, err := p.Read(ctx)
		if err != nil && !errors.Is(err, jsonrpc.ErrTooLarge) {
			return err
		}
		if err := take(msg, err); err != nil {
			return err
		}
	}
}
