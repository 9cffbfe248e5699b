package mcphttp_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

// All ids that are not valid get one response, which does not tell why.
func TestInvalidSessionsGetOneResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTestCluster(t)
		n := c.node()
		session, ended := n.begin(), n.begin()
		if status := n.do("DELETE", "/mcp", aliceToken, ended, "").StatusCode; status != 204 {
			t.Errorf("DELETE: %d", status)
		}
		want := n.do("POST", "/mcp", aliceToken, strings.Repeat("A", 43), `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		if want.StatusCode != 404 || !strings.Contains(want.body, "There is no such session") {
			t.Fatalf("%d %s", want.StatusCode, want.body)
		}
		type sent struct{ path, token, id string }
		requests := map[string]sent{
			"ended":                {"/mcp", aliceToken, ended},
			"of another owner":     {"/mcp", "https://auth.example bob app", session},
			"of another client":    {"/mcp", "https://auth.example alice other", session},
			"of another issuer":    {"/mcp", "https://other.example alice app", session},
			"at another endpoint":  {"/mcp/notes", aliceToken, session},
			"of a foreign cluster": {"/mcp", aliceToken, newTestCluster(t).node().begin()},
		}
		for what, id := range mcphttp.BadIDs(t) {
			if strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/!") == "" && id != "" {
				requests[what] = sent{"/mcp", aliceToken, id}
			}
		}
		for what, r := range requests {
			for _, method := range []string{"POST", "GET", "DELETE"} {
				body := ""
				if method == "POST" {
					body = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
				}
				if got := n.do(method, r.path, r.token, r.id, body); got.StatusCode != 404 || got.body != want.body || fmt.Sprint(got.Header) != fmt.Sprint(want.Header) {
					t.Errorf("%s, %s: %d %s %v", what, method, got.StatusCode, got.body, got.Header)
				}
			}
		}
		if status, body := n.request(session, "1", "ping", ""); status != 200 {
			t.Errorf("the session itself: %d %s", status, body)
		}
	})
}

// A session that sleeps is in no table of the node. It wakes with its subscriptions and
// its log level.
func TestSleepingSessionsUseNoMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTestCluster(t)
		n := c.node()
		session := n.begin()
		if status, body := n.request(session, "1", "resources/subscribe", `"uri":"notes://a"`); status != 200 {
			t.Fatalf("subscribe: %d %s", status, body)
		}
		for range 100 {
			n.begin()
		}
		if got := n.sessions.Count(); got != 101 {
			t.Errorf("%d sessions are awake", got)
		}
		time.Sleep(limits.SessionIdle)
		n.sessions.Sweep(time.Now())
		if got := n.sessions.Count(); got != 0 {
			t.Errorf("%d sessions are awake when all are idle", got)
		}
		stream := n.listen(session)
		got := stream.Take()
		if stream.Status != 200 || gatewaytest.Count(got, `"uri":"notes://a"`) == 0 || gatewaytest.Count(got, "resources/list_changed") != 1 {
			t.Errorf("after the wake: %d %v", stream.Status, got)
		}
		c.table("alice").Changed("notes://a")
		if got := stream.Take(); gatewaytest.Count(got, `"uri":"notes://a"`) != 1 {
			t.Errorf("after a change: %v", got)
		}
		time.Sleep(2 * limits.SessionIdle)
		n.sessions.Sweep(time.Now())
		if got := n.sessions.Count(); got != 1 {
			t.Errorf("%d sessions with a stream are awake", got)
		}
	})
}

// A session ends a week after its beginning, also if it is in use.
func TestStreamsEndWithTheirSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestCluster(t).node()
		session := n.begin()
		stream := n.listen(session)
		time.Sleep(7*24*time.Hour - time.Second)
		n.sessions.Sweep(time.Now())
		if stream.HasEnded() {
			t.Error("ended too early")
		}
		time.Sleep(time.Second)
		if status, _ := n.request(session, "1", "ping", ""); status != 404 {
			t.Errorf("after a week: %d", status)
		}
		n.sessions.Sweep(time.Now())
		if !stream.HasEnded() || n.sessions.Count() != 0 {
			t.Errorf("the stream has ended: %t; %d sessions", stream.HasEnded(), n.sessions.Count())
		}
	})
}

// An id that was deleted stays invalid on its node, although the facts in it are valid, and
// also if the changes are lost.
func TestDeletedSessionsStayEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestCluster(t).node(func(ss *mcphttp.Sessions) { ss.Changes = forgetful{ss.Changes} })
		session := n.begin()
		stream := n.listen(session)
		if got := n.do("DELETE", "/mcp", aliceToken, session, ""); got.StatusCode != 204 {
			t.Errorf("DELETE: %d %s", got.StatusCode, got.body)
		}
		if !stream.HasEnded() {
			t.Error("its stream goes on")
		}
		for _, wait := range []time.Duration{0, time.Hour, 6 * 24 * time.Hour, 24 * time.Hour} {
			time.Sleep(wait)
			n.sessions.Sweep(time.Now())
			if status, body := n.request(session, "1", "ping", ""); status != 404 {
				t.Errorf("%v later: %d %s", wait, status, body)
			}
		}
	})
}

// forgetful loses all changes.
type forgetful struct{ mcphttp.SessionChanges }

func (forgetful) Save(string, mcphttp.Changes) {}
