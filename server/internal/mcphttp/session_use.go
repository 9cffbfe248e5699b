package mcphttp

import (
	"context"
	"sync/atomic"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A use is what one request of a session takes from the limits: for as long as its HTTP
// request lasts, and until the engine has answered it. A client that disconnects has not
// cancelled it, so the page still works for it.
type use struct {
	release func()
	holders atomic.Int32
}

// isWork reports whether a request may be work for a page.
func isWork(x engine.Examination) bool {
	return x.Kind == jsonrpc.Request && x.Method != engine.MethodPing
}

// acquireUse takes a use from the limits. The caller holds it until its end.
func acquireUse(ctx context.Context, limits access.Limiter, client access.Client, s *session) (*use, *access.Exceeded) {
	release, over := limits.Acquire(ctx, client, "session "+s.hash, access.UseRequest)
	if over != nil {
		return nil, over
	}
	one := &use{release: release}
	one.begin()
	return one, nil
}

// begin adds a holder, and end removes one; the last one releases the use. u may be nil.
func (u *use) begin() { u.holders.Add(1) }

func (u *use) end() {
	if u != nil && u.holders.Add(-1) == 0 {
		u.release()
	}
}
