package history

import (
	"slices"
	"sort"
	"strings"
)

func (c *checker) note(e Event) {
	if e.ID != "" {
		s := c.subs[e.ID+" "+e.Name+"+"+e.URI]
		switch {
		case s == nil:
			c.fail("P1", e, "it was not subscribed to")
		case !s.ackedAt:
			c.fail("P1", e, "before the acknowledgement")
		case s.isOver:
			c.fail("P1", e, "the subscription ended at %s", s.over)
		default:
			s.note, s.noted = e.At, true
		}
		return
	}
	covered := false
	for _, s := range c.order {
		if !s.shared || !strings.HasPrefix(s.id, e.Who+"/") || s.uri != e.URI || s.name != e.Name {
			continue
		}
		s.note, s.noted = e.At, true
		if s.requested <= e.Sent && (!s.isOver || s.broken || e.Sent-c.rules.Delay <= s.confirmed) {
			covered = true
		}
	}
	if !covered {
		c.fail("P1", e, "no subscription of the session covered it when it was sent")
	}
}

func (c *checker) answer(e Event) {
	s := c.calls[e.ID]
	if s == nil {
		c.fail("P5", e, "there was no such request")
		return
	}
	switch {
	case e.Kind == GiveUp:
		s.given = true
		return
	case e.Kind == Answer && s.given:
		c.fail("P5", e, "an answer after the cancel")
	case e.Kind == Answer && s.answered:
		c.fail("P5", e, "a second answer")
	}
	s.over = true
	isCalm := c.isCalm && s.call.At > c.calm+c.rules.Recovery && s.call.Clean
	if e.Kind == Closed {
		if isCalm && c.rules.Whole {
			c.fail("P5", e, "the stream broke in calm weather")
		}
		return
	}
	s.answered = true
	method := s.call.Text
	took := e.At - s.call.At
	if method == "list" && e.Clean && c.rules.Lists > 0 {
		if took > c.rules.Lists {
			c.fail("lists", e, "it took %s", took)
		}
		if e.Text != "ok" && !strings.Contains(e.Text, `"reason":"closed"`) { // the gateway is shutting down
			c.fail("lists", e, "it failed")
		}
	}
	if method == "read" && e.Text == "ok" {
		c.readAnswer(s.call, e)
	}
	if e.Text != "ok" && (method == "read" && c.rules.Reads || method == "tool" && c.rules.Tools) {
		c.fail(method+"s", e, "it failed")
	}
	if method == "tool" && strings.Contains(e.Text, `"retry":true`) {
		c.offered[e.ID] = true
		if c.runs[e.ID] > 0 {
			c.fail("P5", e, "a retry is offered, and the tool ran")
		}
	}
	if method == "tool" && e.Text == "ok" && c.runs[e.ID] != 1 {
		c.fail("P5", e, "answered, and the tool ran %d times", c.runs[e.ID])
	}
	// In calm weather everything works, soon.
	if isCalm && (e.Text != "ok" || took > c.rules.Prompt) {
		c.fail("P5", e, "in calm weather: %s after %s", e.Text, took)
	}
}

// readAnswer checks P4: the version was the newest one at some time between request, or Lag before it,
// and response, and not older than one that was read before.
func (c *checker) readAnswer(call, e Event) {
	store := c.stores[e.Name]
	if e.Store != "" && e.Store != store {
		c.fail("P5", e, "%s belongs to %s, and %s has answered", e.Name, store, e.Store)
		return
	}
	newest := 0
	writes := c.versions[store+" "+e.URI]
	if before := sort.Search(len(writes), func(i int) bool { return writes[i].At >= call.At-c.rules.Lag }); before > 0 {
		newest = writes[before-1].Version
	}
	if e.Version < newest {
		c.fail("P4", e, "version %d was written before the request at %s", newest, call.At)
	}
	before := c.read[e.Name+" "+e.URI]
	if e.Version < before.Version && before.At < call.At {
		c.fail("P4", e, "version %d was read before the request at %s", before.Version, call.At)
	}
	if e.Version >= before.Version {
		c.read[e.Name+" "+e.URI] = e
	}
	if len(writes) == 0 && e.Version != 0 || len(writes) > 0 && e.Version > writes[len(writes)-1].Version {
		c.fail("P4", e, "that version was never written")
	}
}

// check checks P2 and P3, and that no request is pending: the system was calm for long
// enough.
func (c *checker) check(e Event) {
	here := map[string]bool{}
	for _, join := range c.live {
		if join.At < e.At-c.rules.Recovery {
			here[join.Name] = true
		}
	}
	for _, s := range c.order {
		stale, is := c.stale[s.name+" "+s.uri]
		if !is || s.isOver || !s.ackedAt || stale.At <= max(s.acked, s.fresh) || stale.At > e.At-c.rules.Recovery || !here[s.name] {
			continue
		}
		if !s.noted || s.note < stale.At {
			promise := "P2"
			if stale.Kind == Join {
				promise = "P3"
			}
			c.fail(promise, e, "no `updated` of %s at %s for %s (acknowledged at %s, last note at %s) since:\n\t%s", s.uri, s.name, s.id, s.acked, s.note, stale)
		}
	}
	for id, s := range c.calls {
		if !s.over && !s.given && s.call.At < e.At-c.rules.Recovery-c.rules.Patience {
			c.fail("P5", s.call, "neither answered nor closed at %s", e.At)
			s.over = true
		}
		if s.over || s.given {
			c.past[id] = true
			delete(c.calls, id) // keeps the walk short; a late answer would be unknown, which is reported too
		}
	}
}

// codes checks why sockets of pages were closed, after all events: the join that replaces
// a page may be recorded later than the end of the page.
func (c *checker) codes() {
	for _, e := range c.closed {
		switch {
		case e.Code == Replaced:
			if !slices.ContainsFunc(c.joins[e.Name], func(join Event) bool { return join.Socket > e.Socket && join.Sent < e.At }) {
				c.fail("codes", e, "it was replaced, and no other page had begun to join after it")
			}
		case c.rules.Codes != nil && e.Code != 0 && !slices.Contains(c.rules.Codes, e.Code):
			c.fail("codes", e, "the gateway has closed a page with %d", e.Code)
		}
	}
}
