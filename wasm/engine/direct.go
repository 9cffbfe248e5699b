package engine

import (
	"context"
	"sync"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Direct is a client whose messages come by calls: a binding such as HTTP has read and
// examined them already. [Engine.Serve] reads them from a port. Its methods may be called
// concurrently.
type Direct struct {
	client *Client
	wire   *wire
	stop   func() bool
	turn   sync.Mutex // held while a message is taken: one at a time
}

// Direct connects a client until Close. Of ctx it uses the values of this package: the principal of
// [WithPrincipal], [WithEnd], and [WithSpeakForOthers].
func (e *Engine) Direct(ctx context.Context) *Direct {
	w := &wire{own: NewOutbox(), open: map[sink.Call]openCall{}, calls: map[wireKey]sink.Call{}}
	w.client = e.Connect(w, PrincipalOf(ctx))
	if ctx.Value(proxyKey{}) != nil {
		w.client.SpeakForOthers()
	}
	return &Direct{client: w.client, wire: w, stop: w.client.endWith(ctx)}
}

// Outbox returns the client's: for answers without an Outbox of their own, and for notifications.
func (d *Direct) Outbox() *Outbox { return d.wire.own }

// Post passes a message that this engine has examined, once, whether it is valid or not. It does not
// wait for the response. The message must not change until it is answered. The response goes to an
// Outbox, and with it what belongs to the request: progress, log messages, and requests to the
// client. That is the client's, or one of this request alone, which ends after the response or a
// cancellation.
func (d *Direct) Post(x Examination, to *Outbox) {
	d.turn.Lock()
	defer d.turn.Unlock()
	d.wire.to = to
	d.client.takeExamined(x)
	if d.client.isClosed() {
		to.close(jsonrpc.ErrClosed)
	}
}

// RefuseTooLarge responds to a message that was too large to be read.
func (d *Direct) RefuseTooLarge() { d.Post(Examination{refusal: tooLarge()}, d.wire.own) }

// Fail ends the request with this id whose response goes to an Outbox by an error, if it has no
// response yet.
func (d *Direct) Fail(id jsonrpc.ID, to *Outbox, err *jsonrpc.Error) {
	if call, waits := d.find(id, to); waits {
		d.client.endCall(call, func() { d.wire.Fail(call, err) })
	}
}

func (d *Direct) find(id jsonrpc.ID, of *Outbox) (sink.Call, bool) {
	d.client.mu.Lock()
	defer d.client.mu.Unlock()
	return d.wire.find(id, of)
}

// Hold keeps notifications of changes back, or sends what was kept back.
func (d *Direct) Hold(on bool) { d.client.hold(on) }

// Close ends the client: its requests are cancelled, its subscriptions end, and the Outboxes end
// after what they have.
func (d *Direct) Close() {
	d.stop()
	d.client.Close()
	d.client.mu.Lock()
	defer d.client.mu.Unlock()
	d.wire.closeAll()
}

// takeExamined takes a message that the engine has examined.
func (c *Client) takeExamined(x Examination) {
	call, _, isRequest := c.receive(x.message, x.refusal)
	if !isRequest {
		return
	}
	req := x.request
	req.client, req.call, req.session = c, call, c.session
	if x.problem != nil {
		c.fail(call, req.wireError(x.problem))
		return
	}
	result, err := c.runSafely(c.ctx, req, nil) // which has read the params
	c.finish(req, nil, result, err)
}
