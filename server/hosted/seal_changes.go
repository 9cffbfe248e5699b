package hosted

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/pagemcp/pagemcp/server/internal/clock"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

// SessionValues keeps values for all nodes of a cluster, each for sessionLifetime. They are
// sealed: the store learns nothing of subscriptions. Its methods may be called concurrently.
type SessionValues interface {
	// Load returns the value of key, or nil if there is none or it is not available now.
	Load(ctx context.Context, key string) []byte

	// Update replaces the value of key soon, and tries again until it has succeeded. It does
	// not block. update returns the new value for the current one, which may be nil; or nil
	// if the current one shall stay. A later update of a key replaces one that is under way.
	Update(key string, update func(current []byte) []byte)
}

// sharedChanges implements mcphttp.SessionChanges for a cluster: in the memory of this node,
// and sealed in values. Of two states of one session the later one holds, by the clocks of
// the nodes; an end holds always.
type sharedChanges struct {
	values SessionValues
	sealer atomic.Pointer[sealer]
	memory mcphttp.MemoryChanges
	saving sync.Mutex // so that later changes have later times
}

func newSharedChanges(keys keyRing, values SessionValues) *sharedChanges {
	s := &sharedChanges{values: values, memory: mcphttp.MemoryChanges{KeepEmpty: true}}
	s.setKeys(keys)
	return s
}

func (s *sharedChanges) setKeys(keys keyRing) {
	sealer := keys.sealer("changes")
	s.sealer.Store(&sealer)
}

// Load implements [mcphttp.SessionChanges].
func (s *sharedChanges) Load(ctx context.Context, hash string) mcphttp.Changes {
	stored, found := s.open(hash, s.values.Load(ctx, hash))
	s.saving.Lock()
	defer s.saving.Unlock()
	own := s.memory.Load(ctx, hash)
	if !found || !supersedes(stored, own) {
		return own
	}
	s.memory.Save(hash, stored)
	return stored
}

// Save implements [mcphttp.SessionChanges].
func (s *sharedChanges) Save(hash string, c mcphttp.Changes) {
	c = c.Shortened()
	if s.saveHere(hash, &c) {
		s.values.Update(hash, func(current []byte) []byte { return s.next(hash, current) })
	}
}

// next returns the value that replaces current; nil if that is later than what this node
// knows. While an update waits it keeps no changes in memory besides those in s.memory.
func (s *sharedChanges) next(hash string, current []byte) []byte {
	own := s.memory.Load(context.Background(), hash)
	if stored, found := s.open(hash, current); own.At.IsZero() || found && !supersedes(own, stored) {
		return nil
	}
	return s.seal(hash, own)
}

// saveHere sets the time of the change and saves it in memory. It returns false if nothing
// was and nothing is changed: a session that never subscribes is stored nowhere.
func (s *sharedChanges) saveHere(hash string, c *mcphttp.Changes) bool {
	s.saving.Lock()
	defer s.saving.Unlock()
	own := s.memory.Load(context.Background(), hash)
	if c.IsZero() && own.At.IsZero() {
		return false
	}
	c.At = clock.Now().Round(0).UTC()
	if !c.At.After(own.At) {
		c.At = own.At.Add(1)
	}
	s.memory.Save(hash, *c)
	return true
}

// supersedes reports whether c holds instead of other.
func supersedes(c, other mcphttp.Changes) bool {
	if c.Ended != other.Ended {
		return c.Ended
	}
	return c.At.After(other.At)
}

// seal returns the value of c. The key is its context: a value does not open under another
// key.
func (s *sharedChanges) seal(hash string, c mcphttp.Changes) []byte {
	text, err := json.Marshal(c)
	if err != nil { // a time that JSON does not have
		return nil
	}
	return s.sealer.Load().seal(text, hash)
}

func (s *sharedChanges) open(hash string, value []byte) (c mcphttp.Changes, ok bool) {
	if value == nil {
		return c, false
	}
	text, ok := s.sealer.Load().open(value, hash)
	if ok {
		ok = json.Unmarshal(text, &c) == nil
	}
	return c, ok
}
