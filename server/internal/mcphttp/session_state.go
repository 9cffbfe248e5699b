package mcphttp

// A sessionState is what a session holds at one moment, for tests and diagnosis.
type sessionState struct {
	Awake          bool            // it has a conversation with an engine; the rest is empty if not
	Subscribed     int             // subscriptions that the engine has
	Pending        map[string]bool // requests without answer, by the id's key; false: the client reads no more
	EngineRequests int             // requests of the engine that wait for the client
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

// Count returns how many sessions there are, those that sleep too.
func (ss *Sessions) Count() int {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return len(ss.byHash)
}
