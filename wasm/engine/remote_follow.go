package engine

import (
	"bytes"
	"context"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A hopListen is a listen of a Remote on its link. A listen's filter cannot
// change: further URIs take a further listen, and when these are many, one takes
// the place of all (gateway.md §1).
type hopListen struct {
	pending *jsonrpc.Pending
	uris    map[string]struct{}
	acked   chan struct{} // closed by the acknowledgement
	isAcked bool
}

// maxHopListens is how many listens a link has before they are joined.
const maxHopListens = 8

// A following is one engine's interest in a Remote.
type following struct {
	remote  *Remote
	changed func(Change)
	uris    map[string]struct{} // nil before the first Want; guarded by the Remote's mu
}

// Follow implements [Follower]. Nothing is subscribed to before the first Want.
func (r *Remote) Follow(ctx context.Context, changed func(Change)) Following {
	f := &following{remote: r, changed: changed}
	r.mu.Lock()
	r.follows[f] = struct{}{}
	r.mu.Unlock()
	context.AfterFunc(ctx, func() {
		r.mu.Lock()
		delete(r.follows, f)
		r.mu.Unlock()
		r.rearm()
	})
	return f
}

// Want implements [Following]. While the engine is away it returns at once: its
// return is announced for every URI.
func (f *following) Want(ctx context.Context, uris []string) error {
	wanted := make(map[string]struct{}, len(uris))
	for _, uri := range uris {
		wanted[uri] = struct{}{}
	}
	r := f.remote
	r.mu.Lock()
	f.uris = wanted
	l := r.link
	if l == nil || l.covers(wanted) {
		r.mu.Unlock()
		return nil
	}
	pass := l.begun + 1 // the next one looks at what is wanted now
	r.mu.Unlock()
	wake(l.wake)
	for {
		r.mu.Lock()
		over, next := l.done >= pass, l.pass
		r.mu.Unlock()
		if over {
			return nil
		}
		select {
		case <-next:
		case <-l.down:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// covers tells whether acknowledged listens exist for all URIs and for the list.
// The Remote's mu is held.
func (l *link) covers(uris map[string]struct{}) bool {
	for _, h := range l.listens {
		if !h.isAcked {
			return false
		}
	}
	for uri := range uris {
		if !l.has(uri) {
			return false
		}
	}
	return len(l.listens) > 0
}

func (l *link) has(uri string) bool {
	for _, h := range l.listens {
		if _, ok := h.uris[uri]; ok {
			return true
		}
	}
	return false
}

// rearm lets keepArmed look again.
func (r *Remote) rearm() {
	r.mu.Lock()
	l := r.link
	r.mu.Unlock()
	if l != nil {
		wake(l.wake)
	}
}

// keepArmed subscribes on a link to all that is wanted, until the link is down.
// again: the engine was here before, so that whatever is watched may have changed.
func (r *Remote) keepArmed(l *link, again bool) {
	for {
		r.arm(l)
		if again {
			again = false
			r.tellAll()
		}
		select {
		case <-l.wake:
		case <-l.down:
			return
		}
	}
}

// arm brings the listens of a link in step with what is wanted.
func (r *Remote) arm(l *link) {
	r.mu.Lock()
	l.begun++
	wanted := map[string]struct{}{}
	anybody := false
	for f := range r.follows {
		anybody = anybody || f.uris != nil
		for uri := range f.uris {
			wanted[uri] = struct{}{}
		}
	}
	missing := make([]string, 0, len(wanted))
	covered := 0
	for _, h := range l.listens {
		covered += len(h.uris)
	}
	for uri := range wanted {
		if !l.has(uri) {
			missing = append(missing, uri)
		}
	}
	stale := covered - (len(wanted) - len(missing))
	var old []*hopListen
	if !anybody || len(l.listens) >= maxHopListens || stale > maxStreamURIs/2+len(wanted) {
		for _, h := range l.listens {
			old = append(old, h)
		}
		missing = missing[:0]
		for uri := range wanted {
			missing = append(missing, uri)
		}
	}
	first := len(l.listens) == 0 || old != nil
	r.mu.Unlock()

	for anybody && (len(missing) > 0 || first) {
		part := missing[:min(len(missing), maxStreamURIs)]
		missing = missing[len(part):]
		if !r.hopListen(l, part, first) {
			break
		}
		first = false
	}
	for _, h := range old { // after the union is acknowledged: twice is harmless, a gap is not
		r.mu.Lock()
		delete(l.listens, h.pending.ID)
		r.mu.Unlock()
		l.conn.Cancel(h.pending)
	}
	r.mu.Lock()
	l.done++
	close(l.pass)
	l.pass = make(chan struct{})
	r.mu.Unlock()
}

// hopListen opens a listen and waits for its acknowledgement; false if there is
// none. The first of a link also asks for changes of the list.
func (r *Remote) hopListen(l *link, uris []string, list bool) bool {
	ctx, cancel := context.WithTimeout(context.Background(), defaultTimeout)
	defer cancel()
	member := []byte(`"notifications":{"resourceSubscriptions":[`)
	h := &hopListen{uris: make(map[string]struct{}, len(uris)), acked: make(chan struct{})}
	for i, uri := range uris {
		if i > 0 {
			member = append(member, ',')
		}
		member = jsonrpc.AppendString(member, uri)
		h.uris[uri] = struct{}{}
	}
	member = append(member, ']')
	if list {
		member = append(member, `,"resourcesListChanged":true,"promptsListChanged":true,"toolsListChanged":true`...)
	}
	pending, err := l.conn.Begin(ctx, "subscriptions/listen", envelope("", append(member, '}')), func(p *jsonrpc.Pending) {
		r.mu.Lock()
		h.pending = p
		l.listens[p.ID] = h
		r.mu.Unlock()
	})
	if err != nil {
		r.ended(l, h)
		return false
	}
	select {
	case <-h.acked:
		go func() { // ends with the listen or the link
			<-pending.Done()
			r.ended(l, h)
		}()
		return true
	case <-pending.Done():
		r.ended(l, h)
	case <-ctx.Done():
		r.ended(l, h)
		l.conn.Cancel(pending)
	}
	return false
}

// ended takes note that a listen is over. If the engine ended it while the link
// lives, it is opened anew.
func (r *Remote) ended(l *link, h *hopListen) {
	r.mu.Lock()
	if h.pending == nil { // the link ended before it was asked for
		r.mu.Unlock()
		return
	}
	_, present := l.listens[h.pending.ID]
	delete(l.listens, h.pending.ID)
	again := present && h.isAcked && r.link == l
	r.mu.Unlock()
	if again {
		wake(l.wake)
	}
}

// notified takes a notification of the other engine. It never blocks.
func (r *Remote) notified(l *link, msg jsonrpc.Message) {
	if r.heard(l, msg) {
		return
	}
	var subscription jsonrpc.ID
	var uri string
	jsonrpc.Members(msg.Params, func(name string, value []byte) *jsonrpc.Error {
		switch name {
		case "uri":
			uri, _ = jsonrpc.Text(value)
		case "_meta":
			jsonrpc.Members(value, func(name string, value []byte) *jsonrpc.Error {
				if name == keySubscription {
					subscription = jsonrpc.ID(bytes.Clone(value))
				}
				return nil
			})
		}
		return nil
	})
	r.mu.Lock()
	h := l.listens[subscription]
	if h == nil { // cancelled meanwhile, or never ours
		r.mu.Unlock()
		return
	}
	if msg.Method == acknowledged && !h.isAcked {
		h.isAcked = true
		close(h.acked)
	}
	r.mu.Unlock()
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

// tell passes a change on to everybody who follows.
func (r *Remote) tell(change Change) {
	r.mu.Lock()
	all := make([]*following, 0, len(r.follows))
	for f := range r.follows {
		all = append(all, f)
	}
	r.mu.Unlock()
	for _, f := range all {
		f.changed(change)
	}
}

// tellAll announces everything that is watched, and the list.
func (r *Remote) tellAll() {
	r.mu.Lock()
	all := map[*following][]string{}
	for f := range r.follows {
		all[f] = nil
		for uri := range f.uris {
			all[f] = append(all[f], uri)
		}
	}
	r.mu.Unlock()
	for f, uris := range all {
		for _, uri := range uris {
			f.changed(Change{URI: uri})
		}
		f.changed(Change{List: true, Prompts: true, Tools: true})
	}
}
