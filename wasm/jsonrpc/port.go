package jsonrpc

import (
	"context"
	"errors"
	"io"
	"sync"
)

// A Port carries whole messages in both directions.
type Port interface {
	// Read returns the next message. The error is io.EOF when the peer is gone.
	// One goroutine reads at a time. The bytes are the caller's.
	Read(ctx context.Context) ([]byte, error)

	// Write sends one message. It is safe for concurrent use, and may keep msg.
	Write(ctx context.Context, msg []byte) error

	// Close unblocks Read and Write on both ends. Closing twice is harmless.
	Close() error
}

// ErrClosed is what Write returns after either end has closed the port.
var ErrClosed = errors.New("port is closed")

// pipeDepth is how many messages wait in each direction of a [Pipe] before Write
// blocks: enough that two engines never wait for each other in a short exchange.
const pipeDepth = 64 // messages

// Pipe returns the two ends of a port in memory: what one end writes, the other
// reads, in order.
func Pipe() (Port, Port) {
	shared := &pipe{done: make(chan struct{})}
	there, back := make(chan []byte, pipeDepth), make(chan []byte, pipeDepth)
	return &pipeEnd{shared, there, back}, &pipeEnd{shared, back, there}
}

type pipe struct {
	once sync.Once
	done chan struct{} // closed by the first Close of either end
}

type pipeEnd struct {
	*pipe
	in  <-chan []byte
	out chan<- []byte
}

// Read prefers what has already arrived to the news that the peer is gone, so
// that a last answer is not lost.
func (p *pipeEnd) Read(ctx context.Context) ([]byte, error) {
	select {
	case msg := <-p.in:
		return msg, nil
	default:
	}
	select {
	case msg := <-p.in:
		return msg, nil
	case <-p.done:
		select {
		case msg := <-p.in:
			return msg, nil
		default:
			return nil, io.EOF
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipeEnd) Write(ctx context.Context, msg []byte) error {
	select {
	case <-p.done:
		return ErrClosed
	default:
	}
	select {
	case p.out <- msg:
		return nil
	case <-p.done:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *pipeEnd) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}
