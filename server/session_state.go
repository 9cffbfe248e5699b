package server

// A sessionState is what a session holds at one moment, for tests and diagnosis.
type sessionState struct {
	awake   bool            // it has a conversation with an engine; the rest is empty if not
	armed   int             // subscriptions that the engine has
	waiting map[string]bool // requests without answer, by the id's key; false: the client reads no more
	asked   int             // requests of the engine that wait for the client
	tokens  int             // progress tokens in use
}

// inspect returns the state of the session with this id; false if there is none.
func (all *sessions) inspect(id string) (state sessionState, found bool) {
	all.mu.Lock()
	s := all.byHash[hashOf(id)]
	all.mu.Unlock()
	if s == nil {
		return state, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.talk == nil {
		return state, true
	}
	state = sessionState{
		awake: true, armed: len(s.talk.armed), asked: len(s.talk.asked), tokens: len(s.talk.tokens),
		waiting: make(map[string]bool, len(s.talk.waiting)),
	}
	for key, w := range s.talk.waiting {
		state.waiting[key] = w.box != nil
	}
	return state, true
}

// count returns how many sessions there are, those that sleep too.
func (all *sessions) count() int {
	all.mu.Lock()
	defer all.mu.Unlock()
	return len(all.byHash)
}
