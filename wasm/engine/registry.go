package engine

import (
	"maps"
	"slices"
	"strings"
	"sync"

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
	uris  map[string][]*subscribers // by identity: one for each spelling; never changed in place
	lists map[*subscription]lists
}

// subscribers are the subscriptions to one spelling of a URI, and the notifications about it.
type subscribers struct {
	uri           string            // as clients have spelled it
	subscriptions []*subscription   // never changed in place
	updated       [2]*sink.Document // the notification: classic, modern
}

// maxSpellings is how many spellings of one URI a subscription has: each is searched when it changes.
const maxSpellings = 8

// spelled returns the subscriptions to a spelling, or nil; r.mu is held.
func (r *registry) spelled(uri string) *subscribers {
	for _, w := range r.uris[identityOf(uri)] {
		if w.uri == uri {
			return w
		}
	}
	return nil
}

// watchCost is what a subscription to a URI counts besides the bytes of that.
const watchCost = 256 // bytes

// add subscribes s to a URI; false: its client has too many, or it is closed.
func (r *registry) add(s *subscription, uri string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, has := s.uris[uri]; has {
		return true
	}
	cost := len(uri) + watchCost
	if s.client.watched+cost > s.client.maxWatched() || s.closed {
		return false
	}
	identity, spellings := identityOf(uri), 0
	for _, w := range r.uris[identity] {
		if _, has := s.uris[w.uri]; has {
			spellings++
		}
	}
	if spellings >= maxSpellings {
		return false
	}
	uri = strings.Clone(uri) // it may be part of a request
	if s.uris == nil {
		s.uris = map[string]struct{}{}
	}
	s.uris[uri] = struct{}{}
	s.client.watched += cost
	w := r.spelled(uri)
	if w == nil {
		w = &subscribers{uri: uri}
		if r.uris == nil {
			r.uris = map[string][]*subscribers{}
		}
		others := r.uris[identity]
		r.uris[strings.Clone(identity)] = append(others[:len(others):len(others)], w)
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

// remove ends the subscription of s to a URI: to this spelling, or, if it has another one, to all. It
// returns the spellings, and the Documents that are not used any more.
func (r *registry) remove(s *subscription, uri string) (had []string, unused []*sink.Document) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, has := s.uris[uri]; has {
		return []string{uri}, r.drop(s, uri)
	}
	for _, w := range r.uris[identityOf(uri)] {
		if _, has := s.uris[w.uri]; has && CanonicalURI(w.uri) == CanonicalURI(uri) {
			had = append(had, w.uri)
			unused = append(unused, r.drop(s, w.uri)...)
		}
	}
	return had, unused
}

// removeAll closes s: it is not subscribed to anything any more. Results are those of remove.
func (r *registry) removeAll(s *subscription) (had []string, unused []*sink.Document) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s.closed = true
	for uri := range s.uris {
		had = append(had, uri)
		unused = append(unused, r.drop(s, uri)...)
	}
	delete(r.lists, s)
	return had, unused
}

// drop is remove; r.mu is held.
func (r *registry) drop(s *subscription, uri string) (unused []*sink.Document) {
	delete(s.uris, uri)
	s.client.watched -= len(uri) + watchCost
	w := r.spelled(uri)
	if w == nil {
		return nil
	}
	w.subscriptions = slices.DeleteFunc(slices.Clone(w.subscriptions), func(other *subscription) bool { return other == s })
	if len(w.subscriptions) > 0 {
		return nil
	}
	identity := identityOf(uri)
	if others := r.uris[identity]; len(others) > 1 {
		kept := make([]*subscribers, 0, len(others)-1)
		for _, other := range others {
			if other != w {
				kept = append(kept, other)
			}
		}
		r.uris[identity] = kept
	} else {
		delete(r.uris, identity)
	}
	return w.updated[:]
}

// HasSubscribers reports whether a client is subscribed to a URI. Else nothing follows from
// [Table.Changed].
func (e *Engine) HasSubscribers(uri string) bool { return e.registry.has(uri) }

// isEmpty reports whether nothing is subscribed to.
func (r *registry) isEmpty() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.uris)+len(r.lists) == 0
}

// under returns the registered URIs that begin with prefix, in the canonical form, each once.
func (r *registry) under(prefix string) (uris []string) {
	prefix = identityOf(prefix)
	r.mu.Lock()
	defer r.mu.Unlock()
	for identity, spellings := range r.uris {
		if !strings.HasPrefix(identity, prefix) {
			continue
		}
		first := len(uris)
		for _, w := range spellings {
			if uri := CanonicalURI(w.uri); !slices.Contains(uris[first:], uri) {
				uris = append(uris, uri)
			}
		}
	}
	return uris
}

// topics returns the registered topics under a prefix, and those of lists. There may be some more than once.
func (r *registry) topics(prefix string) (all []Topic) {
	prefix = identityOf(prefix)
	r.mu.Lock()
	defer r.mu.Unlock()
	for s := range r.lists {
		all = append(all, Topic{Who: s.who})
	}
	for identity, spellings := range r.uris {
		if !strings.HasPrefix(identity, prefix) {
			continue
		}
		for _, w := range spellings {
			uri := CanonicalURI(w.uri)
			for _, s := range w.subscriptions {
				all = append(all, Topic{s.who, uri})
			}
		}
	}
	return all
}

// subscribed calls each with the subscriptions to a URI, and its spelling in them.
func (r *registry) subscribed(uri string, each func(s *subscription, spelled string)) {
	for i := 0; ; i++ {
		spelled, all, ok := r.subscribers(uri, i)
		if !ok {
			return
		}
		for _, s := range all {
			each(s, spelled)
		}
	}
}

// subscribers returns the subscriptions to the nth spelling of a URI; the slice is never changed.
func (r *registry) subscribers(uri string, n int) (spelled string, all []*subscription, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if spellings := r.uris[identityOf(uri)]; n < len(spellings) {
		return spellings[n].uri, spellings[n].subscriptions, true
	}
	return "", nil, false
}

// wants reports whether there are subscriptions to a topic, whose URI is canonical: by its principal, or byAnyone.
func (r *registry) wants(t Topic, byAnyone bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	isOf := func(s *subscription) bool { return byAnyone || s.who == t.Who }
	if t.URI == "" {
		for s := range r.lists {
			if isOf(s) {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(r.uris[identityOf(t.URI)], func(w *subscribers) bool {
		return CanonicalURI(w.uri) == t.URI && slices.ContainsFunc(w.subscriptions, isOf)
	})
}

// has reports whether there are subscriptions to a URI.
func (r *registry) has(uri string) bool {
	_, _, ok := r.subscribers(uri, 0)
	return ok
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

// hasSpelled reports whether s is subscribed to a URI in this spelling.
func (r *registry) hasSpelled(s *subscription, uri string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, has := s.uris[uri]
	return has
}

// urisOf returns the URIs that s is subscribed to.
func (r *registry) urisOf(s *subscription) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(s.uris))
}

// updated returns the notification that uri, in this spelling, changed, built once while there are
// subscribers; nil: s is not subscribed to it, or no longer.
func (r *registry) updated(s *subscription, uri string) *sink.Document {
	era := s.era()
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.spelled(uri)
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
