package hosted

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/internal/limits"
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
