package server

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// lastWordTime is how long requests may still be answered after the end of the
// input. The process has to be gone after a second (gateway.md §5).
const lastWordTime = 500 * time.Millisecond

// A lastWords port passes the end of its input on when the requests before it are
// answered: an assistant that is a shell pipe closes its end before it has read
// anything.
type lastWords struct {
	jsonrpc.Port

	mu       sync.Mutex
	open     map[string]bool // keys of ids
	answered chan struct{}   // has room for one
}

func newLastWords(p jsonrpc.Port) *lastWords {
	return &lastWords{Port: p, open: map[string]bool{}, answered: make(chan struct{}, 1)}
}

func (p *lastWords) Read(ctx context.Context) ([]byte, error) {
	data, err := p.Port.Read(ctx)
	if err == io.EOF {
		p.wait(ctx)
		return nil, err
	}
	msg, refusal := jsonrpc.Parse(data)
	if refusal == nil && msg.Kind == jsonrpc.Request && msg.Method != "subscriptions/listen" { // which has no end
		p.mu.Lock()
		p.open[msg.ID.Key()] = true
		p.mu.Unlock()
	}
	return data, err
}

func (p *lastWords) wait(ctx context.Context) {
	patience := time.NewTimer(lastWordTime)
	defer patience.Stop()
	for {
		p.mu.Lock()
		open := len(p.open)
		p.mu.Unlock()
		if open == 0 {
			return
		}
		select {
		case <-p.answered:
		case <-patience.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (p *lastWords) Write(ctx context.Context, msg []byte) error {
	err := p.Port.Write(ctx, msg)
	if h := headOf(msg); h.kind == jsonrpc.Response {
		p.mu.Lock()
		delete(p.open, h.id.Key())
		p.mu.Unlock()
		select {
		case p.answered <- struct{}{}:
		default:
		}
	}
	return err
}
