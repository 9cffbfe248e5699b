package engine

// Who gets notifications: by the grants of this engine, and of the engines that it mounts.

// mayWatch reports whether the owner of a subscription may know of changes below m. A gateway
// decides for its own clients.
func (e *Engine) mayWatch(s *subscription, m *mount) bool {
	if !s.isGoverned() {
		return true
	}
	return e.grants.Load().MayRead(s.who) && (m == nil || m.guard == nil || m.guard.Grants().MayRead(s.who))
}

// isGoverned reports whether the grants of this engine concern the owner of a subscription.
func (s *subscription) isGoverned() bool { return !s.client.proxy && !s.client.isOwnPage() }

// mayListen reports whether a subscription may have a URI.
func (e *Engine) mayListen(s *subscription, uri string) bool {
	if !e.mayWatch(s, nil) {
		return false
	}
	for l := e.lookup(uri); l.next(); {
		if !e.mayWatch(s, l.mount) {
			return false
		}
	}
	return true
}

// guardsAllow reports whether the engines behind the sources of a URI let a client know of its
// changes.
func (e *Engine) guardsAllow(s *subscription, uri string) bool {
	for l := e.lookup(uri); l.next(); {
		if l.mount.guard != nil && s.isGoverned() && !l.mount.guard.Grants().MayRead(s.who) {
			return false
		}
	}
	return true
}

// A Guarded source knows the grants of another engine. Without this, everyone may see its
// changes.
type Guarded interface {
	// Grants returns them; nil: there are none. It is called often, from many goroutines, and
	// must not block.
	Grants() *Grants
}

// servedGrants returns the grants that a gateway gets: this engine's, or those of the engine that
// it serves to another node.
func (e *Engine) servedGrants() *Grants {
	if g := e.grants.Load(); g != nil {
		return g
	}
	for _, m := range e.sources() {
		if m.guard != nil && m.prefix == "" {
			return m.guard.Grants()
		}
	}
	return nil
}
