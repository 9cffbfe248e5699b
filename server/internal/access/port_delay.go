package access

import (
	"context"
	"errors"
	"time"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A delayQueue brings back messages that had to wait for their principal's rate. From
// the first of them on the port is read in a goroutine of its own, so that cancels
// and other requests overtake them. How many wait is bounded by maxDelay
// times the rate.
type delayQueue struct {
	incoming chan arrival // what comes from the port
	delayed  chan []byte  // what has waited
}

type arrival struct {
	msg []byte
	err error
}

// next returns the next message, and whether it has waited. ctx is that of the
// conversation.
func (p *clientPort) next(ctx context.Context) (msg []byte, waited bool, err error) {
	if p.delayed == nil {
		msg, err = p.Port.Read(ctx)
		return msg, false, err
	}
	select {
	case r := <-p.delayed.incoming:
		return r.msg, false, r.err
	case msg := <-p.delayed.delayed:
		return msg, true, nil
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
}

// delayUntil lets Read return msg after a while, if it is due then.
func (p *clientPort) delayUntil(ctx context.Context, wait time.Duration, msg []byte, due func() bool) {
	if p.delayed == nil {
		p.delayed = &delayQueue{incoming: make(chan arrival), delayed: make(chan []byte)}
		go p.delayed.read(ctx, p.Port) // ends with the port or ctx
	}
	queue := p.delayed
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
		case queue.delayed <- msg:
		case <-ctx.Done():
		}
	}()
}

func (q *delayQueue) read(ctx context.Context, p jsonrpc.Port) {
	for {
		msg, err := p.Read(ctx)
		select {
		case q.incoming <- arrival{msg, err}:
		case <-ctx.Done():
			return
		}
		if err != nil && !errors.Is(err, jsonrpc.ErrTooLarge) {
			return
		}
	}
}
