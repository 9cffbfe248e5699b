package gateway

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A listen is an event stream at once, with the acknowledgement first, and closing it
// ends the subscription. R-154 R-156 R-287 R-290 R-291 R-293 R-294.
func TestListenStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		page := newPage(t, "notes")
		page.write("notes://a", "1")
		page.join(g)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		params := `"notifications":{"resourceSubscriptions":["notes+notes://a"]}`
		var listens []*gatewaytest.Stream
		for _, id := range []string{"1", `"1"`} {
			lines := append(gatewaytest.HeadersOf(engine.MethodListen, params), "Last-Event-ID: 7")
			s := g.Stream(ctx, "POST", "/mcp", gatewaytest.Modern(id, engine.MethodListen, params), lines...)
			if s.Header.Get("X-Accel-Buffering") != "no" || !strings.Contains(s.Header.Get("Cache-Control"), "no-cache") {
				t.Errorf("proxies may keep it: %v", s.Header)
			}
			if got := s.Next(); !strings.Contains(got, "subscriptions/acknowledged") || !strings.Contains(got, `"io.modelcontextprotocol/subscriptionId":`+id+`}`) {
				t.Errorf("first of %s: %s", id, got)
			}
			listens = append(listens, s)
		}
		page.write("notes://a", "2")
		for _, s := range listens {
			if got := s.Next(); !strings.Contains(got, `"uri":"notes+notes://a"`) || !strings.Contains(got, engine.MethodUpdated) {
				t.Errorf("updated: %s", got)
			}
		}
		cancel()
		for outcome, want := range map[string]int{"cancelled": 2, "ok": 0} {
			if n := g.audited(func(e access.Entry) bool { return e.Verb == engine.MethodListen && e.Outcome == outcome }); n != want {
				t.Errorf("%d listens are recorded as %s", n, outcome)
			}
		}
	})
}

// When the gateway closes, a listen gets its result and its stream ends. R-164 R-290.
func TestListenEndsWithResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		s := g.Listen(t.Context(), "/mcp", `"resourcesListChanged":true`)
		g.Close()
		if got := s.Next(); !strings.Contains(got, `"resultType":"complete"`) || !strings.Contains(got, `"id":1`) {
			t.Errorf("last: %s", got)
		}
		if got := s.Next(); got != "" {
			t.Errorf("the stream goes on with %s", got)
		}
	})
}

// In a session a closed connection does not cancel its request, and a response without a
// recipient is recorded. R-314.
func TestClosedPostIsNoCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		page := newPage(t, "notes")
		page.write("notes://a", "1")
		page.join(g)
		other := newPage(t, "diary")
		other.write("diary://b", "2")
		other.join(g)
		session := g.Begin("/mcp", gatewaytest.Initialize)
		page.leave(g, false)
		ctx, cancel := context.WithCancel(t.Context())
		post := make(chan error, 1)
		go func() {
			answer, err := g.HTTP.Do(g.Request(ctx, "POST", "/mcp", gatewaytest.Classic("5", engine.MethodReadResource, `"uri":"notes+notes://a"`), session.Header()))
			if err == nil {
				answer.Body.Close()
			}
			post <- err
		}()
		synctest.Wait() // the read waits for the page
		if status, body := session.Request("5", engine.MethodReadResource, `"uri":"diary+diary://b"`); status != 200 || !strings.Contains(body, `"id":5,"result"`) {
			t.Errorf("its id again: %d %s", status, body)
		}
		cancel()
		if err := gatewaytest.Await(t, "the post ends", post); err == nil {
			t.Error("the read was answered without the page")
		}
		dropped := func(e access.Entry) bool { return e.Verb == engine.MethodReadResource && e.Outcome == "dropped" }
		if n := g.audited(dropped); n != 0 {
			t.Errorf("%d answers are dropped while the page is away", n)
		}
		page.join(g)
		if n := g.audited(dropped); n != 1 {
			t.Errorf("%d answers are dropped", n)
		}
	})
}
