package remote

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/schema"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Followers of a Remote, and the changes that they get of the other engine;
// listen.go subscribes to these.

// A following is one engine's interest in a Remote.
type following struct {
	remote  *Remote
	changed func(engine.Change)
	report  func(error)
	uris    map[string]struct{} // nil before the first Want; guarded by the Remote's mu
}

// An armedWaiter waits until a generation is settled.
type armedWaiter struct {
	generation uint64
	done       chan struct{}
}

// Follow implements [engine.Follower]. Nothing is subscribed to before the first Want.
func (r *Remote) Follow(ctx context.Context, changed func(engine.Change)) engine.Following {
	f := &following{remote: r, changed: changed}
	f.report, _ = ctx.Value(hop.Report{}).(func(error))
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

// Want implements [engine.Following]. While the engine is away there is nothing to wait
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
	s := armedWaiter{r.generation, make(chan struct{})}
	l.waiting = append(l.waiting, s)
	return s.done
}

// Refuses implements [engine.Refuser].
func (f *following) Refuses(uri string) bool {
	f.remote.mu.Lock()
	defer f.remote.mu.Unlock()
	if f.remote.link == nil {
		return false
	}
	_, refused := f.remote.link.refused[uri]
	return refused
}

// touch records that what is wanted has changed; r.mu is held.
func (r *Remote) touch() {
	r.generation++
	if r.link != nil {
		r.link.replan()
	}
}

// followed returns the URIs that are wanted.
func (r *Remote) followed() (uris []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for f := range r.follows {
		uris = slices.AppendSeq(uris, maps.Keys(f.uris))
	}
	return uris
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

// announceAll announces to followers that URIs, or the lists, may have changed.
func (r *Remote) announceAll(uris []string, lists bool) {
	for _, uri := range uris {
		r.announce(engine.Change{URI: uri})
	}
	if lists {
		r.announce(engine.Change{List: true, Prompts: true, Tools: true})
	}
}

// notified handles a notification of the other engine. It never blocks.
func (r *Remote) notified(l *link, msg jsonrpc.Message) {
	if r.forwardUpdate(l, msg) {
		return
	}
	if msg.Method == hop.DeclaredChanged {
		r.rediscover(l)
		return
	}
	if msg.Method == hop.NotifyValue {
		if r.mirrors(l) {
			r.mirror.changed(l, msg.Params)
		}
		return
	}
	if msg.Method == hop.NotifyAsleep {
		r.setAsleep(l, string(jsonrpc.Member(msg.Params, "asleep")) == "true")
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
			subscription = jsonrpc.ID(bytes.Clone(jsonrpc.Member(value, hop.KeySubscription)))
		}
		return nil
	})
	if !r.belongs(l, subscription, msg.Method == engine.MethodAcknowledged, filter) {
		return
	}
	switch msg.Method {
	case engine.MethodTask:
		r.taskNotified(l, msg.Params)
	case engine.MethodUpdated:
		if !r.hold(l, uri) {
			r.announce(engine.Change{URI: uri})
		}
	case engine.MethodResourcesChanged:
		r.announce(engine.Change{List: true})
	case engine.MethodPromptsChanged:
		r.announce(engine.Change{Prompts: true})
	case engine.MethodToolsChanged:
		r.announce(engine.Change{Tools: true})
	}
}

// belongs reports whether a notification is of a listen of ours, which may have been
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
	granted, err := schema.ReadFilter(filter)
	asked := h.uris
	h.uris = make(map[string]struct{}, len(asked))
	for _, id := range granted.Tasks {
		granted.URIs = append(granted.URIs, engine.TaskURI(id))
	}
	for _, uri := range granted.URIs {
		if _, ok := asked[uri]; ok && err == nil {
			h.uris[uri] = struct{}{}
		}
	}
	h.lists = h.lists && err == nil && granted.Lists != 0
	return true
}

// announce passes a change to all followers.
func (r *Remote) announce(change engine.Change) {
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

// survive, deferred by a goroutine of a link, keeps a panic from ending the process:
// it costs the link.
func (r *Remote) survive(l *link) {
	if p := recover(); p != nil {
		r.report(jsonrpc.Panicked(p))
		l.conn.Close()
	}
}

// report passes an error to one of the engines that follow the Remote: a gateway has
// several that report to one place.
func (r *Remote) report(err error) {
	for _, f := range r.followers() {
		if f.report != nil {
			f.report(err)
			return
		}
	}
}
