package mcphttp

// A sessionState is what a session holds at one moment, for tests and diagnosis.
type sessionState struct {
	Awake   bool            // it has a conversation with an engine; the rest is empty if not
	Armed   int             // subscriptions that the engine has
	Waiting map[string]bool // requests without answer, by the id's key; false: the client reads no more
	Asked   int             // requests of the engine that wait for the client
	Tokens  int             // progress tokens in use
}

// Inspect returns the state of the session with this id; false if there is none.
func (all *Sessions) Inspect(id string) (state sessionState, found bool) {
	all.mu.Lock()
	s := all.byHash[hashOf(id)]
	all.mu.Unlock()
	if s == nil {
		return state, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conversation == nil {
		return state, true
	}
	state = sessionState{
		Awake: true, Armed: len(s.conversation.subscribed), Asked: len(s.conversation.engineRequests), Tokens: len(s.conversation.tokens),
		Waiting: make(map[string]bool, len(s.conversation.pending)),
	}
	for key, w := range s.conversation.pending {
		state.Waiting[key] = w.box != nil
	}
	return state, true
}

// Count returns how many sessions there are, those that sleep too.
func (all *Sessions) Count() int {
	all.mu.Lock()
	defer all.mu.Unlock()
	return len(all.byHash)
}
