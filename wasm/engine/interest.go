package engine

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/pagemcp/pagemcp/wasm/hop"
)

// An interest makes the source of a mount announce what the registry has, and nothing
// else does. A topic whose subscriptions have changed is dirty. One goroutine at a time looks up
// each dirty topic in the registry, and passes the result to the source. So an older state never
// replaces a newer one, and no change is lost. Unmounting is a state, too.
//
// The work runs in a goroutine; for a Follower that is [Immediate], such as a Table, it
// runs on the caller's stack, so that a listen of a wasm export is answered at once.
type interest struct {
	engine   *Engine
	mount    *mount
	follower Follower // the source, if it is one; else nil

	mu      sync.Mutex
	dirty   map[Topic]struct{} // as the source knows them
	next    *round             // the next one; nil: nothing is dirty
	running bool               // work runs, or is about to
	closed  bool               // unmounted
	stop    context.CancelFunc // of the present watch; nil: there is none
	follows Following          // of the present watch
	watch   uint64             // the number of the present watch
}

// A round is one call of Want.
type round struct {
	interest *interest
	sent     chan struct{}   // closed when Want has returned
	watch    uint64          // then: the watch that got it
	begins   bool            // likewise: it is a new one
	added    []Topic         // likewise: what it has to announce from now on
	armed    <-chan struct{} // likewise: closed when it announces that; nil: it does already
	late     sync.Once       // a client was acknowledged before
}

func (i *interest) init(e *Engine, m *mount) {
	i.engine, i.mount = e, m
	i.follower, _ = m.source.(Follower)
}

// reconcile makes every source announce what is registered now, and stops it for what is not.
// topics are the ones whose subscriptions have changed, with URIs in the canonical form. It does not block.
func (e *Engine) reconcile(topics ...Topic) (rounds []*round) {
	isEmpty := e.registry.isEmpty()
	for _, m := range e.sources() {
		if r := m.interest.touch(topics, isEmpty); r != nil && !r.isArmed() {
			rounds = append(rounds, r)
		}
	}
	return rounds
}

// arm waits until sources announce what was passed to them, so that a client that is
// acknowledged after it misses no change. It waits at most ArmTimeout: what takes
// longer is announced as changed afterwards.
func (e *Engine) arm(ctx context.Context, rounds []*round) {
	if len(rounds) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, ArmTimeout)
	defer cancel()
	for _, r := range rounds {
		r.wait(ctx)
	}
}

// mustArm reports whether arm may have to wait.
func (e *Engine) mustArm() bool {
	for _, m := range e.sources() {
		if i := &m.interest; i.follower != nil && !i.isImmediate() {
			return true
		}
	}
	return false
}

// isImmediate reports whether the work runs on the caller's stack.
func (i *interest) isImmediate() bool { return i.follower != nil && i.mount.immediate != nil }

// touch is reconcile for one mount; nil: Want need not be called.
func (i *interest) touch(topics []Topic, isEmpty bool) *round {
	if i.follower == nil {
		return nil
	}
	r, isIdle := i.mark(topics, isEmpty)
	switch {
	case !isIdle:
	case i.isImmediate():
		i.work()
	default:
		go i.work() // ends when nothing is dirty
	}
	return r
}

// mark makes topics dirty. If isIdle, the caller has to run the work.
func (i *interest) mark(topics []Topic, isEmpty bool) (r *round, isIdle bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	_, announcesAll := i.follows.(AnnouncesAll)
	if !announcesAll {
		for _, t := range topics {
			if own, ok := i.own(t); ok {
				if i.dirty == nil {
					i.dirty = map[Topic]struct{}{}
				}
				i.dirty[own] = struct{}{}
			}
		}
	}
	if len(i.dirty) == 0 && (i.stop != nil) != isEmpty && i.next == nil && !i.closed && !i.running {
		return nil, false
	}
	if i.next == nil {
		i.next = &round{interest: i, sent: make(chan struct{})}
	}
	isIdle, i.running = !i.running, true
	return i.next, isIdle
}

// own returns a topic of the registry as the source knows it; false: it is none of the source's.
func (i *interest) own(t Topic) (own Topic, ok bool) {
	if i.mount.guard != nil {
		own.Who = t.Who
	}
	if t.URI == "" {
		return own, i.mount.guard != nil
	}
	own.URI, ok = strings.CutPrefix(t.URI, i.mount.prefix)
	return own, ok && own.URI != ""
}

// registered returns a topic of the source as the registry knows it.
func (i *interest) registered(own Topic) Topic {
	if own.URI != "" {
		own.URI = i.mount.prefix + own.URI
	}
	return own
}

// close ends the interest: its mount is gone. What the source still announces is
// ignored from now on.
func (i *interest) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.closed = true
	i.end()
}

// end stops the present watch; i.mu is held. A cancel function neither blocks nor
// panics.
func (i *interest) end() {
	if i.stop != nil {
		i.stop()
	}
	i.stop, i.follows, i.dirty = nil, nil, nil
	i.watch++
}

// work passes what is dirty to the source, until nothing is.
func (i *interest) work() {
	for {
		r, dirty := i.take()
		if r == nil {
			return
		}
		i.engine.safely("a source that is watched", func() {
			var follows Following
			follows, r.begins = i.following()
			r.watch = i.number()
			var dropped []Topic
			if r.begins {
				r.added = i.topics()
			} else {
				r.added, dropped = i.divide(dirty)
			}
			r.armed = follows.Want(r.added, dropped)
		})
		close(r.sent)
	}
}

// take returns the round that is due, and what is dirty; nil: there is none, and the work ends.
func (i *interest) take() (*round, map[Topic]struct{}) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for i.next != nil {
		r, dirty := i.next, i.dirty
		i.next, i.dirty = nil, nil
		if !i.closed && !i.engine.registry.isEmpty() {
			return r, dirty
		}
		i.end()
		close(r.sent)
	}
	i.running = false
	return nil, nil
}

// divide returns which dirty topics have subscriptions, and which do not.
func (i *interest) divide(dirty map[Topic]struct{}) (added, dropped []Topic) {
	for own := range dirty {
		if i.engine.registry.wants(i.registered(own), i.mount.guard == nil) {
			added = append(added, own)
		} else {
			dropped = append(dropped, own)
		}
	}
	return added, dropped
}

// topics returns the registered topics of the source.
func (i *interest) topics() []Topic {
	all := map[Topic]struct{}{}
	for _, t := range i.engine.registry.topics(i.mount.prefix) {
		if own, ok := i.own(t); ok {
			all[own] = struct{}{}
		}
	}
	return slices.Collect(maps.Keys(all))
}

// following returns the present watch, and begins one if there is none.
func (i *interest) following() (follows Following, isNew bool) {
	if follows, ok := i.present(); ok {
		return follows, false
	}
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), hop.Report{}, i.engine.report))
	watch := i.begin(cancel)
	changed := func(change Change) { i.changed(watch, change) }
	follows = i.follower.Follow(ctx, changed)
	i.keep(watch, follows)
	return follows, true
}

// present returns what the present watch follows; ok is false if there is no watch.
func (i *interest) present() (follows Following, ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.follows, i.stop != nil
}

// begin makes a watch the present one, unless the mount is gone meanwhile.
func (i *interest) begin(cancel context.CancelFunc) (watch uint64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.watch++
	i.stop, i.follows = cancel, AnnouncesAll{} // in case that Follow panics
	if i.closed {
		i.end()
	}
	return i.watch
}

// keep notes the Following of a watch, unless that is over.
func (i *interest) keep(watch uint64, follows Following) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.watch == watch && i.stop != nil {
		i.follows = follows
	}
}

// number returns that of the present watch.
func (i *interest) number() uint64 {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.watch
}

// wait returns when the source announces what was added, or ctx ends.
func (r *round) wait(ctx context.Context) {
	select {
	case <-r.sent:
	case <-ctx.Done():
		r.late.Do(func() { go r.announceLate() })
		return
	}
	if r.armed == nil {
		return
	}
	select {
	case <-r.armed:
	case <-ctx.Done():
		r.late.Do(func() { go r.announceLate() })
	}
}

// isArmed reports whether there is nothing to wait for.
func (r *round) isArmed() bool {
	select {
	case <-r.sent:
	default:
		return false
	}
	select {
	case <-r.armed:
		return true
	default:
		return r.armed == nil
	}
}

// announceLate announces as changed what a client was acknowledged for too early, once the
// source announces it. It ends then: a source arms in any case.
func (r *round) announceLate() {
	<-r.sent
	if r.armed != nil {
		<-r.armed
	}
	r.interest.announceAll(r.watch, r.added)
	if r.begins {
		r.interest.changed(r.watch, Change{List: true, Prompts: true, Tools: true})
	}
}

// changed passes on what a watch announces, unless it is over.
func (i *interest) changed(watch uint64, change Change) {
	if i.isPresent(watch) {
		i.engine.safely("announcing a change", func() { i.engine.changed(i.mount, change) })
	}
}

func (i *interest) isPresent(watch uint64) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.watch == watch && i.stop != nil
}

// announceAll announces topics as changed.
func (i *interest) announceAll(watch uint64, topics []Topic) {
	for _, t := range topics {
		i.changed(watch, Change{URI: t.URI, List: t.URI == "", Prompts: t.URI == "", Tools: t.URI == "", Only: i.mount.guard != nil, Who: t.Who})
	}
}
