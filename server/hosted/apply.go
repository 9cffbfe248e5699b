package hosted

import "reflect"

// apply replaces the configuration while the node serves, for a reloader.
func (n *Node) apply(old, next *loaded) error {
	if err := n.configure(old, next); err != nil {
		return err
	}
	n.core.RefuseOrigins(next.pageOrigins)
	n.core.Sessions.SetLimits(sessionLimits(next.Config.Limits))
	if !reflect.DeepEqual(old.keys, next.keys) {
		n.core.CloseIdleViews() // they sign with the old key
		n.sessions.EndWithoutKey(n.core.Sessions)
		if n.peers != nil {
			return n.peers.SetKeys(next.keys.Cluster())
		}
	}
	return nil
}

// configure sets what a reload may change. old is nil at the start. On an error nothing has
// changed.
func (n *Node) configure(old, next *loaded) error {
	if err := n.replaceIssuers(old, next); err != nil {
		return err
	}
	if err := n.log.configure(next.Config.Log); err != nil { // was checked
		return err
	}
	n.audit.configure(next.Config.Audit, next.keys)
	n.keys.Store(&next.keys)
	n.origins.Store(&next.pageOrigins)
	n.sampling.Store(&next.sampling)
	n.browsers.Store(&next.Config.Assistants.Origins)
	n.sessions.SetKeys(next.keys)
	n.quotas.SetLimits(next.Config.Limits.quotas())
	n.joins.SetMost(next.Config.Limits.Joins)
	n.proxies.trust(next.proxies)
	if n.certs != nil {
		n.certs.use(next.certificate)
		n.metrics.certificate(next.certificate.Leaf.NotAfter)
	}
	return nil
}

// replaceIssuers replaces what verifies tokens. New issuers of assistants end their streams.
func (n *Node) replaceIssuers(old, next *loaded) error {
	maker := issuerMaker{n.metrics, n.changes, n.options.transport}
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
