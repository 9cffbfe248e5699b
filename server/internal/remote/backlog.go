package remote

import (
	"context"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

const (
	maxBacklog     = 4 << 20         // bytes of large answers that are being passed on; one of 7 MiB takes about 30 MiB
	minCounted     = 256 << 10       // bytes; smaller answers do not count: there are too few for their sum to matter
	maxBacklogWait = 2 * time.Second // the longest that a message of the other engine waits for room
)

// A backlog counts the large answers of another engine that its callers have not passed
// on yet. Without it, 64 reads of one page that are answered with 7 MiB each would be in
// memory at a time, several times over.
type backlog struct {
	less chan struct{} // has room for one: bytes has become less

	mu      sync.Mutex
	bytes   int
	answers map[*int]struct{} // sizes of those that count
}

func newBacklog() *backlog {
	return &backlog{less: make(chan struct{}, 1), answers: map[*int]struct{}{}}
}

// add counts an answer until ctx, which is its caller's, ends: when the caller's own answer is
// written. It does not block.
func (h *backlog) add(ctx context.Context, size int) {
	if size < minCounted {
		return
	}
	answer := &size
	h.keep(answer)
	context.AfterFunc(ctx, func() { h.drop(answer) })
}

func (h *backlog) keep(answer *int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answers[answer] = struct{}{}
	h.bytes += *answer
}

func (h *backlog) drop(answer *int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, counts := h.answers[answer]; !counts {
		return
	}
	delete(h.answers, answer)
	h.bytes -= *answer
	select {
	case h.less <- struct{}{}:
	default:
	}
}

// reset stops counting what is there: slow callers delay others once.
func (h *backlog) reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.answers)
	h.bytes = 0
}

func (h *backlog) hasRoom() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bytes < maxBacklog
}

// wait waits for room, but not without end: callers that are slow delay the others of this
// engine by maxBacklogWait, and do not count any more.
func (h *backlog) wait(ctx context.Context) {
	if h.hasRoom() {
		return
	}
	late := time.NewTimer(maxBacklogWait)
	defer late.Stop()
	for !h.hasRoom() {
		select {
		case <-h.less:
		case <-late.C:
			h.reset()
			return
		case <-ctx.Done():
			return
		}
	}
}

// A pacedPort is read no faster than answers are passed on.
type pacedPort struct {
	jsonrpc.Port
	backlog *backlog
	heard   func() // a message has come
}

func (p pacedPort) Read(ctx context.Context) ([]byte, error) {
	p.backlog.wait(ctx)
	msg, err := p.Port.Read(ctx)
	if err == nil {
		p.heard()
	}
	return msg, err
}
