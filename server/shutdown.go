package server

import (
	"context"

	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// Close ends in order: listens get their result, what runs an error, streams
// end, sessions and keys are stored, and the state directory is free for another
// process. It waits at most shutdownTime.
func (g *Gateway) Close() {
	g.once.Do(func() {
		close(g.closing)
		g.mu.Lock()
		g.closed = true
		server := g.http
		g.mu.Unlock()
		g.names.close()
		g.core.Close()
		if server != nil {
			ctx, cancel := context.WithTimeout(context.Background(), limits.ShutdownTime)
			server.Shutdown(ctx)
			cancel()
			server.Close()
		}
		g.core.Wait()
		for _, listener := range g.listeners {
			listener.Close()
		}
		g.core.End()
		if err := g.keys.flush(); err != nil {
			g.report(err)
		}
		g.removeRunning()
		g.audit.close()
		g.state.close() // last: from here on the next process may write
	})
}
