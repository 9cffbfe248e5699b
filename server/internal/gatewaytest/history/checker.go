package history

import (
	"fmt"
	"strings"
	"time"
)

// A Violation names a broken promise and the event that shows it.
type Violation struct {
	Promise string // "P1" to "P5", "names", "lists", "reads", "tools", "codes", "alarm"
	Event   Event
	Why     string
}

func (v Violation) String() string { return v.Promise + ": " + v.Why + "\n\t" + v.Event.String() }

// A subscription is what the checker knows of one (subscription, URI).
type subscription struct {
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

// Rules are the times and extras of a test. A zero field means that it is not checked.
type Rules struct {
	Lists    time.Duration // that a list may take, whatever one page does
	Recovery time.Duration // required: after the last fault, for everything to work again
	Prompt   time.Duration // required: for a request then
	Patience time.Duration // required: beyond Recovery, after which a request must be over
	Delay    time.Duration // that Event.Sent of a notification may be late

	// Lag is how long a write may take to reach the gateway, which answers reads of published values by
	// itself: as long as the connection of a page may be dead without being closed.
	Lag time.Duration

	// Reads says that reads are answered by their page also during faults.
	Reads bool

	// Tools says that tools are answered by their page also during faults.
	Tools bool

	// Whole says that streams of requests do not break in calm weather.
	Whole bool

	// Codes are those with which the gateway may close the sockets of pages, besides
	// Replaced.
	Codes []int
}

// Replaced is the close code of a page whose document was replaced by a newer one.
const Replaced = 4409

// Violations judges a history. It is independent of the product code. It checks:
//
//   - P1 no notification before the acknowledgement, none after a cancellation or close.
//   - P2 after the last change at least one `updated`, while the stream is open.
//   - P3 when a page reconnects in a new document, one `updated` for each URI.
//   - P4 a read returns a version that was current between its request, or Lag before, and its
//     response, and none that is older than what was read of that page before.
//   - P5 one response or a closed stream; none after a cancellation, and no response of
//     another page; a tool runs at most once, and no error offers a retry of a call that ran.
//   - names: one page at a time; kept unless another page of the same app takes it over;
//     no new name while one of the same app is free.
//   - lists, reads, tools, codes: see Rules.
func Violations(events []Event, rules Rules) []Violation {
	c := &checker{
		rules: rules, read: map[string]Event{}, subs: map[string]*subscription{}, stale: map[string]Event{}, versions: map[string][]Event{},
		stores: map[string]string{}, holders: map[string]Event{}, last: map[string]Event{},
		lost: map[string]bool{}, left: map[string]time.Duration{}, calls: map[string]*callState{}, runs: map[string]int{},
		offered: map[string]bool{}, past: map[string]bool{}, live: map[string]Event{}, joins: map[string][]Event{},
	}
	for _, e := range events {
		c.take(e)
	}
	c.codes()
	return c.found
}

type callState struct {
	call     Event
	answered bool
	over     bool
	given    bool // given up
}

type checker struct {
	rules    Rules
	read     map[string]Event         // the response with the newest version so far, by page and URI
	subs     map[string]*subscription // by id and URI
	order    []*subscription
	stale    map[string]Event         // by name and URI: the last event after which copies are stale
	versions map[string][]Event       // by store and URI: writes
	stores   map[string]string        // by name
	holders  map[string]Event         // by name: the tab that joined last
	left     map[string]time.Duration // by name: when its page went
	last     map[string]Event         // by tab: its last join
	live     map[string]Event         // by tab: the join, while it is connected
	lost     map[string]bool          // clients whose stream may be half-open
	calls    map[string]*callState
	runs     map[string]int
	offered  map[string]bool    // calls whose error offers a retry
	past     map[string]bool    // calls that are over and forgotten
	joins    map[string][]Event // by name
	closed   []Event            // leaves
	calm     time.Duration
	started  time.Duration // the gateway
	isCalm   bool
	found    []Violation
}

func (c *checker) fail(promise string, e Event, why string, args ...any) {
	c.found = append(c.found, Violation{promise, e, fmt.Sprintf(why, args...)})
}

func (c *checker) take(e Event) {
	switch e.Kind {
	case Write:
		key := e.Who + " " + e.URI
		c.versions[key] = append(c.versions[key], e)
		for name, store := range c.stores {
			if store == e.Who {
				c.stale[name+" "+e.URI] = e
			}
		}
	case Join:
		c.join(e)
	case Leave:
		if c.live[e.Who].ID == e.ID {
			delete(c.live, e.Who)
		}
		c.closed = append(c.closed, e)
		if c.holders[e.Name].ID == e.ID { // not an older document of the tab
			c.left[e.Name] = e.At
		}
	case Subscribe:
		s := &subscription{id: e.ID, name: e.Name, uri: e.URI, requested: e.At, shared: e.Text == "classic", lost: c.lost[e.Who]}
		c.subs[e.ID+" "+e.Name+"+"+e.URI] = s
		c.order = append(c.order, s)
	case Ack, Refused, Cancel, End:
		for _, s := range c.order {
			if s.id == e.ID && (e.URI == "" || s.uri == e.URI && s.name == e.Name) {
				c.progress(s, e)
			}
		}
	case Note:
		c.note(e)
	case Call:
		c.calls[e.ID] = &callState{call: e}
	case Answer, Closed, GiveUp:
		c.answer(e)
	case Run:
		if c.runs[e.ID]++; c.runs[e.ID] > 1 {
			c.fail("P5", e, "the tool ran %d times for one call", c.runs[e.ID])
		}
		switch s := c.calls[e.ID]; {
		case s == nil && !c.past[e.ID]:
			c.fail("P5", e, "the tool ran for a call that was never made")
		case c.offered[e.ID]:
			c.fail("P5", e, "the tool runs after a retry was offered")
		}
	case Fault:
		c.isCalm = false
	case Lost, Stream:
		c.lost[e.Who] = e.Kind == Lost
		delete(c.live, e.Who) // of a tab: the gateway may drop it before the tab notices
		for _, s := range c.order {
			if !s.shared || !strings.HasPrefix(s.id, e.Who+"/") {
				continue
			}
			if s.lost && e.Kind == Stream {
				s.fresh = e.At
			}
			s.lost = e.Kind == Lost
		}
	case Start:
		c.started = e.At
	case Calm:
		c.isCalm, c.calm = true, e.At
	case Check:
		c.check(e)
	case Alarm:
		c.fail("alarm", e, "%s", e.Text)
	}
}

func (c *checker) progress(s *subscription, e Event) {
	switch e.Kind {
	case Ack:
		if !s.ackedAt {
			s.acked, s.ackedAt = e.At, true
		}
	case Refused:
		s.isOver, s.over, s.confirmed = true, e.At, e.At
	default:
		if !s.isOver {
			s.isOver, s.over, s.confirmed, s.broken = true, e.At, e.Sent, e.Kind == End
		}
	}
}

// join checks the promises about names.
func (c *checker) join(e Event) {
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
	if _, known := c.holders[e.Name]; !known && e.At-c.started > c.rules.Recovery/2 {
		for name, at := range c.left {
			if c.stores[name] == store && e.At-at > c.rules.Recovery {
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
	c.joins[e.Name] = append(c.joins[e.Name], e)
}
