package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A subscription is one listen, or what one classic session subscribed to. What
// waits to be said is a set of URIs: however often they change and however slow
// the client is, it grows no further. In it, listKeys stand for the lists.
type subscription struct {
	client *Client
	who    Principal
	call   sink.Call // of the listen; 0: a classic session

	// Guarded by the engine's mu.
	uris   map[string]struct{}
	closed bool

	// Guarded by the client's mu.
	open    bool                // acknowledged: may speak
	pending map[string]struct{} // to be said when it opens, or at the next tick
	recent  map[string]struct{} // said since the last tick
	tick    *time.Timer         // runs while recent or pending has anything
	ended   bool
}

// listKeys stand for lists where URIs are, in the order of [lists]. None is a URI.
var listKeys = [...]string{"", "prompts", "tools"}

// watchers are the subscriptions that have one URI, and the notifications for it.
type watchers struct {
	subscriptions []*subscription   // never changed in place
	updated       [2]*sink.Document // the notification: classic, modern
}

// addURI adds a URI to a subscription, unless it has too many.
func (e *Engine) addURI(s *subscription, uri string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, has := s.uris[uri]; has {
		return true
	}
	if len(s.uris) >= maxStreamURIs || s.closed {
		return false
	}
	uri = strings.Clone(uri) // it may be part of a request
	if s.uris == nil {
		s.uris = map[string]struct{}{}
	}
	s.uris[uri] = struct{}{}
	w := e.watched[uri]
	if w == nil {
		w = &watchers{}
		e.watched[uri] = w
	}
	w.subscriptions = append(w.subscriptions[:len(w.subscriptions):len(w.subscriptions)], s)
	return true
}

// removeURI removes a URI from a subscription. No notification about it follows.
func (e *Engine) removeURI(s *subscription, uri string) {
	if e.release(s, uri) {
		s.withdraw(uri)
		e.reconcile()
	}
}

// release is the part of removeURI that the engine's mu guards.
func (e *Engine) release(s *subscription, uri string) (had bool) {
	var unused []*sink.Document
	defer func() { e.forget(unused) }() // with the lock released
	e.mu.Lock()
	defer e.mu.Unlock()
	_, had = s.uris[uri]
	unused = e.drop(s, uri)
	return had
}

// withdraw takes back what is pending about uri.
func (s *subscription) withdraw(uri string) {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	delete(s.pending, uri)
}

// drop removes s from the watchers of uri, and returns the Documents that are not
// used any more; e.mu is held.
func (e *Engine) drop(s *subscription, uri string) []*sink.Document {
	delete(s.uris, uri)
	w := e.watched[uri]
	if w == nil {
		return nil
	}
	w.subscriptions = slices.DeleteFunc(slices.Clone(w.subscriptions), func(other *subscription) bool { return other == s })
	if len(w.subscriptions) > 0 {
		return nil
	}
	delete(e.watched, uri)
	return w.updated[:]
}

func (e *Engine) wantLists(s *subscription, which lists) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !s.closed && which != 0 {
		e.listing[s] = which
	}
}

// close ends s: nothing more is said.
func (s *subscription) close() {
	e := s.client.engine
	e.releaseAll(s)
	s.end()
	e.reconcile()
}

// releaseAll is close for what the engine's mu guards.
func (e *Engine) releaseAll(s *subscription) {
	var unused []*sink.Document
	defer func() { e.forget(unused) }() // with the lock released
	e.mu.Lock()
	defer e.mu.Unlock()
	s.closed = true
	for uri := range s.uris {
		unused = append(unused, e.drop(s, uri)...)
	}
	delete(e.listing, s)
}

// end is close for what the client's mu guards.
func (s *subscription) end() {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	s.ended = true
	if s.tick != nil {
		s.tick.Stop()
	}
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
	doc := s.client.engine.notificationFor(s, uri)
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

// next is the tick: what was held back is said, and may be said again after the
// next one. Without anything to hold back the ticking stops.
func (s *subscription) next() {
	s.client.engine.safely("a Sink", func() {
		s.client.mu.Lock()
		defer s.client.mu.Unlock()
		clear(s.recent)
		s.flush()
	})
}

// notificationFor returns the notification about uri, made once while anybody
// watches it, or nil if s does not: it may have unsubscribed a moment ago.
func (e *Engine) notificationFor(s *subscription, uri string) *sink.Document {
	isModern, era := s.call != 0, 0
	if isModern {
		era = 1
	}
	for i, key := range listKeys {
		if uri == key {
			return e.fixed.Load().listChanged[i][era]
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	w := e.watched[uri]
	if _, wants := s.uris[uri]; w == nil || !wants {
		return nil
	}
	if w.updated[era] == nil {
		params := []byte(`{"uri":`)
		if isModern {
			params = []byte(`{"_meta":{},"uri":`)
		}
		params = append(jsonrpc.AppendString(params, uri), '}')
		w.updated[era] = &sink.Document{JSON: jsonrpc.AppendNotification(nil, updated, params), Kept: true}
	}
	return w.updated[era]
}
