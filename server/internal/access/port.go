package access

import (
	"context"
	"crypto/rand"
	"errors"
	"io"

	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Serve serves client by e on p, until p closes or ctx ends, with rate limits, audit log
// and monitoring.
func (g *Gate) Serve(ctx context.Context, p jsonrpc.Port, e *engine.Engine, client Client) error {
	client.Caller = rand.Text() // each connection is an assistant of its own
	d := g.Direct(ctx, e, client)
	defer d.Close()
	port := &clientPort{Port: p, client: d}
	return d.served.Carry(ctx, p, port.take, func(ctx context.Context) ([]byte, error) { return d.Next(ctx, d.Outbox()) })
}

// A clientPort is the port of a client, which passes its messages to the engine as Direct
// does.
type clientPort struct {
	jsonrpc.Port
	client *Direct
	broken int // invalid messages in a row; used by take only
}

// MaxBroken is the number of invalid messages in a row after which a WebSocket is
// closed. Each of them gets an error response.
const MaxBroken = 100

// take passes a message to the engine, or rejects it.
func (p *clientPort) take(msg []byte, tooLarge error) error {
	if tooLarge != nil {
		return p.takeTooLarge(tooLarge)
	}
	d := p.client
	x := d.Examine(msg)
	if p.sendsOnlyBroken(!x.IsMessage()) {
		return io.EOF
	}
	d.Send(x, msg, d.Outbox())
	return nil
}

// takeTooLarge responds to a message that was too large to be read. The port stays usable.
func (p *clientPort) takeTooLarge(err error) error {
	if p.sendsOnlyBroken(true) {
		return io.EOF
	}
	d := p.client
	if large := (*message.TooLargeError)(nil); errors.As(err, &large) && large.ID != "" && !d.isOpen(large.ID) {
		d.Outbox().Put(large.Refusal())
	} else {
		d.served.RefuseTooLarge()
	}
	return nil
}

// sendsOnlyBroken counts invalid messages in a row. It closes a WebSocket that has sent too
// many, and reports that. On standard streams there is no limit: closing would end the
// process.
func (p *clientPort) sendsOnlyBroken(broken bool) bool {
	if !broken {
		p.broken = 0
		return false
	}
	if endpoint := p.client.clientInfo().Endpoint; endpoint != SocketPath && endpoint != MonitorPath {
		return false
	}
	if p.broken++; p.broken < MaxBroken {
		return false
	}
	if s, ok := p.Port.(interface{ Reject(reason string) }); ok {
		s.Reject("too many invalid messages in a row")
	} else {
		p.Close()
	}
	return true
}
