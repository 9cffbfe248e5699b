package server

import (
	"context"

	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// Close ends in order: listens get their result, what runs gets an error, streams
// end, sessions and keys are stored, and the state directory is free for another
// process. Answers under way get the time until ctx ends, at most 3 s; what is stored is
// stored in any case. Another call waits for the first one.
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
		g.state.close() // last: from here on the next process may write
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
