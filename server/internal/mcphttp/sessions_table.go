package mcphttp

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

// A sessionTable holds the sessions that are in memory, and remembers the ids of those that
// have ended: a store may restore a session from its id alone. Its methods may be called
// concurrently.
type sessionTable struct {
	max int // number of sessions

	mu      sync.Mutex // locked before the lock of a session
	byHash  map[string]*session
	byOwner map[access.Owner]map[*session]bool // so that the join of a page costs as much as its owner has sessions
	ended   endedIDs
}

// errRegistered is the error of add if there is a session with this id.
var errRegistered = errors.New("the session is registered")

// add registers a session. The error is errRegistered, errNoSession if it has ended, or
// errTooManySessions.
func (t *sessionTable) add(s *session) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.byHash[s.hash] != nil:
		return errRegistered
	case t.ended.has(s.hash):
		return errNoSession
	case len(t.byHash) >= t.max:
		return errTooManySessions
	}
	t.put(s)
	return nil
}

// insert registers a new or a stored session, also beyond the limit.
func (t *sessionTable) insert(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.put(s)
}

func (t *sessionTable) put(s *session) {
	t.byHash[s.hash] = s
	owner := s.record.Owner // does not change
	if t.byOwner[owner] == nil {
		t.byOwner[owner] = map[*session]bool{}
	}
	t.byOwner[owner][s] = true
}

func (t *sessionTable) get(hash string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byHash[hash]
}

// remove removes a session, which may be restored by its id.
func (t *sessionTable) remove(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.delete(s)
}

// end removes a session and remembers its id until it expires, so that no store restores
// it. Without expiry the id is not remembered: only a [StoredSessions] has such sessions,
// and restores none.
func (t *sessionTable) end(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.delete(s)
	if expires := s.record.Expires; !expires.IsZero() { // does not change
		t.ended.add(s.hash, time.Now(), expires)
	}
}

func (t *sessionTable) delete(s *session) {
	if t.byHash[s.hash] != s {
		return // already removed; the one that is there is a restored one
	}
	delete(t.byHash, s.hash)
	owner := t.byOwner[s.record.Owner]
	if delete(owner, s); len(owner) == 0 {
		delete(t.byOwner, s.record.Owner)
	}
}

// oldestAsleep returns the session that is unused for longest among those without
// conversation, or nil. It costs as much as there are sessions.
func (t *sessionTable) oldestAsleep() *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return oldest(t.byHash, len(t.byHash), func(s *session) bool { return s.conversation == nil && s.users == 0 })
}

// maxSample is the number of sessions among which idleSince looks.
const maxSample = 64

// idleSince returns an idle session that was not used since then, or nil: of a random
// sample the one that is unused for longest. So its cost does not grow with the number of
// sessions.
func (t *sessionTable) idleSince(then time.Time) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return oldest(t.byHash, maxSample, func(s *session) bool { return s.isIdle() && s.lastUsed.Before(then) })
}

// oldest returns the session that is unused for longest, of the first most ones, among
// those that accepts returns true for. accepts is called with the lock of the session held.
func oldest(sessions map[string]*session, most int, accepts func(*session) bool) (found *session) {
	var since time.Time
	for _, s := range sessions { // begins at a random one
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

func (t *sessionTable) list() []*session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Values(t.byHash))
}

// of returns the sessions of owner.
func (t *sessionTable) of(owner access.Owner) []*session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Keys(t.byOwner[owner]))
}

func (t *sessionTable) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byHash)
}

// endedIDs are hashes of the ids of sessions that have ended before they expire, at most
// maxEnded: the one that ended first is dropped for another. Its id may then be used again
// on this node, by its own holder, unless the store knows that it has ended. The zero value
// is empty.
type endedIDs struct {
	expires map[string]time.Time // by hash
	order   []string             // as they ended
}

// maxEnded is a number of hashes, which use about 12 MB.
const maxEnded = 65_536

func (e *endedIDs) has(hash string) bool {
	_, found := e.expires[hash]
	return found
}

func (e *endedIDs) add(hash string, now, expires time.Time) {
	for len(e.order) > 0 && (len(e.order) >= maxEnded || !now.Before(e.expires[e.order[0]])) {
		delete(e.expires, e.order[0])
		e.order = e.order[1:]
	}
	if e.has(hash) || !now.Before(expires) {
		return
	}
	if e.expires == nil {
		e.expires = map[string]time.Time{}
	}
	e.expires[hash] = expires
	e.order = append(e.order, hash)
}
