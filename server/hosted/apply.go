package hosted

import (
	"reflect"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// apply replaces the configuration while the node serves, for a reloader.
func (n *Node) apply(old, next *config.Loaded) error {
	if err := n.configure(old, next); err != nil {
		return err
	}
	n.core.RefuseOrigins(next.PageOrigins)
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
	n.origins.Store(&next.PageOrigins)
	n.sampling.Store(&next.Sampling)
	n.browsers.Store(access.NewOrigins(next.Config.Assistants.Origins...))
	n.limits.Store(&next.Limits)
	n.usage.SetLimits(n.limitsNow())
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

// limitsNow returns the limits of this node.
func (n *Node) limitsNow() limits.Limits {
	if n.cluster == nil || n.cluster.nodes == nil {
		return *n.limits.Load()
	}
	return n.limits.Load().Share(n.cluster.nodes.Count())
}
