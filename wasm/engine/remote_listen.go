package engine

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"time"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Which URIs are wanted of the other engine, over all engines that mount the
// Remote, and which listens a link has for them: gateway.md §1. One goroutine for
// each link, keepListening, brings the listens in step with what is wanted. Each
// change of what is wanted has a number, the Remote's generation; the goroutine
// works until it has settled the newest one.
//
//   - A listen is cancelled only after those that replace it are acknowledged.
//   - One that is refused, ended, or not acknowledged in time is sent again, with
//     back-off, until it is acknowledged or no longer wanted.
//   - URIs that were without a listen meanwhile are announced as changed when they
//     have one again.

// A hopListen is a listen of a Remote on its link. A listen's filter cannot
// change: further URIs take a further listen, and when these are many, one takes
// the place of all.
type hopListen struct {
	pending *jsonrpc.Pending
	uris    map[string]struct{} // asked for; after the acknowledgement: acknowledged
	lists   bool                // asks for changes of the lists
	acked   chan struct{}       // closed by the acknowledgement
	isAcked bool
}

const (
	maxHopListens = 8                // listens of a link before they are joined
	hopAckTimeout = 30 * time.Second // for the other engine to acknowledge a listen
)

// A following is one engine's interest in a Remote.
type following struct {
	remote  *Remote
	changed func(Change)
	uris    map[string]struct{} // nil before the first Want; guarded by the Remote's mu
}

// A settling waits until a generation is settled.
type settling struct {
	generation uint64
	done       chan struct{}
}

// Follow implements [Follower]. Nothing is subscribed to before the first Want.
func (r *Remote) Follow(ctx context.Context, changed func(Change)) Following {
	f := &following{remote: r, changed: changed}
	r.add(f)
	context.AfterFunc(ctx, func() { r.remove(f) })
	return f
}

func (r *Remote) add(f *following) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.follows[f] = struct{}{}
}

func (r *Remote) remove(f *following) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.follows, f)
	r.touch()
}

// Want implements [Following]. While the engine is away there is nothing to wait
// for: its return is announced for every URI.
func (f *following) Want(uris []string) (armed <-chan struct{}) {
	wanted := make(map[string]struct{}, len(uris))
	for _, uri := range uris {
		wanted[uri] = struct{}{}
	}
	r := f.remote
	r.mu.Lock()
	defer r.mu.Unlock()
	f.uris = wanted
	r.touch()
	l := r.link
	if l == nil || l.covers(wanted) {
		return nil
	}
	for uri := range wanted {
		l.uncover(uri, time.Now())
	}
	s := settling{r.generation, make(chan struct{})}
	l.waiting = append(l.waiting, s)
	return s.done
}

// touch takes note that what is wanted has changed; r.mu is held.
func (r *Remote) touch() {
	r.generation++
	if r.link != nil {
		wake(r.link.wake)
	}
}

// covers tells whether acknowledged listens exist for the lists and all URIs. The
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

// has tells whether a listen for a URI is acknowledged.
func (l *link) has(uri string) bool {
	for _, h := range l.listens {
		if _, ok := h.uris[uri]; ok && h.isAcked {
			return true
		}
	}
	return false
}

// uncover takes note that a URI is wanted and has no listen, unless it has one or
// that is known. The Remote's mu is held.
func (l *link) uncover(uri string, since time.Time) {
	if _, known := l.uncovered[uri]; !known && !l.has(uri) {
		l.uncovered[uri] = since
	}
}

// uncoverAll takes note that the Remote's link is new, so that everything that is
// wanted may have changed before it has a listen. The Remote's mu is held.
func (r *Remote) uncoverAll(l *link) {
	for f := range r.follows {
		for uri := range f.uris {
			l.uncovered[uri] = time.Time{}
		}
	}
	l.listsMissed = len(r.follows) > 0
}

// keepListening brings the listens of a link in step with what is wanted, until
// the link is down.
func (r *Remote) keepListening(l *link) {
	defer r.release(l)
	for {
		retry := r.reconcile(l)
		select {
		case <-l.wake:
		case <-retry:
			r.forgive(l)
		case <-l.down:
			return
		}
	}
}

// release lets go of what waits for a link that is down: its return is announced.
func (r *Remote) release(l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.settle(^uint64(0))
}

// settle closes the channels of those that wait for a generation; the Remote's mu
// is held.
func (l *link) settle(generation uint64) {
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

// forgive lets a link ask again for what the other engine has refused.
func (r *Remote) forgive(l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(l.refused)
	l.listsRefused = false
}

// A plan is what is to be done to bring a link in step.
type plan struct {
	generation uint64
	open       [][]string    // a listen for each
	lists      bool          // the first of them asks for the lists
	old        []*hopListen  // to be cancelled when all of open are acknowledged
	retry      time.Duration // after which there is more to do; 0: nothing
}

// reconcile does what is to be done, and returns a channel that says when to try
// again; nil: there is no need.
func (r *Remote) reconcile(l *link) (retry <-chan time.Time) {
	for {
		p := r.plan(l)
		opened, failure := r.openAll(l, p)
		switch failure {
		case nil:
			r.cancel(l, p.old)
			if p.open != nil {
				continue // is there more to do by now?
			}
			r.settled(l, p.generation)
			if p.retry > 0 {
				return time.After(p.retry)
			}
			return nil
		case errRefused: // clients need not wait any longer
			r.settled(l, p.generation)
		}
		if p.old != nil {
			r.cancel(l, opened) // the old ones stay, and the whole is asked for again
		}
		return time.After(r.untilAgain(l))
	}
}

// openAll opens the listens of a plan, until one fails.
func (r *Remote) openAll(l *link, p plan) (opened []*hopListen, failure error) {
	for i, part := range p.open {
		h, err := r.open(l, part, p.lists && i == 0)
		if err != nil {
			for _, rest := range p.open[i+1:] {
				r.overdue(l, rest, false)
			}
			return opened, err
		}
		opened = append(opened, h)
	}
	return opened, nil
}

// plan compares what is wanted with the listens of a link.
func (r *Remote) plan(l *link) plan {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := plan{generation: r.generation}
	wanted := map[string]struct{}{}
	followed := false
	for f := range r.follows {
		followed = followed || f.uris != nil
		for uri := range f.uris {
			wanted[uri] = struct{}{}
		}
	}
	maps.DeleteFunc(l.uncovered, func(uri string, _ time.Time) bool { _, still := wanted[uri]; return !still })
	maps.DeleteFunc(l.refused, func(uri string, _ struct{}) bool { _, still := wanted[uri]; return !still })
	all := make([]*hopListen, 0, len(l.listens))
	covered := map[string]struct{}{}
	for _, h := range l.listens {
		all = append(all, h)
		for uri := range h.uris {
			covered[uri] = struct{}{}
		}
	}
	if !followed {
		p.old = all
		return p
	}
	var missing, kept []string
	for uri := range wanted {
		_, has := covered[uri]
		_, refused := l.refused[uri]
		switch {
		case has:
			kept = append(kept, uri)
		case !refused:
			missing = append(missing, uri)
		}
	}
	if (len(l.refused) > 0 || l.listsRefused) && l.delay > 0 {
		p.retry = max(time.Until(l.again), time.Millisecond)
	}
	p.lists = !l.coversLists() && !l.listsRefused
	if stale := len(covered) - len(kept); stale > maxStreamURIs/2+len(wanted) ||
		len(all) >= maxHopListens && (len(missing) > 0 || p.lists) {
		p.old, p.lists = all, !l.listsRefused
		missing = append(missing, kept...)
	}
	for len(missing) > 0 || p.lists && p.open == nil || p.old != nil && p.open == nil {
		part := missing[:min(len(missing), maxStreamURIs)]
		missing = missing[len(part):]
		p.open = append(p.open, part)
	}
	return p
}

var (
	errSilent  = errors.New("a listen was not acknowledged in time")
	errRefused = errors.New("a listen was refused")
)

// open opens a listen and waits for its acknowledgement. The error is errRefused
// if the other engine has answered, and errSilent if it has not.
func (r *Remote) open(l *link, uris []string, lists bool) (*hopListen, error) {
	ctx, cancel := context.WithTimeout(context.Background(), hopAckTimeout)
	defer cancel()
	h := &hopListen{uris: make(map[string]struct{}, len(uris)), lists: lists, acked: make(chan struct{})}
	for _, uri := range uris {
		h.uris[uri] = struct{}{}
	}
	pending, err := l.conn.Begin(ctx, "subscriptions/listen", envelope("", listenMembers(uris, lists)), func(p *jsonrpc.Pending) {
		r.expect(l, h, p)
	})
	if err != nil {
		r.ended(l, h)
		r.overdue(l, uris, lists)
		r.failed(l)
		return nil, errSilent
	}
	woken := false
	defer func() {
		if woken {
			wake(l.wake)
		}
	}()
	for {
		select {
		case <-h.acked:
			go func() { // ends with the listen or the link
				<-pending.Done()
				r.ended(l, h)
			}()
			r.cover(l, h, uris, lists)
			return h, nil
		case <-pending.Done():
			r.ended(l, h)
			if _, err := pending.Answer(); !errors.Is(err, jsonrpc.ErrClosed) {
				r.refuse(l, uris, lists)
			}
			return nil, errRefused
		case <-l.wake:
			woken = true
			if r.isFollowed() {
				continue
			}
			l.conn.Cancel(pending)
			r.ended(l, h)
			return nil, errRefused
		case <-ctx.Done():
			l.conn.Cancel(pending)
			r.ended(l, h)
			r.overdue(l, uris, lists)
			r.failed(l)
			return nil, errSilent
		}
	}
}

// listenMembers returns the members of params of a listen.
func listenMembers(uris []string, lists bool) []byte {
	member := []byte(`"notifications":{"resourceSubscriptions":[`)
	for i, uri := range uris {
		if i > 0 {
			member = append(member, ',')
		}
		member = jsonrpc.AppendString(member, uri)
	}
	member = append(member, ']')
	if lists {
		member = append(member, `,"resourcesListChanged":true,"promptsListChanged":true,"toolsListChanged":true`...)
	}
	return append(member, '}')
}

// expect takes note of a listen before it is sent.
func (r *Remote) expect(l *link, h *hopListen, p *jsonrpc.Pending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h.pending = p
	l.listens[p.ID] = h
}

func (r *Remote) isFollowed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for f := range r.follows {
		if f.uris != nil {
			return true
		}
	}
	return false
}

// settled takes note that a link is in step with a generation.
func (r *Remote) settled(l *link, generation uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.settle(generation)
}

// failed takes note of a failure.
func (r *Remote) failed(l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.backOff()
}

// untilAgain returns how long to wait before trying again.
func (r *Remote) untilAgain(l *link) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(time.Until(l.again), time.Millisecond)
}

// backOff: the Remote's mu is held.
func (l *link) backOff() {
	delay, wait := backOff(l.delay, l.failedAt)
	l.delay, l.failedAt = delay, time.Now()
	l.again = l.failedAt.Add(wait)
}

// overdue takes note that listeners may be acknowledged before URIs, or the lists,
// have a listen.
func (r *Remote) overdue(l *link, uris []string, lists bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, uri := range uris {
		if !l.has(uri) {
			l.uncovered[uri] = time.Time{}
		}
	}
	l.listsMissed = l.listsMissed || lists && !l.coversLists()
}

// refuse takes note that the other engine answered a listen with an error. It is
// asked again later.
func (r *Remote) refuse(l *link, uris []string, lists bool) {
	r.failed(l)
	r.answered(l, uris, lists)
}

// cover takes note that a listen was acknowledged. The other engine may have
// granted a part of it only; it is asked for the rest later.
func (r *Remote) cover(l *link, h *hopListen, uris []string, lists bool) {
	if r.answered(l, uris, lists) {
		r.failed(l)
	}
	if len(h.uris) == 0 && !h.lists {
		r.cancel(l, []*hopListen{h})
	}
}

// answered takes note of what of a listen is covered now and what is not, and
// announces what may have changed without one. What is not covered yet is
// announced when it is; but once at the beginning of a link, which may be to
// another document than before.
func (r *Remote) answered(l *link, uris []string, lists bool) (refused bool) {
	var changed []string
	var listsChanged bool
	defer func() { r.announce(changed, listsChanged) }() // with the lock released
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, uri := range uris {
		since, uncovered := l.uncovered[uri]
		// Clients are acknowledged after ArmTimeout, listen or not.
		late := uncovered && time.Since(since) > ArmTimeout/2
		if l.has(uri) {
			delete(l.uncovered, uri)
			delete(l.refused, uri)
		} else {
			refused = true
			l.refused[uri] = struct{}{}
			l.uncovered[uri] = time.Time{}
			late = late && !l.answered
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
		listsChanged = l.listsMissed && !l.answered
		refused, l.listsRefused, l.listsMissed = true, true, true
	}
	l.answered = true
	return refused
}

// announce tells followers that URIs, or the lists, may have changed.
func (r *Remote) announce(uris []string, lists bool) {
	for _, uri := range uris {
		r.tell(Change{URI: uri})
	}
	if lists {
		r.tell(Change{List: true, Prompts: true, Tools: true})
	}
}

// cancel cancels listens.
func (r *Remote) cancel(l *link, all []*hopListen) {
	for _, h := range all {
		r.drop(l, h)
		l.conn.Cancel(h.pending)
	}
}

func (r *Remote) drop(l *link, h *hopListen) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(l.listens, h.pending.ID)
}

// ended takes note that a listen is over. If it was not by this side, it is opened
// anew after a while.
func (r *Remote) ended(l *link, h *hopListen) {
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
	wake(l.wake)
}

// notified takes a notification of the other engine. It never blocks.
func (r *Remote) notified(l *link, msg jsonrpc.Message) {
	if r.heard(l, msg) {
		return
	}
	var subscription jsonrpc.ID
	var uri string
	var filter []byte
	jsonrpc.Members(msg.Params, func(name string, value []byte) *jsonrpc.Error {
		switch name {
		case "uri":
			uri, _ = jsonrpc.Text(value)
		case "notifications":
			filter = value
		case "_meta":
			subscription = jsonrpc.ID(bytes.Clone(jsonrpc.Member(value, keySubscription)))
		}
		return nil
	})
	if !r.belongs(l, subscription, msg.Method == acknowledged, filter) {
		return
	}
	switch msg.Method {
	case updated:
		r.tell(Change{URI: uri})
	case listMethods[0]:
		r.tell(Change{List: true})
	case listMethods[1]:
		r.tell(Change{Prompts: true})
	case listMethods[2]:
		r.tell(Change{Tools: true})
	}
}

// belongs tells whether a notification is of a listen of ours, which may have been
// cancelled meanwhile. An acknowledgement leaves it the URIs that it names.
func (r *Remote) belongs(l *link, subscription jsonrpc.ID, acknowledges bool, filter []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := l.listens[subscription]
	if h == nil {
		return false
	}
	if !acknowledges || h.isAcked {
		return true
	}
	h.isAcked = true
	close(h.acked)
	if filter == nil { // no engine of ours: all is granted
		return true
	}
	granted, err := readFilter(filter)
	asked := h.uris
	h.uris = make(map[string]struct{}, len(asked))
	for _, uri := range granted.uris {
		if _, ok := asked[uri]; ok && err == nil {
			h.uris[uri] = struct{}{}
		}
	}
	h.lists = h.lists && err == nil && granted.lists != 0
	return true
}

// tell passes a change on to all followers.
func (r *Remote) tell(change Change) {
	for _, f := range r.followers() {
		f.changed(change)
	}
}

func (r *Remote) followers() []*following {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]*following, 0, len(r.follows))
	for f := range r.follows {
		all = append(all, f)
	}
	return all
}
