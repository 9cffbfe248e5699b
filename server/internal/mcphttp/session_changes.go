package mcphttp

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

// SessionChanges keeps what changes about sessions after they have begun: in memory, in
// files, or for several nodes. Losing a change costs a client its subscriptions or its log
// level when the session sleeps. The methods may be called concurrently.
type SessionChanges interface {
	// Load returns the changes of the session with this hash; none if it knows of none. The
	// error wraps [ErrStoreAway] if there may be others that it could not read.
	Load(ctx context.Context, hash string) (Changes, error)

	// Save replaces the changes of a session. It does not block: an implementation that
	// stores them elsewhere does so later, and tries again.
	Save(hash string, c Changes)

	// IsDurable reports whether what is saved now is expected to be stored soon.
	IsDurable() bool
}

// ErrStoreAway is the error of [SessionChanges] that cannot read what is stored at present.
var ErrStoreAway = errors.New("the store of sessions is not available")

// Changes are what is not in the id of a session.
type Changes struct {
	Owner         access.Owner  `json:"owner"` // of the session
	Subscriptions Subscriptions `json:"subscriptions,omitempty"`
	LogLevel      string        `json:"level,omitempty"` // of logging/setLevel
	Ended         bool          `json:"ended,omitempty"` // before it expires
	Expires       time.Time     `json:"expires"`         // when the session does; the changes are dropped then
	At            time.Time     `json:"at,omitzero"`     // when the last change was made, for stores that several nodes use

	// Partial says that the session was restored without what is stored: these changes do not
	// replace it.
	Partial bool `json:"-"`
}

// IsZero reports whether nothing has changed.
func (c Changes) IsZero() bool { return !c.hasSubscriptions() && c.LogLevel == "" && !c.Ended }

func (c Changes) hasSubscriptions() bool {
	for _, change := range c.Subscriptions {
		if !change.Gone {
			return true
		}
	}
	return false
}

// Merge returns the changes of two nodes to one session as one state: the later one, with
// the latest subscriptions and unsubscriptions of the other one. Two nodes may each store
// their own state before the event about the other's change arrives. Changes of more than
// latestTime before the later state have no effect: it includes them. A state that was
// restored without what is stored has all its changes, and is the earlier one.
func (c Changes) Merge(other Changes) Changes {
	later, earlier := c, other
	if c.Partial != other.Partial {
		if c.Partial {
			later, earlier = other, c
		}
	} else if other.At.After(c.At) {
		later, earlier = other, c
	}
	merged := later
	merged.Ended = later.Ended || earlier.Ended
	if merged.LogLevel == "" {
		merged.LogLevel = earlier.LogLevel
	}
	merged.Subscriptions = mergeSubscriptions(later, earlier)
	latest := c.At
	if other.At.After(latest) {
		latest = other.At
	}
	merged.Subscriptions.forget(latest)
	return merged
}

// Equal reports whether c and other describe the same state, whenever it was made.
func (c Changes) Equal(other Changes) bool {
	own, others := c.Subscriptions.URIs(), other.Subscriptions.URIs()
	slices.Sort(own)
	slices.Sort(others)
	return c.Ended == other.Ended && c.LogLevel == other.LogLevel && slices.Equal(own, others)
}

// MaxChanges is the size of the changes of one session. If its subscriptions exceed it, the
// later ones are not kept.
const MaxChanges = 256 << 10 // bytes

// Shortened returns c with at most MaxChanges bytes.
func (c Changes) Shortened() Changes {
	c.Subscriptions = c.Subscriptions.shortened(MaxChanges - changesOverhead)
	return c
}

// changesOverhead is memory besides the subscriptions, approximately, in bytes.
const changesOverhead = 512

func (c Changes) size() int { return changesOverhead + len(c.LogLevel) + c.Subscriptions.size() }

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

	MaxPerOwner int // bytes of the sessions of one owner; default 1 MiB

	// OnDropped is called for the changes that are dropped because their owner has too many;
	// may be nil.
	OnDropped func(hash string, c Changes)

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
func (m *MemoryChanges) Load(_ context.Context, hash string) (Changes, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if element := m.byHash[hash]; element != nil {
		c := element.Value.(*keptChanges).Changes
		c.Subscriptions = maps.Clone(c.Subscriptions) // sessions change theirs
		return c, nil
	}
	return Changes{}, nil
}

// IsDurable implements [SessionChanges]: what this node has is all there is.
func (m *MemoryChanges) IsDurable() bool { return true }

// Save implements [SessionChanges].
func (m *MemoryChanges) Save(hash string, c Changes) {
	for _, dropped := range m.save(hash, c.Shortened()) {
		if m.OnDropped != nil {
			m.OnDropped(dropped.hash, dropped.Changes)
		}
	}
}

// save is Save, and returns the changes that were dropped for others of the same owner.
func (m *MemoryChanges) save(hash string, c Changes) (dropped []*keptChanges) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if element := m.byHash[hash]; element != nil {
		m.drop(element.Value.(*keptChanges))
	}
	now := time.Now()
	if (m.KeepEmpty || !c.IsZero()) && now.Before(c.Expires) {
		dropped = m.keep(&keptChanges{Changes: c, hash: hash, size: c.size()})
	}
	for first := m.order.Front(); first != nil; first = m.order.Front() {
		kept := first.Value.(*keptChanges)
		if m.size <= maxAllChanges && now.Before(kept.Expires) {
			break
		}
		m.drop(kept)
	}
	return dropped
}

// keep adds changes, and drops others of their owner, which it returns, if these use too much
// memory. The caller holds the lock, here and below.
func (m *MemoryChanges) keep(kept *keptChanges) (dropped []*keptChanges) {
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
	for owner.size > cmp.Or(m.MaxPerOwner, maxOwnerChanges) {
		first := owner.order.Front().Value.(*keptChanges)
		m.drop(first)
		dropped = append(dropped, first)
	}
	return dropped
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
