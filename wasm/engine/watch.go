package engine

import (
	"context"
	"strings"
)

// reconcile lets the interest in each mount look at what is wanted now.
func (e *Engine) reconcile() {
	for _, m := range e.sources() {
		m.interest.touch()
	}
}

// hasListeners tells whether anything is subscribed to.
func (e *Engine) hasListeners() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.watched)+len(e.listing) > 0
}

// mustArm tells whether a new listener has to wait for a source.
func (e *Engine) mustArm() bool {
	for _, m := range e.sources() {
		switch m.source.(type) {
		case syncWatcher:
		case Follower, Watcher:
			return true
		}
	}
	return false
}

// arm waits until the changes of what is wanted now are announced, so that a
// client that is acknowledged after it misses none. It waits at most ArmTimeout:
// Followers that take longer announce afterwards what may have changed meanwhile.
func (e *Engine) arm(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, ArmTimeout)
	defer cancel()
	mounts := e.sources()
	generations := make([]uint64, len(mounts))
	for i, m := range mounts {
		generations[i] = m.interest.touch()
	}
	for i, m := range mounts {
		m.interest.wait(ctx, generations[i])
	}
}

// wantedOf returns the watched URIs under a mount's prefix, as the source knows
// them.
func (e *Engine) wantedOf(m *mount) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var uris []string
	for uri := range e.watched {
		if len(uri) > len(m.prefix) && uri[:len(m.prefix)] == m.prefix {
			uris = append(uris, uri[len(m.prefix):])
		}
	}
	return uris
}

// changed takes what a source says. It never blocks.
func (e *Engine) changed(m *mount, change Change) {
	if which := change.lists(); which != 0 {
		e.announceLists(which)
	}
	if change.URI == "" {
		return
	}
	uri := m.prefix + change.URI
	if !change.Under {
		e.announce(uri)
		return
	}
	for _, uri := range e.watchedUnder(uri) {
		e.announce(uri)
	}
}

// watchedUnder returns the watched URIs that begin with prefix.
func (e *Engine) watchedUnder(prefix string) (uris []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for watched := range e.watched {
		if strings.HasPrefix(watched, prefix) {
			uris = append(uris, watched)
		}
	}
	return uris
}

// announce tells the subscribers of uri, if they still may know, that it may have
// changed.
func (e *Engine) announce(uri string) {
	for _, s := range e.subscribers(uri) {
		if e.options.Allow(s.who, VerbWatch, uri) {
			s.enqueue(uri)
		}
	}
}

// subscribers returns those of a URI; the slice is never changed.
func (e *Engine) subscribers(uri string) []*subscription {
	e.mu.Lock()
	defer e.mu.Unlock()
	if w := e.watched[uri]; w != nil {
		return w.subscriptions
	}
	return nil
}

// lists returns which lists a change is about.
func (c Change) lists() (which lists) {
	if c.List {
		which |= resourcesList
	}
	if c.Prompts {
		which |= promptsList
	}
	if c.Tools {
		which |= toolsList
	}
	return which
}

// announceLists tells those who asked that lists may have changed.
func (e *Engine) announceLists(which lists) {
	for s, which := range e.listeners(which & e.options.announced()) {
		for i, key := range listKeys {
			if which&(1<<i) != 0 {
				s.enqueue(key)
			}
		}
	}
}

// listeners returns the subscriptions to lists, and which of these they want.
func (e *Engine) listeners(which lists) map[*subscription]lists {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := make(map[*subscription]lists, len(e.listing))
	for s, wants := range e.listing {
		all[s] = wants & which
	}
	return all
}

// announced returns the lists whose changes are announced: those of what is
// offered.
func (o *Options) announced() lists {
	which := resourcesList
	if o.Prompts {
		which |= promptsList
	}
	if o.Tools {
		which |= toolsList
	}
	if o.NoListChanged {
		which = 0
	}
	return which
}
