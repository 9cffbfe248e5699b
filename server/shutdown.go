package server

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// Close waits for calls of tools that run, at most limits.DrainTime and half of the time that
// ctx leaves. Then
// it ends subscriptions with their result and other requests with an error, closes streams
// and sockets, stores sessions and keys, and releases the state directory. Responses in
// flight get until ctx ends, at most 3 s; state is stored in any case. A concurrent call
// waits for the first one.
func (g *Gateway) Close(ctx context.Context) {
	g.once.Do(func() {
		defer close(g.closed)
		close(g.closing)
		g.awaitCalls(ctx)
		g.breakLines() // before requests get errors: their clients repeat them at the next gateway
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
		if err := g.named.close(); err != nil {
			g.log.Error(err.Error())
		}
		g.audit.close()
		g.state.close() // last: the next process may write after this
	})
}

// awaitCalls waits until no page runs a tool: it may have an effect, and could not be
// called again. Pages without calls get no more.
func (g *Gateway) awaitCalls(ctx context.Context) {
	most := limits.DrainTime
	if deadline, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(deadline)/2) // the rest is for responses
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	ticker := time.NewTicker(limits.DrainTime / 500)
	defer ticker.Stop()
	for first, last := true, false; !last; first = false {
		calls := 0
		for _, page := range g.core.Connected() {
			calls += page.Calls()
		}
		switch {
		case calls == 0 && first:
			return
		case calls == 0:
			last = true // the result is here, and reaches its client meanwhile
		case first:
			g.log.Info("waiting for tools that run", "calls", calls, "most", limits.DrainTime)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// shutdown ends all servers. None is added while the gateway is closing.
func (g *Gateway) shutdown(ctx context.Context) {
	g.mu.Lock()
	servers := slices.Clone(g.servers)
	g.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, limits.ShutdownTime)
	defer cancel()
	var ending sync.WaitGroup
	for _, server := range servers {
		ending.Go(func() {
			server.Shutdown(ctx)
			server.Close()
		})
	}
	ending.Wait()
}
