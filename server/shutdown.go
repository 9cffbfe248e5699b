package server

import (
	"context"

	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// Close ends subscriptions with their result and other requests with an error, closes
// streams and sockets, stores sessions and keys, and releases the state directory.
// Responses in flight get until ctx ends, at most 3 s; state is stored in any case. A
// concurrent call waits for the first one.
func (g *Gateway) Close(ctx context.Context) {
	g.once.Do(func() {
		defer close(g.closed)
		close(g.closing)
		g.names.close()
		g.core.Close()
		g.shutdown(ctx)
		g.core.Wait()
		for _, listener := range g.listeners {
			listener.Close()
		}
		g.core.End()
		if err := g.keys.flush(); err != nil {
			g.log.Error(err.Error())
		}
		g.removeRunning()
		g.audit.close()
		g.state.close() // last: the next process may write after this
	})
}

// shutdown ends the server of Serve, if it runs.
func (g *Gateway) shutdown(ctx context.Context) {
	g.mu.Lock()
	server := g.http
	g.mu.Unlock()
	if server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limits.ShutdownTime)
	defer cancel()
	server.Shutdown(ctx)
	server.Close()
}
