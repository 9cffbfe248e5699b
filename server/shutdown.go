package server

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// Close ends in order: listens get their result, what runs an error, streams
// end, sessions and keys are stored, and the state directory is free for another
// process. It waits at most shutdownTime.
func (g *Gateway) Close() {
	g.once.Do(func() {
		close(g.closing)
		g.mu.Lock()
		g.closed = true
		engines := make([]*engine.Engine, 0, len(g.endpoints))
		for _, at := range g.endpoints {
			engines = append(engines, at.engine)
		}
		server, open := g.http, g.open
		pages := g.pages
		all := slices.Collect(maps.Keys(open))
		g.mu.Unlock()
		g.names.close()
		for _, e := range engines {
			e.Close()
		}
		for _, s := range all {
			s.closeWith(websocket.StatusGoingAway, "the gateway is shutting down")
			time.AfterFunc(shutdownTime, s.cancel) // for a peer that does not answer
		}
		if server != nil {
			ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
			server.Shutdown(ctx)
			cancel()
			server.Close()
		}
		g.hosting.Wait()
		for _, listener := range g.listeners {
			listener.Close()
		}
		for _, p := range pages {
			p.remote.Close()
			if p.grace != nil {
				p.grace.Stop()
			}
		}
		g.sessions.close()
		if err := g.keys.flush(); err != nil {
			g.report(err)
		}
		g.withdraw()
		g.audit.close()
		g.state.close() // last: from here on the next process may write
	})
}

// track remembers an open socket, unless the gateway is closing.
func (g *Gateway) track(s *socket) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		s.closeWith(websocket.StatusGoingAway, "the gateway is shutting down")
		return false
	}
	g.open[s] = struct{}{}
	g.hosting.Add(1)
	return true
}

func (g *Gateway) untrack(s *socket) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, s)
	g.hosting.Done()
}
