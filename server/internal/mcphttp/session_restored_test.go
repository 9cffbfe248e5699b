package mcphttp_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A client subscribes on two nodes one after the other, before the first subscription is
// stored where the second node reads it. The second node learns of it from the first, stores
// both, and serves both after the first node is lost.
func TestRestoredSessionsLearnWhatIsNotStoredYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster, bus := newTestCluster(t), newTestBus()
		stored := &mcphttp.MemoryChanges{}
		other := func(ss *mcphttp.Sessions) { ss.Changes = stored }
		a, b := cluster.node(bus.on), cluster.node(bus.on, other)
		session := a.begin()
		a.request(session, "1", "resources/subscribe", `"uri":"notes://a"`)
		a.request(session, "2", "logging/setLevel", `"level":"error"`)
		b.request(session, "3", "resources/subscribe", `"uri":"notes://b"`)
		synctest.Wait()
		got, _ := stored.Load(t.Context(), mcphttp.HashOf(session))
		if uris := got.Subscriptions.URIs(); !slices.Equal(slices.Sorted(slices.Values(uris)), []string{"notes://a", "notes://b"}) || got.LogLevel != "error" {
			t.Errorf("stored: %q, level %q", got.Subscriptions.URIs(), got.LogLevel)
		}
		a.sessions.Close() // it says nothing more
		stream := b.listen(session)
		stream.Take()
		for _, uri := range []string{"notes://a", "notes://b"} {
			a.table("alice").Changed(uri)
			if got := stream.Take(); gatewaytest.Count(got, engine.MethodUpdated) != 1 || gatewaytest.Count(got, uri) != 1 {
				t.Errorf("after a change of %s: %v", uri, got)
			}
		}
	})
}

// What the client ends on a node that has just read the session is not brought back by what
// another node knows.
func TestRestoredSessionsKeepTheirOwnChanges(t *testing.T) {
	onNodes(t, func(t *testing.T, _ *testBus, a, b, _ *testNode) {
		session := a.begin()
		a.request(session, "1", "resources/subscribe", `"uri":"notes://a"`)
		b.request(session, "2", "resources/unsubscribe", `"uri":"notes://a"`)
		synctest.Wait()
		if got, _ := a.changes.Load(t.Context(), mcphttp.HashOf(session)); len(got.Subscriptions.URIs()) != 0 {
			t.Errorf("stored: %q", got.Subscriptions.URIs())
		}
		stream := b.listen(session)
		stream.Take()
		a.table("alice").Changed("notes://a")
		if got := stream.Take(); len(got) != 0 {
			t.Errorf("after a change: %v", got)
		}
	})
}
