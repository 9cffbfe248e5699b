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
	d := e.Direct(ctx)
	return d.Carry(ctx, p, func(msg []byte, tooLarge error) error {
		if tooLarge != nil {
			d.RefuseTooLarge()
		} else {
			d.Post(e.Examine(msg), d.Outbox())
		}
		return nil
	}, d.Outbox().Next)
}

// Carry serves the client on a port until that closes or ctx ends; then it closes both. take gets
// what each Read of p returns: a message, or an error that wraps [jsonrpc.ErrTooLarge]. An error of
// take, such as [io.EOF], ends Carry like one of Read. next returns what is written to p: it takes
// from the Outbox of d.
func (d *Direct) Carry(ctx context.Context, p jsonrpc.Port, take func(msg []byte, tooLarge error) error, next func(context.Context) ([]byte, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e, written := d.client.engine, make(chan error, 1)
	go func() { // ends with the Outbox, or p
		err := errPanicked
		e.safely("writing to a client", func() { err = writeAll(ctx, p, next) })
		if err != nil {
			cancel()
		}
		written <- err
	}()
	err := errPanicked
	e.safely("reading from a client", func() { err = d.readAll(ctx, p, take) })
	d.Close()
	writeErr := <-written // answers in the queue are still written
	p.Close()
	switch {
	case err == io.EOF:
		return nil
	case errors.Is(err, context.Canceled) && writeErr != nil:
		return writeErr
	}
	return err
}

func writeAll(ctx context.Context, p jsonrpc.Port, next func(context.Context) ([]byte, error)) error {
	for {
		msg, err := next(ctx)
		if err == jsonrpc.ErrClosed {
			return nil
		}
		if err == nil {
			err = p.Write(ctx, msg)
		}
		if err != nil {
			return err
		}
	}
}

func (d *Direct) readAll(ctx context.Context, p jsonrpc.Port, take func(msg []byte, tooLarge error) error) error {
	for {
		if err := d.wire.own.Room(ctx); err != nil {
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

// endWith ends what the client has when the end of [WithEnd] comes, until stop is called.
func (c *Client) endWith(ctx context.Context) (stop func() bool) {
	end, ok := ctx.Value(endKey{}).(context.Context)
	if !ok {
		return func() bool { return false }
	}
	return context.AfterFunc(end, c.shutDown)
}

var errPanicked = errors.New("a panic, which is reported")
