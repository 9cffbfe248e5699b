package remote

import (
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/backoff"
)

// Which URIs a link has a listen for, which it lacks, and when it retries. The
// reconciler in listen.go decides by this.

// covers reports whether acknowledged listens exist for the lists and all URIs. The
// Remote's mu is held.
func (l *link) covers(uris map[string]struct{}) bool {
	if !l.coversLists() {
		return false
	}
	for uri := range uris {
		if !l.has(uri) {
			return false
		}
	}
	return true
}

func (l *link) coversLists() bool {
	for _, h := range l.listens {
		if h.isAcked && h.lists {
			return true
		}
	}
	return false
}

// has reports whether a listen for a URI is acknowledged.
func (l *link) has(uri string) bool {
	for _, h := range l.listens {
		if _, ok := h.uris[uri]; ok && h.isAcked {
			return true
		}
	}
	return false
}

// uncover records that a URI is wanted and has no listen, unless it has one or
// that is known. The Remote's mu is held.
func (l *link) uncover(uri string, since time.Time) {
	if _, known := l.uncovered[uri]; !known && !l.has(uri) {
		l.uncovered[uri] = since
	}
}

// uncoverAll records that the Remote's link is new, so that everything that is
// wanted may have changed before it has a listen. The Remote's mu is held.
func (r *Remote) uncoverAll(l *link) {
	for f := range r.follows {
		for uri := range f.uris {
			l.uncovered[uri] = time.Time{}
		}
	}
	l.listsMissed = len(r.follows) > 0
}

// releaseWaiters ends the waits for a link that is down: its return is announced.
func (r *Remote) releaseWaiters(l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.markArmed(^uint64(0))
}

// markArmed closes the channels of those that wait for a generation; the Remote's mu
// is held.
func (l *link) markArmed(generation uint64) {
	kept := l.waiting[:0]
	for _, s := range l.waiting {
		if s.generation <= generation {
			close(s.done)
		} else {
			kept = append(kept, s)
		}
	}
	clear(l.waiting[len(kept):])
	l.waiting = kept
}

// allowRefused makes a link request again what the other engine has refused.
func (r *Remote) allowRefused(l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(l.refused)
	l.listsRefused = false
}

// settled records that a link is in step with a generation.
func (r *Remote) settled(l *link, generation uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.markArmed(generation)
}

// startBackOff delays the next attempt after a failure.
func (r *Remote) startBackOff(l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.backOff()
}

// retryDelay returns how long to wait before trying again.
func (r *Remote) retryDelay(l *link) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(time.Until(l.retryAt), time.Millisecond)
}

// backOff: the Remote's mu is held.
func (l *link) backOff() {
	delay, wait := backoff.Next(l.delay, l.failedAt)
	l.delay, l.failedAt = delay, time.Now()
	l.retryAt = l.failedAt.Add(wait)
}

// markUncovered records that listeners may be acknowledged before URIs, or the lists,
// have a listen.
func (r *Remote) markUncovered(l *link, uris []string, lists bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, uri := range uris {
		if !l.has(uri) {
			l.uncovered[uri] = time.Time{}
		}
	}
	l.listsMissed = l.listsMissed || lists && !l.coversLists()
}

// listenRefused records that the other engine answered a listen with an error. It is
// sent again later.
func (r *Remote) listenRefused(l *link, uris []string, lists bool) {
	r.startBackOff(l)
	r.updateCoverage(l, uris, lists)
}

// listenAcknowledged records that a listen was acknowledged. The other engine may have
// granted a part of it only; the rest is requested later.
func (r *Remote) listenAcknowledged(l *link, h *upstreamListen, uris []string, lists bool) {
	if r.updateCoverage(l, uris, lists) {
		r.startBackOff(l)
	}
	if len(h.uris) == 0 && !h.lists {
		r.cancel(l, []*upstreamListen{h})
	}
}

// updateCoverage records which URIs of a listen are covered now, and announces those that
// may have changed without one. What is not covered yet is announced when it is, and
// once at the beginning of a link, which may be to another document than before.
func (r *Remote) updateCoverage(l *link, uris []string, lists bool) (refused bool) {
	var changed, ended []string
	var listsChanged bool
	defer func() { // with the lock released
		r.interrupt(ended)
		r.announceAll(changed, listsChanged)
	}()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, uri := range uris {
		since, uncovered := l.uncovered[uri]
		// Clients are acknowledged after ArmTimeout, listen or not.
		late := uncovered && time.Since(since) > engine.ArmTimeout/2
		if l.has(uri) {
			delete(l.uncovered, uri)
			delete(l.refused, uri)
		} else {
			refused = true
			if engine.TaskOfURI(uri) != "" {
				ended = append(ended, uri)
			}
			l.refused[uri] = struct{}{}
			l.uncovered[uri] = time.Time{}
			late = late && !l.hadAnswer
		}
		if late {
			changed = append(changed, uri)
		}
	}
	switch {
	case !lists:
	case l.coversLists():
		listsChanged, l.listsMissed = l.listsMissed, false
	default:
		listsChanged = l.listsMissed && !l.hadAnswer
		refused, l.listsRefused, l.listsMissed = true, true, true
	}
	l.hadAnswer = true
	return refused
}

// listenEnded records that a listen is over. Unless this side ended it, it is opened
// again after a delay.
func (r *Remote) listenEnded(l *link, h *upstreamListen) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if h.pending == nil || l.listens[h.pending.ID] != h {
		return // it was never sent, or cancelled
	}
	delete(l.listens, h.pending.ID)
	if !h.isAcked || r.link != l {
		return
	}
	l.backOff()
	for uri := range h.uris {
		if !l.has(uri) {
			l.refused[uri] = struct{}{}
			l.uncovered[uri] = time.Time{}
		}
	}
	if h.lists && !l.coversLists() {
		l.listsRefused, l.listsMissed = true, true
	}
	l.replan()
}
