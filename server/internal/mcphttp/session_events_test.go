package mcphttp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// onNodes runs do in a bubble with three nodes that share a bus.
func onNodes(t *testing.T, do func(t *testing.T, bus *testBus, a, b, c *testNode)) {
	synctest.Test(t, func(t *testing.T) {
		cluster, bus := newTestCluster(t), newTestBus()
		do(t, bus, cluster.node(bus.on), cluster.node(bus.on), cluster.node(bus.on))
	})
}

// A client subscribes on one node and has its stream on another one: that one sends each
// update, once, from the response on.
func TestUpdatesComeOnTheStreamOfAnotherNode(t *testing.T) {
	onNodes(t, func(t *testing.T, bus *testBus, a, b, c *testNode) {
		session := a.begin()
		stream := b.listen(session)
		stream.Take()
		for round := range 3 {
			began := time.Now()
			if status, body := a.request(session, "1", "resources/subscribe", `"uri":"notes://a"`); status != 200 || !strings.Contains(body, `"result"`) {
				t.Fatalf("subscribe: %d %s", status, body)
			}
			if waited := time.Since(began); waited > 0 { // of the fake clock
				t.Errorf("the response waited %v", waited)
			}
			a.table("alice").Changed("notes://a")
			if got := stream.Take(); gatewaytest.Count(got, engine.MethodUpdated) != 1 || len(got) != 1 {
				t.Errorf("round %d, after a change: %v", round, got)
			}
			if state, _ := a.sessions.Inspect(session); state.Subscribed != 0 {
				t.Errorf("the node without stream has %d subscriptions", state.Subscribed)
			}
			if state, _ := b.sessions.Inspect(session); state.Subscribed != 1 {
				t.Errorf("the node with the stream has %d subscriptions", state.Subscribed)
			}
			time.Sleep(time.Second)
			if status, _ := c.request(session, "2", "resources/unsubscribe", `"uri":"notes://a"`); status != 200 {
				t.Errorf("unsubscribe: %d", status)
			}
			synctest.Wait()
			a.table("alice").Changed("notes://a")
			if got := stream.Take(); len(got) != 0 {
				t.Errorf("round %d, unsubscribed: %v", round, got)
			}
		}
		if status, body := a.request(session, "3", "resources/subscribe", `"uri":"bad uri"`); status != 200 || !strings.Contains(body, `"error"`) {
			t.Errorf("an error: %d %s", status, body)
		}
	})
}

// Without a stream anywhere a subscription is acknowledged at once. The next stream begins
// with one update of each URI, on any node, also if the changes are stored late.
func TestSubscriptionsWaitForAStream(t *testing.T) {
	for what, lose := range map[string]bool{"stored": false, "not stored yet": true} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cluster, bus := newTestCluster(t), newTestBus()
				change := func(ss *mcphttp.Sessions) {
					bus.on(ss)
					if lose {
						ss.Changes = forgetful{ss.Changes}
					}
				}
				a, b, c := cluster.node(change), cluster.node(change), cluster.node(change)
				session := a.begin()
				b.request(session, "1", "ping", "")
				began := time.Now()
				a.request(session, "1", "resources/subscribe", `"uri":"notes://a"`)
				if waited := time.Since(began); waited > 0 {
					t.Errorf("the response waited %v", waited)
				}
				a.table("alice").Changed("notes://a")
				stream := c.listen(session)
				got := stream.Take()
				if gatewaytest.Count(got, `"uri":"notes://a"`) == 0 || gatewaytest.Count(got, "list_changed") != 3 {
					t.Errorf("at the beginning: %v", got)
				}
				a.table("alice").Changed("notes://a")
				if got := stream.Take(); len(got) != 1 || gatewaytest.Count(got, engine.MethodUpdated) != 1 {
					t.Errorf("after a change: %v", got)
				}
			})
		})
	}
}

// The newest stream of a session has all notifications; the older one, on another node,
// ends.
func TestStreamsMoveBetweenNodes(t *testing.T) {
	onNodes(t, func(t *testing.T, bus *testBus, a, b, c *testNode) {
		session := a.begin()
		a.request(session, "1", "resources/subscribe", `"uri":"notes://a"`)
		var streams []*gatewaytest.Stream
		for _, node := range []*testNode{a, b, c, a, b} {
			time.Sleep(time.Second) // longer than the interval of updates
			stream := node.listen(session)
			if got := stream.Take(); gatewaytest.Count(got, engine.MethodUpdated) == 0 || stream.Status != 200 {
				t.Errorf("at the beginning: %d %v", stream.Status, got)
			}
			a.table("alice").Changed("notes://a")
			if got := stream.Take(); len(got) != 1 || gatewaytest.Count(got, engine.MethodUpdated) != 1 {
				t.Errorf("after a change: %v", got)
			}
			for i, other := range streams {
				if got := other.Take(); len(got) > 0 || !other.HasEnded() {
					t.Errorf("stream %d got %v; it has ended: %t", i, got, other.HasEnded())
				}
			}
			streams = append(streams, stream)
		}
	})
}

// A client cancels a request on another node than the one that serves it.
func TestCancelsReachTheNodeOfTheRequest(t *testing.T) {
	onNodes(t, func(t *testing.T, bus *testBus, a, b, c *testNode) {
		session := a.begin()
		calls := make(chan *gatewaytest.Stream, 2)
		go func() { calls <- b.call(session, "7", "slow") }()
		time.Sleep(2 * limits.StreamAfter) // its header comes
		stream := <-calls
		if got := a.slowCalls(); got != 1 {
			t.Fatalf("%d calls run", got)
		}
		for _, id := range []string{"8", `"7"`} {
			if got := a.do("POST", "/mcp", aliceToken, session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`}}`); got.StatusCode != 202 {
				t.Errorf("cancel of %s: %d %s", id, got.StatusCode, got.body)
			}
		}
		if got := a.slowCalls(); got != 1 || stream.HasEnded() {
			t.Errorf("after cancels of other requests: %d calls run", got)
		}
		if got := c.do("POST", "/mcp", aliceToken, session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`); got.StatusCode != 202 {
			t.Errorf("cancel: %d %s", got.StatusCode, got.body)
		}
		if got := a.slowCalls(); got != 0 || !stream.HasEnded() || len(stream.Take()) > 0 {
			t.Errorf("after the cancel: %d calls run; the stream has ended: %t", got, stream.HasEnded())
		}
	})
}

// A question is asked on the stream of the call, and answered on another node.
func TestAnswersReachTheNodeThatAsks(t *testing.T) {
	onNodes(t, func(t *testing.T, bus *testBus, a, b, c *testNode) {
		session := c.begin()
		call := a.call(session, "7", "asking")
		got := call.Take()
		if len(got) != 1 || !strings.Contains(got[0], "elicitation/create") {
			t.Fatalf("the question: %v", got)
		}
		id := string(jsonrpc.Member([]byte(got[0]), "id"))
		for _, wrong := range []string{`"pagemcp:x:1"`, "7"} {
			if got := b.do("POST", "/mcp", aliceToken, session, `{"jsonrpc":"2.0","id":`+wrong+`,"result":{"action":"accept","content":{"x":"wrong"}}}`); got.StatusCode != 202 {
				t.Errorf("an answer to nothing: %d %s", got.StatusCode, got.body)
			}
		}
		for range 2 { // the second one has no effect
			if got := b.do("POST", "/mcp", aliceToken, session, `{"jsonrpc":"2.0","id":`+id+`,"result":{"action":"accept","content":{"x":"right"}}}`); got.StatusCode != 202 {
				t.Errorf("the answer: %d %s", got.StatusCode, got.body)
			}
		}
		if got := call.Take(); len(got) != 1 || !strings.Contains(got[0], `"id":7,"result"`) || !strings.Contains(got[0], "right") || !call.HasEnded() {
			t.Errorf("the result: %v", got)
		}
	})
}

// An answer that the nodes cannot pass on is not accepted: the client learns that the call does
// not have it, and may send a shorter one.
func TestAnswersThatDoNotReachTheNodeAreRejected(t *testing.T) {
	onNodes(t, func(t *testing.T, bus *testBus, a, b, c *testNode) {
		session := c.begin()
		call := a.call(session, "7", "asking")
		got := call.Take()
		if len(got) != 1 {
			t.Fatalf("the question: %v", got)
		}
		answer := func(text string) int {
			return b.do("POST", "/mcp", aliceToken, session, `{"jsonrpc":"2.0","id":`+string(jsonrpc.Member([]byte(got[0]), "id"))+`,"result":{"action":"accept","content":{"x":"`+text+`"}}}`).StatusCode
		}
		bus.carry(64 << 10)
		if status := answer(strings.Repeat("x", 100<<10)); status != 413 {
			t.Errorf("100 KB: %d", status)
		}
		if status := answer("short"); status != 202 {
			t.Errorf("a short one: %d", status)
		}
		if got := call.Take(); len(got) != 1 || !strings.Contains(got[0], "short") || !call.HasEnded() {
			t.Errorf("the result: %v", got)
		}
	})
}

// A node with the stream learns all subscriptions of another node, although they do not fit
// into one event.
func TestLargeStatesReachTheNodeWithTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster, bus := newTestCluster(t), newTestBus()
		stored := &mcphttp.MemoryChanges{} // not shared
		a, b := cluster.node(bus.on), cluster.node(bus.on, func(ss *mcphttp.Sessions) { ss.Changes = stored })
		session := a.begin()
		bus.carry(64 << 10)
		const count = 100
		long := func(i int) string { return fmt.Sprintf("notes://long/%d/%s", i, strings.Repeat("&", 1_000)) }
		for i := range count {
			if err := a.table("alice").Put(engine.Entry{JSON: engine.Describe("uri", long(i), "name", "long"), Read: func(_ context.Context, uri string) ([]engine.Contents, error) {
				return []engine.Contents{{URI: uri}}, nil
			}}); err != nil {
				t.Fatal(err)
			}
			if status, body := a.request(session, fmt.Sprint(i+1), "resources/subscribe", `"uri":"`+long(i)+`"`); status != 200 || !strings.Contains(body, `"result"`) {
				t.Fatalf("subscribe: %d %s", status, body)
			}
		}
		b.listen(session).Take()
		state, _ := b.sessions.Inspect(session)
		if state.Subscribed != count {
			t.Errorf("the node with the stream has %d subscriptions, want %d", state.Subscribed, count)
		}
	})
}

// The node that has answered initialize may not get notifications/initialized: a request
// or stream of the client shows that the client has sent it.
func TestInitializedReachesAnyNode(t *testing.T) {
	onNodes(t, func(t *testing.T, bus *testBus, a, b, c *testNode) {
		begin := func() (session string) {
			t.Helper()
			session = a.do("POST", "/mcp", aliceToken, "", testBegin).Header.Get("Mcp-Session-Id")
			if told := b.do("POST", "/mcp", aliceToken, session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); told.StatusCode != 202 {
				t.Fatalf("initialized: %d %s", told.StatusCode, told.body)
			}
			a.settle()
			return session
		}
		for _, n := range []*testNode{a, b, c} {
			call := n.call(begin(), "7", "asking")
			if got := call.Take(); len(got) != 1 || !strings.Contains(got[0], "elicitation/create") {
				t.Errorf("the question: %v", got)
			}
		}
		for _, n := range []*testNode{a, b, c} {
			stream := n.listen(begin())
			stream.Take()
			n.table("alice").Changed("")
			if got := stream.Take(); gatewaytest.Count(got, "notifications/resources/list_changed") != 1 {
				t.Errorf("after a change of the list: %v", got)
			}
		}
	})
}

// A session that is deleted on one node ends on all, with its stream and its calls.
func TestDeletesReachAllNodes(t *testing.T) {
	onNodes(t, func(t *testing.T, bus *testBus, a, b, c *testNode) {
		session, other := a.begin(), a.begin()
		stream, kept := b.listen(session), b.listen(other)
		calls := make(chan *gatewaytest.Stream, 1)
		go func() { calls <- c.call(session, "7", "slow") }()
		time.Sleep(2 * limits.StreamAfter)
		call := <-calls
		if got := a.do("DELETE", "/mcp", aliceToken, session, ""); got.StatusCode != 204 {
			t.Errorf("DELETE: %d %s", got.StatusCode, got.body)
		}
		if !stream.HasEnded() || !call.HasEnded() || a.slowCalls() != 0 || kept.HasEnded() {
			t.Errorf("ended: stream %t, call %t, that of another session %t; %d calls run", stream.HasEnded(), call.HasEnded(), kept.HasEnded(), a.slowCalls())
		}
		for i, node := range []*testNode{a, b, c} {
			if got, want := node.sessions.Count(), []int{1, 1, 0}[i]; got != want { // other
				t.Errorf("node %d has %d sessions, want %d", i, got, want)
			}
			if status, _ := node.request(session, "1", "ping", ""); status != 404 {
				t.Errorf("node %d: %d", i, status)
			}
		}
	})
}

// The log level that a client sets holds on all nodes.
func TestLogLevelsReachAllNodes(t *testing.T) {
	onNodes(t, func(t *testing.T, bus *testBus, a, b, c *testNode) {
		session := a.begin()
		b.request(session, "1", "ping", "")
		before, _ := b.sessions.Inspect(session)
		if status, body := a.request(session, "1", "logging/setLevel", `"level":"error"`); status != 200 || !strings.Contains(body, `"result"`) {
			t.Fatalf("setLevel: %d %s", status, body)
		}
		synctest.Wait()
		after, _ := b.sessions.Inspect(session)
		if before.LogLevel != "" || after.LogLevel != "error" || len(after.Pending) > 0 {
			t.Errorf("the level was %q, is %q; %d requests wait", before.LogLevel, after.LogLevel, len(after.Pending))
		}
	})
}

// If the event is lost, the response comes a second later, and the node with the stream
// subscribes all the same.
func TestLostSubscriptionsAreMadeGood(t *testing.T) {
	onNodes(t, func(t *testing.T, bus *testBus, a, b, c *testNode) {
		session := a.begin()
		stream := b.listen(session)
		stream.Take()
		bus.mu.Lock()
		bus.drops = func(e mcphttp.SessionEvent) bool { return e.Kind == mcphttp.EventSubscribed }
		bus.mu.Unlock()
		began := time.Now()
		if status, _ := a.request(session, "1", "resources/subscribe", `"uri":"notes://a"`); status != 200 || time.Since(began) != time.Second {
			t.Errorf("subscribe: %d after %v", status, time.Since(began))
		}
		stream.Take()
		a.table("alice").Changed("notes://a")
		if got := stream.Take(); gatewaytest.Count(got, engine.MethodUpdated) != 1 {
			t.Errorf("after a change: %v", got)
		}
	})
}

// A node that was cut off tells what its clients have changed meanwhile: the others, one of
// which has the stream, may not have noticed.
func TestSubscriptionsAtANodeThatWasCutOffAreMadeGood(t *testing.T) {
	onNodes(t, func(t *testing.T, bus *testBus, a, b, c *testNode) {
		session := a.begin()
		stream := b.listen(session)
		stream.Take()
		bus.lose(mcphttp.EventSubscribed, mcphttp.EventState)
		if status, _ := a.request(session, "1", "resources/subscribe", `"uri":"notes://a"`); status != 200 {
			t.Errorf("subscribe: %d", status)
		}
		bus.lose()
		bus.lost(a)
		if got := stream.Take(); gatewaytest.Count(got, engine.MethodUpdated) != 1 {
			t.Errorf("when it is back: %v", got)
		}
		time.Sleep(time.Second)
		a.table("alice").Changed("notes://a")
		if got := stream.Take(); gatewaytest.Count(got, engine.MethodUpdated) != 1 || stream.HasEnded() {
			t.Errorf("after a change: %v", got)
		}
	})
}

// A subscription that a frozen NATS server has held back comes after the unsubscription, which
// took another way, and changes nothing: no update follows an unsubscription (P1).
func TestDelayedSubscriptionsChangeNothing(t *testing.T) {
	onNodes(t, func(t *testing.T, bus *testBus, a, b, c *testNode) {
		session := a.begin()
		stream := b.listen(session)
		stream.Take()
		release := bus.hold(mcphttp.EventSubscribed, mcphttp.EventState)
		began := time.Now()
		if status, _ := a.request(session, "1", "resources/subscribe", `"uri":"notes://a"`); status != 200 {
			t.Errorf("subscribe: %d", status)
		}
		if status, body := c.request(session, "2", "resources/unsubscribe", `"uri":"notes://a"`); status != 200 || !strings.Contains(body, `"result"`) {
			t.Errorf("unsubscribe: %d %s", status, body)
		}
		time.Sleep(time.Second)
		release(time.Since(began))
		stream.Take()
		a.table("alice").Changed("notes://a")
		if got := stream.Take(); len(got) != 0 {
			t.Errorf("after the unsubscription: %v", got)
		}
	})
}

// A subscription is published, and requested of the node with the stream. That one subscribes also if it hears
// of it twice, and takes the request for the older one.
func TestSubscriptionsThatAreHeardTwiceAreMade(t *testing.T) {
	onNodes(t, func(t *testing.T, bus *testBus, a, b, c *testNode) {
		session := a.begin()
		stream := b.listen(session)
		stream.Take()
		bus.delayRequests(time.Millisecond)
		if status, body := a.request(session, "1", "resources/subscribe", `"uri":"notes://a"`); status != 200 || !strings.Contains(body, `"result"`) {
			t.Errorf("subscribe: %d %s", status, body)
		}
		a.table("alice").Changed("notes://a")
		if got := stream.Take(); gatewaytest.Count(got, engine.MethodUpdated) != 1 {
			t.Errorf("after a change: %v", got)
		}
	})
}

// A client that subscribes again at once gets updates: what the node with the stream ends of the
// earlier subscription does not end the new one.
func TestSubscriptionsFollowTheirEndAtOnce(t *testing.T) {
	onNodes(t, func(t *testing.T, bus *testBus, a, b, c *testNode) {
		session := a.begin()
		stream := b.listen(session)
		stream.Take()
		for round := range 50 {
			a.request(session, "1", "resources/subscribe", `"uri":"notes://a"`)
			time.Sleep(time.Microsecond) // the unsubscription below is later
			if round > 0 {
				a.table("alice").Changed("notes://a")
				if got := stream.Take(); gatewaytest.Count(got, engine.MethodUpdated) != 1 {
					t.Fatalf("round %d, after a change: %v", round, got)
				}
			}
			c.request(session, "2", "resources/unsubscribe", `"uri":"notes://a"`)
		}
	})
}

// If the event is lost, the response waits until the node with the stream has it: no update
// follows the response (P1).
func TestLostUnsubscriptionsAreRepeated(t *testing.T) {
	onNodes(t, func(t *testing.T, bus *testBus, a, b, c *testNode) {
		session := a.begin()
		stream := b.listen(session)
		a.request(session, "1", "resources/subscribe", `"uri":"notes://a"`)
		stream.Take()
		bus.lose(mcphttp.EventUnsubscribed)
		time.AfterFunc(2500*time.Millisecond, func() { bus.lose() })
		began := time.Now()
		status, body := a.request(session, "2", "resources/unsubscribe", `"uri":"notes://a"`)
		if status != 200 || !strings.Contains(body, `"result"`) || time.Since(began) != 3*time.Second {
			t.Errorf("unsubscribe: %d %s after %v", status, body, time.Since(began))
		}
		stream.Take()
		a.table("alice").Changed("notes://a")
		if got := stream.Take(); len(got) != 0 {
			t.Errorf("after a change: %v", got)
		}
	})
}

// What is lost for longer gets an error, since updates may follow, and is made good when the nodes meet again. A later subscription
// stays, whichever node has missed it.
func TestLostUnsubscriptionsAreMadeGood(t *testing.T) {
	for name, again := range map[string]bool{"unsubscribed": false, "subscribed again": true} {
		t.Run(name, func(t *testing.T) {
			onNodes(t, func(t *testing.T, bus *testBus, a, b, c *testNode) {
				session := a.begin()
				stream := b.listen(session)
				a.request(session, "1", "resources/subscribe", `"uri":"notes://a"`)
				c.request(session, "2", "ping", "")
				time.Sleep(time.Second)
				bus.lose(mcphttp.EventUnsubscribed)
				began := time.Now()
				status, body := a.request(session, "3", "resources/unsubscribe", `"uri":"notes://a"`)
				if status != 200 || !strings.Contains(body, `"id":3,"error"`) || !strings.Contains(body, `"reason":"unreachable","retry":true`) || time.Since(began) != limits.GraceTime {
					t.Errorf("unsubscribe: %d %s after %v", status, body, time.Since(began))
				}
				if again {
					time.Sleep(time.Second)
					c.request(session, "4", "resources/subscribe", `"uri":"notes://a"`)
				}
				bus.lose()
				bus.lost()
				time.Sleep(time.Second)
				stream.Take()
				a.table("alice").Changed("notes://a")
				if got := stream.Take(); (len(got) != 0) != again {
					t.Errorf("after a change: %v", got)
				}
			})
		})
	}
}

// A session that sleeps or has ended follows no events.
func TestSleepingSessionsFollowNoEvents(t *testing.T) {
	onNodes(t, func(t *testing.T, bus *testBus, a, b, c *testNode) {
		session, ended := a.begin(), b.begin()
		b.request(session, "1", "ping", "")
		stream := c.listen(session)
		if got := bus.topics(); got != 3 {
			t.Errorf("%d topics", got)
		}
		stream.Close()
		b.do("DELETE", "/mcp", aliceToken, ended, "")
		time.Sleep(2 * limits.SessionIdle)
		for _, node := range []*testNode{a, b, c} {
			node.sessions.Sweep(time.Now())
		}
		synctest.Wait()
		if got := bus.topics(); got != 0 {
			t.Errorf("%d topics when all sleep", got)
		}
	})
}

// Whatever clients do on several nodes at the same time, requests get one of the expected
// responses, and nothing remains when all sessions sleep or have ended.
func TestNothingRemainsOfBusySessions(t *testing.T) {
	onNodes(t, func(t *testing.T, bus *testBus, a, b, c *testNode) {
		nodes := []*testNode{a, b, c}
		a.busy.Store(true)
		stop := make(chan struct{})
		var clients, sweeper sync.WaitGroup
		sweeper.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(7 * time.Second):
				}
				for _, node := range nodes {
					node.sessions.Sweep(time.Now())
					node.table("alice").Changed("notes://a")
				}
			}
		})
		for client := range 12 {
			clients.Go(func() {
				random := rand.New(rand.NewPCG(uint64(client), 1))
				session := nodes[random.IntN(3)].begin()
				for i := range 40 {
					node := nodes[random.IntN(3)]
					switch random.IntN(8) {
					case 0:
						stream := node.listen(session)
						if stream.Status != 200 {
							t.Errorf("stream: %d", stream.Status)
						}
						if random.IntN(2) == 0 {
							stream.Close()
						}
					case 1, 2:
						method := []string{"resources/subscribe", "resources/unsubscribe"}[random.IntN(2)]
						if status, body := node.request(session, strconv.Itoa(i), method, `"uri":"notes://a"`); status != 200 {
							t.Errorf("%s: %d %s", method, status, body)
						}
					case 3:
						node.request(session, strconv.Itoa(i), "logging/setLevel", `"level":"error"`)
					case 4:
						time.Sleep(time.Duration(random.IntN(40)) * time.Second)
					case 5:
						if random.IntN(4) == 0 {
							node.do("DELETE", "/mcp", aliceToken, session, "")
							if status, _ := node.request(session, "1", "ping", ""); status != 404 { // the event reaches the others a little later
								t.Errorf("deleted: %d", status)
							}
							session = node.begin()
						}
					default:
						if status, body := node.request(session, strconv.Itoa(i), "resources/read", `"uri":"notes://a"`); status != 200 || !strings.Contains(body, "text of alice") {
							t.Errorf("read: %d %s", status, body)
						}
					}
				}
				for _, node := range nodes { // ends its streams
					node.do("DELETE", "/mcp", aliceToken, session, "")
				}
			})
		}
		clients.Wait()
		close(stop)
		sweeper.Wait()
		time.Sleep(2 * limits.SessionIdle)
		for i, node := range nodes {
			node.sessions.Sweep(time.Now())
			synctest.Wait()
			if got := node.sessions.Count(); got != 0 {
				t.Errorf("node %d has %d sessions", i, got)
			}
		}
		if got := bus.topics(); got != 0 {
			t.Errorf("%d topics", got)
		}
	})
}
