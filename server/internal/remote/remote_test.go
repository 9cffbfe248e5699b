package remote_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A hop is a page's engine with a Table, and ports to it that can be cut.
type hop struct {
	*testing.T
	page  *engine.Engine
	table *engine.Table
	ports []jsonrpc.Port
	wire  *wire
}

// wire is what went over the hop, for tests that look at it.
type wire struct {
	mu   sync.Mutex
	sent []string
}

type tapped struct {
	jsonrpc.Port
	*wire
}

func (t tapped) Write(ctx context.Context, msg []byte) error {
	t.mu.Lock()
	t.sent = append(t.sent, string(msg))
	t.mu.Unlock()
	return t.Port.Write(ctx, msg)
}

func (w *wire) count(part string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, msg := range w.sent {
		if strings.Contains(msg, part) {
			n++
		}
	}
	return n
}

func newHop(t *testing.T) *hop {
	h := &hop{T: t, page: engine.New(engine.Info{Name: "page", Version: "1"}, nil), table: engine.NewTable(), wire: &wire{}}
	h.page.Mount("", h.table)
	h.put("notes://cart", "2 apples")
	return h
}

func (h *hop) put(uri, text string) {
	err := h.table.Put(engine.Entry{
		JSON: engine.Describe("uri", uri, "name", uri),
		Read: func(context.Context, string) ([]engine.Contents, error) {
			return []engine.Contents{{URI: uri, Text: text}}, nil
		},
	})
	if err != nil {
		h.Fatal(err)
	}
}

// port opens a port to the page.
func (h *hop) port() jsonrpc.Port {
	near, far := jsonrpc.Pipe()
	h.ports = append(h.ports, near)
	go h.page.Serve(context.Background(), far) // ends with the port
	return tapped{near, h.wire}
}

func (h *hop) cut() {
	for _, p := range h.ports {
		p.Close()
	}
	h.ports = nil
	synctest.Wait()
}

// changes collects what a Remote announces. Lists and listens announce at the same time, so that the order says nothing.
type changes struct {
	mu       sync.Mutex
	received []string
}

func (c *changes) add(change engine.Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received = append(c.received, fmt.Sprintf("%s list=%v", change.URI, change.List))
}

func (c *changes) take() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.received)
	received := strings.Join(c.received, ", ")
	c.received = nil
	return received
}

// A page that reloads: a read waits for it, what is watched is watched again and
// announced, the list stays meanwhile. P3, R-359.
func TestRemoteOutlivesItsPort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h := newHop(t)
		r, err := remote.Attach(ctx, h.port())
		if err != nil {
			t.Fatal(err)
		}
		var announced changes
		following := r.Follow(ctx, announced.add)
		<-following.Want(topics("notes://cart"), nil)
		if _, err := r.List(ctx, engine.Resources, ""); err != nil {
			t.Fatal(err)
		}
		h.table.Changed("notes://cart")
		synctest.Wait()
		if got := announced.take(); got != "notes://cart list=false" {
			t.Errorf("announced %q", got)
		}

		h.cut()
		<-r.Gone()
		read := make(chan string)
		go func() {
			contents, err := r.Read(ctx, "notes://cart")
			read <- fmt.Sprint(len(contents), err)
		}()
		listing, err := r.List(ctx, engine.Resources, "")
		if len(listing.Items) != 1 || err != nil {
			t.Errorf("while away the list is %v, %v", listing, err)
		}
		time.Sleep(5 * time.Second)
		if err := r.Reattach(ctx, h.port()); err != nil {
			t.Fatal(err)
		}
		if got := <-read; got != "1 <nil>" {
			t.Errorf("the read that waited: %s", got)
		}
		synctest.Wait()
		if got := announced.take(); got != " list=true, notes://cart list=false" {
			t.Errorf("after the return announced %q", got)
		}
		h.table.Changed("notes://cart")
		synctest.Wait()
		if got := announced.take(); got != "notes://cart list=false" {
			t.Errorf("then announced %q", got)
		}
		cancel()
		r.Close()
		synctest.Wait()
	})
}

// A page that stays away: reads end after the grace time, and at once when it was
// given up; lists are empty then.
func TestRemoteThatStaysAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHop(t)
		r, err := remote.Attach(t.Context(), h.port())
		if err != nil {
			t.Fatal(err)
		}
		r.List(t.Context(), engine.Resources, "")
		h.cut()
		began := time.Now()
		if _, err := r.Read(t.Context(), "notes://cart"); !errors.Is(err, engine.ErrAway) {
			t.Errorf("read: %v", err)
		}
		if waited := time.Since(began); waited != 10*time.Second {
			t.Errorf("waited %v", waited)
		}
		r.Forget()
		began = time.Now()
		if _, err := r.Read(t.Context(), "notes://cart"); !errors.Is(err, engine.ErrAway) || time.Since(began) != 0 {
			t.Errorf("read of what was given up: %v after %v", err, time.Since(began))
		}
		if listing, err := r.List(t.Context(), engine.Resources, ""); len(listing.Items) != 0 || err != nil {
			t.Errorf("list of what was given up: %v, %v", listing, err)
		}
		if err := r.Reattach(t.Context(), h.port()); err != nil {
			t.Fatal(err)
		}
		if contents, err := r.Read(t.Context(), "notes://cart"); len(contents) != 1 || err != nil {
			t.Errorf("read after the return: %v, %v", contents, err)
		}
		r.Close()
		synctest.Wait()
	})
}

// A page that was here before a restart: requests that come before it is back
// waits; without that expectation nothing does.
func TestNewRemoteExpectsItsPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHop(t)
		r := remote.New()
		read := make(chan error, 1)
		go func() {
			_, err := r.Read(t.Context(), "notes://cart")
			read <- err
		}()
		time.Sleep(5 * time.Second)
		if err := r.Reattach(t.Context(), h.port()); err != nil {
			t.Fatal(err)
		}
		if err := <-read; err != nil {
			t.Errorf("the read that waited: %v", err)
		}
		r.Close()

		stranger := remote.New()
		stranger.Forget()
		began := time.Now()
		if _, err := stranger.Read(t.Context(), "notes://cart"); !errors.Is(err, engine.ErrAway) || time.Since(began) != 0 {
			t.Errorf("read of a stranger: %v after %v", err, time.Since(began))
		}
		synctest.Wait()
	})
}

// Two engines mount one Remote, each with listeners of its own; the hop has one
// subscription for both, and none when both have gone. R-353 R-355.
func TestRemoteInTwoEngines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		h := newHop(t)
		r, err := remote.Attach(ctx, h.port())
		if err != nil {
			t.Fatal(err)
		}
		var ends []jsonrpc.Port
		listen := func(prefix string) (next func() string) {
			e := engine.New(engine.Info{Name: "gateway", Version: "1"}, nil)
			e.Mount(prefix, r)
			near, far := jsonrpc.Pipe()
			ends = append(ends, near)
			go e.Serve(ctx, far)
			near.Write(ctx, []byte(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"_meta":{`+
				`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},`+
				`"notifications":{"resourceSubscriptions":["`+prefix+`notes://cart"]}}}`))
			return func() string {
				short, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				msg, err := near.Read(short)
				if err != nil {
					return err.Error()
				}
				return string(msg)
			}
		}
		alone, all := listen(""), listen("notes+")
		for _, next := range []func() string{alone, all} {
			if msg := next(); !strings.Contains(msg, "acknowledged") {
				t.Errorf("first came %s", msg)
			}
		}
		h.table.Changed("notes://cart")
		if msg := alone(); !strings.Contains(msg, `"uri":"notes://cart"`) {
			t.Errorf("alone: %s", msg)
		}
		if msg := all(); !strings.Contains(msg, `"uri":"notes+notes://cart"`) {
			t.Errorf("all: %s", msg)
		}
		opened := h.wire.count("subscriptions/listen")
		if cancelled := h.wire.count("notifications/cancelled"); opened-cancelled != 1 {
			t.Errorf("%d listens opened on the hop, %d cancelled, want one for the URI, since nobody listens to lists", opened, cancelled)
		}
		for _, end := range ends {
			end.Close()
		}
		synctest.Wait()
		if opened, cancelled := h.wire.count("subscriptions/listen"), h.wire.count("notifications/cancelled"); opened != cancelled {
			t.Errorf("%d listens opened on the hop, %d cancelled", opened, cancelled)
		}
		r.Close()
		synctest.Wait()
	})
}

// More URIs than one listen holds take several.
func TestRemoteWatchesManyURIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h := newHop(t)
		r, err := remote.Attach(ctx, h.port())
		if err != nil {
			t.Fatal(err)
		}
		var announced changes
		following := r.Follow(ctx, announced.add)
		var uris []string
		for i := range 2500 {
			uris = append(uris, fmt.Sprintf("notes://n%d", i))
		}
		<-following.Want(topics(uris...), nil)
		h.table.Changed("notes://n0")
		h.table.Changed("notes://n2499")
		synctest.Wait()
		if got := announced.take(); got != "notes://n0 list=false, notes://n2499 list=false" {
			t.Errorf("announced %q", got)
		}
		cancel()
		r.Close()
		synctest.Wait()
	})
}

// The page learns on whose behalf a gateway asks; a client's id never crosses.
func TestHopCarriesThePrincipalAndNoIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHop(t)
		r, err := remote.Attach(t.Context(), h.port())
		if err != nil {
			t.Fatal(err)
		}
		e := engine.New(engine.Info{Name: "gateway", Version: "1"}, nil)
		e.Mount("", r)
		near, far := jsonrpc.Pipe()
		go e.Serve(engine.WithPrincipal(t.Context(), "somebody"), far)
		near.Write(t.Context(), []byte(`{"jsonrpc":"2.0","id":"my own id","method":"resources/read","params":{"_meta":{`+
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"uri":"notes://cart"}}`))
		if msg, err := near.Read(t.Context()); !strings.Contains(string(msg), "2 apples") || err != nil {
			t.Errorf("read: %s, %v", msg, err)
		}
		if h.wire.count("my own id") != 0 || h.wire.count(`"io.github.pagemcp/principal":"somebody"`) != 1 {
			t.Errorf("on the hop: %v", h.wire.sent)
		}
		near.Close()
		r.Close()
		synctest.Wait()
	})
}

// A page that joins, for the first time or after it was forgotten, may say that it is
// connected before its engine has answered: what is asked from then on waits for the
// answer, and fails or is empty as soon as it does not come.
func TestRequestsWaitForAnEngineThatArrives(t *testing.T) {
	tests := map[string]struct {
		answers bool
		waited  time.Duration
	}{
		"it answers":            {answers: true, waited: time.Second},
		"it ends before it did": {answers: false, waited: time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHop(t)
				r := remote.New()
				defer r.Close()
				r.Forget()
				ctx, cancel := context.WithCancel(t.Context())
				port := &heldPort{Port: h.port(), answers: make(chan struct{})}
				go r.Reattach(ctx, port)
				synctest.Wait()

				began := time.Now()
				read, list := make(chan error, 1), make(chan int, 1)
				go func() {
					_, err := r.Read(t.Context(), "notes://cart")
					read <- err
				}()
				go func() {
					listing, _ := r.List(t.Context(), engine.Resources, "")
					list <- len(listing.Items)
				}()
				time.Sleep(time.Second)
				if test.answers {
					close(port.answers)
				} else {
					cancel()
				}
				err, listed := <-read, <-list
				if (err == nil) != test.answers || (listed > 0) != test.answers {
					t.Errorf("read: %v, %d resources listed", err, listed)
				}
				if waited := time.Since(began); waited != test.waited {
					t.Errorf("waited %v, want %v", waited, test.waited)
				}
				cancel()
				if !test.answers {
					close(port.answers)
				}
				r.Close()
				synctest.Wait()
			})
		})
	}
}

// An engine that does not answer delays the first list by 2 s, and those after it, which wait for the same answer, no more.
func TestArrivalDelaysListsLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHop(t)
		r := remote.New()
		defer r.Close()
		port := &heldPort{Port: h.port(), answers: make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		go r.Reattach(ctx, port)
		synctest.Wait()
		for i, want := range []time.Duration{2 * time.Second, 0, 0} {
			began := time.Now()
			if listing, err := r.List(t.Context(), engine.Resources, ""); len(listing.Items) != 0 || err != nil {
				t.Errorf("list %d: %v, %v", i, listing, err)
			}
			if waited := time.Since(began); waited != want {
				t.Errorf("list %d waited %v, want %v", i, waited, want)
			}
		}
		cancel()
		close(port.answers)
		synctest.Wait()
	})
}

// A heldPort reads nothing until answers is closed.
type heldPort struct {
	jsonrpc.Port
	answers chan struct{}
}

func (p *heldPort) Read(ctx context.Context) ([]byte, error) {
	select {
	case <-p.answers:
		return p.Port.Read(ctx)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
