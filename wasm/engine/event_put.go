package engine

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// ownEvents are those of an engine: what its app has registered, and what has occurred.
type ownEvents struct {
	ring   *ring
	leases leases

	mu      sync.Mutex
	entries []Event       // in the order of registration; replaced as a whole
	changed chan struct{} // closed when events, or sources of events, change; nil: none waits
}

func (o *ownEvents) all() []Event {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.entries
}

// find returns an event of the app, or nil.
func (o *ownEvents) find(name string) *Event {
	all := o.all()
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return nil
}

// change returns a channel that closes with the next change of events or their sources.
func (o *ownEvents) change() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.changed == nil {
		o.changed = make(chan struct{})
	}
	return o.changed
}

// poke makes streams look at events and sources again.
func (o *ownEvents) poke() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.changed != nil {
		close(o.changed)
		o.changed = nil
	}
}

// PutEvent registers an event of the app, or replaces the one with the same name. kept: the app
// stores what it emits, and restores it after a restart.
func (e *Engine) PutEvent(event Event, kept bool) error {
	if event.Name == EventResourceUpdated || strings.HasSuffix(event.Name, "."+EventResourceUpdated) {
		return errors.New(jsonrpc.Quoted(event.Name) + " is the event of resources, which every engine has")
	}
	e.events.replace(event.Name, &event)
	e.events.ring.keep(event.Name, kept)
	e.eventsChanged()
	return nil
}

// RemoveEvent takes an event out; its streams end. An unknown name is ignored.
func (e *Engine) RemoveEvent(name string) {
	e.events.replace(name, nil)
	e.eventsChanged()
}

// replace puts an event in the place of the one with a name, or takes it out.
func (o *ownEvents) replace(name string, by *Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var next []Event
	for _, one := range o.entries {
		switch {
		case one.Name != name:
			next = append(next, one)
		case by != nil:
			next = append(next, *by)
			by = nil
		}
	}
	if by != nil {
		next = append(next, *by)
	}
	o.entries = next
}

// eventsChanged announces another list of events.
func (e *Engine) eventsChanged() {
	e.dropPages()
	e.events.poke()
	e.announceLists("", eventsList)
}

// Errors of Emit.
var (
	ErrNoEvent = errors.New("there is no such event")
	ErrData    = errors.New("the data of an event must be JSON of at most 16 KiB")
)

// Emit records that an event has occurred. data is a JSON value, of which texts are cleaned as
// descriptions are; at is the time. The number counts the occurrences of this program: see
// [Engine.RestoreEvents]. isKept reports whether the event is one that the app stores.
func (e *Engine) Emit(name string, data []byte, at time.Time) (number uint64, isKept bool, err error) {
	if e.events.find(name) == nil {
		return 0, false, ErrNoEvent
	}
	if len(data) == 0 || len(data) > maxEventData {
		return 0, false, ErrData
	}
	number, isKept = e.events.ring.put(&occurrence{name: name, at: at.UnixMilli(), data: bytes.Clone(plainTexts(data))})
	return number, isKept, nil
}

// resourceChanged records a change for clients that poll for it, or have done so lately.
func (e *Engine) resourceChanged(m *mount, uri string, under bool) {
	if e.registry.keeps(uri) && !m.isEventSource() && TaskOfURI(uri) == "" {
		e.events.ring.put(&occurrence{name: EventResourceUpdated, at: time.Now().UnixMilli(), uri: strings.Clone(uri), under: under})
	}
}

// RestoreEvents continues with what an earlier program of the app has stored of its kept events:
// a JSON object of epoch, a number; base, which is greater than every number before; and kept,
// an array of objects of number, name, time (ms since 1970) and data, in order. lost is the
// greatest number that is not stored any more. What has occurred in this program gets other
// numbers, above base.
func (e *Engine) RestoreEvents(object []byte) {
	var kept []*occurrence
	elements, _ := jsonrpc.Elements(jsonrpc.Member(object, "kept"))
	for _, one := range elements {
		name, _ := jsonrpc.Text(jsonrpc.Member(one, "name"))
		kept = append(kept, &occurrence{number: numberIn(one, "number"), at: int64(numberIn(one, "time")), name: name, data: bytes.Clone(plainTexts(jsonrpc.Member(one, "data")))})
	}
	e.events.ring.restore(numberIn(object, "epoch"), numberIn(object, "base"), numberIn(object, "lost"), kept)
}

//go:noinline
func numberIn(object []byte, name string) uint64 {
	n, _ := jsonrpc.Int(jsonrpc.Member(object, name))
	return uint64(n)
}

// restore puts occurrences of an earlier ring before those of this one.
func (r *ring) restore(epoch, base, lost uint64, kept []*occurrence) {
	r.mu.Lock()
	defer r.mu.Unlock()
	shift := base - r.base
	for _, o := range r.entries { // readers may have these
		if !o.replaced {
			moved := *o
			moved.number += shift
			kept = append(kept, &moved)
		}
	}
	for _, number := range r.lost {
		r.floor = max(r.floor, number)
	}
	if r.floor > 0 {
		lost = max(lost, r.floor+shift)
	}
	r.before = ringPosition{r.epoch, shift}
	r.epoch, r.base, r.last, r.floor = epoch, base, r.last+shift, lost
	r.entries, r.live, r.bytes = nil, 0, 0
	clear(r.byURI)
	clear(r.lost)
	for _, o := range kept {
		r.add(o)
	}
	if r.more != nil {
		close(r.more)
		r.more = nil
	}
}

// keep records whether an event outlives the program.
func (r *ring) keep(name string, kept bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept == nil {
		r.kept = map[string]bool{}
	}
	if kept {
		r.kept[name] = true
	} else {
		delete(r.kept, name)
	}
}
