package server

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// postInMemory sends a request in a session and returns the messages that come back,
// and whether they came as a stream.
func postInMemory(t *testing.T, g *Gateway, client *http.Client, session, body string) (messages []string, stream bool) {
	t.Helper()
	s := inSession(t, g, client, session)
	answer, messages := s.Messages("/mcp", body, gatewaytest.Streams, s.Header())
	return messages, answer.Header.Get("Content-Type") == mcphttp.EventStreamType
}

const (
	subscribeA  = `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"notes+notes://a"}}`
	updatedA    = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"notes+notes://a"}}`
	pingSession = `{"jsonrpc":"2.0","id":3,"method":"ping"}`
)

// tableA is a page's source with the resource notes://a.
func tableA(t *testing.T) *engine.Table {
	t.Helper()
	table := engine.NewTable()
	if err := table.Put(engine.Entry{JSON: engine.Describe("uri", "notes://a", "name", "a")}); err != nil {
		t.Fatal(err)
	}
	return table
}

// A client that lost its GET stream while the gateway was stopped gets pending messages
// once, before the response to its next POST. A client that accepts no event stream, or
// has a GET stream, gets the response only.
func TestPendingUpdatesComeWithTheNextPost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newMemDisk()
		g, client, kill := startInMemory(t, d)
		tabInMemory(t, g, client, "tab", tableA(t))
		session := beginInMemory(t, g, client)
		postInMemory(t, g, client, session, subscribeA)
		kill()
		time.Sleep(6 * time.Second)
		g, client, kill = startInMemory(t, d)
		table := tableA(t)
		tabInMemory(t, g, client, "tab", table)
		first, _ := postInMemory(t, g, client, session, pingSession) // wakes the session
		time.Sleep(time.Second)                                      // it subscribes again
		got, _ := postInMemory(t, g, client, session, pingSession)
		if gatewaytest.Count(append(first, got...), updatedA) < 1 || !strings.Contains(got[len(got)-1], `"id":3`) {
			t.Errorf("after the restart: %q", got)
		}
		if got, stream := postInMemory(t, g, client, session, pingSession); stream || gatewaytest.Count(got, "notifications/") > 0 {
			t.Errorf("a second time: %q", got)
		}
		change := func() {
			table.Changed("notes://a")
			time.Sleep(time.Second) // until the page's engine has sent it
		}
		change()
		if got, _ := postInMemory(t, g, client, session, pingSession); gatewaytest.Count(got, updatedA) != 1 || len(got) != 2 {
			t.Errorf("a change: %q", got)
		}
		// With a stream again, changes are sent on it.
		stream := inSession(t, g, client, session).Listen(t.Context())
		change()
		if got, events := postInMemory(t, g, client, session, pingSession); events || len(got) != 1 {
			t.Errorf("with a stream: %q", got)
		}
		if got := stream.Take(); gatewaytest.Count(got, updatedA) != 1 {
			t.Errorf("on the stream: %q", got)
		}
		kill()
	})
}

// A response with a status other than 200 stays JSON, and pending messages stay pending.
func TestPendingUpdatesKeepStatuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, client, kill := startInMemory(t, newMemDisk())
		session := beginInMemory(t, g, client)
		tabInMemory(t, g, client, "tab", tableA(t))
		time.Sleep(time.Second) // list_changed waits
		if status, body := inSession(t, g, client, session).Request("1", "initialize", ""); status != http.StatusBadRequest {
			t.Errorf("initialize again: %d %s", status, body)
		}
		if got, _ := postInMemory(t, g, client, session, pingSession); gatewaytest.Count(got, "tools/list_changed") != 1 {
			t.Errorf("afterwards: %q", got)
		}
		kill()
	})
}
