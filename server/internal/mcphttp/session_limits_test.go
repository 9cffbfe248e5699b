package mcphttp_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

// beginAs begins a session with a token, and returns its id; "" for 429.
func (n *testProcess) beginAs(token string) (session string) {
	n.t.Helper()
	begun := n.do("POST", "/mcp", token, "", testBegin)
	if begun.StatusCode == 429 && begun.Header.Get("Retry-After") != "" {
		return ""
	}
	if session = begun.Header.Get("Mcp-Session-Id"); begun.StatusCode != 200 || session == "" {
		n.t.Fatalf("initialize: %d %s", begun.StatusCode, begun.body)
	}
	return session
}

// streamAs begins a session and opens its stream.
func (n *testProcess) streamAs(token string) *gatewaytest.Stream {
	n.t.Helper()
	session := n.beginAs(token)
	if session == "" {
		n.t.Fatalf("no session for %s", token)
	}
	return n.stream("GET", "/mcp", token, session, "")
}

func ended(streams []*gatewaytest.Stream) (count int) {
	for _, stream := range streams {
		if stream.HasEnded() {
			count++
		}
	}
	return count
}

// owners returns the owners of the sessions that are awake.
func (n *testProcess) owners() (all []string) {
	for _, state := range n.sessions.States() {
		all = append(all, string(state.Owner))
	}
	return all
}

// Over its limit an owner's own sessions make room: idle ones, then those with a stream only.
// They stay valid, and those of others stay awake.
func TestAnOwnersOwnSessionsMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestOwners(t).process(func(ss *mcphttp.Sessions) { ss.Gate.Limits = limited("sessionsPerOwner", 3) })
		bob := n.streamAs("https://auth.example bob app")
		first := n.beginAs(aliceToken)
		var streams []*gatewaytest.Stream
		for range 8 {
			if n.beginAs(aliceToken) == "" {
				t.Error("alice gets 429")
			}
			if got := n.sessions.Count(); got > 3+1 {
				t.Errorf("%d sessions are awake", got)
			}
		}
		if status, body := n.request(first, "1", "ping", ""); status != 200 {
			t.Errorf("a session that made room: %d %s", status, body)
		}
		for range 5 {
			streams = append(streams, n.streamAs(aliceToken))
		}
		synctest.Wait()
		if got := ended(streams); got != 2 {
			t.Errorf("%d of 5 streams have ended", got)
		}
		if bob.HasEnded() {
			t.Error("the stream of another owner has ended")
		}
	})
}

// If the node is full, an idle session of the same owner makes room before those of others.
func TestAnIdleSessionOfTheSameOwnerMakesRoomFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestOwners(t).process(func(ss *mcphttp.Sessions) { ss.Gate.Limits = limited("sessions", 3) })
		n.beginAs("https://auth.example bob app")
		time.Sleep(2 * time.Second)
		n.beginAs(aliceToken)
		n.streamAs(aliceToken)
		time.Sleep(2 * time.Second)
		n.beginAs(aliceToken)
		if got := strings.Join(n.owners(), " "); got != "bob alice alice" {
			t.Errorf("awake: %s", got)
		}
	})
}

// If the node is full, the session that is idle for longest makes room: its next request restores it.
func TestASessionMakesRoomBeforeOneIsRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestOwners(t).process(func(ss *mcphttp.Sessions) { ss.Gate.Limits = limited("sessions", 4) })
		stream := n.streamAs("https://auth.example user app tenant-red")
		var sessions []string
		for i := range 12 {
			sessions = append(sessions, n.beginAs(fmt.Sprintf("https://auth.example user%d app tenant-%d", i, i)))
		}
		if slices.Contains(sessions, "") || stream.HasEnded() {
			t.Errorf("a session is rejected, or the stream of another one has ended: %q", sessions)
		}
		if got := n.do("POST", "/mcp", "https://auth.example user0 app tenant-0", sessions[0], `{"jsonrpc":"2.0","id":1,"method":"ping"}`); got.StatusCode != 200 {
			t.Errorf("one that made room: %d %s", got.StatusCode, got.body)
		}
	})
}

// Sessions with a request in flight make no room.
func TestSessionsInUseStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTestOwners(t)
		n := c.process(func(ss *mcphttp.Sessions) { ss.Gate.Limits = limited("sessionsPerOwner", 2) })
		for range 2 {
			n.call(n.begin(), "1", "slow")
		}
		full := n.do("POST", "/mcp", aliceToken, "", testBegin)
		if full.StatusCode != 429 || full.Header.Get("Retry-After") == "" || full.Header.Get("Mcp-Session-Id") != "" || !strings.Contains(full.body, "Too many sessions") {
			t.Errorf("%d %v %s", full.StatusCode, full.Header, full.body)
		}
		if got := c.slowCalls(); got != 2 {
			t.Errorf("%d calls run", got)
		}
	})
}

// New sessions take from the rate of calls: a client that begins one after the other waits,
// and one that begins many at once gets 429.
func TestNewSessionsTakeFromTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestOwners(t).process(func(ss *mcphttp.Sessions) {
			ss.Gate.Limits = limited("callsPerSecond", 5)
		})
		var mu sync.Mutex
		begun := 0
		began := time.Now()
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				if n.beginAs(aliceToken) != "" {
					mu.Lock()
					defer mu.Unlock()
					begun++
				}
			})
		}
		all.Wait()
		if begun != 20+10 || time.Since(began) != 2*time.Second {
			t.Errorf("%d sessions in %v", begun, time.Since(began))
		}
	})
}

// Notifications and responses take from the rate of calls of their client, and from no other's.
func TestNotificationsTakeFromTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestOwners(t).process(func(ss *mcphttp.Sessions) {
			ss.Gate.Limits = limited("callsPerSecond", 5)
		})
		session, bob := n.beginAs(aliceToken), n.beginAs("https://auth.example bob app")
		taken, refused := 0, 0
		for i := range 60 {
			body := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
			if i%2 == 1 {
				body = `{"jsonrpc":"2.0","id":"none","result":{}}`
			}
			switch answer := n.do("POST", "/mcp", aliceToken, session, body); {
			case answer.StatusCode == 202:
				taken++
			case answer.StatusCode == 429 && answer.Header.Get("Retry-After") != "":
				refused++
			default:
				t.Fatalf("%d %s", answer.StatusCode, answer.body)
			}
		}
		if taken < 20 || refused < 20 {
			t.Errorf("%d are taken, and %d refused", taken, refused)
		}
		if answer := n.do("POST", "/mcp", "https://auth.example bob app", bob, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`); answer.StatusCode != 202 {
			t.Errorf("another client gets %d", answer.StatusCode)
		}
		time.Sleep(4 * time.Second)
		if answer := n.do("POST", "/mcp", aliceToken, session, `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`); answer.StatusCode != 202 {
			t.Errorf("later: %d %s", answer.StatusCode, answer.body)
		}
	})
}
