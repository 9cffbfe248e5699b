package hosted

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/wait"
)

// Run serves until ctx ends, then drains: it takes up to 45 seconds until it returns. The
// error is nil unless a listener has failed.
func (n *Node) Run(ctx context.Context) error {
	background, stop := context.WithCancel(context.Background())
	var helpers sync.WaitGroup
	helpers.Go(func() { n.reload.Run(background) })
	helpers.Go(func() { n.memory.Run(background) })
	helpers.Go(func() { n.sweep(background) })
	helpers.Go(func() { n.watchReadiness(background) })
	failed := make(chan error, 3)
	var listeners sync.WaitGroup
	listeners.Go(func() { failed <- n.admin.Serve() })
	listeners.Go(func() { failed <- n.public.Serve() })
	if n.cluster != nil {
		listeners.Go(func() { failed <- n.cluster.inside.Serve() })
		helpers.Go(func() { n.cluster.nodes.Run(background) })
		helpers.Go(func() { n.cluster.watch(background) })
	}
	n.ready.Set("listeners", true)
	n.log.Info("serving", "version", n.options.Version, "config", n.reload.current.Load().Config, "address", n.Addr().String(), "admin", n.AdminAddr().String())
	if address := n.AdminAddr().String(); !config.IsLoopback(address) {
		n.log.Warn("admin.listen accepts connections from other machines, and shows metrics to all of them; allow probes and Prometheus only, by a firewall or a NetworkPolicy", "address", address)
	}
	var err error
	select {
	case <-ctx.Done():
		if !n.options.abrupt {
			n.drain()
		}
	case err = <-failed:
	}
	stop()
	helpers.Wait()
	n.release()
	listeners.Wait()
	close(failed)
	for one := range failed {
		err = cmp.Or(err, one)
	}
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// drain moves the pages to other nodes, and ends what this one serves.
func (n *Node) drain() {
	n.log.Info("draining", "pages", n.registry.count())
	drain(context.Background(), drainSteps{
		announce:    n.announceDrain,
		move:        n.moveOwners,
		refuseJoins: func() { n.draining.Store(true) },
		pages:       n.drainingPages,
		endStreams:  n.core.EndStreams,
		finish:      n.finish,
	})
	n.log.Info("drained")
}

func (n *Node) announceDrain() {
	n.ready.Set("draining", false)
	n.closing.Store(true)
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

func (n *Node) drainingPages() []drainingPage {
	connected := n.core.Connected()
	pages := make([]drainingPage, len(connected))
	for i, page := range connected {
		pages[i] = drainingPage{calls: page.Calls, move: pageMove(page)}
	}
	return pages
}

// pageMove returns drainingPage.move of a page.
func pageMove(page gateway.Connected) func(redial time.Duration) {
	return func(redial time.Duration) {
		page.CloseWith(closeDraining, strconv.FormatInt(redial.Milliseconds(), 10))
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
		if requests, _, _ := n.quotas.InUse(); requests == 0 || !wait.For(ctx, drainTick) {
			return
		}
	}
}

// sweep removes what is not used any more.
func (n *Node) sweep(ctx context.Context) {
	tick := time.NewTicker(viewIdle / 6)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			n.core.Sweep(now)
		case <-ctx.Done():
			return
		}
	}
}

// readyLook is how often changes of the readiness are looked for.
const readyLook = time.Second

// watchReadiness logs each change of the readiness, with the conditions that do not hold.
func (n *Node) watchReadiness(ctx context.Context) {
	tick := time.NewTicker(readyLook)
	defer tick.Stop()
	before := "unknown"
	for {
		missing := strings.Join(n.ready.Missing(), ", ")
		switch {
		case missing == before:
		case missing == "":
			n.log.Info("ready")
		default:
			n.log.Warn("not ready", "missing", missing)
		}
		before = missing
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// release closes what start has made.
func (n *Node) release() {
	if n.public != nil {
		n.core.Close()
		n.shutdown()
		n.core.Wait()
		n.core.End()
	}
	if n.cluster != nil {
		n.cluster.close()
	}
	if n.admin != nil {
		n.admin.Close()
	}
	if i := n.issuers.Load(); i != nil {
		i.closeExcept(nil)
	}
	n.audit.Close()
}

// shutdown closes the public listener. Streams have ended, and their last events are
// written.
func (n *Node) shutdown() {
	ctx, cancel := context.WithTimeout(context.Background(), limits.ShutdownTime)
	defer cancel()
	n.public.Server.Shutdown(ctx)
	n.public.Close()
}
