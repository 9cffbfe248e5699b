package engine

import (
	"slices"
	"strings"
	"sync"

	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A registry knows which URIs and lists the clients of an engine are subscribed to,
// and is the only place that does: an interest (interest.go) makes each source
// announce what is registered, and subscription.go finds in it who gets a change.
//
// Its methods may be called concurrently, also with a client's mu held. They call
// neither a Source nor a Sink.
type registry struct {
	mu    sync.Mutex
	uris  map[string]*subscribers
	lists map[*subscription]lists
	kept  map[string]int // URIs whose changes get into the ring of events, and for how many leases; "": all
}

// subscribers are the subscriptions to one URI, and the notifications about it.
type subscribers struct {
	subscriptions []*subscription   // never changed in place
	updated       [2]*sink.Document // the notification: classic, modern
}

// add subscribes s to a URI; false: it has too many, or is closed.
func (r *registry) add(s *subscription, uri string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, has := s.uris[uri]; has {
		return true
	}
	if len(s.uris) >= hop.MaxStreamURIs || s.closed {
		return false
	}
	uri = strings.Clone(uri) // it may be part of a request
	if s.uris == nil {
		s.uris = map[string]struct{}{}
	}
	s.uris[uri] = struct{}{}
	w := r.uris[uri]
	if w == nil {
		w = &subscribers{}
		if r.uris == nil {
			r.uris = map[string]*subscribers{}
		}
		r.uris[uri] = w
	}
	w.subscriptions = append(w.subscriptions[:len(w.subscriptions):len(w.subscriptions)], s)
	return true
}

// addLists subscribes s to lists, instead of those that it had.
func (r *registry) addLists(s *subscription, which lists) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !s.closed && which != 0 {
		if r.lists == nil {
			r.lists = map[*subscription]lists{}
		}
		r.lists[s] = which
	}
}

// remove ends the subscription of s to a URI. It returns the Documents that are not
// used any more.
func (r *registry) remove(s *subscription, uri string) (had bool, unused []*sink.Document) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, had = s.uris[uri]
	return had, r.drop(s, uri)
}

// removeAll closes s: it is not subscribed to anything any more.
func (r *registry) removeAll(s *subscription) (unused []*sink.Document) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s.closed = true
	for uri := range s.uris {
		unused = append(unused, r.drop(s, uri)...)
	}
	delete(r.lists, s)
	return unused
}

// drop is remove; r.mu is held.
func (r *registry) drop(s *subscription, uri string) (unused []*sink.Document) {
	delete(s.uris, uri)
	w := r.uris[uri]
	if w == nil {
		return nil
	}
	w.subscriptions = slices.DeleteFunc(slices.Clone(w.subscriptions), func(other *subscription) bool { return other == s })
	if len(w.subscriptions) > 0 {
		return nil
	}
	delete(r.uris, uri)
	return w.updated[:]
}

// HasSubscribers reports whether a client is subscribed to a URI, or polls for its changes. Else
// nothing follows from [Table.Changed].
func (e *Engine) HasSubscribers(uri string) bool {
	return e.registry.keeps(uri) || e.registry.subscribers(uri) != nil
}

// isEmpty reports whether nothing is subscribed to.
func (r *registry) isEmpty() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.uris)+len(r.lists)+len(r.kept) == 0
}

// keep adds a lease of a URI, or takes one away.
func (r *registry) keep(uri string, by int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept == nil {
		r.kept = map[string]int{}
	}
	if r.kept[uri] += by; r.kept[uri] == 0 {
		delete(r.kept, uri)
	}
}

// keeps reports whether there is a lease of a URI.
func (r *registry) keeps(uri string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept[uri] > 0 || r.kept[""] > 0
}

// under returns the registered URIs that begin with prefix.
func (r *registry) under(prefix string) (uris []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for uri := range r.uris {
		if strings.HasPrefix(uri, prefix) {
			uris = append(uris, uri)
		}
	}
	for uri := range r.kept {
		if uri != "" && r.uris[uri] == nil && strings.HasPrefix(uri, prefix) {
			uris = append(uris, uri)
		}
	}
	return uris
}

// subscribers returns the subscriptions to a URI; the slice is never changed.
func (r *registry) subscribers(uri string) []*subscription {
	r.mu.Lock()
	defer r.mu.Unlock()
	if w := r.uris[uri]; w != nil {
		return w.subscriptions
	}
	return nil
}

// listeners returns the subscriptions to lists, and which of these each has.
func (r *registry) listeners(which lists) map[*subscription]lists {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make(map[*subscription]lists, len(r.lists))
	for s, has := range r.lists {
		all[s] = has & which
	}
	return all
}

// has reports whether s is subscribed to a URI.
func (r *registry) has(s *subscription, uri string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, has := s.uris[uri]
	return has
}

// updated returns the notification that uri changed, built once while there are
// subscribers; nil: s is not subscribed to it, or no longer.
func (r *registry) updated(s *subscription, uri string) *sink.Document {
	era := s.era()
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.uris[uri]
	if _, has := s.uris[uri]; w == nil || !has {
		return nil
	}
	if w.updated[era] == nil {
		params := []byte(`{"uri":`)
		if era == modernEra {
			params = []byte(`{"_meta":{},"uri":`)
		}
		params = append(jsonrpc.AppendString(params, uri), '}')
		w.updated[era] = &sink.Document{JSON: jsonrpc.AppendNotification(nil, MethodUpdated, params), Kept: true}
	}
	return w.updated[era]
}
