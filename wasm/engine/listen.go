package engine

import (
	"context"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/schema"
)

// listen answers subscriptions/listen: it opens a subscription and acknowledges
// what it honours. The request stays open; it ends by a cancel, with the
// channel, or with the engine. MCP 2026-07-28, basic/patterns/subscriptions.
func (e *Engine) listen(ctx context.Context, req *Request) (sink.Result, error) {
	if req.filter == nil {
		return sink.Result{}, BadParams("notifications is missing")
	}
	if req.filter[0] != '{' {
		return sink.Result{}, BadParams("notifications must be an object")
	}
	f, err := schema.ReadFilter(req.filter)
	if err != nil {
		return sink.Result{}, err
	}
	which := lists(f.Lists) & e.options.announced()
	if e.options.NoSubscribe {
		f.URIs = nil
	}
	if !req.mayWait && e.mustArm() {
		return sink.Result{}, errMustWait
	}
	s := &subscription{client: req.client, who: req.who, call: req.call}
	opened := false
	defer func() {
		if !opened { // refused, cancelled meanwhile, or a panic
			req.client.tearDown(func() []*subscription { return []*subscription{s} })
		}
	}()
	var honoured []string
	var wanted []Topic
	others := map[string][]string{} // members of the acknowledgement, of extensions
	isEmpty := f.Lists == 0 && len(f.URIs) == 0
	for _, x := range e.options.Extensions {
		if x.Topics == nil {
			continue
		}
		ids, err := schema.FilterTexts(req.filter, x.Topics.Member)
		if err != nil {
			return sink.Result{}, err
		}
		if ids != nil && !Declares(req.capabilities, x.ID) {
			return sink.Result{}, MissingExtension(x.ID)
		}
		var may []string
		for _, id := range ids {
			if key := x.Topics.Key(id); x.Topics.May(e, req, id) && e.registry.add(s, key) {
				may, wanted = append(may, id), append(wanted, Topic{s.who, key})
				s.enqueue(key) // its present state, once it is acknowledged
			}
		}
		isEmpty = isEmpty && len(ids) == 0
		others[x.Topics.Member] = may
	}
	for _, uri := range f.URIs {
		// Valid, permitted URIs are honoured even if there is no resource yet; the
		// others are left out of the acknowledgement.
		canonical, err := schema.Canonical(uri)
		if err == nil && e.options.Allow(s.who, VerbWatch, canonical) && e.mayWatch(s, canonical) && e.registry.add(s, uri) {
			honoured, wanted = append(honoured, uri), append(wanted, Topic{s.who, canonical})
		}
	}
	if which != 0 {
		e.registry.addLists(s, which)
		wanted = append(wanted, Topic{Who: s.who})
	}
	e.arm(ctx, e.reconcile(wanted...))
	honoured = s.withoutRefused(honoured)
	opened = req.client.acknowledge(req, s, which, honoured, others, isEmpty)
	return sink.Result{}, ErrSent
}

// acknowledge sends the first message of a subscription, then what changed since
// it was made. It returns false if the request is over already, as one that asks for nothing
// is then.
func (c *Client) acknowledge(req *Request, s *subscription, which lists, uris []string, others map[string][]string, isEmpty bool) bool {
	params := emit.JSON(`{"_meta":{},"notifications":{`)
	for i, key := range schema.FilterKeys {
		if which&(1<<i) != 0 {
			params.Name(key)
			params.Text("true")
		}
	}
	addTexts(&params, "resourceSubscriptions", uris)
	for member, ids := range others {
		addTexts(&params, member, ids)
	}
	params.Text("}}")
	doc := &sink.Document{JSON: jsonrpc.AppendNotification(nil, MethodAcknowledged, params)}

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	if req.mayWait && c.running[req.call] == nil {
		return false // cancelled while the sources got ready
	}
	delete(c.running, req.call)
	most := maxStreams
	if c.proxy {
		most = hop.MaxListens
	}
	if c.listens >= most {
		c.sink.Fail(req.call, c.engine.Reason("Too many subscriptions", "busy", true))
		return false
	}
	c.sink.Notify(doc, req.call, sink.OfSubscription)
	if isEmpty {
		c.sink.End(req.call, &sink.Document{JSON: append(c.engine.fixed.Load().begin(0), '}')})
		return false
	}
	c.running[req.call] = &running{listen: s}
	c.listens++
	s.open = true
	s.announce()
	return true
}

// withoutRefused unsubscribes from URIs that their sources refuse, and returns the others.
func (s *subscription) withoutRefused(uris []string) (kept []string) {
	e := s.client.engine
	for _, uri := range uris {
		if !e.isRefused(Topic{s.who, CanonicalURI(uri)}) {
			kept = append(kept, uri)
			continue
		}
		had, unused := e.registry.remove(s, uri)
		e.forget(unused)
		e.reconcile(s.topicsOf(had)...)
	}
	return kept
}

// isRefused reports whether the only source that could announce a topic refuses it.
func (e *Engine) isRefused(t Topic) (refused bool) {
	for _, m := range e.sources() {
		own, ok := m.interest.own(t)
		if m.interest.follower == nil || !ok {
			continue
		}
		follows, _ := m.interest.present()
		if r, ok := follows.(Refuser); !ok || !r.Refuses(own) {
			return false
		}
		refused = true
	}
	return refused
}

// addTexts adds a member that is an array of strings, unless there are none.
func addTexts(o *emit.JSON, name string, texts []string) {
	for i, text := range texts {
		if i == 0 {
			o.Name(name)
		}
		o.Text(emit.Separator(i))
		o.Quote(text)
	}
	if len(texts) > 0 {
		o.Text("]")
	}
}
