package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/clock"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Times of the directory.
const (
	askTime    = 250 * time.Millisecond  // for all nodes to answer a question
	lateTime   = 5 * time.Second         // answers count that long
	startTime  = 1500 * time.Millisecond // for the first heartbeat of another node to arrive
	greetTime  = 250 * time.Millisecond  // for all nodes to answer the greeting of a newcomer
	spreadTime = 5 * time.Second         // in which all pages are announced again
	minBatch   = 1_000                   // of these, or of repeated questions, in one tick
)

// A bus is what the directory needs of NATS besides publishing.
type bus interface {
	carrier

	// Subscribe lets messages of subject be passed to directory.handle.
	Subscribe(subject string) (unsubscribe func(), err error)

	// Flush returns when the server has processed what was sent before.
	Flush(ctx context.Context) error

	IsConnected() bool
}

// A directory knows the other nodes and their pages. All its state belongs to one
// goroutine, which runs the functions in commands, handle and tick: it has no locks, and
// callbacks have an order. Nothing in that goroutine waits.
type directory struct {
	node     string
	subjects subjects
	bus      bus
	links    *links
	self     func() heartbeat // its fixed parts, and whether the node is ready
	now      func() time.Time // wall clock: epochs are comparable between nodes
	started  time.Time        // of the first connection
	ticked   time.Time
	askTime  time.Duration

	commands chan func()
	ended    chan struct{} // closed after the last command

	owners    map[string]*ownerState
	members   map[string]*member
	strangers map[string]time.Time // when nodes were heard that have no common key
	questions map[string]*asking
	announce  []*holding   // to be announced again, some in each tick
	ask       []string     // owners whose question is to be repeated, likewise
	askOne    []askOf      // likewise, to one node
	unsettled atomic.Int64 // when a node was last lost, drained or started; in ns since links.started
	draining  bool
	connected bool        // it was, at least once
	accepted  bool        // this node can serve with the others
	problem   func(error) // gets why this node cannot serve with the others, or nil

	hasStream  func(subject string) bool             // whether this node has the stream of a session
	returned   func()                                // is called when a node is heard again that was silent
	mismatched func(node, release string, err error) // gets another node that cannot serve together with this one
}

// An ownerState is what the directory knows of one owner. It exists while the node has a
// page, a follower or a question of that owner.
type ownerState struct {
	holdings    map[string]*holding    // own pages, by key
	others      map[string]*remotePage // pages of other nodes, by key, while there are followers
	followers   map[*follower]struct{}
	pending     int // calls of Hold
	unsubscribe func()
}

// A holding is a page of this node.
type holding struct {
	page  gateway.Page
	epoch int64
}

type remotePage struct {
	held  gateway.Held
	heard time.Time
}

type follower struct{ changed func(gateway.Held) }

// An asking is a question that was sent.
type asking struct {
	id      string
	owner   string
	sent    time.Time
	waits   map[string]struct{} // nodes that have not answered
	all     bool                // waits is complete: done can be closed before askTime
	done    chan struct{}
	closed  bool
	stream  bool              // a node has the stream of the session in question
	highest map[string]int64  // epoch by key
	names   map[string]string // key by name
}

type askOf struct{ node, owner string }

func newDirectory(node string, s subjects, b bus, l *links) *directory {
	return &directory{
		node: node, subjects: s, bus: b, links: l, now: clock.Now, started: time.Now(), ticked: time.Now(),
		askTime: askTime, self: func() heartbeat { return heartbeat{Ready: true, Versions: l.versions} }, problem: func(error) {}, hasStream: func(string) bool { return false }, returned: func() {}, mismatched: func(string, string, error) {},
		commands: make(chan func()), ended: make(chan struct{}),
		owners: map[string]*ownerState{}, members: map[string]*member{}, strangers: map[string]time.Time{}, questions: map[string]*asking{},
	}
}

// do runs command in the directory's goroutine. It returns false if the directory has
// ended; then command has not run.
func (d *directory) do(command func()) bool {
	done := make(chan struct{})
	select {
	case d.commands <- func() { defer close(done); command() }:
		<-done
		return true
	case <-d.ended:
		return false
	}
}

// start subscribes to what all nodes get. Call it before the goroutine runs.
func (d *directory) start() error {
	for _, subject := range []string{d.subjects.heartbeat(), d.subjects.question(), d.subjects.control(d.node)} {
		if _, err := d.bus.Subscribe(subject); err != nil {
			return err
		}
	}
	return nil
}

// tick is called each second.
func (d *directory) tick() {
	d.links.tick()
	if now := time.Now(); now.Sub(d.ticked) > silenceTime { // this process was frozen: others have given it up
		d.resync()
	}
	d.ticked = time.Now()
	d.beat(false)
	d.loseSilent()
	d.sendBatch()
	for id, q := range d.questions {
		if time.Since(q.sent) > lateTime {
			delete(d.questions, id)
		}
	}
}

// reconnected is called after the first connection, and after each loss of one.
func (d *directory) reconnected() {
	if !d.connected {
		d.connected, d.started = true, time.Now()
		time.AfterFunc(greetTime, func() { d.do(d.checkMembers) })
		d.unsettle()
	}
	d.resync()
}

// resync makes good for messages that were lost: it announces all pages, and repeats the
// questions of all followers.
func (d *directory) resync() {
	d.beat(true)
	d.announceAll()
	d.ask = nil
	for owner, state := range d.owners {
		if len(state.followers) > 0 {
			d.ask = append(d.ask, owner)
		}
	}
	d.sendBatch()
}

// announceAll lets sendBatch announce all pages.
func (d *directory) announceAll() {
	d.announce = nil
	for _, state := range d.owners {
		for _, h := range state.holdings {
			d.announce = append(d.announce, h)
		}
	}
}

// sendBatch sends a part of what waits, so that all nodes together do not flood NATS.
func (d *directory) sendBatch() {
	const ticks = int(spreadTime / pingEvery)
	for range batchOf(len(d.announce), ticks) {
		h := d.announce[0]
		d.announce = d.announce[1:]
		if d.holding(string(h.page.Owner), h.page.Key) == h {
			d.publishEvent(h, false)
		}
	}
	for range batchOf(len(d.ask), ticks) {
		owner := d.ask[0]
		d.ask = d.ask[1:]
		if d.isFollowed(owner) {
			d.sendQuestion(question{Owner: owner})
		}
	}
	for range batchOf(len(d.askOne), ticks) {
		one := d.askOne[0]
		d.askOne = d.askOne[1:]
		if d.isFollowed(one.owner) {
			d.askNode(one)
		}
	}
}

func batchOf(length, ticks int) int { return min(length, max(minBatch, (length+ticks-1)/ticks)) }

func (d *directory) isFollowed(owner string) bool {
	state := d.owners[owner]
	return state != nil && len(state.followers) > 0
}

func (d *directory) holding(owner, key string) *holding {
	if state := d.owners[owner]; state != nil {
		return state.holdings[key]
	}
	return nil
}

// use returns the state of an owner, and subscribes to its events if it is new.
func (d *directory) use(owner string) (*ownerState, error) {
	if state := d.owners[owner]; state != nil {
		return state, nil
	}
	if !isKey(owner, keySize) {
		return nil, fmt.Errorf("use owner %q: want a key of %d characters a-z and 2-7", owner, keySize)
	}
	unsubscribe, err := d.bus.Subscribe(d.subjects.event(owner))
	if err != nil {
		return nil, fmt.Errorf("subscribe to events of an owner: %w", err)
	}
	state := &ownerState{
		holdings: map[string]*holding{}, others: map[string]*remotePage{}, followers: map[*follower]struct{}{}, unsubscribe: unsubscribe,
	}
	d.owners[owner] = state
	return state, nil
}

// drop removes the state of an owner that is not used.
func (d *directory) drop(owner string) {
	state := d.owners[owner]
	if state == nil {
		return
	}
	if len(state.followers) == 0 {
		clear(state.others)
	}
	if len(state.holdings) == 0 && len(state.followers) == 0 && state.pending == 0 {
		state.unsubscribe()
		delete(d.owners, owner)
	}
}

// handle takes a message.
func (d *directory) handle(subject, reply string, data []byte) {
	switch owner, isEvent := strings.CutPrefix(subject, d.subjects.event("")); {
	case isEvent:
		handleJSON(data, func(e event) { d.handleEvent(owner, e) })
	case subject == d.subjects.heartbeat() && len(data) <= maxHeartbeat:
		handleJSON(data, d.handleHeartbeat)
	case subject == d.subjects.question():
		handleJSON(data, d.handleQuestion)
	case subject == d.subjects.control(d.node):
		handleJSON(data, func(c control) { d.handleControl(c, reply) })
	}
}

// handleJSON ignores a message that is none: it is of a release that is not supported.
func handleJSON[T any](data []byte, do func(T)) {
	var message T
	if json.Unmarshal(data, &message) == nil {
		do(message)
	}
}

func (d *directory) handleControl(c control, reply string) {
	if !isKey(c.Node, idSize) || c.Node == d.node {
		return
	}
	d.links.heard(c.Node)
	switch {
	case c.Open != nil:
		d.links.open(*c.Open, reply)
	case c.Question != nil:
		d.handleQuestion(*c.Question)
	case c.Answer != nil:
		d.handleAnswer(c.Node, *c.Answer)
	case c.Heartbeat != nil:
		d.handleHeartbeat(*c.Heartbeat)
	}
}

// serve implements links.serve.
func (d *directory) serve(owner, page string, epoch int64) (func(context.Context, jsonrpc.Port), error) {
	h := d.holding(owner, page)
	switch {
	case h == nil:
		return nil, errAbsent
	case h.epoch < epoch: // the other node has heard of a later holder
		return nil, errMoved
	}
	return h.page.Serve, nil
}

// publish sends a message. If NATS is away, resync makes good for it.
func (d *directory) publish(subject string, message any) {
	d.bus.Publish(subject, "", encode(message))
}

// unsettledTime is how long pages may be on their way after a node has come or gone.
const unsettledTime = 15 * time.Second

func (d *directory) unsettle() { d.unsettled.Store(d.links.now()) }

func (d *directory) isUnsettled() bool {
	return time.Duration(d.links.now()-d.unsettled.Load()) < unsettledTime
}

// Unsettled implements [gateway.Peers].
func (n *Node) Unsettled() bool { return n.directory.isUnsettled() }

// Dial implements [gateway.Peers].
func (n *Node) Dial(ctx context.Context, h gateway.Held) (jsonrpc.Port, error) {
	return n.links.dial(ctx, h.Node, opening{Owner: string(h.Owner), Page: h.Key, Epoch: h.Epoch})
}
