package server

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// drainTime is how long requests may be answered after the end of the input. Clients
// kill a process that has not exited about a second after they closed its input.
const drainTime = 500 * time.Millisecond

// stuckTime is how long a process may write nothing once its input has ended or it was
// stopped: whatever waits for its output then does not read it.
const stuckTime = time.Second

// A drainPort delays the end of its input until earlier requests are answered: a shell
// pipe closes its end before it has read any response. It reads ahead, so that the end is
// noticed although nothing can be written.
type drainPort struct {
	jsonrpc.Port
	in      chan input
	ended   chan struct{} // closed at the end of the input
	written atomic.Int64  // messages

	mu       sync.Mutex
	open     map[string]bool // ids of pending requests, by ID.Key
	answered chan struct{}   // has capacity 1
}

type input struct {
	data []byte
	err  error
}

// maxAhead is the number of messages that are read ahead.
const maxAhead = 4

// newDrainPort reads from p until that or ctx ends.
func newDrainPort(ctx context.Context, p jsonrpc.Port) *drainPort {
	d := &drainPort{Port: p, in: make(chan input, maxAhead), ended: make(chan struct{}), open: map[string]bool{}, answered: wait.NewSignal()}
	go func() { // ends with p, or ctx
		for {
			data, err := p.Read(ctx)
			isOver := err != nil && !errors.Is(err, jsonrpc.ErrTooLarge)
			if isOver {
				close(d.ended)
			}
			select {
			case d.in <- input{data, err}:
			case <-ctx.Done():
				return
			}
			if isOver {
				return
			}
		}
	}()
	return d
}

// next returns what was read.
func (p *drainPort) next(ctx context.Context) ([]byte, error) {
	select {
	case in := <-p.in:
		return in.data, in.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// stuck is closed when the input has ended, or ctx, and nothing was written for stuckTime.
// It waits for over, too.
func (p *drainPort) stuck(ctx context.Context, over <-chan struct{}) <-chan struct{} {
	stuck := make(chan struct{})
	go func() { // ends after over
		select {
		case <-p.ended:
		case <-ctx.Done():
		case <-over:
			return
		}
		for before := int64(-1); ; {
			now := p.written.Load()
			if now == before {
				close(stuck)
				return
			}
			before = now
			select {
			case <-time.After(stuckTime):
			case <-over:
				return
			}
		}
	}()
	return stuck
}

// Read implements jsonrpc.Port.
func (p *drainPort) Read(ctx context.Context) ([]byte, error) {
	data, err := p.next(ctx)
	for large := (*jsonrpc.TooLargeError)(nil); errors.As(err, &large); data, err = p.next(ctx) {
		refused := &message.TooLargeError{ID: message.IDOfParts(large.Begin, large.End)}
		if refused.ID == "" || p.isOpen(refused.ID) { // a response with that id would complete the older request
			return nil, err
		}
		p.Port.Write(ctx, refused.Refusal()) // if that fails, the next Read fails
	}
	if err == io.EOF {
		p.waitForAnswers(ctx)
		return nil, err
	}
	p.trackMessage(data)
	return data, err
}

// trackMessage registers a request, or removes one that is cancelled.
func (p *drainPort) trackMessage(data []byte) {
	msg, refusal := jsonrpc.Parse(data)
	switch {
	case refusal != nil:
	case msg.Kind == jsonrpc.Request && msg.Method != engine.MethodListen: // a subscription has no end
		p.add(msg.ID)
	case msg.Kind == jsonrpc.Notification && msg.Method == engine.MethodCancelled: // a cancelled request gets no response
		p.remove(jsonrpc.ID(jsonrpc.Member(msg.Params, "requestId")))
	}
}

func (p *drainPort) add(id jsonrpc.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[id.Key()] = true
}

func (p *drainPort) isOpen(id jsonrpc.ID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open[id.Key()]
}

func (p *drainPort) remove(id jsonrpc.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, id.Key())
	wait.Wake(p.answered)
}

func (p *drainPort) pending() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open)
}

// waitForAnswers waits until no request is pending, at most drainTime.
func (p *drainPort) waitForAnswers(ctx context.Context) {
	timeout := time.NewTimer(drainTime)
	defer timeout.Stop()
	for {
		if p.pending() == 0 {
			return
		}
		select {
		case <-p.answered:
		case <-timeout.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Write implements jsonrpc.Port. Responses complete their requests.
func (p *drainPort) Write(ctx context.Context, msg []byte) error {
	err := p.Port.Write(ctx, msg)
	p.written.Add(1)
	answers, isArray := jsonrpc.Elements(msg)
	if !isArray {
		answers = [][]byte{msg}
	}
	for _, answer := range answers {
		if h := message.HeadOf(answer); h.Kind == jsonrpc.Response {
			p.remove(h.ID)
		}
	}
	return err
}
