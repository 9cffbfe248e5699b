package cluster

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Three nodes over a real server: pages are found, dialled, moved and lost.
func TestDirectoryOverNATS(t *testing.T) {
	s := startNATS(t, server.Options{})
	urls := []string{s.ClientURL()}
	options := Options{URLs: urls, askTime: testTime / 5} // an answer that is late does not count
	a, b, c := joined(t, options), joined(t, options), joined(t, options)
	replaced := make(chan struct{}, 1)
	page := gateway.Page{
		Owner: access.Owner(testOwner), Key: testPage, Name: "notes", Origin: "https://app.example", MaxPages: 1, Serve: echo,
		Replaced: func() { replaced <- struct{}{} },
	}
	if _, err := b.Hold(t.Context(), page); err != nil {
		t.Fatal(err)
	}
	second := page
	second.Key, second.Name = testKey("second"), "second"
	if _, err := c.Hold(t.Context(), second); err != gateway.ErrTooManyPages {
		t.Errorf("a page over the limit: %v", err)
	}
	heard := make(chan gateway.Held, 10)
	if err := a.Follow(t.Context(), page.Owner, func(h gateway.Held) { heard <- h }); err != nil {
		t.Fatal(err)
	}
	next := func() (h gateway.Held) {
		t.Helper()
		select {
		case h = <-heard:
		case <-time.After(testTime):
			t.Fatal("the view hears nothing")
		}
		return h
	}
	h := next()
	if h.Node != b.ID() || h.Name != "notes" || h.Origin != page.Origin || h.State != gateway.HeldThere {
		t.Errorf("heard %+v", h)
	}
	dial := func() (p jsonrpc.Port, err error) {
		eventually(t, "an answer to the opening", "answered", func() string { // NATS may take longer than dialTime on a loaded machine
			if p, err = a.Dial(t.Context(), h); errors.Is(err, context.DeadlineExceeded) {
				return err.Error()
			}
			return "answered"
		})
		return p, err
	}
	p, err := dial()
	if err != nil {
		t.Fatal(err)
	}
	p.Write(t.Context(), []byte("hello"))
	if msg, err := p.Read(t.Context()); string(msg) != "hello" {
		t.Errorf("read: %q, %v", msg, err)
	}
	if _, err := c.Hold(t.Context(), page); err != nil { // the page moves
		t.Fatal(err)
	}
	b.await("replaced", replaced)
	if moved := next(); moved.Node != c.ID() || moved.Epoch <= h.Epoch {
		t.Errorf("heard %+v", moved)
	}
	if err := a.awaitEnd(p.(*link)); !errors.Is(err, errPeerClosed) {
		t.Errorf("the link to the first holder ended by %v", err)
	}
	if _, err := dial(); !errors.Is(err, errAbsent) {
		t.Errorf("dial of the first holder: %v", err)
	}
	if stats := a.Stats(); stats.Members != 2 || stats.Links != 0 || stats.Pages != 0 {
		t.Errorf("stats %+v", stats)
	}
	c.Drain()
	c.directory.do(c.directory.bye) // as at its end
	if lost := next(); lost.State != gateway.HeldLost || lost.Key != testPage {
		t.Errorf("heard %+v", lost)
	}
	s.Shutdown()
	s.WaitForShutdown()
	a.await("disconnected", a.disconnected)
	if err := a.Follow(t.Context(), page.Owner, func(gateway.Held) {}); !errors.Is(err, gateway.ErrIsolated) {
		t.Errorf("follow without NATS: %v", err)
	}
}

// Keys are rotated while the nodes run: a newcomer with the new key alone fits those that
// have it by now.
func TestKeysOfRunningNodeChange(t *testing.T) {
	urls := []string{startNATS(t, server.Options{}).ClientURL()}
	ready := func(n *testNode) string {
		if err := n.Ready(); err != nil {
			return err.Error()
		}
		return "ready"
	}
	old := joined(t, Options{URLs: urls, Keys: testKeys("k1")})
	eventually(t, "the first node", "ready", func() string { return ready(old) })
	var refused *testNode
	eventually(t, "a newcomer with another key", errNoKey.Error()+": node "+old.id, func() (state string) {
		if refused == nil {
			refused = joined(t, Options{URLs: urls, Keys: testKeys("k2")})
		}
		if state = ready(refused); state == "ready" {
			refused = nil // it has heard no heartbeat in time, as on a loaded machine: another one may
		}
		return state
	})
	var early *testNode // with the new key as its first one, before the others have it
	eventually(t, "a newcomer that the others cannot hear", errNoKey.Error()+": node "+old.id+`, release ""`, func() (state string) {
		if early == nil {
			early = joined(t, Options{URLs: urls, Keys: testKeys("k2", "k1")})
		}
		if state = ready(early); state == "ready" {
			early = nil
		}
		return state
	})
	if err := old.SetKeys(testKeys("k2", "k1")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the newcomer, when the others have its key", "ready", func() string { return ready(refused) })
}
