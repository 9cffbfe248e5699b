package hosted

import (
	"bytes"
	"reflect"
)

// apply replaces the configuration while the node serves, for a reloader.
func (n *Node) apply(old, next *loaded) error {
	if err := n.configure(old, next); err != nil {
		return err
	}
	n.core.RefuseOrigins(next.pageOrigins)
	if !reflect.DeepEqual(old.keys, next.keys) {
		n.core.CloseIdleViews() // they sign with the old key
		if n.peers != nil {
			n.peers.SetKeys(next.keys.fingerprints())
		}
	}
	return nil
}

// configure sets what a reload may change. old is nil at the start. On an error nothing has
// changed.
func (n *Node) configure(old, next *loaded) error {
	if old == nil || !sameIssuers(old, next) {
		replaced, err := newIssuers(next, n.metrics, n.options.transport)
		if err != nil {
			return err
		}
		if before := n.issuers.Swap(replaced); before != nil {
			before.close()
		}
	}
	if err := n.log.configure(next.Config.Log); err != nil { // was checked
		return err
	}
	n.audit.configure(next.Config.Audit, next.keys)
	n.keys.Store(&next.keys)
	n.origins.Store(&next.pageOrigins)
	n.browsers.Store(&next.Config.Assistants.Origins)
	n.sessions.setKeys(next.keys)
	n.quotas.setLimits(next.Config.Limits)
	n.joins.setMost(next.Config.Limits.Joins)
	n.proxies.trust(next.proxies)
	if n.certs != nil {
		n.certs.use(next.certificate)
		n.metrics.certificate(next.certificate.Leaf.NotAfter)
	}
	return nil
}

// sameIssuers reports whether tokens are verified in the same way by both. New issuers end
// the streams of all assistants.
func sameIssuers(old, next *loaded) bool {
	before, after := old.Config.Assistants, next.Config.Assistants
	before.Origins, after.Origins = nil, nil // issuers do not use them
	return reflect.DeepEqual(before, after) && reflect.DeepEqual(old.Config.Pages.Tokens, next.Config.Pages.Tokens) &&
		bytes.Equal(old.assistantKeys, next.assistantKeys) && bytes.Equal(old.pageKeys, next.pageKeys)
}
