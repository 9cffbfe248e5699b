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
// background, and the events of one publisher in order.
type testBus struct {
	mu    sync.Mutex
	subs  map[mcphttp.SessionTopic]map[*testSub]bool
	drops func(mcphttp.SessionEvent) bool // loses an event; nil loses none
	most  int                             // bytes of an event; 0: any number
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
	events chan func() // in order
	handle func(mcphttp.SessionEvent, func())
	ended  chan struct{}
}

// testEvents is the bus as one node sees it.
type testEvents struct{ bus *testBus }

func newTestBus() *testBus {
	return &testBus{subs: map[mcphttp.SessionTopic]map[*testSub]bool{}}
}

// on makes a node use the bus.
func (b *testBus) on(ss *mcphttp.Sessions) { ss.Events = &testEvents{b} }

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
		select {
		case sub.events <- func() { sub.handle(e, done) }:
		case <-sub.ended:
		}
	}
	return len(others) > 0
}

func (n *testEvents) Request(ctx context.Context, t mcphttp.SessionTopic, e mcphttp.SessionEvent) error {
	done := make(chan struct{})
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
	sub := &testSub{node: n, events: make(chan func(), 1_024), handle: handle, ended: make(chan struct{})}
	go func() { // ends with stop
		for {
			select {
			case deliver := <-sub.events:
				deliver()
			case <-sub.ended:
				return
			}
		}
	}()
	n.bus.mu.Lock()
	defer n.bus.mu.Unlock()
	if n.bus.subs[t] == nil {
		n.bus.subs[t] = map[*testSub]bool{}
	}
	n.bus.subs[t][sub] = true
	return sync.OnceFunc(func() {
		n.bus.mu.Lock()
		defer n.bus.mu.Unlock()
		delete(n.bus.subs[t], sub)
		close(sub.ended)
	})
}
