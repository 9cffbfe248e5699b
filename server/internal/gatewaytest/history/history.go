// Package history records what the pages and clients of a gateway do and see, and judges
// that against the promises P1 to P5, which [Violations] lists. It is for tests: the simulation
// in server records by a fake clock.
package history

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// An Event is one line of a history: what a party did or observed.
type Event struct {
	At      time.Duration // since the beginning of the run
	Sent    time.Duration // of notes and answers: when the gateway wrote them; of joins: when they began
	Kind    Kind
	Who     string // the client, or the tab
	ID      string // of the subscription, request, document or tool run
	Name    string // the name that the gateway gave to the page
	URI     string // as the page knows it
	Text    string // the outcome, the kind of call, or what was broken
	Version int    // of the resource: written, or read
	Store   string // of answers to reads: whose data it is; may be empty
	Code    int    // of leaves: with which the gateway has closed the socket, or -1; 0 if it is not recorded
	Socket  int    // of joins and leaves: the number of the socket, counted by joins; may be 0
	Clean   bool   // no fault touched the connection
}

// A Kind says what has happened, and which members of the event count.
type Kind string

const (
	Write     Kind = "write"     // Who: store; a resource has a new version
	Join      Kind = "join"      // Who: tab; ID: document; Name; Text: store
	Leave     Kind = "leave"     // Who: tab; its connection has ended
	Subscribe Kind = "subscribe" // requested: ID, Name, URI
	Ack       Kind = "ack"       // acknowledged or answered
	Refused   Kind = "refused"   // it will not exist
	Note      Kind = "note"      // an `updated` arrived; ID "" if it names no subscription
	Cancel    Kind = "cancel"    // the subscription is over, and the gateway has confirmed it
	End       Kind = "end"       // the stream broke or was ended by the gateway
	Call      Kind = "call"      // a request: ID, Text: method
	Answer    Kind = "answer"    // its answer; Text: "ok" or the error
	Closed    Kind = "closed"    // the stream of a request ended without an answer
	GiveUp    Kind = "give up"   // the client cancelled it, and the gateway has confirmed that
	Run       Kind = "run"       // a tool ran: ID is the call's
	Fault     Kind = "fault"     // Text: which
	Lost      Kind = "lost"      // Who: client or tab; what its connections carry from now on may vanish
	Stream    Kind = "stream"    // Who: client; the stream of its session is open again
	Start     Kind = "start"     // the gateway runs again
	Calm      Kind = "calm"      // all faults are over
	Check     Kind = "check"     // the system was calm for long: all promises must hold now
	Alarm     Kind = "alarm"     // a party saw what must never happen: Text
)

// A History collects events. Its methods may be called concurrently.
type History struct {
	Began time.Time // Event.At counts from here

	mu     sync.Mutex
	events []Event
}

// Add adds an event, and sets its At to now.
func (h *History) Add(e Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e.At = time.Since(h.Began)
	h.events = append(h.events, e)
}

// All returns the events in their order.
func (h *History) All() []Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.events)
}

func (e Event) String() string {
	return fmt.Sprintf("%12s %-9s %-10s id=%s name=%s uri=%s v=%d sent=%s %s", e.At, e.Kind, e.Who, e.ID, e.Name, e.URI, e.Version, e.Sent, e.Text)
}
