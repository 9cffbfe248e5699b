package engine

import (
	"context"
	"sync"
)

// A Direct is a client whose messages come by calls: a binding such as HTTP has read and
// examined them already. [Engine.Serve] reads them from a port. Its methods may be called
// concurrently.
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
	return e.direct(ctx, ctx, newPortSink(e, func(msg []byte) error {
		e.safely("passing a message to a client", func() { receive(msg) }) // a panic costs this message only
		return nil
	}))
}

// direct connects a client as ctx says. Its requests run under requests.
func (e *Engine) direct(ctx, requests context.Context, s *portSink) *Direct {
	d := &Direct{sink: s, client: e.connectUnder(requests, s, PrincipalOf(ctx))}
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
	d.client.takeExamined(x)
}

// RefuseTooLarge responds to a message that was too large to be read.
func (d *Direct) RefuseTooLarge() { d.Post(Examination{refusal: tooLarge()}) }

// Close ends the client: its requests are cancelled, its subscriptions end, and receive is
// not called for anything that the engine sends afterwards.
func (d *Direct) Close() {
	d.stop()
	d.client.Close()
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
