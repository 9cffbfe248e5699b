package engine

import (
	"context"
	"sync"
)

// A Direct is a client without a port: a binding such as HTTP has read its messages
// already, and passes each by a call. Its methods may be called concurrently.
type Direct struct {
	client *Client
	sink   *portSink
	stop   func() bool
	turn   sync.Mutex // held while a message is taken: one at a time
}

// Direct connects a client with the principal of ctx ([WithPrincipal]), until Close. Its
// requests run under ctx, and end with it. receive gets what the engine sends: whole
// messages, in order, one at a time. While it blocks, up to 4 MiB wait, and further
// progress and log messages are dropped.
func (e *Engine) Direct(ctx context.Context, receive func(msg []byte)) *Direct {
	d := &Direct{sink: newPortSink(e, func(msg []byte) error {
		e.safely("passing a message to a client", func() { receive(msg) }) // a panic costs this message only
		return nil
	})}
	d.client = e.connectUnder(ctx, d.sink, PrincipalOf(ctx))
	d.stop = d.client.endWith(ctx)
	return d
}

// Send passes a message that this engine has examined, once, whether it is valid or not. It
// does not wait for the response, but may call receive before it returns: the caller must
// not hold a lock that receive takes. The message must not change until it is answered.
func (d *Direct) Send(x Examination) {
	d.sink.hold()
	defer d.sink.flush()
	d.Post(x)
}

// Post is Send without a call of receive on this goroutine, which costs another one.
func (d *Direct) Post(x Examination) {
	d.turn.Lock()
	defer d.turn.Unlock()
	c, req := d.client, x.request
	call, _, isRequest := c.receive(x.message, x.refusal, false)
	if !isRequest {
		return
	}
	req.client, req.call, req.session = c, call, c.session
	if x.problem != nil {
		c.fail(call, req.wireError(x.problem))
		return
	}
	result, err := c.runSafely(c.ctx, req, nil) // which has read the params
	c.finish(req, nil, result, err)
}

// Close ends the client: its requests are cancelled, its subscriptions end, and receive is
// not called for anything that the engine sends afterwards.
func (d *Direct) Close() {
	d.stop()
	d.client.Close()
}
