package server

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// A simEvent is one line of a history: what a party did or observed.
type simEvent struct {
	At   time.Duration // since the beginning of the run
	Sent time.Duration // of notes and answers: when the gateway wrote them
	Kind simKind
	Who  string // the client, or the tab
	ID   string // of the subscription, request, document or tool run
	Name string // the name that the gateway gave to the page
	URI  string // as the page knows it
	Text string // the outcome, the kind of call, or what was broken
	// Version is that of the resource: written, or read.
	Version int
	Clean   bool // no fault touched the connection
}

type simKind string

const (
	simWrite     simKind = "write"     // Who: store; a resource has a new version
	simJoin      simKind = "join"      // Who: tab; ID: document; Name; Text: store
	simLeave     simKind = "leave"     // Who: tab; its connection has ended
	simSubscribe simKind = "subscribe" // requested: ID, Name, URI
	simAck       simKind = "ack"       // acknowledged or answered
	simRefused   simKind = "refused"   // it will not exist
	simNote      simKind = "note"      // an `updated` arrived; ID "" if it names no subscription
	simCancel    simKind = "cancel"    // the subscription is over, and the gateway has confirmed it
	simEnd       simKind = "end"       // the stream broke or was ended by the gateway
	simCall      simKind = "call"      // a request: ID, Text: method
	simAnswer    simKind = "answer"    // its answer; Text: "ok" or the error
	simClosed    simKind = "closed"    // the stream of a request ended without an answer
	simGiveUp    simKind = "give up"   // the client cancelled it, and the gateway has confirmed that
	simRun       simKind = "run"       // a tool ran: ID is the call's
	simFault     simKind = "fault"     // Text: which
	simLost      simKind = "lost"      // Who: client or tab; what its connections carry from now on may vanish
	simStream    simKind = "stream"    // Who: client; the stream of its session is open again
	simStart     simKind = "start"     // the gateway runs again
	simCalm      simKind = "calm"      // all faults are over
	simCheck     simKind = "check"     // the system was calm for long: all promises must hold now
	simAlarm     simKind = "alarm"     // a party saw what must never happen: Text
)

// A simHistory collects events.
type simHistory struct {
	began  time.Time
	mu     sync.Mutex
	events []simEvent
}

func (h *simHistory) add(e simEvent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e.At = time.Since(h.began)
	h.events = append(h.events, e)
}

func (h *simHistory) all() []simEvent {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.events)
}

func (e simEvent) String() string {
	return fmt.Sprintf("%12s %-9s %-10s id=%s name=%s uri=%s v=%d sent=%s %s", e.At, e.Kind, e.Who, e.ID, e.Name, e.URI, e.Version, e.Sent, e.Text)
}

// A simViolation names a broken promise and the event that shows it.
type simViolation struct {
	Promise string // "P1" to "P5", "names", "lists", "alarm"
	Event   simEvent
	Why     string
}

func (v simViolation) String() string { return v.Promise + ": " + v.Why + "\n\t" + v.Event.String() }

// A simSubscription is what the checker knows of one (subscription, URI).
type simSubscription struct {
	id, name, uri    string
	requested, acked time.Duration
	ackedAt          bool
	over             time.Duration // cancelled or ended
	isOver           bool
	broken           bool          // it ended by the stream, not by a cancel
	confirmed        time.Duration // when the gateway wrote its answer to the cancel
	note             time.Duration // the last one
	noted            bool
	shared           bool          // notifications do not carry its id: a classic session
	lost             bool          // its stream may be half-open: it is not up (P2)
	fresh            time.Duration // when a stream was opened after that (P4)
}

// checkHistory is independent of the product code. It checks these guarantees:
//
//   - P1 no notification before the acknowledgement, none after a cancellation or close.
//   - P2 after the last change at least one `updated`, while the stream is open.
//   - P3 when a page reconnects in a new document, one `updated` for each URI.
//   - P4 a read returns a version that was current between its request and its response.
//   - P5 one response or a closed stream; none after a cancellation; a tool runs at most
//     once, and no error offers a retry of a call that ran.
//   - names: one page at a time; kept unless another page of the same app takes it over;
//     no new name while one of the same app is free.
//   - lists: one page never delays them, or makes them fail, for longer than lists.
func checkHistory(events []simEvent, lists time.Duration) []simViolation {
	c := &simChecker{
		subs: map[string]*simSubscription{}, stale: map[string]simEvent{}, versions: map[string][]simEvent{},
		stores: map[string]string{}, holders: map[string]simEvent{}, last: map[string]simEvent{},
		lost: map[string]bool{}, left: map[string]time.Duration{}, calls: map[string]*simCallState{}, runs: map[string]int{}, offered: map[string]bool{}, past: map[string]bool{}, live: map[string]simEvent{}, listLimit: lists,
	}
	for _, e := range events {
		c.take(e)
	}
	return c.found
}

type simCallState struct {
	call     simEvent
	answered bool
	over     bool
	given    bool // given up
}

type simChecker struct {
	subs      map[string]*simSubscription // by id and URI
	order     []*simSubscription
	stale     map[string]simEvent      // by name and URI: the last event after which copies are stale
	versions  map[string][]simEvent    // by store and URI: writes
	stores    map[string]string        // by name
	holders   map[string]simEvent      // by name: the tab that joined last
	left      map[string]time.Duration // by name: when its page went
	last      map[string]simEvent      // by tab: its last join
	live      map[string]simEvent      // by tab: the join, while it is connected
	lost      map[string]bool          // clients whose stream may be half-open
	calls     map[string]*simCallState
	runs      map[string]int
	offered   map[string]bool // calls whose error offers a retry
	past      map[string]bool // calls that are over and forgotten
	listLimit time.Duration
	calm      time.Duration
	started   time.Duration // the gateway
	isCalm    bool
	found     []simViolation
}

func (c *simChecker) fail(promise string, e simEvent, why string, args ...any) {
	c.found = append(c.found, simViolation{promise, e, fmt.Sprintf(why, args...)})
}

func (c *simChecker) take(e simEvent) {
	switch e.Kind {
	case simWrite:
		key := e.Who + " " + e.URI
		c.versions[key] = append(c.versions[key], e)
		for name, store := range c.stores {
			if store == e.Who {
				c.stale[name+" "+e.URI] = e
			}
		}
	case simJoin:
		c.join(e)
	case simLeave:
		if c.live[e.Who].ID == e.ID {
			delete(c.live, e.Who)
		}
		if c.holders[e.Name].ID == e.ID { // not an older document of the tab
			c.left[e.Name] = e.At
		}
	case simSubscribe:
		s := &simSubscription{id: e.ID, name: e.Name, uri: e.URI, requested: e.At, shared: e.Text == "classic", lost: c.lost[e.Who]}
		c.subs[e.ID+" "+e.Name+"+"+e.URI] = s
		c.order = append(c.order, s)
	case simAck, simRefused, simCancel, simEnd:
		for _, s := range c.order {
			if s.id == e.ID && (e.URI == "" || s.uri == e.URI && s.name == e.Name) {
				c.progress(s, e)
			}
		}
	case simNote:
		c.note(e)
	case simCall:
		c.calls[e.ID] = &simCallState{call: e}
	case simAnswer, simClosed, simGiveUp:
		c.answer(e)
	case simRun:
		if c.runs[e.ID]++; c.runs[e.ID] > 1 {
			c.fail("P5", e, "the tool ran %d times for one call", c.runs[e.ID])
		}
		switch s := c.calls[e.ID]; {
		case s == nil && !c.past[e.ID]:
			c.fail("P5", e, "the tool ran for a call that was never made")
		case c.offered[e.ID]:
			c.fail("P5", e, "the tool runs after a retry was offered")
		}
	case simFault:
		c.isCalm = false
	case simLost, simStream:
		c.lost[e.Who] = e.Kind == simLost
		delete(c.live, e.Who) // of a tab: the gateway may drop it before the tab notices
		for _, s := range c.order {
			if !s.shared || !strings.HasPrefix(s.id, e.Who+"/") {
				continue
			}
			if s.lost && e.Kind == simStream {
				s.fresh = e.At
			}
			s.lost = e.Kind == simLost
		}
	case simStart:
		c.started = e.At
	case simCalm:
		c.isCalm, c.calm = true, e.At
	case simCheck:
		c.check(e)
	case simAlarm:
		c.fail("alarm", e, "%s", e.Text)
	}
}

func (c *simChecker) progress(s *simSubscription, e simEvent) {
	switch e.Kind {
	case simAck:
		if !s.ackedAt {
			s.acked, s.ackedAt = e.At, true
		}
	case simRefused:
		s.isOver, s.over, s.confirmed = true, e.At, e.At
	default:
		if !s.isOver {
			s.isOver, s.over, s.confirmed, s.broken = true, e.At, e.Sent, e.Kind == simEnd
		}
	}
}

// join checks the promises about names.
func (c *simChecker) join(e simEvent) {
	store := e.Text
	if of, known := c.stores[e.Name]; known && of != store {
		c.fail("names", e, "%s belongs to %s, and was given to %s", e.Name, of, store)
	}
	c.stores[e.Name] = store
	for tab, other := range c.live {
		if tab != e.Who && other.Name == e.Name {
			c.fail("names", e, "%s has it since %s and is connected", tab, other.At)
		}
	}
	// A gateway that has just started gives pages some time to come back.
	if _, known := c.holders[e.Name]; !known && e.At-c.started > simRecovery/2 {
		for name, at := range c.left {
			if c.stores[name] == store && e.At-at > simRecovery {
				c.fail("names", e, "%s belongs to the same app, and its page is gone since %s", name, at)
			}
		}
	}
	delete(c.left, e.Name)
	if before, was := c.last[e.Who]; was && before.Name != e.Name && c.holders[before.Name].Who == e.Who {
		c.fail("names", e, "it was %s, and nobody took that over", before.Name)
	}
	if before, was := c.last[e.Who]; !was || before.ID != e.ID || before.Name != e.Name {
		for _, s := range c.order {
			if s.name == e.Name {
				c.stale[s.name+" "+s.uri] = e // P3: a new document
			}
		}
	}
	c.holders[e.Name], c.last[e.Who], c.live[e.Who] = e, e, e
}

func (c *simChecker) note(e simEvent) {
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
		if s.requested <= e.Sent && (!s.isOver || s.broken || e.Sent <= s.confirmed) {
			covered = true
		}
	}
	if !covered {
		c.fail("P1", e, "no subscription of the session covered it when it was sent")
	}
}

func (c *simChecker) answer(e simEvent) {
	s := c.calls[e.ID]
	if s == nil {
		c.fail("P5", e, "there was no such request")
		return
	}
	switch {
	case e.Kind == simGiveUp:
		s.given = true
		return
	case e.Kind == simAnswer && s.given:
		c.fail("P5", e, "an answer after the cancel")
	case e.Kind == simAnswer && s.answered:
		c.fail("P5", e, "a second answer")
	}
	s.over = true
	if e.Kind == simClosed {
		return
	}
	s.answered = true
	method := s.call.Text
	took := e.At - s.call.At
	if method == "list" && e.Clean {
		if took > c.listLimit {
			c.fail("lists", e, "it took %s", took)
		}
		if e.Text != "ok" && !strings.Contains(e.Text, `"reason":"closed"`) { // the gateway is shutting down
			c.fail("lists", e, "it failed")
		}
	}
	if method == "read" && e.Text == "ok" {
		c.readAnswer(s.call, e)
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
	if c.isCalm && s.call.At > c.calm+simRecovery && (e.Text != "ok" || took > simPrompt) && s.call.Clean {
		c.fail("P5", e, "in calm weather: %s after %s", e.Text, took)
	}
}

const (
	simRecovery = 60 * time.Second // after the last fault, for everything to work again
	simPrompt   = 6 * time.Second  // for a request then
)

// readAnswer checks P4: the version was the newest one at some time between request and
// response.
func (c *simChecker) readAnswer(call, e simEvent) {
	newest := 0
	writes := c.versions[c.stores[e.Name]+" "+e.URI]
	for _, w := range writes {
		if w.At < call.At {
			newest = w.Version
		}
	}
	if e.Version < newest {
		c.fail("P4", e, "version %d was written before the request at %s", newest, call.At)
	}
	if len(writes) == 0 && e.Version != 0 || len(writes) > 0 && e.Version > writes[len(writes)-1].Version {
		c.fail("P4", e, "that version was never written")
	}
}

// check checks P2 and P3, and that no request is pending: the system was calm for long
// enough.
func (c *simChecker) check(e simEvent) {
	here := map[string]bool{}
	for _, join := range c.live {
		if join.At < e.At-simRecovery {
			here[join.Name] = true
		}
	}
	for _, s := range c.order {
		stale, is := c.stale[s.name+" "+s.uri]
		if !is || s.isOver || !s.ackedAt || stale.At <= max(s.acked, s.fresh) || stale.At > e.At-simRecovery || !here[s.name] {
			continue
		}
		if !s.noted || s.note < stale.At {
			promise := "P2"
			if stale.Kind == simJoin {
				promise = "P3"
			}
			c.fail(promise, e, "no `updated` of %s at %s for %s (acknowledged at %s, last note at %s) since:\n\t%s", s.uri, s.name, s.id, s.acked, s.note, stale)
		}
	}
	for id, s := range c.calls {
		if !s.over && !s.given && s.call.At < e.At-simRecovery-2*time.Minute {
			c.fail("P5", s.call, "neither answered nor closed at %s", e.At)
			s.over = true
		}
		if s.over || s.given {
			c.past[id] = true
			delete(c.calls, id) // keeps the walk short; a late answer would be unknown, which is reported too
		}
	}
}
