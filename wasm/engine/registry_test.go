package engine_test

import (
	"slices"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
)

// A URI has subscribers from the first subscription to it until the last one has ended; those to
// other URIs, and to lists, do not count.
func TestHasSubscribers(t *testing.T) {
	table := engine.NewTable()
	for _, uri := range []string{"notes://cart", "notes://other"} {
		if err := table.Put(engine.Entry{JSON: engine.Describe("uri", uri, "name", "n"), Ref: 7}); err != nil {
			t.Fatal(err)
		}
	}
	e := engine.New(engine.Info{Name: "test", Version: "1"}, nil)
	e.Mount("", table)
	var clients []*engine.Client
	for range 2 {
		s := &listingSink{}
		c := e.Connect(s, "")
		s.took(c.Take(1, 1, []byte(`{"protocolVersion":"2025-11-25"}`)))
		c.Message([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)) // and gets changes of lists
		clients = append(clients, c)
	}
	request := func(c *engine.Client, method, uri string) {
		t.Helper()
		s := &listingSink{}
		if s.took(c.Take(2, sink.Method(slices.Index(e.Methods(), method)), engine.Describe("uri", uri))) != sink.Answered {
			t.Fatalf("%s %s is not answered", method, uri)
		}
	}
	check := func(when string, want bool) {
		t.Helper()
		if got := e.HasSubscribers("notes://cart"); got != want {
			t.Errorf("%s: HasSubscribers is %t", when, got)
		}
	}
	check("with sessions only", false)
	request(clients[0], "resources/subscribe", "notes://other")
	check("with a subscription to another URI", false)
	request(clients[0], "resources/subscribe", "notes://cart")
	request(clients[1], "resources/subscribe", "notes://cart")
	check("with two subscriptions", true)
	request(clients[0], "resources/unsubscribe", "notes://cart")
	check("with one of two", true)
	clients[1].Close()
	check("after the last one", false)
}
