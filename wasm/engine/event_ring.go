package engine

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/wasm/internal/emit"
)

// Limits of a ring, and of what an app emits.
const (
	maxOccurrences = 1000      // in a ring
	maxRingBytes   = 256 << 10 // of all of them
	maxEventData   = 16 << 10  // bytes of JSON of one
	maxRingNames   = 256       // names of which it is known what the ring has lost

	occurrenceCost = 64 // bytes besides its texts
)

// A ring has the newest occurrences of an engine's own events, by number. A URI is in it at most
// once: its newest change replaces the one before, so that a ring holds the changes of many
// writes. The oldest go first. Its methods may be called concurrently, and call nothing else.
type ring struct {
	mu      sync.Mutex
	epoch   uint64 // of its numbers: random
	base    uint64 // events that are not kept have lost what has this number or a smaller one
	last    uint64 // the newest number
	entries []*occurrence
	live    int // entries that are not replaced
	bytes   int // of these
	byURI   map[string]*occurrence
	kept    map[string]bool   // names of events that outlive the program
	lost    map[string]uint64 // by name: the newest number that is gone, other than by a replacement
	floor   uint64            // the same for every name
	more    chan struct{}     // closed by the next occurrence; nil: none waits

	born   time.Time
	before ringPosition // the epoch before restore, and what numbers of it have less than now
}

// An occurrence is one entry of a ring. It does not change, except for replaced, which the
// ring's mu guards.
type occurrence struct {
	number   uint64
	at       int64 // ms since 1970
	name     string
	uri      string // of a resource that changed
	under    bool   // so did every resource whose URI begins with uri
	data     []byte // a JSON value; nil for a resource
	replaced bool
}

func (o *occurrence) cost() int {
	return occurrenceCost + len(o.name) + 2*len(o.uri) + len(o.data)
}

func newRing() *ring {
	return &ring{epoch: rand.Uint64(), born: time.Now(), byURI: map[string]*occurrence{}, lost: map[string]uint64{}}
}

// put adds an occurrence. It returns its number above base, and whether its event is kept.
func (r *ring) put(o *occurrence) (number uint64, isKept bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	o.number = r.last
	r.add(o)
	if r.more != nil {
		close(r.more)
		r.more = nil
	}
	return r.last - r.base, r.kept[o.name]
}

// add is put for an occurrence with a number; r.mu is held.
func (r *ring) add(o *occurrence) {
	if o.uri != "" {
		if old := r.byURI[o.uri]; old != nil {
			r.drop(old)
		}
		r.byURI[o.uri] = o
	}
	r.entries = append(r.entries, o)
	r.live++
	r.bytes += o.cost()
	at := 0
	for ; r.live > maxOccurrences || r.bytes > maxRingBytes; at++ {
		if oldest := r.entries[at]; !oldest.replaced {
			r.drop(oldest)
			r.lose(oldest)
		}
	}
	r.entries = r.entries[at:]
	if len(r.entries) > 2*r.live+32 {
		kept := r.entries[:0:0]
		for _, o := range r.entries {
			if !o.replaced {
				kept = append(kept, o)
			}
		}
		r.entries = kept
	}
}

// drop takes an occurrence out; r.mu is held.
func (r *ring) drop(o *occurrence) {
	o.replaced = true
	r.live--
	r.bytes -= o.cost()
	if o.uri != "" {
		delete(r.byURI, o.uri)
	}
}

// lose records that an occurrence is gone; r.mu is held.
func (r *ring) lose(o *occurrence) {
	if len(r.lost) >= maxRingNames { // an app makes up names without end
		clear(r.lost)
		r.floor = o.number
	}
	r.lost[o.name] = o.number
}

// A view is what a ring has of one event behind a number.
type view struct {
	all       []*occurrence
	epoch     uint64        // of the ring
	from, to  uint64        // the number behind which it begins, and the newest one
	truncated bool          // some that were behind the number are gone
	more      chan struct{} // closed by the next occurrence
}

// since returns what is behind a position. A position of another ring is the beginning of this
// one.
func (r *ring) since(at ringPosition, name string) (v view) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at = r.present(at)
	from := at.number
	v.truncated = at.epoch != r.epoch || from > r.last
	if v.truncated {
		from = 0
	}
	v.truncated = v.truncated || from < max(r.floor, r.lost[name]) || from < r.base && !r.kept[name]
	for _, o := range r.entries {
		if o.number > from && o.name == name && !o.replaced {
			v.all = append(v.all, o)
		}
	}
	v.epoch, v.from, v.to, v.more = r.epoch, from, r.last, r.waiting()
	return v
}

// youth is how long a cursor of another ring waits for what the app has kept: its page loads.
const youth = 1500 * time.Millisecond

// await returns a position of this ring, and waits while that of another one may still be restored.
func (r *ring) await(ctx context.Context, at ringPosition) ringPosition {
	for {
		present, more, left := r.waits(at)
		if left <= 0 {
			return present
		}
		timer := time.NewTimer(left)
		select {
		case <-more:
		case <-timer.C:
		case <-ctx.Done():
			return present
		}
		timer.Stop()
	}
}

func (r *ring) waits(at ringPosition) (present ringPosition, more chan struct{}, left time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if present = r.present(at); present.epoch != r.epoch {
		left = time.Until(r.born.Add(youth))
	}
	return present, r.waiting(), left
}

// present returns a position from before restore as one after it; r.mu is held.
func (r *ring) present(at ringPosition) ringPosition {
	if r.before.number > 0 && at.epoch == r.before.epoch {
		return ringPosition{r.epoch, at.number + r.before.number}
	}
	return at
}

// waiting returns the channel that closes with the next occurrence; r.mu is held.
func (r *ring) waiting() chan struct{} {
	if r.more == nil {
		r.more = make(chan struct{})
	}
	return r.more
}

// skip returns a number that no occurrence has: cursors from before have a smaller one.
func (r *ring) skip() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	return r.last
}

// now returns the position behind the newest occurrence.
func (r *ring) now() ringPosition {
	r.mu.Lock()
	defer r.mu.Unlock()
	return ringPosition{r.epoch, r.last}
}

// json returns the occurrence for clients; uri is how its URI is spelled there.
func (o *occurrence) json(epoch uint64, uri string) Occurrence {
	data := o.data
	if uri != "" {
		data = resourceData(uri, o.under)
	}
	return Occurrence{
		ID:        strconv.FormatUint(epoch, 36) + "-" + strconv.FormatUint(o.number, 36),
		Name:      o.name,
		Timestamp: isoTime(o.at),
		Data:      data,
		Cursor:    ringPosition{epoch, o.number}.cursor(),
	}
}

// resourceData returns the data of a change of a resource.
func resourceData(uri string, under bool) []byte {
	data := emit.JSON(`{"uri":`)
	data.Quote(uri)
	if under {
		data.Text(`,"under":true`)
	}
	data.Text("}")
	return data
}
