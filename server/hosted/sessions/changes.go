// Package sessions keeps what changes about the classic sessions of a hosted gateway in
// values that all nodes share.
package sessions

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/clock"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

// Lifetime is how long a session lasts, from its beginning.
const Lifetime = 7 * 24 * time.Hour

// Changes implements [mcphttp.SessionChanges] for a cluster: in the memory of this node,
// and sealed in values. Two states of one session are merged: the later one wins, by the
// clocks of the nodes, and takes the latest changes of the earlier one. An end always wins.
type Changes struct {
	values gateway.SessionValues
	sealer atomic.Pointer[keys.Sealer]
	memory mcphttp.MemoryChanges
	saving sync.Mutex // so that later changes have later times
}

// New returns the changes that are kept in values.
func New(keys keys.Ring, values gateway.SessionValues) *Changes {
	c := &Changes{values: values}
	c.memory = mcphttp.MemoryChanges{KeepEmpty: true, OnDropped: c.dropped}
	c.SetKeys(keys)
	return c
}

// SetKeys replaces the keys, as a reload of the configuration does.
func (s *Changes) SetKeys(keys keys.Ring) {
	sealer := keys.Sealer("changes")
	s.sealer.Store(&sealer)
}

// Load implements [mcphttp.SessionChanges].
func (s *Changes) Load(ctx context.Context, hash string) (mcphttp.Changes, error) {
	value, err := s.values.Load(ctx, hash)
	stored, found := s.open(hash, value)
	s.saving.Lock()
	defer s.saving.Unlock()
	own, _ := s.memory.Load(ctx, hash) // without error
	switch {
	case err != nil:
		return own, fmt.Errorf("%w: %w", mcphttp.ErrStoreAway, err)
	case !found:
		return own, nil
	case own.At.IsZero():
		s.memory.Save(hash, stored)
		return stored, nil
	}
	merged := s.merge(own, stored)
	s.memory.Save(hash, merged)
	return merged, nil
}

// merge returns the state of a session that follows two others. It has a later time than
// both, unless it is equal to the later one.
func (s *Changes) merge(own, stored mcphttp.Changes) mcphttp.Changes {
	merged := own.Merge(stored)
	later := own
	if stored.At.After(own.At) {
		later = stored
	}
	if merged.At = later.At; !merged.Equal(later) {
		merged.At = later.At.Add(1)
	}
	return merged
}

// Save implements [mcphttp.SessionChanges].
func (s *Changes) Save(hash string, c mcphttp.Changes) {
	c = c.Shortened()
	if s.saveHere(hash, &c) {
		s.values.Update(string(c.Owner), hash, func(current []byte) []byte { return s.next(hash, current) })
	}
}

// dropped deletes the stored changes of a session whose owner has too many, unless another
// node has later ones: so an owner has about as many bytes in the store as in the memory of
// the nodes.
func (s *Changes) dropped(hash string, c mcphttp.Changes) {
	s.values.Update(string(c.Owner), hash, func(current []byte) []byte {
		if stored, found := s.open(hash, current); found && stored.At.After(c.At) {
			return nil
		}
		return []byte{} // if the session has changed again, its own update follows
	})
}

// IsDurable implements [mcphttp.SessionChanges].
func (s *Changes) IsDurable() bool { return s.values.IsAvailable() }

// next returns the value that replaces current; nil if that includes what this node knows.
// While an update waits it keeps no changes in memory besides those in s.memory.
func (s *Changes) next(hash string, current []byte) []byte {
	s.saving.Lock()
	defer s.saving.Unlock()
	own, _ := s.memory.Load(context.Background(), hash) // without error
	if own.At.IsZero() {
		return nil
	}
	if stored, found := s.open(hash, current); found {
		merged := s.merge(own, stored)
		s.memory.Save(hash, merged)
		if merged.Equal(stored) {
			return nil
		}
		own = merged
	}
	return s.seal(hash, own)
}

// saveHere sets the time of the change and saves it in memory. It returns false if nothing
// was and nothing is changed: a session that never subscribes is stored nowhere.
func (s *Changes) saveHere(hash string, c *mcphttp.Changes) bool {
	s.saving.Lock()
	defer s.saving.Unlock()
	own, _ := s.memory.Load(context.Background(), hash) // without error
	endsStored := c.Partial && len(c.Subscriptions) > 0
	if c.IsZero() && own.At.IsZero() && !endsStored {
		return false
	}
	c.At = clock.Now().Round(0).UTC()
	if !c.At.After(own.At) {
		c.At = own.At.Add(1)
	}
	s.memory.Save(hash, *c)
	return true
}

// seal returns the value of c. The key is its context: a value does not open under another
// key.
func (s *Changes) seal(hash string, c mcphttp.Changes) []byte {
	text, err := json.Marshal(c)
	if err != nil { // a time that JSON does not have
		return nil
	}
	return s.sealer.Load().Seal(text, hash)
}

func (s *Changes) open(hash string, value []byte) (c mcphttp.Changes, ok bool) {
	if value == nil {
		return c, false
	}
	text, ok := s.sealer.Load().Open(value, hash)
	if ok {
		ok = json.Unmarshal(text, &c) == nil
	}
	return c, ok
}
