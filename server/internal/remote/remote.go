// Package remote makes a source of another engine, at the far end of a port.
//
// A [Remote] is the client of that engine, and outlives ports to it. declared.go has what that declares,
// request.go the requests on behalf of a client's request. lists.go keeps lists and pager.go reads them
// within limits; backlog.go limits large answers. topic.go knows what is wanted, and has a listen for each
// of it; notified.go has what comes by these. mirror.go answers reads of what pages have published, within
// the limits of mirror_room.go; served.go reports them to the page.
package remote

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Remote is a source that is another engine, at the far end of a port. It
// outlives the port: while the engine is away, because its page reloads, reads
// wait for it to come back by [Remote.Reattach], lists are answered from the last
// good copy, and subscriptions stay.
type Remote struct {
	mu        sync.Mutex
	link      *link         // nil: away
	back      chan struct{} // closed when there is a link, or none will come
	closed    bool
	forgotten bool // its return is not expected, except while it arrives
	arrivals  int  // calls of Arrives that are not done
	lists     listCache

	inputPolicy func() engine.InputPolicy // nil: as for own sources
	info        engine.Info               // of the other engine; its name is empty until it has come
	follows     map[*following]struct{}
	topics      map[engine.Topic]*topic // that they want

	tasks  taskCache        // states of the other engine's tasks
	others func() []*Remote // see OnOthers

	readers atomic.Pointer[engine.Readers] // of the other engine; nil: everyone
	mirror  *pageMirror                    // see MirrorIn; nil: nothing is kept
	served  served
	backlog *backlog
	once    atomic.Int32 // requests in flight that must not be sent again
}

// A link is one port of a Remote.
type link struct {
	conn *jsonrpc.Conn
	down chan struct{} // closed when the port has ended
	// Guarded by the Remote's mu.
	invocations map[jsonrpc.ID]*engine.Invocation // by the hop's id, which is its progress token, too

	calls   int  // in flight, that must not be sent twice
	resting bool // no further call may begin

	asleep time.Time     // since when the page sleeps; zero: it does not
	sleeps chan struct{} // closed when it begins to sleep; nil: nothing waits for that
	told   bool          // by the page, which will tell when it wakes
	silent atomic.Bool   // it answers no pings: the next message wakes it

	readers **engine.Readers // newer than the answer to the discover of Reattach; nil: there are none

	listens listens
}

// Attach makes a Remote of the engine at the far end of p, which speaks
// 2026-07-28. It returns when that engine has answered, or ctx ends. The port is
// the Remote's from then on, also after an error.
func Attach(ctx context.Context, p jsonrpc.Port) (*Remote, error) {
	r := New()
	if err := r.Reattach(ctx, p); err != nil {
		return nil, err
	}
	return r, nil
}

// New returns a Remote that is away, of an engine that is expected: requests wait
// for the first Reattach, as for a page that reloads, unless [Remote.Forget] is called.
func New() *Remote {
	return &Remote{
		back:    make(chan struct{}),
		lists:   listCache{kept: map[listKey]*cachedList{}, fetches: map[listKey]*fetch{}},
		follows: map[*following]struct{}{},
		topics:  map[engine.Topic]*topic{},
		backlog: newBacklog(),
	}
}

// Reattach gives the Remote a new port to the same engine, or to the one that
// came after it. A port it still has is closed. What is watched is subscribed to
// again, and announced as changed, since changes meanwhile were not announced.
// Requests wait for its end, even if the engine was forgotten.
func (r *Remote) Reattach(ctx context.Context, p jsonrpc.Port) error {
	defer r.Arrives()()
	l := &link{
		down: make(chan struct{}),

		invocations: map[jsonrpc.ID]*engine.Invocation{},
		listens:     newListens(),
	}
	l.conn = jsonrpc.NewConn(pacedPort{p, r.backlog, func() { r.heard(l) }}, func(msg jsonrpc.Message) { r.notified(l, msg) })
	go func() { // ends with the port
		err := l.conn.Run(context.Background())
		l.conn.Close()
		r.lost(l)
		close(l.down)
		if errors.Is(err, jsonrpc.ErrPanic) {
			r.report(err)
		}
	}()
	discovered, err := l.conn.Call(ctx, engine.MethodDiscover, discoverParams())
	if err != nil && !isDown(err) {
		l.conn.Close()
		return err
	}
	if r.mirror != nil {
		l.conn.Notify(hop.NotifyMirror, nil) // before the first read, which may be one that waits for replace
	}
	old, err := r.replace(l, infoOf(discovered), readersOf(discovered))
	if err != nil {
		l.conn.Close()
		return err
	}
	if old != nil {
		old.conn.Close()
	}
	go func() { // ends with the link
		defer r.survive(l)
		if r.mirror != nil {
			r.served.returned(r)
		}
		r.keepListening(l)
	}()
	return nil
}

// Arrives says that there will be a call of Reattach soon: requests wait until done is called,
// also if the engine was forgotten, as they do during Reattach.
func (r *Remote) Arrives() (done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.arrivals++
	return r.arrived
}

// Expect undoes Forget for an engine that will come back, but is not there yet.
func (r *Remote) Expect() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgotten = false
}

// arrived ends what Arrives began. What waits for an engine that has not come and is not
// expected any longer fails now.
func (r *Remote) arrived() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.arrivals--
	if r.arrivals == 0 && r.forgotten && r.link == nil && !r.closed {
		r.wakeWaiting()
	}
}

// wakeWaiting lets those that wait for the engine check again. The caller holds the lock.
func (r *Remote) wakeWaiting() {
	close(r.back)
	r.back = make(chan struct{})
}

// isDown reports whether err says that the other engine has ended and is not started
// again: it answers each request so, which is passed on.
func isDown(err error) bool {
	refused := (*jsonrpc.Error)(nil)
	return errors.As(err, &refused) && string(jsonrpc.Member(refused.Data, "reason")) == `"down"`
}

// replace makes l the present link.
func (r *Remote) replace(l *link, info engine.Info, readers *engine.Readers) (old *link, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-l.down: // over before it began
		return nil, engine.ErrAway
	default:
	}
	if r.closed {
		return nil, engine.ErrAway
	}
	old = r.link
	if l.readers != nil {
		readers = *l.readers
	}
	r.adopt(readers)
	r.link, r.forgotten, r.info = l, false, info
	if r.mirror != nil {
		r.mirror.begin(l)
	}
	if old == nil {
		close(r.back)
	}
	r.reopen(l)
	return old, nil
}

// lost records that a port has ended.
func (r *Remote) lost(l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.link == l {
		r.setAway()
		if r.mirror != nil {
			r.mirror.begin(nil)
		}
	}
}

// setAway forgets the link. The caller holds the lock.
func (r *Remote) setAway() {
	r.link = nil
	if !r.closed {
		r.back = make(chan struct{})
	}
}

// Gone is closed when the port that the Remote has now has ended; at once if it
// has none.
func (r *Remote) Gone() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.link != nil {
		return r.link.down
	}
	gone := make(chan struct{})
	close(gone)
	return gone
}

// Forget stops expecting the engine: its lists become empty, and reads no longer wait
// for it. It may still come back.
func (r *Remote) Forget() {
	if r.forget() {
		r.tasks.dropEnded()
		r.interrupt(r.wanted())
		r.announce(engine.Change{List: true, Prompts: true, Tools: true})
	}
}

// forget reports whether the engine is away.
func (r *Remote) forget() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.link != nil {
		return false // it came back meanwhile
	}
	if !r.forgotten && !r.closed {
		r.forgotten = true
		r.wakeWaiting()
	}
	r.lists.clear()
	return true
}

// Close ends the Remote for good: what waits for it fails.
func (r *Remote) Close() {
	if l := r.close(); l != nil {
		l.conn.Close()
	}
}

// close returns the link to be closed.
func (r *Remote) close() *link {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed && r.link == nil {
		close(r.back)
	}
	r.closed = true
	if r.mirror != nil {
		r.mirror.begin(nil)
	}
	return r.link
}

// present returns the link, or nil and what is closed when there is another one;
// forgotten: none is expected.
func (r *Remote) present() (l *link, back <-chan struct{}, givenUp bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.link, r.back, r.closed || r.forgotten && r.arrivals == 0
}
