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
		c := newTestOwners(t)
		n := c.process()
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
			"ended":               {"/mcp", aliceToken, ended},
			"of another owner":    {"/mcp", "https://auth.example bob app", session},
			"of another client":   {"/mcp", "https://auth.example alice other", session},
			"of another issuer":   {"/mcp", "https://other.example alice app", session},
			"at another endpoint": {"/mcp/notes", aliceToken, session},
			"of another gateway":  {"/mcp", aliceToken, newTestOwners(t).process().begin()},
			"of no session":       {"/mcp", aliceToken, "x"},
			"too long":            {"/mcp", aliceToken, strings.Repeat("x", 10_000)},
			"a path":              {"/mcp", aliceToken, "../../token"},
			"with a prefix":       {"/mcp", aliceToken, "A" + session},
			"cut off":             {"/mcp", aliceToken, session[1:]},
			"twice":               {"/mcp", aliceToken, session + session},
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

// A session that is idle sleeps. It wakes with its subscriptions and its log level.
func TestIdleSessionsSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTestOwners(t)
		n := c.process()
		session := n.begin()
		if status, body := n.request(session, "1", "resources/subscribe", `"uri":"notes://a"`); status != 200 {
			t.Fatalf("subscribe: %d %s", status, body)
		}
		n.request(session, "2", "logging/setLevel", `"level":"error"`)
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
		if state := n.sessions.States(); len(state) != 1 || state[0].LogLevel != "error" {
			t.Errorf("after the wake: %+v", state)
		}
		time.Sleep(time.Millisecond) // the interval of notifications
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

// A session ends when it was not used for its lifetime: a stream is a use, a document is none. What
// the document says holds, also for another process.
func TestSessionsEndAfterTheirLifetime(t *testing.T) {
	const day = 24 * time.Hour
	synctest.Test(t, func(t *testing.T) {
		c, store := newTestOwners(t), newTestStore()
		n, other := c.process(store.use), c.process(store.use)
		idle, used, streaming, older := n.begin(), n.begin(), n.begin(), n.begin()
		stream := n.listen(streaming)
		for range 20 {
			time.Sleep(day)
			n.sessions.Sweep(time.Now())
			if status, body := n.request(used, "1", "ping", ""); status != 200 {
				t.Fatalf("used every day: %d %s", status, body)
			}
		}
		if stream.HasEnded() {
			t.Error("the stream has ended")
		}
		stream.Close()
		time.Sleep(7*day - time.Hour)
		n.sessions.Sweep(time.Now())
		if status, _ := n.request(streaming, "1", "ping", ""); status != 200 {
			t.Errorf("almost a week after the stream: %d", status)
		}
		synctest.Wait() // it is renewed
		store.change(func(s *mcphttp.Stored) { s.Expires = s.Expires.Add(-day) })
		for name, row := range map[string]struct {
			session string
			want    int
		}{"idle": {idle, 404}, "never used": {older, 404}, "used until a week ago": {used, 404}, "used now": {streaming, 200}} {
			if status, _ := other.request(row.session, "1", "ping", ""); status != row.want {
				t.Errorf("%s: %d, want %d", name, status, row.want)
			}
		}
		other.sessions.Close()
		store.change(func(s *mcphttp.Stored) { s.Expires = time.Now() })
		if status, _ := c.process(store.use).request(streaming, "1", "ping", ""); status != 404 {
			t.Errorf("when its document has expired: %d", status)
		}
	})
}

// A session that was deleted stays so, also if the store did not answer then, and for another
// process.
func TestDeletedSessionsStayEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, store := newTestOwners(t), newTestStore()
		n := c.process(store.use)
		for name, isAway := range map[string]bool{"the store answers": false, "the store is away": true} {
			session := n.begin()
			stream := n.listen(session)
			store.setAway(isAway)
			if got := n.do("DELETE", "/mcp", aliceToken, session, ""); got.StatusCode != 204 {
				t.Errorf("%s: DELETE: %d %s", name, got.StatusCode, got.body)
			}
			if !stream.HasEnded() {
				t.Errorf("%s: its stream goes on", name)
			}
			for _, wait := range []time.Duration{0, time.Minute, time.Hour, 24 * time.Hour} {
				time.Sleep(wait)
				n.sessions.Sweep(time.Now())
				if status, body := n.request(session, "1", "ping", ""); status != 404 {
					t.Errorf("%s: %v later: %d %s", name, wait, status, body)
				}
				store.setAway(false)
			}
			if status, _ := c.process(store.use).request(session, "1", "ping", ""); status != 404 {
				t.Errorf("%s: another process: %d", name, status)
			}
		}
		if got := store.list(); len(got) != 0 || n.sessions.Count() != 0 {
			t.Errorf("stored: %v; %d sessions", got, n.sessions.Count())
		}
	})
}
