package mcphttp

import (
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// Sweep closes the conversations of idle sessions, and ends sessions that have expired.
func (ss *Sessions) Sweep(now time.Time) {
	for _, s := range ss.table.list() {
		ss.sleepIf(s, func() bool { return s.isIdle() && now.Sub(s.lastUsed) >= limits.SessionIdle })
		if s.isOver(now) {
			ss.end(s)
		}
	}
}

// Rest closes the conversations of all sessions that are idle now, as when memory is short.
func (ss *Sessions) Rest() {
	for _, s := range ss.table.list() {
		ss.sleepIf(s, s.isIdle)
	}
}

// SetLimits replaces the numbers of sessions. Those that are awake over a new limit stay
// until they are idle.
func (ss *Sessions) SetLimits(most SessionLimits) { ss.table.setLimits(most) }

func (s *session) isOver(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hasExpired(now)
}

// sleepIf closes the conversation of a session if there is one and condition holds, which
// is called with the lock of the session held. The session is forgotten then.
func (ss *Sessions) sleepIf(s *session, condition func() bool) bool {
	if !s.sleepIf(condition) {
		return false
	}
	ss.table.remove(s)
	s.unfollow()
	return true
}

// Close closes all conversations. The sessions do not end.
func (ss *Sessions) Close() {
	for _, s := range ss.table.list() {
		ss.sleepIf(s, func() bool { return true })
	}
}
