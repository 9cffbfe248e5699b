package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// An interest is the one owner of what the engine wants a mount's source to
// announce. It is a reconciler: every change of what listeners want gets a number,
// a generation, and the interest works until the source has what the newest
// generation wants.
//
//   - One goroutine at a time calls the source, and reads what is wanted after it
//     has read the generation. So an older set never replaces a newer one.
//   - The goroutine ends only when nothing newer is wanted, decided under the lock
//     that a new generation takes too. So no wake-up is lost.
//   - Unmounting is a state that the goroutine reconciles with as well. So a watch
//     that starts meanwhile is stopped.
//
// A source that is a syncWatcher (a [Table]) is reconciled on the caller's stack,
// without a goroutine.
type interest struct {
	engine *Engine
	mount  *mount

	mu       sync.Mutex
	wanted   uint64             // the newest generation
	reached  uint64             // the generation that the source has been given
	armed    <-chan struct{}    // closed when the source announces what that one wants; nil: it does
	advanced chan struct{}      // closed when reached changes
	running  bool               // a goroutine works towards wanted
	closed   bool               // unmounted
	stop     context.CancelFunc // of the present watch; nil: there is none
	follows  Following          // of the present watch of a Follower
	watch    uint64             // the number of the present watch
	failed   time.Time          // when a watch failed last
	delay    time.Duration      // before the next one
	retry    *time.Timer        // runs between a failure and the next watch
	missed   bool               // a watch failed: what is wanted may have changed since
}

// syncWatcher is a source that starts and stops watching without blocking, and so needs
// no goroutine: a Table. watchSync must not panic.
type syncWatcher interface {
	watchSync(changed func(Change)) (stop func())
}

var _ syncWatcher = (*Table)(nil)

// Delays between a failed attempt and the next one: of a watch that ended by an
// error or a panic, and of a Remote's listen that was not acknowledged.
const (
	retryFirst = 500 * time.Millisecond // doubled after each failure
	retryMost  = 15 * time.Second
	retryCalm  = 2 * retryMost // without a failure for so long, delays begin anew
)

// backOff returns the delay after a failure: the double of the last one, or the
// first one if the last failure was long ago; and the delay with up to a quarter
// of jitter added, so that many do not retry at the same moment.
func backOff(last time.Duration, failed time.Time) (next, jittered time.Duration) {
	next = min(max(2*last, retryFirst), retryMost)
	if time.Since(failed) > retryCalm {
		next = retryFirst
	}
	return next, next + time.Duration(rand.Uint64()%uint64(next/4)) // rand.N is 1 KB of code
}

// touch takes note that what is wanted has changed, and returns the generation to
// wait for. It does not block.
func (i *interest) touch() uint64 {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.wanted++
	i.run()
	return i.wanted
}

// run makes the interest work, unless it does already; i.mu is held.
func (i *interest) run() {
	switch source := i.mount.source.(type) {
	case syncWatcher:
		i.reconcileSync(source)
	case Follower, Watcher:
		if !i.running {
			i.running = true
			go i.work() // ends when nothing newer is wanted
		}
	default:
		i.reach(i.wanted, nil)
	}
}

// close ends the interest: its mount is gone. What the source still says is
// ignored from now on.
func (i *interest) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.closed = true
	i.end()
	i.wanted++
	i.run()
}

// end stops the present watch; i.mu is held. A cancel function neither blocks nor
// panics.
func (i *interest) end() {
	if i.stop != nil {
		i.stop()
	}
	if i.retry != nil {
		i.retry.Stop()
	}
	i.stop, i.follows, i.armed, i.retry, i.delay, i.missed = nil, nil, nil, nil, 0, false
	i.watch++
}

// reach takes note that the source has been given a generation; i.mu is held.
func (i *interest) reach(generation uint64, armed <-chan struct{}) {
	i.reached, i.armed = generation, armed
	if i.advanced != nil {
		close(i.advanced)
		i.advanced = nil
	}
}

// reconcileSync is work for a syncWatcher; i.mu is held.
func (i *interest) reconcileSync(source syncWatcher) {
	switch listeners := i.engine.hasListeners() && !i.closed; {
	case listeners && i.stop == nil:
		i.watch++
		watch := i.watch
		i.stop = source.watchSync(func(change Change) { i.changed(watch, change) })
	case !listeners && i.stop != nil:
		i.end()
	}
	i.reach(i.wanted, nil)
}

// work brings the source in step with what is wanted, until nothing newer is.
func (i *interest) work() {
	for {
		generation, more := i.next()
		if !more {
			return
		}
		var armed <-chan struct{}
		ok := i.engine.safely("a source that is watched", func() {
			if follows := i.following(); follows != nil {
				armed = follows.Want(i.engine.wantedOf(i.mount))
			}
		})
		if !ok {
			i.failure(i.number(), errWatchPanic)
		}
		i.done(generation, armed)
	}
}

// next returns the generation to work towards; more is false if there is none.
// Where the source need not be called, it is reached here.
func (i *interest) next() (generation uint64, more bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for i.reached != i.wanted {
		switch {
		case i.closed || !i.engine.hasListeners():
			i.end()
		case i.retry == nil: // else the source has failed, and is called again later
			return i.wanted, true
		}
		i.reach(i.wanted, nil)
	}
	i.running = false
	return 0, false
}

// done takes note that the source was given a generation.
func (i *interest) done(generation uint64, armed <-chan struct{}) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.retry != nil || i.closed {
		armed = nil
	}
	i.reach(generation, armed)
}

// following returns the present watch of a Follower, or nil for a Watcher. It
// begins the watch if there is none.
func (i *interest) following() Following {
	if follows, ok := i.present(); ok {
		return follows
	}
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), reportKey{}, i.engine.report))
	watch, missed := i.begin(cancel)
	changed := func(change Change) { i.changed(watch, change) }
	var follows Following
	switch s := i.mount.source.(type) {
	case Follower:
		follows = s.Follow(ctx, changed)
		i.keep(watch, follows)
	case Watcher:
		go i.watching(ctx, s, watch, changed) // ends with ctx
	}
	if missed {
		i.announceAll(watch)
	}
	return follows
}

// present returns what the present watch follows; ok is false if there is no watch.
func (i *interest) present() (follows Following, ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.follows, i.stop != nil
}

// begin makes a watch the present one, unless the mount is gone meanwhile.
func (i *interest) begin(cancel context.CancelFunc) (watch uint64, missed bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	missed, i.missed = i.missed, false
	i.watch++
	i.stop = cancel
	if i.closed {
		i.end()
	}
	return i.watch, missed
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

var errWatchPanic = errors.New("a panic")

// watching runs the Watch of a Watcher. One that returns nil before ctx ends has
// nothing more to announce and is not called again; see [Watcher].
func (i *interest) watching(ctx context.Context, s Watcher, watch uint64, changed func(Change)) {
	err := errWatchPanic // until Watch has returned
	i.engine.safely("Watch of a source", func() { err = s.Watch(ctx, changed) })
	if err != nil && ctx.Err() == nil {
		i.failure(watch, err)
	}
}

// failure ends a watch that failed, and begins the next one after a delay while
// there are listeners, and then announces all that they watch.
func (i *interest) failure(watch uint64, err error) {
	if err != errWatchPanic { // which is reported already
		i.engine.report(jsonrpc.Wrap("watch the source of "+jsonrpc.Quoted(i.mount.prefix), err))
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stop == nil || watch != i.watch {
		return // it is over already
	}
	next, wait := backOff(i.delay, i.failed)
	i.end()
	i.delay, i.failed, i.missed = next, time.Now(), true
	i.retry = time.AfterFunc(wait, i.again)
}

// again begins a watch after a failure.
func (i *interest) again() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.retry != nil {
		i.retry = nil
		i.wanted++
		i.run()
	}
}

// wait returns when the source announces what a generation wants, or ctx ends.
func (i *interest) wait(ctx context.Context, generation uint64) {
	for {
		next, armed := i.progress(generation)
		if next == nil && armed == nil {
			return
		}
		select {
		case <-next: // nil if the generation is reached
		case <-armed:
			return
		case <-ctx.Done():
			return
		}
	}
}

// progress returns what to wait for: until the generation is reached, or, if it
// is, until the source is armed.
func (i *interest) progress(generation uint64) (next, armed <-chan struct{}) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.reached >= generation {
		return nil, i.armed
	}
	if i.advanced == nil {
		i.advanced = make(chan struct{})
	}
	return i.advanced, nil
}

// changed takes what a watch says, unless it is over.
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

// announceAll announces all that is watched under the mount, and its lists.
func (i *interest) announceAll(watch uint64) {
	for _, uri := range i.engine.wantedOf(i.mount) {
		i.changed(watch, Change{URI: uri})
	}
	i.changed(watch, Change{List: true, Prompts: true, Tools: true})
}
