package mcphttp

import (
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// Sweep closes the conversations of idle sessions. It ends sessions that have expired, or
// were unused for limits.SessionTTL.
func (ss *Sessions) Sweep(now time.Time) {
	for _, s := range ss.table.list() {
		ss.sleep(s, func() bool { return s.isIdle() && now.Sub(s.lastUsed) >= limits.SessionIdle })
		if s.isOver(now) {
			ss.end(s)
		}
	}
}

// Rest closes the conversations of all sessions that are idle now, as when memory is short.
func (ss *Sessions) Rest() {
	for _, s := range ss.table.list() {
		ss.sleep(s, s.isIdle)
	}
}

// SetLimits replaces the numbers of sessions. Those that are awake over a new limit stay
// until they are idle.
func (ss *Sessions) SetLimits(most SessionLimits) { ss.table.setLimits(most) }

// sleep is sleepIf, and stores when the session was used last.
func (ss *Sessions) sleep(s *session, condition func() bool) {
	if ss.sleepIf(s, condition) && ss.stored != nil {
		s.store()
	}
}

func (s *session) isOver(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hasExpired(now) || s.users == 0 && now.Sub(s.lastUsed) >= limits.SessionTTL
}

// sleepIf closes the conversation of a session if there is one and condition holds, which
// is called with the lock of the session held. Without [StoredSessions] the session is
// forgotten: an abandoned one uses no memory.
func (ss *Sessions) sleepIf(s *session, condition func() bool) bool {
	if !s.sleepIf(condition) {
		return false
	}
	if ss.stored != nil {
		ss.table.sleeps(s)
		return true
	}
	ss.table.remove(s)
	s.unfollow()
	return true
}

// PageJoined retries the failed subscriptions of all sessions of owner.
func (ss *Sessions) PageJoined(owner access.Owner) {
	for _, s := range ss.table.of(owner) {
		s.pageJoined()
	}
}

// Close closes all conversations. The sessions do not end; a [StoredSessions] gets all of
// them.
func (ss *Sessions) Close() {
	for _, s := range ss.table.list() {
		ss.sleepIf(s, func() bool { return true })
		if ss.stored != nil {
			s.store()
		}
	}
}

// SaveUses stores when sessions were last used, if that has changed and they are stored.
func (ss *Sessions) SaveUses() {
	if ss.stored == nil {
		return
	}
	used, changed := map[string]time.Time{}, false
	now := time.Now()
	for _, s := range ss.table.list() {
		at, exceedsRecord, isNew := s.takeLastUse(now)
		if exceedsRecord {
			used[s.hash] = at
		}
		changed = changed || isNew
	}
	if !changed {
		return
	}
	if err := ss.stored.SaveUses(used); err != nil {
		ss.Report(err)
	}
}

// takeLastUse returns when the session was last used: now, if a request or stream is
// open. exceedsRecord: later than in the stored record; isNew: later than the previous
// result, too.
func (s *session) takeLastUse(now time.Time) (at time.Time, exceedsRecord, isNew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users > 0 {
		s.lastUsed = now
	}
	exceedsRecord, isNew = s.lastUsed.After(s.recordedUse), s.lastUsed.After(s.savedUse) && s.lastUsed.After(s.recordedUse)
	s.savedUse = s.lastUsed
	return s.lastUsed, exceedsRecord, isNew
}
