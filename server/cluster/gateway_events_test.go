package cluster

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// An eventStream is a stream of a client at /mcp of a node.
type eventStream struct {
	t     testing.TB
	notes chan jsonrpc.Message
}

// stream opens a stream with the arguments of an event, and returns when it is active.
func (n *gatewayNode) stream(t testing.TB, name, arguments string) *eventStream {
	t.Helper()
	n.acquire(t, "/mcp").Release()
	near, far := jsonrpc.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() { // ends with ctx
		defer far.Close()
		n.core.ServePort(ctx, far, testOwnerKey, "/mcp", access.Client{Principal: "client:test", Endpoint: "/mcp"})
	}()
	t.Cleanup(func() { near.Close() })
	s := &eventStream{t, make(chan jsonrpc.Message, 1_000)}
	go func() { // ends with near
		defer close(s.notes)
		for {
			msg, err := near.Read(context.Background())
			if err != nil {
				return
			}
			if m, err := jsonrpc.Parse(msg); err == nil {
				s.notes <- m
			}
		}
	}()
	err := near.Write(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"`+engine.MethodStreamEvents+`","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":`+
		engine.EventCapabilities+`},"name":"`+name+`","cursor":null,"arguments":`+arguments+`}}`))
	if err != nil {
		t.Fatal(err)
	}
	s.until("the stream is active", func(m jsonrpc.Message) bool { return m.Method == engine.MethodEventsActive })
	return s
}

// until reads notes until one fits, and reports whether one before it, or it, says that some are
// missing.
func (s *eventStream) until(what string, fits func(jsonrpc.Message) bool) (truncated bool) {
	s.t.Helper()
	timeout := time.After(testTime)
	for {
		select {
		case m, open := <-s.notes:
			if !open || m.Kind == jsonrpc.Response {
				s.t.Fatalf("waited until %s: the stream has ended: %s %v", what, m.Result, m.Error)
			}
			truncated = truncated || string(jsonrpc.Member(m.Params, "truncated")) == "true"
			if fits(m) {
				return truncated
			}
		case <-timeout:
			s.t.Fatalf("waited until %s", what)
		}
	}
}

// The node of a page is lost: a stream at another node learns what happens in the page before it
// joins a third one, and what happens there, or that it has missed something.
func TestEventsSurviveLossOfNode(t *testing.T) {
	a, b, c, _ := threeGateways(t)
	p := newTab(t, "notes")
	if err := p.PutEvent(engine.Event{Name: "saved", Object: []byte(`{"name":"saved","description":"Saved."}`)}, false); err != nil {
		t.Fatal(err)
	}
	emit := func(id string) {
		t.Helper()
		if _, _, err := p.Emit("saved", []byte(`{"id":"`+id+`"}`), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	j := b.join(p)
	client := a.assistant(t)
	eventually(t, "the page", "notes: first for client:test", func() string { return client.read(cart) })
	saved := a.stream(t, "notes.saved", "{}")
	changes := a.stream(t, engine.EventResourceUpdated, `{"uri":["`+cart+`"]}`)
	isSaved := func(id string) func(jsonrpc.Message) bool {
		return func(m jsonrpc.Message) bool {
			return m.Method == engine.MethodEvent && strings.Contains(string(m.Params), `"id":"`+id+`"`)
		}
	}
	isChange := func(since time.Time) func(jsonrpc.Message) bool {
		return func(m jsonrpc.Message) bool {
			text, _ := jsonrpc.Text(jsonrpc.Member(m.Params, "timestamp"))
			at, err := time.Parse(time.RFC3339, text)
			return m.Method == engine.MethodEvent && strings.Contains(string(m.Params), cart) && err == nil && !at.Before(since.Truncate(time.Millisecond))
		}
	}
	began := time.Now()
	emit("before")
	p.set("before")
	saved.until("an event is passed on", isSaved("before"))
	changes.until("a change is passed on", isChange(began))

	b.conn.Close() // the node says nothing more to the others
	j.socket.Close()
	began = time.Now()
	emit("while away")
	p.set("while away")
	c.join(p)
	if saved.until("what happened meanwhile is passed on", isSaved("while away")) {
		t.Error("a stream says that events are missing, and has got them")
	}
	changes.until("the change of meanwhile is passed on, or that it is missing", func(m jsonrpc.Message) bool {
		return isChange(began)(m) || string(jsonrpc.Member(m.Params, "truncated")) == "true"
	})
	emit("after")
	saved.until("an event at the new node is passed on", isSaved("after"))
	began = time.Now()
	p.set("after")
	changes.until("a change at the new node is passed on", isChange(began))
}
