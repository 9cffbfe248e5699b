package engine

import (
	"context"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/wasm/internal/backoff"
	"github.com/pagemcp/pagemcp/wasm/internal/hop"
)

// An interest makes the source of a mount announce what the registry has, and
// nothing else does. It is a reconciler: every change of what is wanted gets a number,
// a generation, and the interest works until the source has what the newest
// generation wants.
//
//   - One goroutine at a time calls the source, and reads what is wanted after it
//     has read the generation. So an older set never replaces a newer one.
//   - The work ends only when nothing newer is wanted, checked under the lock of a new
//     generation. So no wake-up is lost.
//   - Unmounting is a state that the work reconciles with as well. So a watch that
//     starts meanwhile is stopped.
//
// The work runs in a goroutine; for a Follower that is [Immediate], such as a Table, it
// runs on the caller's stack, so that a listen of a wasm export is answered at once.
type interest struct {
	engine   *Engine
	mount    *mount
	follower Follower // the source, if it is one; else nil

	mu       sync.Mutex
	wanted   uint64             // the newest generation
	reached  uint64             // the generation that the source has
	armed    <-chan struct{}    // closed when the source announces that generation; nil: it does already
	advanced chan struct{}      // closed when reached changes
	running  bool               // work runs, or is about to
	closed   bool               // unmounted
	stop     context.CancelFunc // of the present watch; nil: there is none
	follows  Following          // of the present watch of a Follower
	watch    uint64             // the number of the present watch
	failed   time.Time          // when a watch failed last
	delay    time.Duration      // before the next one
	retry    *time.Timer        // runs between a failure and the next watch
	missed   bool               // a watch failed: what is wanted may have changed since
}

func (i *interest) init(e *Engine, m *mount) {
	i.engine, i.mount = e, m
	i.follower, _ = m.source.(Follower)
}

// reconcile makes every source announce what is registered now. It does not block.
func (e *Engine) reconcile() {
	for _, m := range e.sources() {
		m.interest.touch()
	}
}

// arm is reconcile and waits until the sources announce it, so that a client that is
// acknowledged after it misses no change. It waits at most Options.ArmTimeout: Followers
// that take longer announce afterwards what may have changed meanwhile.
func (e *Engine) arm(ctx context.Context) { e.beginArming()(ctx) }

// beginArming is arm without the wait, which the result is.
func (e *Engine) beginArming() (wait func(context.Context)) {
	mounts := e.sources()
	generations := make([]uint64, len(mounts))
	for i, m := range mounts {
		generations[i] = m.interest.touch()
	}
	return func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, e.options.ArmTimeout)
		defer cancel()
		for i, m := range mounts {
			m.interest.wait(ctx, generations[i])
		}
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

// isImmediate reports whether the source is reconciled on the caller's stack.
func (i *interest) isImmediate() bool { return i.follower != nil && i.mount.immediate != nil }

// touch records that what is wanted has changed, and returns the generation to
// wait for. It does not block.
func (i *interest) touch() uint64 {
	generation, isIdle := i.advance()
	if isIdle {
		i.run()
	}
	return generation
}

// advance begins a generation. If isIdle, the caller has to run the work.
func (i *interest) advance() (generation uint64, isIdle bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.wanted++
	if i.follower == nil {
		i.reach(i.wanted, nil)
		return i.wanted, false
	}
	isIdle, i.running = !i.running, true
	return i.wanted, isIdle
}

func (i *interest) run() {
	if i.isImmediate() {
		i.work()
		return
	}
	go i.work() // ends when nothing newer is wanted
}

// close ends the interest: its mount is gone. What the source still announces is
// ignored from now on.
func (i *interest) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.closed = true
	i.end()
	i.wanted++
	if !i.running {
		i.reach(i.wanted, nil)
	}
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

// reach records that the source has a generation; i.mu is held.
func (i *interest) reach(generation uint64, armed <-chan struct{}) {
	i.reached, i.armed = generation, armed
	if i.advanced != nil {
		close(i.advanced)
		i.advanced = nil
	}
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
			armed = i.following().Want(i.uris())
		})
		if !ok {
			i.failure(i.number())
		}
		i.done(generation, armed)
	}
}

// uris returns the registered URIs under the mount's prefix, as the source knows them.
func (i *interest) uris() (own []string) {
	prefix := len(i.mount.prefix)
	_, isTasker := i.mount.source.(Tasker)
	for _, uri := range i.engine.registry.under(i.mount.prefix) {
		if len(uri) > prefix && (isTasker || TaskOfURI(uri) == "") {
			own = append(own, uri[prefix:])
		}
	}
	return own
}

// next returns the generation to work towards; more is false if there is none.
// Where the source need not be called, it is reached here.
func (i *interest) next() (generation uint64, more bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for i.reached != i.wanted {
		switch {
		case i.closed || i.engine.registry.isEmpty():
			i.end()
		case i.retry == nil: // else the source has failed, and is called again later
			return i.wanted, true
		}
		i.reach(i.wanted, nil)
	}
	i.running = false
	return 0, false
}

// done is reach, at the end of a round of work.
func (i *interest) done(generation uint64, armed <-chan struct{}) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.retry != nil || i.closed {
		armed = nil
	}
	i.reach(generation, armed)
}

// following returns the present watch, and begins one if there is none.
func (i *interest) following() Following {
	if follows, ok := i.present(); ok {
		return follows
	}
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), hop.Report{}, i.engine.report))
	watch, missed := i.begin(cancel)
	changed := func(change Change) { i.changed(watch, change) }
	follows := i.follower.Follow(ctx, changed)
	i.keep(watch, follows)
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

// Number returns that of the present watch.
func (i *interest) number() uint64 {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.watch
}

// failure ends a watch that has panicked, and begins the next one after a delay while
// there are listeners, and then announces all that they watch.
func (i *interest) failure(watch uint64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stop == nil || watch != i.watch {
		return // it is over already
	}
	next, wait := backoff.Next(i.delay, i.failed)
	i.end()
	i.delay, i.failed, i.missed = next, time.Now(), true
	i.retry = time.AfterFunc(wait, i.retryWatch)
}

// retryWatch begins a watch after a failure.
func (i *interest) retryWatch() {
	if i.isDue() {
		i.touch()
	}
}

// isDue reports whether the failure still waits for a watch.
func (i *interest) isDue() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	isDue := i.retry != nil
	i.retry = nil
	return isDue
}

// wait returns when the source announces a generation, or ctx ends.
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

// announceAll announces all that is watched under the mount, and its lists.
func (i *interest) announceAll(watch uint64) {
	for _, uri := range i.uris() {
		i.changed(watch, Change{URI: uri})
	}
	i.changed(watch, Change{List: true, Prompts: true, Tools: true})
}
