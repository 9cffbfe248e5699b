package engine

import (
	"context"
	"strings"
	"time"
)

// Who gets notifications: by the grants of this engine, and of the engines that it mounts.

// mayList returns the lists of whose changes below m the owner of a subscription may know. A
// gateway decides for its own clients.
func (e *Engine) mayList(s *subscription, m *mount, which lists) lists {
	if !s.isGoverned() {
		return which
	}
	which &= e.grants.Load().lists(s.who)
	if m != nil && m.guard != nil {
		which &= m.guard.Grants().lists(s.who)
	}
	return which
}

// mayWatch reports whether the owner of a subscription may know of changes of a resource of m;
// likewise.
func (e *Engine) mayWatch(s *subscription, m *mount, uri string) bool {
	return !s.isGoverned() || e.grants.Load().MayWatch(s.who, uri) && m.mayWatch(s.who, uri)
}

// mayWatch asks the engine behind a source. Nil: there is none.
func (m *mount) mayWatch(who Principal, uri string) bool {
	return m == nil || m.guard == nil || m.guard.Grants().MayWatch(who, strings.TrimPrefix(uri, m.prefix))
}

// isGoverned reports whether the grants of this engine concern the owner of a subscription.
func (s *subscription) isGoverned() bool { return !s.client.proxy && !s.client.isOwnPage() }

// mayListen reports whether a subscription may have a URI.
func (e *Engine) mayListen(s *subscription, uri string) bool {
	return e.mayWatch(s, nil, uri) && e.guardsAllow(s, uri)
}

// guardsAllow reports whether the engines behind the sources of a URI let a client know of its
// changes, or have not decided that yet.
func (e *Engine) guardsAllow(s *subscription, uri string) bool {
	for l := e.lookup(uri); l.next(); {
		if s.isGoverned() && !l.mount.mayWatch(s.who, uri) && !l.mount.asksAbout(s) {
			return false
		}
	}
	return true
}

// settleTime is how long a question about a client may take.
const settleTime = time.Minute

// settle lets the engines behind sources decide about a client that they do not know yet: each is
// asked for its list, as by any first request. It does not wait: what the client may hear of is
// announced when the decision is there.
func (e *Engine) settle(ctx context.Context, s *subscription) {
	for _, m := range e.sources() {
		if !m.asksAbout(s) {
			continue
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
		go func() { // ends with ctx
			defer cancel()
			e.safely("a Source", func() { m.source.List(ctx, Resources, "") })
		}()
	}
}

// asksAbout reports whether the engine behind a source decides about the owner of a subscription when
// that asks for a list.
func (m *mount) asksAbout(s *subscription) bool {
	return m.guard != nil && s.isGoverned() && m.guard.Grants().asksAbout(s.who)
}

// A Guarded source knows the grants of another engine. Without this, everyone may see its
// changes.
type Guarded interface {
	// Grants returns them; nil: there are none. It is called often, from many goroutines, and
	// must not block.
	Grants() *Grants

	// MayHaveKept reports whether a client may get the states of tasks that the source has kept: the
	// other engine may be away, and newer decisions elsewhere. It must not block.
	MayHaveKept(who Principal) bool
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
