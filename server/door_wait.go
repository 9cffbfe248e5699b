package server

import (
	"context"
	"errors"
	"time"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A slowLane brings back messages that had to wait for their principal's rate. From
// the first of them on the port is read in a goroutine of its own, so that cancels
// and other requests overtake them. How many wait is bounded by maxDelay
// times the rate.
type slowLane struct {
	fresh chan arrival // what comes from the port
	late  chan []byte  // what has waited
}

type arrival struct {
	msg []byte
	err error
}

// next returns the next message, and whether it has waited. ctx is that of the
// conversation.
func (p *watchedPort) next(ctx context.Context) (msg []byte, waited bool, err error) {
	if p.slow == nil {
		msg, err = p.Port.Read(ctx)
		return msg, false, err
	}
	select {
	case r := <-p.slow.fresh:
		return r.msg, false, r.err
	case msg := <-p.slow.late:
		return msg, true, nil
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
}

// later lets Read return msg after a while, if it is due then.
func (p *watchedPort) later(ctx context.Context, wait time.Duration, msg []byte, due func() bool) {
	if p.slow == nil {
		p.slow = &slowLane{fresh: make(chan arrival), late: make(chan []byte)}
		go p.slow.read(ctx, p.Port) // ends with the port or ctx
	}
	lane := p.slow
	go func() { // ends after wait, or with ctx
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		if !due() {
			return
		}
		select {
		case lane.late <- msg:
		case <-ctx.Done():
		}
	}()
}

func (l *slowLane) read(ctx context.Context, p jsonrpc.Port) {
	for {
		msg, err := p.Read(ctx)
		select {
		case l.fresh <- arrival{msg, err}:
		case <-ctx.Done():
			return
		}
		if err != nil && !errors.Is(err, jsonrpc.ErrTooLarge) {
			return
		}
	}
}
