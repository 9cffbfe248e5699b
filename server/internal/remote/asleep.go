package remote

import (
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A page sleeps while its browser does not run it: a frozen tab, whose connection lives. Published
// values are read, with their age; everything else fails at once, since only the user can wake it. It
// is not away, and lists are those from before.

// Silent says that the page has answered nothing for a time, although its browser does. It is for pages
// that do not tell that they are stopped, and may be called again and again. The next message of the
// page ends it.
func (r *Remote) Silent(silent time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l := r.link; l != nil && l.asleep.IsZero() {
		l.silent.Store(true)
		l.fallAsleep(time.Now().Add(-silent))
	}
}

// heard is called for each message of the page.
func (r *Remote) heard(l *link) {
	if l.silent.Load() {
		r.wake(l, false)
	}
}

// setAsleep records what the page has told.
func (r *Remote) setAsleep(l *link, asleep bool) {
	if !asleep {
		r.wake(l, true)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	l.told = true
	if l.asleep.IsZero() {
		l.fallAsleep(time.Now())
	}
}

// fallAsleep ends what waits for the page, except calls of tools: they may have taken effect. The
// Remote's mu is held.
func (l *link) fallAsleep(since time.Time) {
	l.asleep = since
	if l.sleeps == nil {
		l.sleeps = make(chan struct{})
	}
	close(l.sleeps)
}

// wake ends the sleep. Only the page itself ends one that it has told.
func (r *Remote) wake(l *link, tells bool) {
	if !r.endSleep(l, tells) {
		return
	}
	r.served.returned(r)
	// Clients may have got fewer lists than there are.
	r.announce(engine.Change{List: true, Prompts: true, Tools: true})
}

// endSleep reports whether the page was asleep.
func (r *Remote) endSleep(l *link, tells bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.silent.Store(false)
	if l.asleep.IsZero() || l.told && !tells {
		return false
	}
	l.asleep, l.told, l.sleeps = time.Time{}, false, nil
	return true
}

// awake returns the link to a page that is there and awake, or nil.
func (r *Remote) awake() *link {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.link == nil || !r.link.asleep.IsZero() {
		return nil
	}
	return r.link
}
