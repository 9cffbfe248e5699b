package access

import (
	"context"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Direct is a client that passes messages to an engine by calls, as HTTP does, with rate
// limits, audit log and monitoring. See [engine.Direct].
type Direct struct {
	port   *clientPort
	engine *engine.Direct
	ctx    context.Context
}

// Direct connects client to e until Close. Its requests end with ctx; receive is that of
// engine.Direct, and gets the gateway's own responses, too.
func (g *Gate) Direct(ctx context.Context, e *engine.Engine, client Client, receive func(msg []byte)) *Direct {
	d := &Direct{port: g.Port(receiver{receive: receive}, e, client), ctx: ctx}
	d.engine = e.Direct(client.With(ctx), func(msg []byte) { d.port.Write(ctx, msg) })
	return d
}

// Send passes a message that the engine has examined. It may call receive before it
// returns.
func (d *Direct) Send(x engine.Examination, msg []byte) {
	if d.port.admit(d.ctx, x, msg, func(_ context.Context, wait time.Duration, _ []byte, due func() bool) {
		time.AfterFunc(wait, func() {
			if due() {
				d.engine.Send(x)
			}
		})
	}) {
		d.engine.Send(x)
	}
}

// Post passes a message of the gateway itself, without limits and audit, and without a call
// of receive on this goroutine.
func (d *Direct) Post(msg []byte) { d.engine.Post(d.Examine(msg)) }

// Examine examines a message as the engine does.
func (d *Direct) Examine(msg []byte) engine.Examination { return d.port.engine.Examine(msg) }

// Close ends the client. Requests without response are cancelled.
func (d *Direct) Close() {
	d.engine.Close()
	d.port.recordAbandoned()
}

// A receiver is the port of a Direct: only its Write is used.
type receiver struct {
	jsonrpc.Port
	receive func(msg []byte)
}

func (r receiver) Write(_ context.Context, msg []byte) error {
	r.receive(msg)
	return nil
}
