package access

import (
	"context"
	"sync"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A Direct is a client that passes messages to an engine by calls, as HTTP does, with rate
// limits, audit log and monitoring. It counts requests against the allowance of the
// principal, and records their outcome in the audit log. See [engine.Direct].
type Direct struct {
	gate   *Gate
	engine *engine.Engine
	direct *engine.Direct         // set before the first message
	write  func(msg []byte) error // to the client

	principal string // of the client

	mu     sync.Mutex
	client Client
	calls  map[string]*openCall // requests without response, by ID.Key
	queue  []*openCall          // of these, those that wait for others to end: see enqueue
	held   held
}

// Direct connects client to e until Close. Its requests end with ctx; receive is that of
// engine.Direct, and gets the gateway's own responses, too.
func (g *Gate) Direct(ctx context.Context, e *engine.Engine, client Client, receive func(msg []byte)) *Direct {
	d := g.client(e, client, func(msg []byte) error {
		receive(msg)
		return nil
	})
	d.direct = e.Direct(client.With(ctx), func(msg []byte) { d.deliver(msg) })
	g.Pause.add(d)
	return d
}

func (g *Gate) client(e *engine.Engine, client Client, write func(msg []byte) error) *Direct {
	return &Direct{gate: g, engine: e, write: write, principal: client.Principal, client: client, calls: map[string]*openCall{}}
}

// Send passes a message that the engine has examined. It may call receive before it
// returns.
func (d *Direct) Send(x engine.Examination, msg []byte) {
	if d.admit(x, msg) {
		d.direct.Send(x)
	}
}

// Post passes a message of the gateway itself, without limits and audit, and without a call
// of receive on this goroutine.
func (d *Direct) Post(msg []byte) { d.direct.Post(d.Examine(msg)) }

// Resubscribe restores subscriptions of a classic session, without limits and audit: its client
// has requested them before. A pause withholds their notifications, as it does those of others.
// See [engine.Direct.Resubscribe].
func (d *Direct) Resubscribe(uris []string) (armed func(ctx context.Context)) {
	return d.direct.Resubscribe(uris)
}

// Unsubscribe takes a URI away from a classic session, without limits and audit: its client has
// requested that at another node. See [engine.Direct.Unsubscribe].
func (d *Direct) Unsubscribe(uri string) { d.direct.Unsubscribe(uri) }

// Examine examines a message as the engine does.
func (d *Direct) Examine(msg []byte) engine.Examination { return d.engine.Examine(msg) }

// Close ends the client. Requests without response are cancelled.
func (d *Direct) Close() {
	d.gate.Pause.remove(d)
	d.direct.Close()
	d.recordAbandoned()
}
