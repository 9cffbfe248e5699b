package access

import (
	"context"
	"errors"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A delayQueue returns delayed requests to Read when their delay has passed. From the
// first delay on, the port is read by a goroutine of its own, so that cancellations and
// other requests overtake delayed ones. The number of delayed requests is bounded by the
// rate times limits.MaxDelay.
type delayQueue struct {
	incoming chan arrival // messages from the port
	delayed  chan []byte  // messages whose delay has passed
}

// An arrival is the result of one Read of the port.
type arrival struct {
	msg []byte
	err error
}

// next returns the next message, and whether it was delayed. ctx is that of the
// connection.
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

// delayUntil makes Read return msg after delay, unless due then returns false.
func (p *clientPort) delayUntil(ctx context.Context, delay time.Duration, msg []byte, due func() bool) {
	if p.delayed == nil {
		p.delayed = &delayQueue{incoming: make(chan arrival), delayed: make(chan []byte)}
		go p.delayed.read(ctx, p.Port) // ends with the port or ctx
	}
	queue := p.delayed
	go func() { // ends after delay, or with ctx
		if !wait.For(ctx, delay) || !due() {
			return
		}
		select {
		case queue.delayed <- msg:
		case <-ctx.Done():
		}
	}()
}

// read forwards the messages of p to incoming until p fails or ctx ends.
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
