package mcphttp

// A sessionState describes a session at one moment, for tests and diagnosis.
type sessionState struct {
	Awake          bool            // has a conversation; otherwise the rest is empty
	Subscribed     int             // subscriptions of the engine
	Pending        map[string]bool // requests by ID.Key; false if the client has disconnected
	EngineRequests int             // requests of the engine that the client has not answered
	Tokens         int             // progress tokens in use
}

// Inspect returns the state of the session with this id; false if there is none.
func (ss *Sessions) Inspect(id string) (state sessionState, found bool) {
	ss.mu.Lock()
	s := ss.byHash[hashOf(id)]
	ss.mu.Unlock()
	if s == nil {
		return state, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conversation == nil {
		return state, true
	}
	state = sessionState{
		Awake: true, Subscribed: len(s.conversation.subscribed), EngineRequests: len(s.conversation.engineRequests), Tokens: len(s.conversation.tokens),
		Pending: make(map[string]bool, len(s.conversation.pending)),
	}
	for key, w := range s.conversation.pending {
		state.Pending[key] = w.box != nil
	}
	return state, true
}

// Count returns the number of sessions, including idle ones.
func (ss *Sessions) Count() int {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return len(ss.byHash)
}
