package engine

import (
	"time"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
)

// From a change of a source to the notifications: Engine.changed finds the
// subscriptions, and each sends them at its own pace.

// changed passes a change of a source to the subscriptions that it concerns, if
// policy still allows it. It never blocks.
func (e *Engine) changed(m *mount, change Change) {
	if which := change.lists(); which != 0 {
		e.announceListsOf(&change, m.prefix, which)
	}
	switch uri := m.prefix + change.URI; {
	case change.URI == "":
	case change.Under:
		for _, uri := range e.registry.under(uri) {
			e.announce(&change, uri)
		}
	default:
		e.announce(&change, uri)
	}
}

func (e *Engine) announce(change *Change, uri string) {
	uri = CanonicalURI(uri)
	e.registry.subscribed(uri, func(s *subscription, spelled string) {
		if change.isFor(s.who) && e.options.Allow(s.who, VerbWatch, uri) && e.mayWatch(s, uri) {
			s.enqueue(spelled)
		}
	})
}

// mayWatch reports whether the grants let the owner of a subscription hear of changes of a resource.
func (e *Engine) mayWatch(s *subscription, uri string) bool {
	return s.client.isOwnPage() || e.grants.Load().MayWatch(s.who, uri)
}

// announceLists enqueues a notification in each subscription to these lists, if the client
// may see those of the source at prefix.
func (e *Engine) announceLists(prefix string, which lists) {
	e.announceListsOf(&Change{}, prefix, which)
}

func (e *Engine) announceListsOf(change *Change, prefix string, which lists) {
	for s, which := range e.registry.listeners(which & e.options.announced()) {
		if !change.isFor(s.who) || !e.seesLists(s.who, prefix) {
			continue
		}
		if !s.client.isOwnPage() {
			which &= e.grants.Load().lists(s.who)
		}
		s.enqueueLists(which)
	}
}

func (s *subscription) enqueueLists(which lists) {
	for i, key := range listKeys {
		if which&(1<<i) != 0 {
			s.enqueue(key)
		}
	}
}

// A subscription is one listen, or the subscriptions of one classic session. What
// waits to be sent is a set of URIs: it is bounded however often they change and
// however slow the client is. In it, listKeys stand for the lists.
type subscription struct {
	client *Client
	who    Principal
	call   sink.Call // of the listen; 0: a classic session

	// Guarded by the registry's mu.
	uris   map[string]struct{}
	closed bool

	// Guarded by the client's mu.
	open    bool                // acknowledged: notifications may be sent
	pending map[string]struct{} // to be sent when it opens, or at the next tick
	recent  map[string]struct{} // sent since the last tick
	states  map[string]uint64   // hashes of the last notifications about tasks: a state is sent once
	tick    *time.Timer         // runs while recent or pending has anything
	ended   bool
}

// Indexes of the two forms of a notification.
const (
	classicEra = iota
	modernEra
)

func (s *subscription) era() int {
	if s.call != 0 {
		return modernEra
	}
	return classicEra
}

// unsubscribe removes a URI. No notification about it follows.
func (s *subscription) unsubscribe(uri string) {
	e := s.client.engine
	had, unused := e.registry.remove(s, uri)
	e.forget(unused)
	for _, spelled := range had {
		s.withdraw(spelled)
	}
	e.reconcile(s.topics(had)...)
}

// topics returns those of URIs, as clients have spelled them.
func (s *subscription) topics(spelled []string) []Topic {
	topics := make([]Topic, len(spelled))
	for i, uri := range spelled {
		topics[i] = Topic{s.who, CanonicalURI(uri)}
	}
	return topics
}

// withdraw removes what is pending about uri.
func (s *subscription) withdraw(uri string) {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	delete(s.pending, uri)
}

// end ends s: no notification follows. The client's mu is held; leave has to be called afterwards.
func (s *subscription) end() {
	s.ended, s.pending, s.recent = true, nil, nil
	if s.tick != nil {
		s.tick.Stop()
	}
}

// leave takes s, which has ended, out of the registry.
func (s *subscription) leave() {
	e := s.client.engine
	had, unused := e.registry.removeAll(s)
	e.forget(unused)
	e.reconcile(append(s.topics(had), Topic{Who: s.who})...)
}

// activate starts the notifications of s, beginning with the URIs that changed before.
func (s *subscription) activate() {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	s.open = true
	s.flush()
}

// enqueue sends that uri changed: at once, or at the next tick if that was sent since the
// last one.
func (s *subscription) enqueue(uri string) {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	if s.ended || s.client.closed {
		return
	}
	if _, sent := s.recent[uri]; sent || !s.open {
		if s.pending == nil {
			s.pending = map[string]struct{}{}
		}
		s.pending[uri] = struct{}{}
		return
	}
	s.send(uri)
}

// flush sends what is pending; the client's mu is held.
func (s *subscription) flush() {
	if !s.open || s.ended {
		return
	}
	pending := s.pending
	s.pending = nil
	for uri := range pending {
		s.send(uri)
	}
}

// send sends one notification and remembers it until the next tick; the client's
// mu is held.
func (s *subscription) send(uri string) {
	doc := s.notification(uri)
	if doc == nil || s.client.closed {
		return // no longer subscribed
	}
	s.client.sink.Notify(doc, s.call)
	if s.recent == nil {
		s.recent = map[string]struct{}{}
	}
	s.recent[uri] = struct{}{}
	if s.tick == nil {
		s.tick = time.AfterFunc(s.client.engine.options.UpdateInterval, s.next)
	} else if len(s.recent) == 1 {
		s.tick.Reset(s.client.engine.options.UpdateInterval)
	}
}

// notification returns the one about uri, or about the list that a key stands for;
// nil: s is not subscribed to it any more.
func (s *subscription) notification(uri string) *sink.Document {
	e := s.client.engine
	for i, key := range listKeys {
		if uri == key {
			return e.fixed.Load().listChanged[i][s.era()]
		}
	}
	if TaskOfURI(uri) != "" {
		return e.taskNotification(s, uri)
	}
	return e.registry.updated(s, uri)
}

// next is the tick: it sends what was held back, which may be sent again after the
// next one. The ticking stops when nothing is held back.
func (s *subscription) next() {
	s.client.engine.safely("a Sink", func() {
		s.client.mu.Lock()
		defer s.client.mu.Unlock()
		clear(s.recent)
		s.flush()
	})
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

// lists is a set of the lists that a [Change] can concern, in the order of schema.FilterKeys.
type lists uint8

const (
	resourcesList lists = 1 << iota
	promptsList
	toolsList
	allLists = resourcesList | promptsList | toolsList
)

// listKeys stand for lists where URIs are, in the order of [lists]. None is a URI.
var listKeys = [...]string{"", "prompts", "tools"}

// lists returns which lists a change concerns.
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
