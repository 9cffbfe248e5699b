package mcphttp

import "github.com/pagemcp/pagemcp/server/internal/access"

// A SessionState describes a session that is awake.
type SessionState struct {
	Owner      access.Owner
	Subscribed int // subscriptions
	Pending    int // requests that are not answered
	LogLevel   string
}

// States returns the states of the sessions that are awake, used last at the end.
func (ss *Sessions) States() (all []SessionState) {
	for _, s := range ss.list() {
		ss.mu.Lock()
		all = append(all, SessionState{s.client.Owner, len(s.direct.Subscriptions()), len(s.pending), s.doc.LogLevel})
		ss.mu.Unlock()
	}
	return all
}
