package engine

import (
	"hash/maphash"
	"time"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
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

// A subscription is one listen, or the subscriptions of one classic session.
type subscription struct {
	client *Client
	who    Principal
	call   sink.Call // of the listen; 0: a classic session

	// Guarded by the registry's mu.
	uris   map[string]struct{}
	closed bool

	// Guarded by the client's mu.
	open   bool                   // acknowledged: notifications may be sent
	topics map[string]*dirtyTopic // that have changed, or were sent within the interval; listKeys stand for the lists
	ended  bool
}

// A dirtyTopic is what a client is notified about, from its change until the interval after the
// notification is over. It waits in the Sink once, and notifies of all that changes until it is
// taken, so what waits is bounded however slow the client is. The client's mu guards it.
type dirtyTopic struct {
	of    *subscription
	key   string
	dirty bool // has changed since the last notification
	waits bool // in the Sink, or until then
	until time.Time
	state uint64 // hash of the state that the client has been told, of a topic of an extension
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
	e.reconcile(s.topicsOf(had)...)
}

// topicsOf returns those of URIs, as clients have spelled them.
func (s *subscription) topicsOf(spelled []string) []Topic {
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
	delete(s.topics, uri)
}

// end ends s: no notification follows. The client's mu is held; leave has to be called afterwards.
func (s *subscription) end() { s.ended, s.topics = true, nil }

// leave takes s, which has ended, out of the registry.
func (s *subscription) leave() {
	e := s.client.engine
	had, unused := e.registry.removeAll(s)
	e.forget(unused)
	e.reconcile(append(s.topicsOf(had), Topic{Who: s.who})...)
}

// activate starts the notifications of s, beginning with what has changed before.
func (s *subscription) activate() {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	s.open = true
	s.announce()
}

// announce announces what has changed; the client's mu is held, here and below.
func (s *subscription) announce() {
	for _, t := range s.topics {
		t.announce()
	}
}

// enqueue has the client notified that uri changed: now, or when the interval since the last
// notification is over.
func (s *subscription) enqueue(uri string) {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	if s.ended || s.client.closed {
		return
	}
	t := s.topics[uri]
	if t == nil {
		if s.topics == nil {
			s.topics = map[string]*dirtyTopic{}
		}
		t = &dirtyTopic{of: s, key: uri}
		s.topics[uri] = t
	}
	t.dirty = true
	t.announce()
}

// announce passes a topic to the Sink, if it has changed and need not wait.
func (t *dirtyTopic) announce() {
	if c := t.of.client; t.dirty && !t.waits && t.of.open && !c.held {
		t.waits = true
		c.sink.Announce(t)
	}
}

// Take implements [sink.Topic].
func (t *dirtyTopic) Take() (*sink.Document, sink.Call) {
	t.waits = false
	s := t.of
	if s.topics[t.key] != t || s.client.held { // withdrawn; or Hold announces it
		return nil, 0
	}
	t.dirty = false
	doc := t.notification()
	if doc == nil {
		delete(s.topics, t.key)
		return nil, 0
	}
	t.waits = true
	s.client.rest(t)
	return doc, s.call
}

// rest has t wait for the interval.
func (c *Client) rest(t *dirtyTopic) {
	interval := c.engine.options.UpdateInterval
	t.until = time.Now().Add(interval)
	c.resting = append(c.resting, t)
	switch {
	case c.tick == nil:
		c.tick = time.AfterFunc(interval, c.restIsOver)
	case len(c.resting) == 1:
		c.tick.Reset(interval)
	}
}

// restIsOver announces what has changed while it waited for the interval.
func (c *Client) restIsOver() {
	c.engine.safely("a Sink", func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for len(c.resting) > 0 {
			t := c.resting[0]
			if left := time.Until(t.until); left > 0 {
				c.tick.Reset(left)
				return
			}
			c.resting = c.resting[1:]
			if t.waits = false; t.dirty {
				t.announce()
			} else if t.of.topics[t.key] == t {
				delete(t.of.topics, t.key)
			}
		}
		c.resting = nil // its memory
	})
}

// notification returns the one about a topic; nil: its subscription has ended, or the client knows the state already,
// which it gets when it begins to listen and by each change, that may be one.
func (t *dirtyTopic) notification() *sink.Document {
	s, uri := t.of, t.key
	e := s.client.engine
	for i, key := range listKeys {
		if uri == key {
			return e.fixed.Load().listChanged[i][s.era()]
		}
	}
	x := e.topicsOf(uri)
	if x == nil {
		return e.registry.updated(s, uri)
	}
	if !e.registry.hasSpelled(s, uri) {
		return nil
	}
	method, members := x.State(e, s.who, uri)
	told := t.state
	if t.state = maphash.Bytes(stateSeed, members); members == nil || t.state == told {
		return nil
	}
	return &sink.Document{JSON: jsonrpc.AppendNotification(nil, method, append(append([]byte(`{"_meta":{},`), members...), '}'))}
}

var stateSeed = maphash.MakeSeed()

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
