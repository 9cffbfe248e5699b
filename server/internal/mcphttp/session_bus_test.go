package mcphttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

// A testBus carries events between the nodes of one process. Like NATS it delivers in the
// background, and to each node one after the other, in the order in which they were sent.
type testBus struct {
	mu    sync.Mutex
	subs  map[mcphttp.SessionTopic]map[*testSub]bool
	drops func(mcphttp.SessionEvent) bool // loses an event; nil loses none
	most  int                             // bytes of an event; 0: any number
	late  time.Duration                   // how much later requests come than what was published before them
}

// delayRequests makes requests come later than what was published before them. The receiver takes them for
// older than that, as it does when later events have overtaken them.
func (b *testBus) delayRequests(late time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.late = late
}

func (b *testBus) lateness() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.late
}

// carry limits the size of events in bytes.
func (b *testBus) carry(most int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.most = most
}

func (b *testBus) limit() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.most
}

type testSub struct {
	node   *testEvents
	handle func(mcphttp.SessionEvent, func())
}

// testEvents is the bus as one node sees it.
type testEvents struct {
	bus *testBus

	mu      sync.Mutex
	events  []func() // to be delivered
	running bool
}

// deliver delivers an event in the background, after those before.
func (n *testEvents) deliver(event func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.events = append(n.events, event)
	if !n.running {
		n.running = true
		go n.run() // ends when there is no event
	}
}

func (n *testEvents) run() {
	for event := n.next(); event != nil; event = n.next() {
		event()
	}
}

func (n *testEvents) next() (event func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.running = len(n.events) > 0; n.running {
		event, n.events = n.events[0], n.events[1:]
	}
	return event
}

func newTestBus() *testBus {
	return &testBus{subs: map[mcphttp.SessionTopic]map[*testSub]bool{}}
}

// on makes a node use the bus.
func (b *testBus) on(ss *mcphttp.Sessions) { ss.Events = &testEvents{bus: b} }

func (b *testBus) others(t mcphttp.SessionTopic, node *testEvents) (found []*testSub) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, sub := range slices.Collect(maps.Keys(b.subs[t])) {
		if sub.node != node {
			found = append(found, sub)
		}
	}
	return found
}

func (b *testBus) has(t mcphttp.SessionTopic, sub *testSub) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.subs[t][sub]
}

// topics returns the number of topics with subscribers.
func (b *testBus) topics() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, subs := range b.subs {
		if len(subs) > 0 {
			n++
		}
	}
	return n
}

// hold makes the bus hold events of some kinds back. release delivers them, so much later.
func (b *testBus) hold(kinds ...mcphttp.EventKind) (release func(delay time.Duration)) {
	var held []func(time.Duration)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drops = func(e mcphttp.SessionEvent) bool {
		if !slices.Contains(kinds, e.Kind) {
			return false
		}
		held = append(held, func(delay time.Duration) {
			e.Delay = delay
			for _, sub := range b.all() {
				sub.handle(e, func() {})
			}
		})
		return true
	}
	return func(delay time.Duration) {
		b.lose()
		for _, deliver := range held {
			deliver(delay)
		}
	}
}

// lose makes the bus lose events of some kinds, instead of those before.
func (b *testBus) lose(kinds ...mcphttp.EventKind) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drops = func(e mcphttp.SessionEvent) bool { return slices.Contains(kinds, e.Kind) }
}

// lost tells nodes that events may have been lost; none means all.
func (b *testBus) lost(nodes ...*testNode) {
	for _, sub := range b.all() {
		if len(nodes) > 0 && !slices.ContainsFunc(nodes, func(n *testNode) bool { return n.sessions.Events == sub.node }) {
			continue
		}
		sub.handle(mcphttp.SessionEvent{Kind: mcphttp.EventLost}, func() {})
	}
}

func (b *testBus) all() (all []*testSub) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, subs := range b.subs {
		all = slices.AppendSeq(all, maps.Keys(subs))
	}
	return all
}

func (b *testBus) isLost(e mcphttp.SessionEvent) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.drops != nil && b.drops(e)
}

func (n *testEvents) Publish(t mcphttp.SessionTopic, e mcphttp.SessionEvent) error {
	if text, err := json.Marshal(e); err != nil || n.bus.limit() > 0 && len(text) > n.bus.limit() {
		return errors.Join(mcphttp.ErrEventTooLarge, err)
	}
	n.send(t, e, func() {})
	return nil
}

func (n *testEvents) send(t mcphttp.SessionTopic, e mcphttp.SessionEvent, done func()) (found bool) {
	others := n.bus.others(t, n)
	if n.bus.isLost(e) {
		return len(others) > 0
	}
	for _, sub := range others {
		sub.node.deliver(func() {
			if n.bus.has(t, sub) {
				sub.handle(e, done)
			}
		})
	}
	return len(others) > 0
}

func (n *testEvents) Request(ctx context.Context, t mcphttp.SessionTopic, e mcphttp.SessionEvent) error {
	done := make(chan struct{})
	if late := n.bus.lateness(); late > 0 {
		time.Sleep(late)
		e.Delay = 2 * late
	}
	if !n.send(t, e, sync.OnceFunc(func() { close(done) })) {
		return mcphttp.ErrNoSubscriber
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (n *testEvents) Subscribe(t mcphttp.SessionTopic, handle func(mcphttp.SessionEvent, func())) (stop func()) {
	sub := &testSub{node: n, handle: handle}
	n.bus.mu.Lock()
	defer n.bus.mu.Unlock()
	if n.bus.subs[t] == nil {
		n.bus.subs[t] = map[*testSub]bool{}
	}
	n.bus.subs[t][sub] = true
	return func() {
		n.bus.mu.Lock()
		defer n.bus.mu.Unlock()
		delete(n.bus.subs[t], sub)
	}
}
