package mcphttp_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// Requests of one session may have the same id: each POST gets its own answer, and a
// cancellation concerns the newest one.
func TestIDsMayRepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestOwners(t).process()
		session := n.begin()
		calls := make(chan *gatewaytest.Stream, 2)
		for range 2 {
			go func() { calls <- n.call(session, "1", "slow") }()
			time.Sleep(2 * limits.StreamAfter) // the headers come
		}
		first, second := <-calls, <-calls
		if got := n.slowCalls(); got != 2 {
			t.Fatalf("%d calls run", got)
		}
		for method, want := range map[string]string{"resources/list": "notes://a", "tools/list": "slow", "ping": "{}"} {
			if status, body := n.request(session, "1", method, ""); status != 200 || !strings.Contains(body, want) || !strings.Contains(body, `"id":1,`) {
				t.Errorf("%s: %d %s", method, status, body)
			}
		}
		for left, ended := range []*gatewaytest.Stream{second, first} {
			cancel := n.do("POST", "/mcp", aliceToken, session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
			if got := n.slowCalls(); cancel.StatusCode != 202 || got != 1-left || !ended.HasEnded() || len(ended.Take()) > 0 {
				t.Errorf("cancel %d: %d, %d calls run; the stream has ended: %t", left, cancel.StatusCode, got, ended.HasEnded())
			}
		}
	})
}

// A client that does not send the id of its session is served without one; what needs a
// session says so.
func TestSessionHeaderIsNotNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestOwners(t).process()
		n.begin()
		for _, row := range []struct{ method, params, want string }{
			{"tools/list", "", `"name":"slow"`},
			{"resources/list", "", "notes://a"},
			{"resources/read", `"uri":"notes://a"`, "text of alice"},
			{"ping", "", `"result":{}`},
			{"resources/subscribe", `"uri":"notes://a"`, "Mcp-Session-Id"},
		} {
			if status, body := n.request("", "1", row.method, row.params); status != 200 || !strings.Contains(body, row.want) {
				t.Errorf("%s: %d %s", row.method, status, body)
			}
		}
		if got := n.do("POST", "/mcp", aliceToken, "", `{"jsonrpc":"2.0","method":"notifications/initialized"}`); got.StatusCode != 202 {
			t.Errorf("a notification: %d %s", got.StatusCode, got.body)
		}
		if got := n.do("POST", "/mcp", "Bearer nobody", "", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`); got.StatusCode != 401 {
			t.Errorf("without credentials: %d %s", got.StatusCode, got.body)
		}
	})
}

// A session has several streams. A new one begins at once, also if the client of the last one
// is gone without a word, and announces what that one may have lost; a message goes to one
// stream.
func TestSessionHasSeveralStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestOwners(t).process()
		session := n.begin()
		n.request(session, "1", "resources/subscribe", `"uri":"notes://a"`)
		first := n.listen(session)
		if got := first.Take(); gatewaytest.Count(got, engine.MethodUpdated) != 0 {
			t.Errorf("on the first stream, before which nothing was sent: %v", got)
		}
		first.Close()
		gone := n.client.Open(t.Context(), "GET", "/mcp", "", linesOf(aliceToken, session, "")...) // never read again
		defer gone.Body.Close()
		time.Sleep(time.Second)
		n.table("alice").Changed("notes://a") // is written there
		time.Sleep(time.Second)
		began := time.Now()
		older := n.listen(session)
		if got := older.Take(); gatewaytest.Count(got, engine.MethodUpdated) != 1 || time.Since(began) != 0 {
			t.Errorf("what the lost stream had is announced as %v, after %v", got, time.Since(began))
		}
		newer := n.listen(session)
		time.Sleep(time.Second)
		newer.Take()
		n.table("alice").Changed("notes://a")
		if a, b := older.Take(), newer.Take(); len(a) != 0 || gatewaytest.Count(b, engine.MethodUpdated) != 1 {
			t.Errorf("a change is announced as %v and %v", a, b)
		}
		newer.Close()
		time.Sleep(time.Second)
		n.table("alice").Changed("notes://a")
		if got := older.Take(); gatewaytest.Count(got, engine.MethodUpdated) != 1 {
			t.Errorf("after the newer stream has ended: %v", got)
		}
		for i := range 8 {
			if got := n.listen(session); got.Status != 200 {
				t.Errorf("stream %d: %d", i, got.Status)
			}
		}
		if !older.HasEnded() {
			t.Error("streams are not bounded")
		}
	})
}
