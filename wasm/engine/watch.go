package engine

import (
	"context"
	"strings"
	"sync"
)

// A watch is the engine's interest in the changes of one mount: begun for the
// first listener, ended after the last.
type watch struct {
	mu      sync.Mutex
	cancel  context.CancelFunc // nil: not watching
	follows Following          // of a Follower
}

// hooker is a source that can be watched at once, without a goroutine: a Table.
type hooker interface {
	hook(changed func(Change)) (unhook func())
}

// start begins watching, unless it has begun. It does not wait.
func (w *watch) start(e *Engine, m *mount) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel != nil {
		return
	}
	changed := func(change Change) { e.changed(m, change) }
	switch s := m.source.(type) {
	case hooker:
		w.cancel = s.hook(changed)
	case Follower:
		ctx, cancel := context.WithCancel(context.Background())
		w.cancel = cancel
		w.follows = s.Follow(ctx, changed)
	case Watcher:
		ctx, cancel := context.WithCancel(context.Background())
		w.cancel = cancel
		go func() { // ends with ctx
			if err := s.Watch(ctx, changed); err != nil && ctx.Err() == nil {
				e.options.Report(err)
			}
		}()
	default:
		w.cancel = func() {}
	}
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel != nil {
		w.cancel()
	}
	w.cancel, w.follows = nil, nil
}

func (w *watch) following() Following {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.follows
}

// rewatch watches every mount while there are listeners, and none otherwise; and
// tells Followers in the background what is wanted of them.
func (e *Engine) rewatch() {
	e.mu.Lock()
	listeners := len(e.watched) + len(e.listing)
	e.mu.Unlock()
	for _, m := range e.sources() {
		if listeners == 0 {
			m.watch.stop()
			continue
		}
		m.watch.start(e, m)
		if f := m.watch.following(); f != nil {
			go func() { // ends when the source is armed, or after the timeout
				ctx, cancel := context.WithTimeout(context.Background(), armTimeout)
				defer cancel()
				f.Want(ctx, e.wantedOf(m))
			}()
		}
	}
}

// mustArm tells whether a new listener has to wait for a Follower.
func (e *Engine) mustArm() bool {
	for _, m := range e.sources() {
		if _, ok := m.source.(Follower); ok {
			return true
		}
	}
	return false
}

// arm watches every mount, and waits until all Followers announce what is wanted
// now: whoever is acknowledged after it misses nothing. A page that is away
// counts as armed, since its return is announced anyway; so does one that is
// slower than armTimeout.
func (e *Engine) arm(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, armTimeout)
	defer cancel()
	var waiting sync.WaitGroup
	for _, m := range e.sources() {
		m.watch.start(e, m)
		if f := m.watch.following(); f != nil {
			waiting.Go(func() { f.Want(ctx, e.wantedOf(m)) })
		}
	}
	waiting.Wait()
}

// wantedOf returns the watched URIs under a mount's prefix, as the source knows
// them.
func (e *Engine) wantedOf(m *mount) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var uris []string
	for uri := range e.watched {
		if len(uri) > len(m.prefix) && uri[:len(m.prefix)] == m.prefix {
			uris = append(uris, uri[len(m.prefix):])
		}
	}
	return uris
}

// changed takes what a source says. It never blocks.
func (e *Engine) changed(m *mount, change Change) {
	if which := change.lists(); which != 0 {
		e.announceLists(which)
	}
	if change.URI == "" {
		return
	}
	uri := m.prefix + change.URI
	if !change.Under {
		e.announce(uri)
		return
	}
	e.mu.Lock()
	var uris []string
	for watched := range e.watched {
		if strings.HasPrefix(watched, uri) {
			uris = append(uris, watched)
		}
	}
	e.mu.Unlock()
	for _, uri := range uris {
		e.announce(uri)
	}
}

// announce tells those who watch uri, and still may, that it may have changed.
func (e *Engine) announce(uri string) {
	e.mu.Lock()
	var all []*subscription
	if w := e.watched[uri]; w != nil {
		all = w.subscriptions
	}
	e.mu.Unlock()
	for _, s := range all {
		if e.options.Allow(s.who, VerbWatch, uri) {
			s.offer(uri)
		}
	}
}

// lists returns which lists a change is about.
func (c Change) lists() (which lists) {
	if c.List {
		which |= resourcesList
	}
	if c.Prompts {
		which |= promptsList
	}
	if c.Tools {
		which |= toolsList
	}
	return which
}

// announceLists tells those who asked that lists may have changed.
func (e *Engine) announceLists(which lists) {
	which &= e.options.announced()
	e.mu.Lock()
	all := make(map[*subscription]lists, len(e.listing))
	for s, wants := range e.listing {
		all[s] = wants & which
	}
	e.mu.Unlock()
	for s, which := range all {
		for i, key := range listKeys {
			if which&(1<<i) != 0 {
				s.offer(key)
			}
		}
	}
}

// announced returns the lists whose changes are announced: those of what is
// offered.
func (o *Options) announced() lists {
	which := resourcesList
	if o.Prompts {
		which |= promptsList
	}
	if o.Tools {
		which |= toolsList
	}
	if o.NoListChanged {
		which = 0
	}
	return which
}
