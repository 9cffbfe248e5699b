package hosted

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/wait"
)

// Times of a drain, 45 s in all. A grace period of the process that is shorter interrupts
// tools.
const (
	drainNotice = 5 * time.Second  // for the balancer to send new connections elsewhere
	drainPages  = 20 * time.Second // for pages that run a tool
	drainTime   = 45 * time.Second // from the signal to the exit
	drainLast   = 2 * time.Second  // of drainTime, to leave the cluster and write logs

	drainTick = 100 * time.Millisecond
)

// pageRedial is sent to pages with 4412: they join another node after a random part of it.
const pageRedial = time.Second

// drain moves everything that the node has to other nodes, and returns when that is done, at
// the latest after 45 s.
func (n *Node) drain() {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	last := time.Now().Add(drainTime - drainLast)
	n.log.Info("draining", "pages", n.registry.count())
	n.ready.Set("draining", false)
	n.closing.Store(true)
	noticed := time.After(drainNotice)
	n.moveOwners(ctx)
	select {
	case <-noticed:
	case <-ctx.Done():
	}
	n.draining.Store(true)
	movePages(ctx, n.core.Connected(), func(page gateway.Connected) int { return page.Calls() }, drainPages, pageRedial)
	n.core.EndStreams()
	finishing, stop := context.WithDeadline(ctx, last)
	defer stop()
	n.finish(finishing)
	n.log.Info("drained")
}

// moveOwners returns when all owners have another home, and their pages have left, as far as there
// are other nodes.
func (n *Node) moveOwners(ctx context.Context) {
	if n.cluster == nil || !n.cluster.drain(ctx) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, moveNotice+moveSpread+movePatience)
	defer cancel()
	for n.registry.count() > 0 && wait.For(ctx, drainTick) {
	}
}

// movePages closes the sockets of pages, which join again after a random part of redial. Those that have
// calls, which fail if they move, are closed after these, or after patience.
func movePages(ctx context.Context, pages []gateway.Connected, calls func(gateway.Connected) int, patience, redial time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for ; len(pages) > 0; wait.For(ctx, drainTick) {
		pages = slices.DeleteFunc(pages, func(page gateway.Connected) bool {
			isDue := ctx.Err() != nil || calls(page) == 0
			if isDue {
				page.CloseWith(closeDraining, strconv.FormatInt(redial.Milliseconds(), 10))
			}
			return isDue
		})
	}
}

// finish accepts no more connections, and returns when all requests are answered, or ctx ends.
func (n *Node) finish(ctx context.Context) {
	var ending sync.WaitGroup
	ending.Go(func() { n.public.Server.Shutdown(ctx) })
	if n.cluster != nil {
		ending.Go(func() { n.cluster.inside.Server.Shutdown(ctx) })
	}
	ending.Wait()
	for { // a client may have hung up on a request of its session
		if requests, _ := n.usage.InUse(limits.Requests, limits.OfNode, limits.User{}); requests == 0 || !wait.For(ctx, drainTick) {
			return
		}
	}
}
