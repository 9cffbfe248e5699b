package engine

import (
	"context"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/wasm/internal/hop"
)

// Limits of what a ring keeps changes of.
const (
	leaseTime   = 5 * time.Minute // after the last poll or stream that used it
	maxLeases   = 64              // principals
	maxLeaseURI = hop.MaxStreamURIs
)

// A lease makes the sources announce the changes of resources for one principal, between two of
// its polls and for a while after a stream, so that a cursor misses none of them.
type lease struct {
	uris  map[string]leased // "": all that sources announce
	sweep *time.Timer
	used  time.Time
}

type leased struct {
	since uint64    // the changes of this URI are in the ring from this number on
	armed bool      // since is known
	until time.Time // when it ends, if it is not used again
}

type leases struct {
	mu  sync.Mutex
	all map[Principal]*lease
}

// watched makes sure that changes of URIs get into the ring, for some minutes; nil: of all that
// sources announce. It returns the number from which on they have been there.
func (e *Engine) watched(ctx context.Context, who Principal, uris []string) (since uint64) {
	if uris == nil {
		uris = []string{""}
	}
	if !e.events.leases.extend(e, who, uris) {
		return e.events.leases.since(who, uris, 0)
	}
	e.arm(ctx)
	return e.events.leases.since(who, uris, e.events.ring.skip())
}

// extend adds URIs to the lease of a principal, or prolongs it. It reports whether the sources do
// not announce some of them yet.
func (l *leases) extend(e *Engine, who Principal, uris []string) (unarmed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.all[who]
	if own == nil {
		own = &lease{uris: map[string]leased{}}
		if l.all == nil {
			l.all = map[Principal]*lease{}
		}
		if len(l.all) >= maxLeases {
			l.evict(e)
		}
		l.all[who] = own
		own.sweep = time.AfterFunc(leaseTime, func() { l.expire(e, who, own) })
	}
	now := time.Now()
	more := 0
	for _, uri := range uris {
		if _, has := own.uris[uri]; !has {
			more++
		}
	}
	if more > 0 && len(own.uris)+more > maxLeaseURI { // others of the principal make room
		l.drop(e, own, now.Add(2*leaseTime))
	}
	own.used = now
	for _, uri := range uris {
		one, has := own.uris[uri]
		one.until = now.Add(leaseTime)
		own.uris[uri] = one
		unarmed = unarmed || !one.armed
		if !has {
			e.registry.keep(uri, 1)
		}
	}
	return unarmed
}

// since returns the number from which on all of the URIs are in the ring; now is that of those
// which have just been added.
func (l *leases) since(who Principal, uris []string, now uint64) (since uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.all[who]
	if own == nil { // evicted meanwhile
		return now
	}
	for _, uri := range uris {
		one, has := own.uris[uri]
		if !has {
			return now
		}
		if !one.armed {
			one.since, one.armed = now, true
			own.uris[uri] = one
		}
		since = max(since, one.since)
	}
	return since
}

// evict drops the lease that has not been used for longest; l.mu is held.
func (l *leases) evict(e *Engine) {
	var oldest Principal
	for who, own := range l.all {
		if other := l.all[oldest]; other == nil || own.used.Before(other.used) {
			oldest = who
		}
	}
	own := l.all[oldest]
	own.sweep.Stop()
	l.drop(e, own, own.used.Add(2*leaseTime))
	delete(l.all, oldest)
}

// drop takes the URIs out of a lease that end before a time; l.mu is held.
func (l *leases) drop(e *Engine, own *lease, before time.Time) {
	for uri, one := range own.uris {
		if one.until.Before(before) {
			delete(own.uris, uri)
			e.registry.keep(uri, -1)
		}
	}
}

// clear drops all leases.
func (l *leases) clear(e *Engine) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.all) > 0 {
		l.evict(e)
	}
}

// expire drops what has not been used.
func (l *leases) expire(e *Engine, who Principal, own *lease) {
	l.sweep(e, who, own)
	e.reconcile()
}

func (l *leases) sweep(e *Engine, who Principal, own *lease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all[who] != own {
		return
	}
	l.drop(e, own, time.Now().Add(time.Millisecond))
	if len(own.uris) == 0 {
		delete(l.all, who)
		return
	}
	own.sweep.Reset(leaseTime)
}
