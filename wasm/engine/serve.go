package engine

import (
	"context"
	"errors"
	"io"

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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sink := newPortSink(e, func(msg []byte) error { return p.Write(ctx, msg) })
	sink.failed = cancel
	c := e.connectUnder(connectionContext(ctx), sink, PrincipalOf(ctx))
	defer c.Close()
	if ctx.Value(proxyKey{}) != nil {
		c.SpeakForOthers()
	}
	defer c.endWith(ctx)()
	stop := context.AfterFunc(ctx, func() { sink.fail(ctx.Err()) })
	defer stop()
	err := errPanicked
	e.safely("reading from a client", func() { err = serveReads(ctx, p, c, sink) })
	c.Close()
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
	result := context.Background()
	for _, key := range [...]any{hubKey{}, deliveryKey{}} {
		if value := ctx.Value(key); value != nil {
			result = context.WithValue(result, key, value)
		}
	}
	return result
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

func serveReads(ctx context.Context, p jsonrpc.Port, c *Client, sink *portSink) error {
	for {
		if err := sink.waitForRoom(ctx); err != nil {
			return err
		}
		data, err := p.Read(ctx)
		switch {
		case errors.Is(err, jsonrpc.ErrTooLarge):
			c.refuse(tooLarge())
		case err != nil:
			return err
		default:
			c.Message(data)
		}
	}
}
