package access

import (
	"context"
	"sync"

	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Direct is a client that passes messages to an engine by calls, as HTTP does, with rate
// limits, audit log and monitoring. It counts requests against the allowance of the
// principal, and records their outcome in the audit log. What an [engine.Direct] has besides is not
// limited: Resubscribe restores what a client has requested before, and a pause withholds its
// notifications.
type Direct struct {
	*served
	gate   *Gate
	engine *engine.Engine

	principal string     // of the client
	pausing   sync.Mutex // held while pauseChanged runs

	mu     sync.Mutex
	client Client
	calls  map[callKey]*openCall // requests without response
}

type served = engine.Direct

// Direct connects client to e until Close.
func (g *Gate) Direct(ctx context.Context, e *engine.Engine, client Client) *Direct {
	d := &Direct{gate: g, engine: e, served: e.Direct(client.With(ctx)), principal: client.Principal, client: client, calls: map[callKey]*openCall{}}
	g.Pause.add(d)
	return d
}

// Send passes a message that the engine has examined. The response goes to an Outbox, from which Next
// takes it: see [engine.Direct.Post].
func (d *Direct) Send(x engine.Examination, msg []byte, to *engine.Outbox) {
	if d.admit(x, msg, to) {
		d.served.Post(x, to)
	}
}

// Next returns the next message of an Outbox, with errors like those of its Next. A response
// completes its request.
func (d *Direct) Next(ctx context.Context, from *engine.Outbox) ([]byte, error) {
	for {
		msg, err := from.Next(ctx)
		if err != nil {
			return nil, err
		}
		if msg = d.delivered(msg, from); msg != nil {
			return msg, nil
		}
	}
}

// delivered returns what the client gets instead of a message, or nil.
func (d *Direct) delivered(msg []byte, from *engine.Outbox) []byte {
	h := message.HeadOf(msg)
	if h.Kind != jsonrpc.Response && d.drops(h) {
		return nil
	}
	call, found := (*openCall)(nil), false
	if h.Kind == jsonrpc.Response && h.ID != "" {
		call, found = d.takeCall(h.ID, from)
	}
	if found {
		call.end()
	} else {
		d.monitor("assistant", "", msg)
		return msg
	}
	if paused := d.withholds(call.method); paused != nil {
		msg, h.Failed = jsonrpc.AppendError(nil, h.ID, paused), true
		call.outcome, call.reason = "paused", ReasonPaused
	}
	d.recordAnswered(call, h, msg)
	d.monitor("assistant", call.uri, msg)
	if !h.Failed {
		d.gate.Monitor.Answered(d.clientInfo(), call.method, call.uri, len(msg))
	}
	return msg
}

// Post passes a message of the gateway itself, without limits and audit; its response is dropped.
func (d *Direct) Post(msg []byte) { d.served.Post(d.Examine(msg), engine.NewOutbox()) }

// Examine examines a message as the engine does.
func (d *Direct) Examine(msg []byte) engine.Examination { return d.engine.Examine(msg) }

// Close ends the client. Requests without response are cancelled.
func (d *Direct) Close() {
	d.gate.Pause.remove(d)
	d.served.Close()
	d.recordAbandoned()
}
