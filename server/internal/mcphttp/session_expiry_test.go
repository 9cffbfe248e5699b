package mcphttp_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
)

// When the token of its client expires, a GET stream ends. The session goes on: the client
// returns with a fresh token, and gets what it has missed.
func TestStreamsEndWithTheirToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTestOwners(t)
		n := c.process()
		session := n.begin()
		n.request(session, "1", "resources/subscribe", `"uri":"notes://a"`)
		old, fresh := aliceToken+" first", aliceToken+" second"
		n.expire(old, time.Minute)
		n.expire(fresh, time.Hour)
		stream := n.stream("GET", "/mcp", old, session, "")
		other := n.stream("GET", "/mcp", fresh, n.begin(), "")
		time.Sleep(time.Minute - time.Millisecond)
		if stream.HasEnded() {
			t.Error("ended before the token")
		}
		time.Sleep(time.Millisecond)
		if !stream.HasEnded() || other.HasEnded() {
			t.Errorf("ended: %t; that of another token: %t", stream.HasEnded(), other.HasEnded())
		}
		c.table("alice").Changed("notes://a")
		again := n.stream("GET", "/mcp", fresh, session, "")
		if got := again.Take(); again.Status != 200 || gatewaytest.Count(got, `"uri":"notes://a"`) == 0 {
			t.Errorf("with a fresh token: %d %v", again.Status, got)
		}
	})
}

// A listen gets its result when the token of its client expires, and nothing after it.
func TestListensGetTheirResultWhenTheTokenEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTestOwners(t)
		n := c.process()
		token := aliceToken + " first"
		n.expire(token, time.Minute)
		listen := n.modernListen(token)
		time.Sleep(time.Minute - time.Millisecond)
		c.table("alice").Changed("notes://a")
		if got := listen.Take(); listen.Status != 200 || gatewaytest.Count(got, `"uri":"notes://a"`) != 1 || listen.HasEnded() {
			t.Errorf("before the end: %d %v", listen.Status, got)
		}
		time.Sleep(time.Millisecond)
		if got := listen.Take(); len(got) != 1 || !strings.Contains(got[0], `"id":"l","result":{`) || !listen.HasEnded() {
			t.Errorf("at the end: %v; the stream has ended: %t", got, listen.HasEnded())
		}
		c.table("alice").Changed("notes://a")
		time.Sleep(time.Minute)
		if got := listen.Take(); len(got) > 0 {
			t.Errorf("after the end: %v", got)
		}
	})
}

// A listen that begins at the moment when the token expires does not stay open.
func TestListensDoNotOutliveTheirToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestOwners(t).process()
		for range 20 {
			n.expire(aliceToken+" first", 0)
			listen := n.modernListen(aliceToken + " first")
			time.Sleep(time.Minute)
			if !listen.HasEnded() {
				t.Fatalf("it is open: %v", listen.Take())
			}
		}
	})
}

func (n *testProcess) modernListen(token string) *gatewaytest.Stream {
	n.t.Helper()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	return n.stream("POST", "/mcp", token, "", `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{`+meta+`,"notifications":{"resourceSubscriptions":["notes://a"]}}}`)
}
