// Package ringtest has a store for nodes of one process.
package ringtest

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted/ring"
)

// ErrAway is the error of a Bucket that is away.
var ErrAway = errors.New("the store is away")

// A Bucket implements [ring.Bucket] in memory.
type Bucket struct {
	expiry time.Duration

	mu       sync.Mutex
	away     bool
	revision uint64
	values   map[string]value
	watchers map[*watcher]struct{}
}

type value struct {
	data     []byte
	revision uint64
	written  time.Time
}

// A watcher delivers changes in their order; nothing is lost while it is slow.
type watcher struct {
	changes []change
	arrived chan struct{}
}

type change struct {
	key   string
	value []byte
}

// NewBucket returns a Bucket whose values expire.
func NewBucket(expiry time.Duration) *Bucket {
	return &Bucket{expiry: expiry, values: map[string]value{}, watchers: map[*watcher]struct{}{}}
}

// NewStore returns a Store in memory, whose nodes are on loopback.
func NewStore() (store *ring.Store, nodes, sessions *Bucket) {
	nodes, sessions = NewBucket(ring.Expiry), NewBucket(ring.SessionExpiry)
	return &ring.Store{Nodes: nodes, Sessions: sessions, Host: func() (string, error) { return "127.0.0.1", nil }, Close: func() {}}, nodes, sessions
}

// SetAway makes all calls fail, and watches silent, as long as away is set.
func (b *Bucket) SetAway(away bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.away = away
}

// present returns a value that has not expired. The caller holds the lock.
func (b *Bucket) present(key string) (value, bool) {
	v, found := b.values[key]
	return v, found && time.Since(v.written) < b.expiry
}

// Get implements [ring.Bucket].
func (b *Bucket) Get(_ context.Context, key string) ([]byte, uint64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away {
		return nil, 0, ErrAway
	}
	v, found := b.present(key)
	if !found {
		return nil, 0, nil
	}
	return v.data, v.revision, nil
}

// Put implements [ring.Bucket].
func (b *Bucket) Put(_ context.Context, key string, data []byte, last uint64) (uint64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away {
		return 0, ErrAway
	}
	v, found := b.present(key)
	if last != ring.AnyRevision && (!found && last != 0 || found && last != v.revision) {
		return 0, ring.ErrRevision
	}
	b.revision++
	b.values[key] = value{data, b.revision, time.Now()}
	b.tell(key, data)
	return b.revision, nil
}

// Delete implements [ring.Bucket].
func (b *Bucket) Delete(_ context.Context, key string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away {
		return ErrAway
	}
	delete(b.values, key)
	b.tell(key, nil)
	return nil
}

// tell reports a change to all watchers. The caller holds the lock.
func (b *Bucket) tell(key string, data []byte) {
	for w := range b.watchers {
		w.changes = append(w.changes, change{key, data})
		select {
		case w.arrived <- struct{}{}:
		default:
		}
	}
}

// Watch implements [ring.Bucket].
func (b *Bucket) Watch(ctx context.Context, changed func(key string, value []byte)) error {
	w, err := b.watch()
	if err != nil {
		return err
	}
	defer b.unwatch(w)
	for {
		for _, one := range b.take(w) {
			changed(one.key, one.value)
		}
		select {
		case <-w.arrived:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (b *Bucket) watch() (*watcher, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away {
		return nil, ErrAway
	}
	w := &watcher{arrived: make(chan struct{}, 1)}
	for key := range maps.Keys(b.values) {
		if v, found := b.present(key); found {
			w.changes = append(w.changes, change{key, v.data})
		}
	}
	w.changes = append(w.changes, change{})
	b.watchers[w] = struct{}{}
	return w, nil
}

func (b *Bucket) unwatch(w *watcher) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.watchers, w)
}

func (b *Bucket) take(w *watcher) []change {
	b.mu.Lock()
	defer b.mu.Unlock()
	changes := w.changes
	w.changes = nil
	return changes
}

// Keys returns the keys of all values.
func (b *Bucket) Keys() (keys []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key := range b.values {
		if _, found := b.present(key); found {
			keys = append(keys, key)
		}
	}
	return keys
}

// A SilentBucket is what a frozen machine has of a Bucket: while it is silent nothing is written.
type SilentBucket struct {
	*Bucket
	silent atomic.Bool
}

// Silent returns a SilentBucket.
func Silent(b *Bucket) *SilentBucket { return &SilentBucket{Bucket: b} }

// SetSilent makes writes fail.
func (s *SilentBucket) SetSilent(silent bool) { s.silent.Store(silent) }

// Put implements [ring.Bucket].
func (s *SilentBucket) Put(ctx context.Context, key string, data []byte, last uint64) (uint64, error) {
	if s.silent.Load() {
		return 0, ErrAway
	}
	return s.Bucket.Put(ctx, key, data, last)
}
