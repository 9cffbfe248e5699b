package cluster

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Updates wait by owner: one whose sessions change all the time delays its own changes only.
const (
	maxOwnerWaiting = 1_024            // updates; further ones are dropped
	ownerBytes      = 64 << 10         // written for one owner in a second
	ownerBurst      = 16 * time.Second // of these bytes: 1 MiB
	minWritten      = 4 << 10          // bytes that each value counts at least
)

// ownUpdates are those of one owner.
type ownUpdates struct {
	updates map[string]func([]byte) []byte // by key
	spent   time.Time                      // until then the bytes that were written use up ownerBytes
}

// mayWrite reports whether the owner has written little enough.
func (o *ownUpdates) mayWrite(now time.Time) bool { return !o.spent.After(now.Add(ownerBurst)) }

// isIdle reports whether nothing is to be remembered.
func (o *ownUpdates) isIdle(now time.Time) bool { return len(o.updates) == 0 && !o.spent.After(now) }

// enqueue adds an update; it replaces another one of the same key if replace is set. If there
// are too many, it is dropped.
func (v *sessionValues) enqueue(owner, key string, update func([]byte) []byte, replace bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	o := v.waiting[owner]
	if o == nil {
		o = &ownUpdates{updates: map[string]func([]byte) []byte{}}
		v.waiting[owner] = o
	}
	switch _, found := o.updates[key]; {
	case found && !replace:
		return
	case !found && (v.count >= maxWaiting || len(o.updates) >= maxOwnerWaiting):
		v.refused++
		return
	case !found:
		v.count++
	}
	o.updates[key] = update
}

// take returns the updates of the owners that may write now, by owner.
func (v *sessionValues) take(now time.Time) map[string]map[string]func([]byte) []byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.takeOf(now, func(o *ownUpdates) bool { return o.mayWrite(now) })
}

// takeAll returns all updates that wait.
func (v *sessionValues) takeAll() map[string]map[string]func([]byte) []byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.takeOf(time.Now(), func(*ownUpdates) bool { return true })
}

// takeOf returns the updates of selected owners, and forgets those without any. The caller
// holds the lock.
func (v *sessionValues) takeOf(now time.Time, selects func(*ownUpdates) bool) map[string]map[string]func([]byte) []byte {
	taken := map[string]map[string]func([]byte) []byte{}
	for owner, o := range v.waiting {
		if len(o.updates) > 0 && selects(o) {
			taken[owner] = o.updates
			v.count -= len(o.updates)
			o.updates = map[string]func([]byte) []byte{}
		}
		if o.isIdle(now) {
			delete(v.waiting, owner)
		}
	}
	return taken
}

func (v *sessionValues) waitingUpdates() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.count
}

func (v *sessionValues) takeRefused() (refused int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	refused, v.refused = v.refused, 0
	return refused
}

// writeAll writes updates, and returns how many have failed. These wait again, and so do those
// of owners that have written much meanwhile, unless all is set.
func (v *sessionValues) writeAll(ctx context.Context, updates map[string]map[string]func([]byte) []byte, all bool) (failed int) {
	owners := make(chan string)
	var writers sync.WaitGroup
	var mu sync.Mutex
	for range min(maxWriters, len(updates)) {
		writers.Go(func() {
			for owner := range owners {
				n := v.writeOwn(ctx, owner, updates[owner], all)
				mu.Lock()
				failed += n
				mu.Unlock()
			}
		})
	}
	for owner := range updates {
		owners <- owner
	}
	close(owners)
	writers.Wait()
	return failed
}

// writeOwn is writeAll for one owner.
func (v *sessionValues) writeOwn(ctx context.Context, owner string, updates map[string]func([]byte) []byte, all bool) (failed int) {
	for key, update := range updates {
		if !all && !v.ownMayWrite(owner) {
			v.enqueue(owner, key, update, false)
			continue
		}
		written, err := v.write(ctx, key, update)
		v.spend(owner, written)
		if err != nil {
			v.setFailing(true) // at once: the rest takes 2 s for each update while the store is away
			v.enqueue(owner, key, update, false)
			failed++
		}
	}
	return failed
}

func (v *sessionValues) ownMayWrite(owner string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	o := v.waiting[owner]
	return o == nil || o.mayWrite(time.Now())
}

// spend records that bytes were written for an owner; 0: none.
func (v *sessionValues) spend(owner string, bytes int) {
	if bytes == 0 {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	o := v.waiting[owner]
	if o == nil {
		o = &ownUpdates{updates: map[string]func([]byte) []byte{}}
		v.waiting[owner] = o
	}
	if now := time.Now(); o.spent.Before(now) {
		o.spent = now
	}
	o.spent = o.spent.Add(time.Duration(max(bytes, minWritten)) * time.Second / ownerBytes)
}

// write updates one value, again if another node has written it meanwhile. It returns how
// many bytes were written.
func (v *sessionValues) write(ctx context.Context, key string, update func([]byte) []byte) (written int, err error) {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	for range maxConflicts {
		if written, err = v.writeOnce(ctx, key, update); !isConflict(err) {
			return written, err
		}
	}
	return written, err
}

// isConflict reports whether the value has another revision than the one that was read.
// Servers have one code for streams with replicas, and another one for those without.
func isConflict(err error) bool {
	var refused *jetstream.APIError
	return errors.Is(err, jetstream.ErrKeyExists) || errors.As(err, &refused) &&
		(refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

func (v *sessionValues) writeOnce(ctx context.Context, key string, update func([]byte) []byte) (written int, err error) {
	var current []byte
	var revision uint64
	switch entry, err := v.values.Get(ctx, key); { // values does not change after open
	case err == nil:
		current, revision = entry.Value(), entry.Revision()
	case !errors.Is(err, jetstream.ErrKeyNotFound):
		return 0, err
	}
	value := update(current)
	switch {
	case value == nil, len(value) == 0 && revision == 0:
		return 0, nil
	case len(value) == 0:
		err = v.values.Purge(ctx, key, jetstream.LastRevision(revision), jetstream.PurgeTTL(markerTTL))
	case revision == 0: // also after it was deleted
		_, err = v.values.Create(ctx, key, value)
	default:
		_, err = v.values.Update(ctx, key, value, revision)
	}
	if errors.Is(err, nats.ErrMaxPayload) { // it will not fit later either
		v.node.options.Log.Error("the changes of a session exceed max_payload of NATS", "bytes", len(value))
		return 0, nil
	}
	return max(len(value), 1), err
}
