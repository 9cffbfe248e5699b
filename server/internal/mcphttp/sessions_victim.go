package mcphttp

import (
	"errors"
	"iter"
	"maps"
	"time"
)

// Which session makes room for another one. A session that is forgotten loses nothing but its
// conversation: its next request restores it. One of the same owner makes room first, then one
// of the tenant or owner that has most; and an idle one before one that has only a stream,
// whose client opens it again.

const (
	// maxSample is the number of sessions among which one is chosen, at random: the cost does
	// not grow with the number of sessions, and most of a sample belong to whoever has most.
	maxSample = 64

	minIdle = 1 * time.Second // so that a session is not forgotten between two requests of a client that is active, if there is another one
)

// victim returns the session that makes room for s, which add has rejected with full; nil if
// there is none.
func (t *sessionTable) victim(s *session, full error) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	own, tenant := t.groups(s)
	var others iter.Seq[*session] = func(func(*session) bool) {}
	switch {
	case errors.Is(full, errTenantFull) && tenant != nil:
		others = maps.Keys(tenant.awake)
	case errors.Is(full, errTooManySessions):
		others = maps.Values(t.byHash)
	}
	rested := time.Now().Add(-minIdle)
	isRested := func(s *session) bool { return s.isIdle() && s.lastUsed.Before(rested) }
	for _, choose := range [...]func() *session{
		func() *session { return oldest(own.sessions(), maxSample, isRested) },
		func() *session { return t.ofHeavier(others, s, (*session).isIdle) },
		func() *session { return oldest(others, maxSample, isRested) },
		func() *session { return t.ofHeavier(others, s, (*session).isEvictable) },
		func() *session { return oldest(own.sessions(), maxSample, (*session).isIdle) },
		func() *session { return oldest(others, maxSample, (*session).isIdle) }, // all have as many: rather than rejecting s
		func() *session { return oldest(own.sessions(), maxSample, (*session).isEvictable) },
	} {
		if found := choose(); found != nil {
			return found
		}
	}
	return nil
}

// sessions returns the sessions that are awake; g may be nil.
func (g *sessionGroup) sessions() iter.Seq[*session] {
	if g == nil {
		return func(func(*session) bool) {}
	}
	return maps.Keys(g.awake)
}

// ofHeavier returns a session that accepts returns true for, whose tenant has more sessions
// than that of s, or whose owner has more if the tenant is the same: the one that has most, of
// a sample. The caller holds the lock.
func (t *sessionTable) ofHeavier(from iter.Seq[*session], s *session, accepts func(*session) bool) (found *session) {
	most := 0
	var since time.Time
	sample := maxSample
	for other := range from {
		if sample--; sample < 0 {
			break
		}
		weight, own := t.weights(other, s)
		if weight <= own+1 || weight < most { // no more than s would have
			continue
		}
		if used, ok := other.usedLast(accepts); ok && (weight > most || used.Before(since)) {
			found, most, since = other, weight, used
		}
	}
	return found
}

// weights returns with how many sessions other and s are compared.
func (t *sessionTable) weights(other, s *session) (weight, own int) {
	otherOwner, otherTenant := t.groups(other)
	owner, tenant := t.groups(s)
	if other.record.Tenant != s.record.Tenant {
		return max(otherTenant.count(), otherOwner.count()), max(tenant.count(), owner.count())
	}
	return otherOwner.count(), owner.count()
}

// idleOf returns, if the owner of s has more sessions awake than the limit, the one that is
// idle for longest; else nil.
func (t *sessionTable) idleOf(s *session) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	own, _ := t.groups(s)
	if own.count() <= t.most.PerOwner {
		return nil
	}
	return oldest(own.sessions(), own.count(), (*session).isIdle)
}

// oldest returns the session that is unused for longest, of the first most ones, among
// those that accepts returns true for. accepts is called with the lock of the session held.
func oldest(sessions iter.Seq[*session], most int, accepts func(*session) bool) (found *session) {
	var since time.Time
	for s := range sessions { // a map begins at a random one
		if most--; most < 0 {
			break
		}
		if used, ok := s.usedLast(accepts); ok && (found == nil || used.Before(since)) {
			found, since = s, used
		}
	}
	return found
}

// usedLast returns when the session was last used, and the result of accepts.
func (s *session) usedLast(accepts func(*session) bool) (used time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lastUsed, accepts(s)
}

// isIdle reports whether nothing needs the conversation of the session. The caller holds
// the lock, here and below.
func (s *session) isIdle() bool {
	return s.users == 0 && s.conversation != nil && len(s.conversation.pending) == 0
}

// isEvictable reports whether nothing but streams needs the conversation.
func (s *session) isEvictable() bool {
	return s.isIdle() || s.users == len(s.streams) && s.conversation != nil && len(s.conversation.pending) == 0
}
