package mcphttp

import (
	"container/list"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

// SessionChanges keeps what changes about sessions, for a [SessionStore] that keeps nothing
// but the ids' own facts. Losing a change costs a client its subscriptions or its log level
// when the session sleeps. The methods may be called concurrently.
type SessionChanges interface {
	// Load returns the changes of the session with this hash; none if it knows of none.
	Load(ctx context.Context, hash string) Changes

	// Save replaces the changes of a session. It does not block: an implementation that
	// stores them elsewhere does so later, and tries again.
	Save(hash string, c Changes)
}

// Changes are what is not in the id of a session.
type Changes struct {
	Owner    access.Owner `json:"owner"`           // of the session
	URIs     []string     `json:"uris,omitempty"`  // of subscriptions
	LogLevel string       `json:"level,omitempty"` // of logging/setLevel
	Ended    bool         `json:"ended,omitempty"` // before it expires
	Expires  time.Time    `json:"expires"`         // when the session does; the changes are dropped then
	At       time.Time    `json:"at,omitzero"`     // when the last change was made, for stores that several nodes use
}

// IsZero reports whether nothing has changed.
func (c Changes) IsZero() bool { return len(c.URIs) == 0 && c.LogLevel == "" && !c.Ended }

// MaxChanges is the size of the changes of one session. If its subscriptions exceed it, the
// later ones are not kept.
const MaxChanges = 256 << 10 // bytes

// Shortened returns c with at most MaxChanges bytes.
func (c Changes) Shortened() Changes {
	size := changesOverhead
	for i, uri := range c.URIs {
		if size += uriOverhead + len(uri); size > MaxChanges {
			c.URIs = c.URIs[:i:i]
			break
		}
	}
	return c
}

// Approximate memory besides the texts, in bytes.
const (
	changesOverhead = 512
	uriOverhead     = 24
)

func (c Changes) size() int {
	size := changesOverhead + len(c.LogLevel)
	for _, uri := range c.URIs {
		size += uriOverhead + len(uri)
	}
	return size
}

// Sizes of a [MemoryChanges].
const (
	maxOwnerChanges = 1 << 20  // bytes, of the sessions of one owner
	maxAllChanges   = 64 << 20 // bytes
)

// A MemoryChanges keeps changes in the memory of one node. Sessions without changes are not
// in it. If those of one owner, or all, use too much memory, the ones that were saved first
// are dropped: an owner who subscribes a lot loses nothing of others before 64 owners do.
// The zero value is empty.
type MemoryChanges struct {
	// KeepEmpty keeps also that nothing is changed any more, for a store that has older
	// changes elsewhere.
	KeepEmpty bool

	mu      sync.Mutex
	byHash  map[string]*list.Element // of order
	order   list.List                // of *keptChanges, as they were saved
	byOwner map[access.Owner]*ownerChanges
	size    int // bytes
}

type keptChanges struct {
	Changes
	hash  string
	size  int           // bytes
	owned *list.Element // of ownerChanges.order
}

type ownerChanges struct {
	order list.List // of *keptChanges, as they were saved
	size  int       // bytes
}

// Load implements [SessionChanges].
func (m *MemoryChanges) Load(_ context.Context, hash string) Changes {
	m.mu.Lock()
	defer m.mu.Unlock()
	if element := m.byHash[hash]; element != nil {
		c := element.Value.(*keptChanges).Changes
		c.URIs = slices.Clone(c.URIs) // sessions change theirs
		return c
	}
	return Changes{}
}

// Save implements [SessionChanges].
func (m *MemoryChanges) Save(hash string, c Changes) {
	c = c.Shortened()
	m.mu.Lock()
	defer m.mu.Unlock()
	if element := m.byHash[hash]; element != nil {
		m.drop(element.Value.(*keptChanges))
	}
	now := time.Now()
	if (m.KeepEmpty || !c.IsZero()) && now.Before(c.Expires) {
		m.keep(&keptChanges{Changes: c, hash: hash, size: c.size()})
	}
	for first := m.order.Front(); first != nil; first = m.order.Front() {
		kept := first.Value.(*keptChanges)
		if m.size <= maxAllChanges && now.Before(kept.Expires) {
			break
		}
		m.drop(kept)
	}
}

// keep adds changes, and drops others of their owner if these use too much memory. The
// caller holds the lock, here and below.
func (m *MemoryChanges) keep(kept *keptChanges) {
	if m.byHash == nil {
		m.byHash, m.byOwner = map[string]*list.Element{}, map[access.Owner]*ownerChanges{}
	}
	owner := m.byOwner[kept.Owner]
	if owner == nil {
		owner = &ownerChanges{}
		m.byOwner[kept.Owner] = owner
	}
	m.byHash[kept.hash] = m.order.PushBack(kept)
	kept.owned = owner.order.PushBack(kept)
	owner.size += kept.size
	m.size += kept.size
	for owner.size > maxOwnerChanges {
		m.drop(owner.order.Front().Value.(*keptChanges))
	}
}

func (m *MemoryChanges) drop(kept *keptChanges) {
	m.order.Remove(m.byHash[kept.hash])
	delete(m.byHash, kept.hash)
	m.size -= kept.size
	owner := m.byOwner[kept.Owner]
	owner.order.Remove(kept.owned)
	if owner.size -= kept.size; owner.order.Len() == 0 {
		delete(m.byOwner, kept.Owner)
	}
}
