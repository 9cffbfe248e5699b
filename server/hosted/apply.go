package hosted

import (
	"reflect"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/quotas"
	"golang.org/x/time/rate"
)

// apply replaces the configuration while the node serves, for a reloader.
func (n *Node) apply(old, next *config.Loaded) error {
	if err := n.configure(old, next); err != nil {
		return err
	}
	n.core.RefuseOrigins(next.PageOrigins)
	n.core.Sessions.SetLimits(sessionLimits(next.Config.Limits))
	if !reflect.DeepEqual(old.Keys, next.Keys) {
		n.core.CloseIdleViews() // they sign with the old key
	}
	return nil
}

// configure sets what a reload may change. old is nil at the start. On an error nothing has
// changed.
func (n *Node) configure(old, next *config.Loaded) error {
	if err := n.replaceIssuers(old, next); err != nil {
		return err
	}
	if err := n.log.configure(next.Config.Log); err != nil { // was checked
		return err
	}
	n.audit.Configure(next.Config.Audit, next.Keys)
	n.keys.Store(&next.Keys)
	n.origins.Store(&next.PageOrigins)
	n.sampling.Store(&next.Sampling)
	n.browsers.Store(access.NewOrigins(next.Config.Assistants.Origins...))
	n.limits.Store(&next.Config.Limits)
	n.quotas.SetLimits(n.quotasNow())
	n.proxies.Trust(next.Proxies)
	if n.cluster != nil {
		n.cluster.peer.Store(next.Peer)
	}
	if n.certs != nil {
		n.certs.Use(next.Certificate)
		n.metrics.certificate(next.Certificate.Leaf.NotAfter)
	}
	return nil
}

// replaceIssuers replaces what verifies tokens. New issuers of assistants end their streams.
func (n *Node) replaceIssuers(old, next *config.Loaded) error {
	maker := issuerMaker{metrics: n.metrics, log: n.log.Logger}
	if old == nil {
		first, err := maker.first(next)
		if err == nil {
			n.issuers.Store(first)
		}
		return err
	}
	before := n.issuers.Load()
	replaced, err := maker.next(before, old, next)
	if err != nil {
		return err
	}
	n.issuers.Store(replaced)
	before.closeExcept(replaced)
	return nil
}

// quotasNow returns the limits of this node.
func (n *Node) quotasNow() quotas.Limits {
	if n.cluster == nil || n.cluster.nodes == nil {
		return quotasOf(*n.limits.Load(), 1)
	}
	return quotasOf(*n.limits.Load(), n.cluster.nodes.Count())
}

// quotasOf returns the limits of one of several nodes. Owners are served by one node, and those of
// a tenant by all.
func quotasOf(l config.Limits, nodes int) quotas.Limits {
	share := func(limit int) int { return (limit + nodes - 1) / nodes }
	return quotas.Limits{
		PagesPerOwner: l.PagesPerOwner, PagesPerTenant: share(l.PagesPerTenant), Pages: l.Pages,
		RequestsPerOwner: l.RequestsPerOwner, RequestsPerTenant: share(l.RequestsPerTenant),
		StreamsPerOwner: l.StreamsPerOwner, StreamsPerTenant: share(l.StreamsPerTenant), Streams: l.Streams,
		ReadsPerSecond: rate.Limit(l.ReadsPerSecond), CompletionsPerSecond: rate.Limit(l.CompletionsPerSecond), CallsPerSecond: rate.Limit(l.CallsPerSecond),
		JoinsPerTenantPerSecond: share(l.JoinsPerTenantPerSecond),
	}
}
