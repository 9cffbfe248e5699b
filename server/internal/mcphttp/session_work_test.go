package mcphttp_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// limitRequests makes an owner's requests in flight count by the limits of a node. inUse returns how many there
// are of something.
func limitRequests(most int) (inUse func(limits.What) int, limited func(*mcphttp.Sessions)) {
	l := limits.Hosted()
	l.Set("requestsPerOwner", float64(most))
	u := limits.New(l, nil)
	inUse = func(what limits.What) int { n, _ := u.InUse(what, limits.OfNode, limits.User{}); return n }
	return inUse, func(ss *mcphttp.Sessions) { ss.Gate.Limits = u }
}

// A client that hangs up has not cancelled its calls: they count until the page has answered.
func TestCallsCountUntilTheyAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTestOwners(t)
		inUse, limited := limitRequests(4)
		n := c.process(limited)
		session := n.begin()
		for i := range 4 {
			stream := n.call(session, fmt.Sprint(i), "slow")
			synctest.Wait()
			stream.Close()
			synctest.Wait()
		}
		if inUse(limits.Requests) != 4 || c.slowCalls() != 4 {
			t.Errorf("%d requests count, %d calls run", inUse(limits.Requests), c.slowCalls())
		}
		began := time.Now()
		if _, body := n.request(session, `"ping"`, "ping", ""); !strings.Contains(body, `"busy"`) || time.Since(began) != limits.QueueTime {
			t.Errorf("one more waits in vain: %s after %v", body, time.Since(began))
		}
		cancelled := n.do("POST", "/mcp", aliceToken, session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`)
		synctest.Wait()
		if cancelled.StatusCode != 202 || inUse(limits.Requests) != 3 {
			t.Errorf("%d: %d requests count after one was cancelled", cancelled.StatusCode, inUse(limits.Requests))
		}
		n.do("DELETE", "/mcp", aliceToken, session, "")
		synctest.Wait()
		if inUse(limits.Requests) != 0 || c.slowCalls() != 0 {
			t.Errorf("%d requests count after the end of the session, %d calls run", inUse(limits.Requests), c.slowCalls())
		}
	})
}

// A client has no more large bodies read at a time than requests; small ones, as those that
// cancel a call, are read.
func TestLargeBodiesCountBeforeTheyAreRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inUse, limited := limitRequests(4)
		n := newTestOwners(t).process(limited)
		session := n.begin()
		answers := make(chan int, 5)
		post := func(body io.Reader, length int64) {
			r, err := http.NewRequestWithContext(t.Context(), "POST", "http://node.example/mcp", body)
			if err != nil {
				t.Error(err)
				return
			}
			r.ContentLength = length
			r.Header = http.Header{"Authorization": {aliceToken}, "Content-Type": {"application/json"}, "Accept": {"application/json"}, "Mcp-Session-Id": {session}}
			answer, err := n.client.HTTP.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			answer.Body.Close()
			answers <- answer.StatusCode
		}
		var bodies []*io.PipeWriter
		for i := range 4 {
			body, write := io.Pipe()
			bodies = append(bodies, write)
			go post(body, []int64{limits.SmallBody + 1, -1}[i%2]) // of unknown length, too
		}
		synctest.Wait()
		post(strings.NewReader(strings.Repeat("x", limits.SmallBody+1)), limits.SmallBody+1)
		if got := <-answers; got != 429 {
			t.Errorf("a fifth body: %d", got)
		}
		if status, body := n.request(session, "1", "ping", ""); status != 200 {
			t.Errorf("a small one: %d %s", status, body)
		}
		for _, body := range bodies {
			body.Write([]byte(`{"jsonrpc":"2.0","id":2,"method":"ping"`))
			body.Write([]byte("}" + strings.Repeat(" ", limits.SmallBody+1-40)))
			body.Close()
		}
		synctest.Wait()
		if bodies := inUse(limits.Bodies); len(answers) != 4 || bodies != 0 {
			t.Errorf("%d of 4 bodies are answered, %d count", len(answers), bodies)
		}
		listen := `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}` +
			strings.Repeat(" ", limits.SmallBody) + "}"
		stream := n.stream("POST", "/mcp", aliceToken, "", listen)
		if bodies, streams := inUse(limits.Bodies), inUse(limits.Streams); stream.Status != 200 || streams != 1 || bodies != 0 {
			t.Errorf("a listen: %d, %d streams and %d bodies count", stream.Status, streams, bodies)
		}
	})
}

// The requests of a batch run one after the other, so no batch is over the limit of requests in flight; each of them
// waits for room like one that came alone.
func TestEachRequestOfABatchCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inUse, limited := limitRequests(4)
		n := newTestOwners(t).process(limited)
		begun := n.do("POST", "/mcp", aliceToken, "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
		var requests []string
		for id := range 20 {
			requests = append(requests, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, id))
		}
		got := n.do("POST", "/mcp", aliceToken, begun.Header.Get("Mcp-Session-Id"), "["+strings.Join(requests, ",")+"]")
		if got.StatusCode != 200 || strings.Count(got.body, `"result"`) != 20 {
			t.Errorf("20 requests: %d %s", got.StatusCode, got.body)
		}
		if requests := inUse(limits.Requests); requests != 0 {
			t.Errorf("%d requests count after all are answered", requests)
		}
	})
}

// A document has 256 KiB of subscriptions: a further one is rejected, since it would be lost when the
// session sleeps.
func TestSubscriptionsOfASessionAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTestOwners(t)
		n := c.process()
		session := n.begin()
		subscribed := 0
		uri := func(i int) string { return fmt.Sprintf("notes://%d/%s", i, strings.Repeat("x", 8_000)) }
		for i := range 40 {
			if err := c.table("alice").Put(engine.Entry{JSON: engine.Describe("uri", uri(i), "name", "long")}); err != nil {
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
