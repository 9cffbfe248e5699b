package mcphttp

// A sessionState describes a session at one moment, for tests and diagnosis.
type sessionState struct {
	Awake          bool            // has a conversation; otherwise the rest is empty
	Subscribed     int             // subscriptions of the engine
	Pending        map[string]bool // requests by ID.Key; false if the client has disconnected
	EngineRequests int             // requests of the engine that the client has not answered
	Tokens         int             // progress tokens in use
	LogLevel       string          // that the client has set
}

// Inspect returns the state of the session with this id; false if there is none.
func (ss *Sessions) Inspect(id string) (state sessionState, found bool) {
	s := ss.table.get(HashOf(id))
	if s == nil {
		return state, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conversation == nil {
		return state, true
	}
	state = sessionState{
		Awake: true, Subscribed: len(s.conversation.subscribed), EngineRequests: len(s.conversation.engineRequests), Tokens: len(s.conversation.tokens), LogLevel: s.record.LogLevel,
		Pending: make(map[string]bool, len(s.conversation.pending)),
	}
	for key, w := range s.conversation.pending {
		state.Pending[key] = w.box != nil
	}
	return state, true
}

// Count returns the number of sessions in memory: those that are awake.
func (ss *Sessions) Count() int { return ss.table.count() }
