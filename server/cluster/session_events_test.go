package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

// A heardEvents collects the events that a node gets.
type heardEvents struct {
	t      *testing.T
	events chan mcphttp.SessionEvent
	stop   func()
}

// hear collects events but those of losses: a heartbeat may be late on a loaded machine.
func (n *testNode) hear(topic mcphttp.SessionTopic) *heardEvents {
	return n.hearWith(topic, func(e mcphttp.SessionEvent) bool { return e.Kind != mcphttp.EventLost })
}

func (n *testNode) hearWith(topic mcphttp.SessionTopic, isMeant func(mcphttp.SessionEvent) bool) *heardEvents {
	h := &heardEvents{t: n.t.(*testing.T), events: make(chan mcphttp.SessionEvent, 10_000)}
	h.stop = n.SessionEvents().Subscribe(topic, func(e mcphttp.SessionEvent, done func()) {
		if isMeant(e) {
			h.events <- e
		}
		if e.URI != "unanswered" {
			go done() // in another goroutine
			done()    // twice
		}
	})
	if err := n.conn.FlushTimeout(testTime); err != nil {
		h.t.Fatal(err)
	}
	return h
}

func (h *heardEvents) next() mcphttp.SessionEvent {
	h.t.Helper()
	select {
	case e := <-h.events:
		return e
	case <-time.After(testTime):
		h.t.Fatal("no event comes")
	}
	return mcphttp.SessionEvent{}
}

// Events reach the other nodes that subscribe to the topic, in order and unchanged.
func TestSessionEventsReachOtherNodes(t *testing.T) {
	urls := []string{startNATS(t, server.Options{}).ClientURL()}
	a, b, c := joined(t, Options{URLs: urls}), joined(t, Options{URLs: urls}), joined(t, Options{URLs: urls})
	topic, other := mcphttp.SessionTopic{Hash: mcphttp.HashOf("session")}, mcphttp.SessionTopic{Hash: mcphttp.HashOf("other")}
	stream := mcphttp.SessionTopic{Hash: topic.Hash, Stream: true}
	own, atB, atC, ofOther, ofStream := a.hear(topic), b.hear(topic), c.hear(topic), b.hear(other), b.hear(stream)
	want := mcphttp.SessionEvent{Kind: mcphttp.EventState, Message: []byte(`{"a":"\u0000\"\u2028"}`), URI: "notes://a?*.>", Subscriptions: map[string]int64{"a": 1, "b": -2}, LogLevel: "error"}
	a.SessionEvents().Publish(topic, want)
	for i := range 1_000 {
		a.SessionEvents().Publish(topic, mcphttp.SessionEvent{Kind: mcphttp.EventSubscribed, URI: fmt.Sprint(i)})
	}
	a.SessionEvents().Publish(topic, mcphttp.SessionEvent{Kind: mcphttp.EventEnded})
	for _, heard := range []*heardEvents{atB, atC} {
		if got := heard.next(); got.Kind != want.Kind || string(got.Message) != string(want.Message) || got.URI != want.URI || !maps.Equal(got.Subscriptions, want.Subscriptions) || got.LogLevel != want.LogLevel {
			t.Errorf("heard %+v", got)
		}
		for i := range 1_000 {
			if got := heard.next(); got.URI != fmt.Sprint(i) {
				t.Fatalf("heard %+v, want %d", got, i)
			}
		}
		if got := heard.next(); got.Kind != mcphttp.EventEnded {
			t.Errorf("at the end: %+v", got)
		}
	}
	if len(own.events)+len(ofOther.events)+len(ofStream.events) > 0 {
		t.Errorf("own node: %d, another session: %d, its stream: %d", len(own.events), len(ofOther.events), len(ofStream.events))
	}
}

// A request returns when another node has handled the event, and at once if there is none.
func TestRequestsWaitForOneNode(t *testing.T) {
	urls := []string{startNATS(t, server.Options{}).ClientURL()}
	a, b := joined(t, Options{URLs: urls}), joined(t, Options{URLs: urls})
	topic := mcphttp.SessionTopic{Hash: mcphttp.HashOf("session"), Stream: true}
	request := func(uri string, wait time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		defer cancel()
		return a.SessionEvents().Request(ctx, topic, mcphttp.SessionEvent{Kind: mcphttp.EventSubscribed, URI: uri})
	}
	noSubscriber := func() string { // a loaded machine may answer too late to be certain
		return fmt.Sprint(errors.Is(request("a", testTime), mcphttp.ErrNoSubscriber))
	}
	eventually(t, "there is no subscriber", "true", noSubscriber)
	heard := b.hear(topic)
	if err := request("b", testTime); err != nil || heard.next().URI != "b" {
		t.Errorf("with a subscriber: %v", err)
	}
	if err := request("unanswered", 50*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without an answer: %v", err)
	}
	heard.stop()
	heard.stop()
	if err := b.conn.FlushTimeout(testTime); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the subscriber has stopped", "true", noSubscriber)
	b.sessions.mu.Lock()
	defer b.sessions.mu.Unlock()
	if got := len(b.sessions.handlers); got != 0 {
		t.Errorf("%d subscriptions remain", got)
	}
}

// A node that does not answer, or fell silent a moment ago, may be a subscriber: in a split of
// NATS, its server knows those of its own side alone.
func TestSilentNodesMaySubscribe(t *testing.T) {
	urls := []string{startNATS(t, server.Options{}).ClientURL()}
	a, b := joined(t, Options{URLs: urls}), joined(t, Options{URLs: urls})
	topic := mcphttp.SessionTopic{Hash: mcphttp.HashOf("session"), Stream: true}
	noSubscriber := func() string {
		ctx, cancel := context.WithTimeout(t.Context(), testTime)
		defer cancel()
		err := a.SessionEvents().Request(ctx, topic, mcphttp.SessionEvent{Kind: mcphttp.EventUnsubscribed})
		return fmt.Sprint(errors.Is(err, mcphttp.ErrNoSubscriber))
	}
	eventually(t, "all nodes answer", "true", noSubscriber)
	resume := b.freeze()
	want(t, "a node that does not answer: it is certain that there is none", noSubscriber(), "false")
	resume()
	eventually(t, "it answers again", "true", noSubscriber)
	const gone = "gone0000000000000000000000"
	for _, noticed := range []bool{true, false} { // a tick notices it
		a.directory.do(func() { a.directory.members[gone] = &member{heard: time.Now().Add(-silenceTime), silent: noticed} })
		want(t, fmt.Sprintf("a node that fell silent, noticed %t: it is certain that there is none", noticed), noSubscriber(), "false")
	}
	a.directory.do(func() { delete(a.directory.members, gone) })
	eventually(t, "it is forgotten", "true", noSubscriber)
	a.directory.do(func() {
		if remain := len(a.directory.questions); remain != 0 {
			t.Errorf("%d questions remain", remain)
		}
	})
}

// After NATS was away, each subscriber learns that events may have been lost.
func TestLostSessionEventsAreReported(t *testing.T) {
	s := startNATS(t, server.Options{})
	a, b := joined(t, Options{URLs: []string{s.ClientURL()}}), joined(t, Options{URLs: []string{s.ClientURL()}})
	topic := mcphttp.SessionTopic{Hash: mcphttp.HashOf("session")}
	heard := b.hearWith(topic, func(mcphttp.SessionEvent) bool { return true })
	port := s.Addr().(*net.TCPAddr).Port
	s.Shutdown()
	s.WaitForShutdown()
	a.await("disconnected", a.disconnected)
	b.await("disconnected", b.disconnected)
	a.SessionEvents().Publish(topic, mcphttp.SessionEvent{Kind: mcphttp.EventSubscribed, URI: "lost"})
	if err := a.SessionEvents().Request(t.Context(), topic, mcphttp.SessionEvent{}); err == nil || errors.Is(err, mcphttp.ErrNoSubscriber) {
		t.Errorf("a request without NATS: %v", err)
	}
	startNATS(t, server.Options{Port: port})
	a.await("connected", a.connected)
	b.await("connected", b.connected)
	own := func(e mcphttp.SessionEvent) bool { return e.Kind == mcphttp.EventLost && e.URI == "" }
	if got := heard.next(); !own(got) {
		t.Errorf("heard %+v", got)
	}
	if err := b.conn.FlushTimeout(testTime); err != nil {
		t.Fatal(err)
	}
	a.SessionEvents().Publish(topic, mcphttp.SessionEvent{Kind: mcphttp.EventLost, URI: "foreign"}) // from another node it means nothing
	a.SessionEvents().Publish(topic, mcphttp.SessionEvent{Kind: mcphttp.EventSubscribed, URI: "later"})
	got := heard.next()
	for own(got) { // a loaded machine may have taken A for lost meanwhile
		got = heard.next()
	}
	if got.URI != "later" {
		t.Errorf("heard %+v", got)
	}
}

// A key that is not that of a session gets into no subject.
func TestOnlySessionKeysBecomeSubjects(t *testing.T) {
	s := newSubjects("test")
	for _, key := range []string{"", "*", ">", "a.b", strings.Repeat("A", 64), strings.Repeat("a", 63), strings.Repeat("a", 65), strings.Repeat("a", 63) + ">", strings.Repeat("a", 62) + ".*"} {
		if subject, ok := s.session(mcphttp.SessionTopic{Hash: key}); ok {
			t.Errorf("%q: %s", key, subject)
		}
	}
	hash := mcphttp.HashOf("session")
	if subject, ok := s.session(mcphttp.SessionTopic{Hash: hash, Stream: true}); !ok || subject != "pagemcp.1.test.s."+hash+".stream" {
		t.Errorf("%q", subject)
	}
}
