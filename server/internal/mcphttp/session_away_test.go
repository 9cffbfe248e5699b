package mcphttp_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted/sessions"
	"github.com/pagemcp/pagemcp/server/hosted/sessions/sessionstest"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// valuesOf makes the sessions of a node use values of the cluster.
func (c *testCluster) valuesOf(values gateway.SessionValues) func(*mcphttp.Sessions) {
	return func(ss *mcphttp.Sessions) { ss.Changes = sessions.New(c.keys, values) }
}

// What a client changes while the node of its request cannot write it is stored by the node
// that has the stream, each change for itself: it survives the end of both.
func TestNodeWithTheStreamStoresSubscriptions(t *testing.T) {
	subscribed := `"uri":"notes://a"`
	for name, row := range map[string]struct {
		before       bool // notes://a is subscribed and stored
		method       string
		params       string
		uris, level  string
		isNotDurable bool
	}{
		"subscribe":   {false, "resources/subscribe", subscribed, "notes://a", "", true},
		"unsubscribe": {true, "resources/unsubscribe", subscribed, "", "", false},
		"level":       {true, "logging/setLevel", `"level":"error"`, "notes://a", "error", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cluster, bus := newTestCluster(t), newTestBus()
				away := &sessionstest.Values{Stored: map[string][]byte{}}
				away.GoAway()
				shared := &sessionstest.Values{Stored: map[string][]byte{}}
				a, c := cluster.node(bus.on, cluster.valuesOf(away)), cluster.node(bus.on, cluster.valuesOf(shared))
				session := a.begin()
				c.listen(session)
				if row.before {
					c.request(session, "1", "resources/subscribe", subscribed)
				}
				status, body := a.request(session, "2", row.method, row.params)
				if status != 200 || strings.Contains(body, mcphttp.MetaDurable) != row.isNotDurable {
					t.Errorf("%d %s", status, body)
				}
				synctest.Wait()
				a.sessions.Close() // it says nothing more
				c.sessions.Close()
				got, _ := sessions.New(cluster.keys, shared).Load(t.Context(), mcphttp.HashOf(session))
				if strings.Join(got.Subscriptions.URIs(), " ") != row.uris || got.LogLevel != row.level {
					t.Errorf("stored: %q, level %q", got.Subscriptions.URIs(), got.LogLevel)
				}
			})
		})
	}
}

// A node that drains stores what it knows of a session that is awake, also if it has neither
// served the request nor the stream.
func TestNodesThatDrainStoreWhatTheyHaveHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster, bus := newTestCluster(t), newTestBus()
		away := &sessionstest.Values{Stored: map[string][]byte{}}
		away.GoAway()
		shared := &sessionstest.Values{Stored: map[string][]byte{}}
		a, b, c := cluster.node(bus.on, cluster.valuesOf(away)), cluster.node(bus.on, cluster.valuesOf(shared)), cluster.node(bus.on, cluster.valuesOf(shared))
		session := a.begin()
		other := a.begin()
		for _, id := range []string{session, other} {
			c.request(id, "1", "ping", "")
		}
		a.request(session, "2", "resources/subscribe", `"uri":"notes://a"`)
		synctest.Wait()
		a.sessions.Close()
		c.sessions.StoreAwake()
		c.sessions.Close()
		if len(shared.Stored) != 1 {
			t.Errorf("%d sessions are stored, want the one with a subscription", len(shared.Stored))
		}
		stream := b.listen(session)
		stream.Take()
		b.table("alice").Changed("notes://a")
		if got := stream.Take(); gatewaytest.Count(got, "notes://a") != 1 {
			t.Errorf("after a change: %v", got)
		}
	})
}

// A session that is restored while the store is away gets what is stored when it is back,
// besides what its client has changed meanwhile.
func TestSessionsRestoredWithoutStoreAreComplemented(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster, bus := newTestCluster(t), newTestBus()
		values := &sessionstest.Values{Stored: map[string][]byte{}}
		a := cluster.node(bus.on, cluster.valuesOf(values))
		session := a.begin()
		for i, uri := range []string{"notes://a", "notes://b"} {
			a.request(session, string(rune('1'+i)), "resources/subscribe", `"uri":"`+uri+`"`)
		}
		time.Sleep(2 * time.Minute) // the subscriptions are not new any more
		a.sessions.Close()
		values.GoAway()
		b := cluster.node(bus.on, cluster.valuesOf(values))
		stream := b.listen(session)
		b.request(session, "3", "resources/unsubscribe", `"uri":"notes://b"`)
		stream.Take()
		time.Sleep(10 * time.Second)
		values.Back()
		time.Sleep(10 * time.Second)
		if got := stream.Take(); gatewaytest.Count(got, "notes://a") != 1 || gatewaytest.Count(got, "notes://b") != 0 {
			t.Errorf("when the store is back: %v", got)
		}
		b.table("alice").Changed("notes://a")
		if got := stream.Take(); gatewaytest.Count(got, "notes://a") != 1 {
			t.Errorf("after a change: %v", got)
		}
		b.sessions.Close()
		c := cluster.node(bus.on, cluster.valuesOf(values))
		c.listen(session)
		synctest.Wait()
		if got, _ := sessions.New(cluster.keys, values).Load(t.Context(), mcphttp.HashOf(session)); !slices.Equal(got.Subscriptions.URIs(), []string{"notes://a"}) {
			t.Errorf("stored: %q", got.Subscriptions.URIs())
		}
	})
}

// What a client changes in a session that was restored while the store is away stays, however
// long the outage lasts, with what was stored before.
func TestSessionsRestoredWithoutStoreKeepWhatChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster, bus := newTestCluster(t), newTestBus()
		values := &sessionstest.Values{Stored: map[string][]byte{}}
		a := cluster.node(bus.on, cluster.valuesOf(values))
		session := a.begin()
		if err := cluster.table("alice").Put(engine.Entry{JSON: engine.Describe("uri", "notes://gone", "name", "gone")}); err != nil {
			t.Fatal(err)
		}
		a.request(session, "0", "resources/subscribe", `"uri":"notes://gone"`)
		a.request(session, "1", "resources/subscribe", `"uri":"notes://b"`)
		time.Sleep(2 * time.Minute)
		a.sessions.Close()
		values.GoAway()
		b := cluster.node(bus.on, cluster.valuesOf(values))
		stream := b.listen(session)
		b.request(session, "2", "resources/subscribe", `"uri":"notes://a"`)
		b.request(session, "4", "resources/subscribe", `"uri":"notes://gone"`)
		b.request(session, "5", "resources/unsubscribe", `"uri":"notes://gone"`)
		time.Sleep(5 * time.Minute)
		b.request(session, "3", "logging/setLevel", `"level":"error"`)
		values.Back()
		time.Sleep(10 * time.Second)
		stream.Take()
		for _, uri := range []string{"notes://a", "notes://b"} {
			b.table("alice").Changed(uri)
		}
		if got := stream.Take(); gatewaytest.Count(got, "notes://a") != 1 || gatewaytest.Count(got, "notes://b") != 1 {
			t.Errorf("after a change of both: %v", got)
		}
		got, _ := sessions.New(cluster.keys, values).Load(t.Context(), mcphttp.HashOf(session))
		if uris := got.Subscriptions.URIs(); !slices.Equal(slices.Sorted(slices.Values(uris)), []string{"notes://a", "notes://b"}) || got.LogLevel != "error" {
			t.Errorf("stored: %q, level %q", got.Subscriptions.URIs(), got.LogLevel)
		}
	})
}

// A session that has ended elsewhere ends here when the store says so.
func TestSessionsRestoredWithoutStoreMayHaveEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := newTestCluster(t)
		values := &sessionstest.Values{Stored: map[string][]byte{}}
		a, b := cluster.node(cluster.valuesOf(values)), cluster.node(cluster.valuesOf(values))
		session := a.begin()
		a.request(session, "1", "resources/subscribe", `"uri":"notes://a"`)
		a.do("DELETE", "/mcp", aliceToken, session, "")
		values.GoAway()
		if status, _ := b.request(session, "2", "ping", ""); status != 200 {
			t.Fatalf("without the store: %d", status)
		}
		values.Back()
		time.Sleep(10 * time.Second)
		if status, _ := b.request(session, "3", "ping", ""); status != 404 {
			t.Errorf("with the store: %d", status)
		}
	})
}

// The result of a subscription says that it is not stored yet.
func TestSubscribersLearnWhatIsNotDurable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := newTestCluster(t)
		values := &sessionstest.Values{Stored: map[string][]byte{}}
		node := cluster.node(cluster.valuesOf(values))
		session := node.begin()
		subscribe := func(id, uri string) string {
			status, body := node.request(session, id, "resources/subscribe", `"uri":"`+uri+`"`)
			if status != 200 || !strings.Contains(body, `"result"`) {
				t.Fatalf("subscribe: %d %s", status, body)
			}
			return body
		}
		if got := subscribe("1", "notes://a"); strings.Contains(got, mcphttp.MetaDurable) {
			t.Errorf("with the store: %s", got)
		}
		values.GoAway()
		if got := subscribe("2", "notes://b"); !strings.Contains(got, `"_meta":{"`+mcphttp.MetaDurable+`":false}`) {
			t.Errorf("without the store: %s", got)
		}
	})
}

// Two nodes that store their states before they hear of each other's changes lose neither
// change, whatever their clocks say.
func TestChangesOfTwoNodesAreMerged(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(ago time.Duration) time.Time { return now.Add(-ago) }
	for _, row := range []struct {
		name         string
		own, other   mcphttp.Changes // other was made a second later
		uris         string
		level        string
		isMergeEnded bool
	}{
		{name: "both subscribe", own: mcphttp.Changes{Subscriptions: mcphttp.Subscriptions{"a": {At: at(0)}}}, other: mcphttp.Changes{Subscriptions: mcphttp.Subscriptions{"b": {At: at(0)}}}, uris: "a b"},
		{name: "one unsubscribes from what the other knows", own: mcphttp.Changes{Subscriptions: mcphttp.Subscriptions{"a": {At: at(0), Gone: true}}}, other: mcphttp.Changes{Subscriptions: subscribed("a", "b")}, uris: "b"},
		{name: "one unsubscribes before the other subscribes", own: mcphttp.Changes{Subscriptions: mcphttp.Subscriptions{"a": {At: at(0), Gone: true}}}, other: mcphttp.Changes{Subscriptions: mcphttp.Subscriptions{"a": {At: at(-time.Millisecond)}}}, uris: "a"},
		{name: "one unsubscribes after the other subscribes", own: mcphttp.Changes{Subscriptions: mcphttp.Subscriptions{"a": {At: at(0), Gone: true}}}, other: mcphttp.Changes{Subscriptions: mcphttp.Subscriptions{"a": {At: at(time.Second)}}}, uris: ""},
		{name: "an old subscription that the later state lacks", own: mcphttp.Changes{Subscriptions: mcphttp.Subscriptions{"a": {At: at(2 * time.Minute)}}}, other: mcphttp.Changes{Subscriptions: subscribed("b")}, uris: "b"},
		{name: "one has ended", own: mcphttp.Changes{Ended: true}, other: mcphttp.Changes{Subscriptions: subscribed("a")}, uris: "a", isMergeEnded: true},
		{name: "one sets the level", own: mcphttp.Changes{LogLevel: "error"}, other: mcphttp.Changes{Subscriptions: subscribed("a")}, uris: "a", level: "error"},
		{name: "the later one was restored without the store", own: mcphttp.Changes{Subscriptions: subscribed("a")}, other: mcphttp.Changes{Subscriptions: mcphttp.Subscriptions{"b": {At: at(-time.Second)}}, Partial: true}, uris: "a b"},
		{name: "a subscription early in a long outage", own: mcphttp.Changes{Subscriptions: subscribed("a")}, other: mcphttp.Changes{Subscriptions: mcphttp.Subscriptions{"b": {At: at(time.Hour)}}, Partial: true}, uris: "a b"},
		{name: "an unsubscription early in a long outage", own: mcphttp.Changes{Subscriptions: subscribed("a", "b")}, other: mcphttp.Changes{Subscriptions: mcphttp.Subscriptions{"a": {At: at(time.Hour), Gone: true}}, Partial: true}, uris: "b"},
	} {
		row.own.At, row.other.At = now, now.Add(time.Second)
		for _, merged := range []mcphttp.Changes{row.own.Merge(row.other), row.other.Merge(row.own)} {
			uris := merged.Subscriptions.URIs()
			slices.Sort(uris)
			if got := strings.Join(uris, " "); got != row.uris || merged.LogLevel != row.level || merged.Ended != row.isMergeEnded {
				t.Errorf("%s: %q, level %q, ended %v; want %q, %q, %v", row.name, got, merged.LogLevel, merged.Ended, row.uris, row.level, row.isMergeEnded)
			}
			if len(merged.Subscriptions) != len(uris) && strings.Contains(row.name, "long outage") {
				t.Errorf("%s: the result keeps what is gone", row.name)
			}
		}
	}
}

// A session that is begun and deleted leaves nothing in the store. One that was used, also on
// another node, is remembered as ended.
func TestSessionsThatWereNeverUsedAreStoredNowhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, bus, values := newTestCluster(t), newTestBus(), &sessionstest.Values{Stored: map[string][]byte{}}
		a, b := c.node(bus.on, c.valuesOf(values)), c.node(bus.on, c.valuesOf(values))
		for range 30 {
			session := a.beginAs(aliceToken)
			if got := a.do("DELETE", "/mcp", aliceToken, session, ""); got.StatusCode != 204 {
				t.Fatalf("%d %s", got.StatusCode, got.body)
			}
			if status, _ := a.request(session, "1", "ping", ""); status != 404 {
				t.Errorf("deleted: %d", status)
			}
		}
		if len(values.Stored) != 0 {
			t.Errorf("%d values are stored", len(values.Stored))
		}
		for _, use := range []*testNode{a, b} {
			session := a.beginAs(aliceToken)
			if status, body := use.request(session, "1", "ping", ""); status != 200 {
				t.Fatalf("%d %s", status, body)
			}
			synctest.Wait()
			a.do("DELETE", "/mcp", aliceToken, session, "")
		}
		if len(values.Stored) != 2 {
			t.Errorf("%d values are stored for 2 sessions that were used", len(values.Stored))
		}
	})
}
