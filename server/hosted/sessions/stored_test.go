package sessions

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A session that is begun and deleted leaves nothing in the store. One that was used, also on
// another node, is remembered as ended.
func TestSessionsThatWereNeverUsedAreStoredNowhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, bus, values := newTestCluster(t), newTestBus(), &testValues{values: map[string][]byte{}}
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
		if len(values.values) != 0 {
			t.Errorf("%d values are stored", len(values.values))
		}
		for _, use := range []*testNode{a, b} {
			session := a.beginAs(aliceToken)
			if status, body := use.request(session, "1", "ping", ""); status != 200 {
				t.Fatalf("%d %s", status, body)
			}
			synctest.Wait()
			a.do("DELETE", "/mcp", aliceToken, session, "")
		}
		if len(values.values) != 2 {
			t.Errorf("%d values are stored for 2 sessions that were used", len(values.values))
		}
	})
}

// What the sessions of one owner have in the store is bounded: the changes that were saved
// first are deleted, unless another node has later ones.
func TestStoredChangesOfAnOwnerAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring, values := testRing(t, keys.New()), &testValues{values: map[string][]byte{}}
		a, b := newSharedChanges(ring, values), newSharedChanges(ring, values)
		expires := time.Now().Add(time.Hour)
		long := func(i int) []string {
			var uris []string
			for n := range 25 {
				uris = append(uris, fmt.Sprintf("notes://%d/%d/%s", i, n, strings.Repeat("x", 8_000)))
			}
			return uris
		}
		a.Save("0", mcphttp.Changes{Owner: "o", URIs: long(0), Expires: expires})
		time.Sleep(time.Millisecond)
		b.Save("0", mcphttp.Changes{Owner: "o", URIs: []string{"notes://later"}, Expires: expires})
		a.Save("modest", mcphttp.Changes{Owner: "p", URIs: []string{"notes://1"}, Expires: expires})
		for i := range 100 {
			a.Save(fmt.Sprint(i+1), mcphttp.Changes{Owner: "o", URIs: long(i), Expires: expires})
		}
		size := 0
		for _, value := range values.values {
			size += len(value)
		}
		if size > 3<<19 || values.values["100"] == nil || values.values["1"] != nil {
			t.Errorf("%d values, %d bytes", len(values.values), size)
		}
		if values.values["0"] == nil || values.values["modest"] == nil {
			t.Error("the later change of another node, or that of another owner, is deleted")
		}
	})
}

// A session has subscriptions of 256 KiB: a further one is rejected, since it would be lost
// when the session sleeps.
func TestSubscriptionsOfASessionAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTestCluster(t)
		n := c.node()
		session := n.begin()
		subscribed := 0
		uri := func(i int) string { return fmt.Sprintf("notes://%d/%s", i, strings.Repeat("x", 8_000)) }
		for i := range 40 {
			if err := c.table("alice").Put(engine.Entry{Resource: engine.Resource{URI: uri(i), Name: "long"}}); err != nil {
				t.Fatal(err)
			}
			switch status, body := n.request(session, "1", "resources/subscribe", fmt.Sprintf(`"uri":%q`, uri(i))); {
			case status == 200 && strings.Contains(body, `"result"`):
				subscribed++
			case status != 429 || !strings.Contains(body, "unsubscribe"):
				t.Fatalf("%d: %d %s", i, status, body)
			}
		}
		if subscribed != 32 {
			t.Errorf("%d subscriptions", subscribed)
		}
		if status, body := n.request(session, "1", "resources/subscribe", fmt.Sprintf(`"uri":%q`, uri(0))); status != 200 {
			t.Errorf("one of them again: %d %s", status, body)
		}
	})
}
