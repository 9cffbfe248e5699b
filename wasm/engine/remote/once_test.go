package remote_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
	"github.com/pagemcp/pagemcp/wasm/internal/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A holder is a node that has a page: its Remote, and what it serves to other nodes.
type holder struct {
	page *remote.Remote
	hub  *engine.Engine
}

func newHolder(h *hop, page *remote.Remote) holder {
	options := enginetest.Offering
	hub := engine.New(engine.Info{Name: "hub", Version: "1"}, &options)
	hub.Mount("", page)
	h.Cleanup(page.Close)
	return holder{page, hub}
}

func (h *hop) attached() *remote.Remote {
	r, err := remote.Attach(h.Context(), h.port())
	if err != nil {
		h.Fatal(err)
	}
	return r
}

// link attaches the Remote of another node.
func (b holder) link(t *testing.T, r *remote.Remote) jsonrpc.Port {
	near, far := jsonrpc.Pipe()
	go b.hub.Serve(remote.WithHub(context.Background()), far) // ends with near
	if err := r.ReattachHub(t.Context(), near); err != nil {
		t.Fatal(err)
	}
	return near
}

// payment is a tool that counts its runs, and its callers.
type payment struct{ runs atomic.Int32 }

func (p *payment) register(h *hop, wait time.Duration) {
	h.tool("pay", func(ctx context.Context, _ []byte) ([]byte, error) {
		p.runs.Add(1)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return []byte(`{"content":[]}`), nil
	})
}

// viewOf returns a client of a view at another node, and the view's Remote.
func viewOf(t *testing.T) (enginetest.Speaker, *remote.Remote) {
	options := enginetest.Offering
	r := remote.New()
	e := engine.New(engine.Info{Name: "view", Version: "1"}, &options)
	e.Mount("", r)
	t.Cleanup(r.Close)
	a := enginetest.Speak(t, e, "a")
	t.Cleanup(func() { a.Port.Close() })
	return a, r
}

// A page has left its node when a call reaches it: the call runs at the node that the page
// joins, once.
func TestCallGoesToTheNextHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, pay := newCallingHop(t), &payment{}
		pay.register(h, 0)
		b := newHolder(h, h.attached())
		a, r := viewOf(t)
		old := b.link(t, r)
		h.cut()
		synctest.Wait()
		a.Ask("1", "tools/call", "", `,"name":"pay"`)
		time.Sleep(3 * time.Second)
		old.Close() // that node has heard that another one has the page
		synctest.Wait()
		time.Sleep(time.Second)
		newHolder(h, h.attached()).link(t, r)
		a.Wants(`"id":1`, `"content":[]`)
		if runs := pay.runs.Load(); runs != 1 {
			t.Errorf("%d runs", runs)
		}
	})
}

// The page comes back to the same node, as when it is loaded again; or it does not.
func TestCallWaitsForPageOfHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, pay := newCallingHop(t), &payment{}
		pay.register(h, 0)
		b := newHolder(h, h.attached())
		a, r := viewOf(t)
		b.link(t, r)
		h.cut()
		synctest.Wait()
		a.Ask("1", "tools/call", "", `,"name":"pay"`)
		time.Sleep(3 * time.Second)
		if err := b.page.Reattach(t.Context(), h.port()); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		a.Wants(`"id":1`, `"content":[]`)
		if waited := time.Since(began); waited > 200*time.Millisecond || pay.runs.Load() != 1 {
			t.Errorf("answered after %v, %d runs", waited, pay.runs.Load())
		}
		h.cut()
		synctest.Wait()
		began = time.Now()
		a.Ask("2", "tools/call", "", `,"name":"pay"`)
		a.Wants(`"id":2`, `"reason":"page-away"`, `"retry":true`)
		if waited := time.Since(began); waited != 10*time.Second || pay.runs.Load() != 1 {
			t.Errorf("away after %v, %d runs", waited, pay.runs.Load())
		}
	})
}

// A node that has given the page to a third one does not pass calls on.
func TestHubDoesNotPassCallsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, pay := newCallingHop(t), &payment{}
		pay.register(h, 0)
		former := newHolder(h, remote.New())
		a, r := viewOf(t)
		former.link(t, r)
		newHolder(h, h.attached()).link(t, former.page)
		a.Ask("1", "tools/call", "", `,"name":"pay"`)
		time.Sleep(time.Second)
		if runs := pay.runs.Load(); runs != 0 {
			t.Errorf("%d runs", runs)
		}
		newHolder(h, h.attached()).link(t, r)
		a.Wants(`"id":1`, `"content":[]`)
	})
}

// Another node has the page while a call runs: the old link stays until the answer, for a
// second at most.
func TestReplacedLinkEndsItsCalls(t *testing.T) {
	for _, one := range []struct {
		name  string
		runs  time.Duration
		leave bool // without another link
		want  string
	}{
		{"replaced", 900 * time.Millisecond, false, `"content":[]`},
		{"left", 900 * time.Millisecond, true, `"content":[]`},
		{"too slow", 1100 * time.Millisecond, false, `"reason":"interrupted","retry":false`},
		{"too slow, and left", 1100 * time.Millisecond, true, `"reason":"interrupted","retry":false`},
	} {
		t.Run(one.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, pay := newCallingHop(t), &payment{}
				pay.register(h, one.runs)
				b := newHolder(h, h.attached())
				a, r := viewOf(t)
				b.link(t, r)
				gone := r.Gone()
				a.Ask("1", "tools/call", "", `,"name":"pay"`)
				synctest.Wait()
				if one.leave {
					r.LeaveHub()
				} else {
					newHolder(h, h.attached()).link(t, r)
				}
				a.Wants(`"id":1`, one.want)
				synctest.Wait()
				select {
				case <-gone:
				default:
					t.Error("the old link goes on")
				}
				if runs := pay.runs.Load(); runs != 1 {
					t.Errorf("%d runs", runs)
				}
			})
		})
	}
}

// A page that is about to be closed gets no call any more, unless one runs already.
func TestCallsStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, pay := newCallingHop(t), &payment{}
		pay.register(h, time.Second)
		r := h.attached()
		options := enginetest.Offering
		e := engine.New(engine.Info{Name: "gateway", Version: "1"}, &options)
		e.Mount("", r)
		defer r.Close()
		a := enginetest.Speak(t, e, "a")
		defer a.Port.Close()
		a.Ask("1", "tools/call", "", `,"name":"pay"`)
		synctest.Wait()
		if n := r.StopCalls(); n != 1 {
			t.Errorf("%d calls", n)
		}
		a.Ask("2", "tools/call", "", `,"name":"pay"`)
		a.Wants(`"content":[]`)
		a.Wants(`"content":[]`)
		synctest.Wait()
		if n := r.StopCalls(); n != 0 {
			t.Errorf("%d calls", n)
		}
		a.Ask("3", "tools/call", "", `,"name":"pay"`)
		time.Sleep(2 * time.Second)
		h.cut()
		synctest.Wait()
		if runs := pay.runs.Load(); runs != 2 {
			t.Errorf("%d runs", runs)
		}
		if err := r.Reattach(t.Context(), h.port()); err != nil {
			t.Fatal(err)
		}
		a.Wants(`"id":3`, `"content":[]`)
		if runs := pay.runs.Load(); runs != 3 {
			t.Errorf("%d runs", runs)
		}
	})
}

// A page gives the answer of a hub that has not sent a call: it is not believed.
func TestPageDoesNotSpeakAsHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newCallingHop(t)
		var runs atomic.Int32
		h.tool("pay", func(context.Context, []byte) ([]byte, error) {
			runs.Add(1)
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "away", Data: []byte(`{"reason":"page-away","retry":true,"notSent":true}`)}
		})
		a, r := viewOf(t)
		newHolder(h, h.attached()).link(t, r)
		a.Ask("1", "tools/call", "", `,"name":"pay"`)
		answer := a.Next()
		if !strings.Contains(answer, `"retry":false`) || strings.Contains(answer, "notSent") || runs.Load() != 1 {
			t.Errorf("%s, %d runs", answer, runs.Load())
		}
	})
}

// A read outlives several breaks of links to other nodes: the page moves. A page that ends
// twice under it may do so because of it.
func TestReadOutlivesBreaksOfHubs(t *testing.T) {
	for name, test := range map[string]struct {
		kinds string // of the ports that break: n of another node, p of the page
		want  error
	}{
		"another node, 3 breaks":             {kinds: "nnn"},
		"another node, 9 breaks":             {kinds: "nnnnnnnnn", want: engine.ErrAway},
		"a page, 1 break":                    {kinds: "p"},
		"a page, 2 breaks":                   {kinds: "pp", want: engine.ErrAway},
		"another node, then the page":        {kinds: "nnp"},
		"another node between two of a page": {kinds: "pnp", want: engine.ErrAway},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHop(t)
				b := newHolder(h, h.attached())
				_, r := viewOf(t)
				attach := func(i int, deaf bool) *deafPort {
					port, join := &deafPort{}, r.Reattach
					if test.kinds[min(i, len(test.kinds)-1)] == 'n' {
						near, far := jsonrpc.Pipe()
						go b.hub.Serve(remote.WithHub(context.Background()), far) // ends with near
						port.Port, join = near, r.ReattachHub
					} else {
						port.Port = h.port()
					}
					port.deaf = deaf
					if err := join(t.Context(), port); err != nil {
						t.Fatal(err)
					}
					return port
				}
				port := attach(0, true)
				read := make(chan error, 1)
				go func() {
					_, err := r.Read(t.Context(), "notes://cart")
					read <- err
				}()
				for i := range test.kinds {
					synctest.Wait()
					port.Close()
					synctest.Wait()
					port = attach(i+1, i+1 < len(test.kinds))
				}
				if err := <-read; !errors.Is(err, test.want) {
					t.Errorf("the read ended with %v, want %v", err, test.want)
				}
				port.Close()
			})
		})
	}
}

// A deafPort loses reads that are written to it if it is deaf.
type deafPort struct {
	jsonrpc.Port
	deaf bool
}

func (p *deafPort) Write(ctx context.Context, msg []byte) error {
	if p.deaf && bytes.Contains(msg, []byte(`"resources/read"`)) {
		return nil
	}
	return p.Port.Write(ctx, msg)
}

// A read that waits at a node which ends, or which removes the page, is answered by the next
// holder.
func TestReadGoesToTheNextHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHop(t)
		left := remote.New()
		a, b := newHolder(h, left), newHolder(h, h.attached())
		_, r := viewOf(t)
		near := a.link(t, r)
		read := make(chan error, 1)
		go func() {
			_, err := r.Read(t.Context(), "notes://cart")
			read <- err
		}()
		synctest.Wait()
		left.Close()
		synctest.Wait()
		select {
		case err := <-read:
			t.Errorf("the read ended at the first node: %v", err)
		default:
		}
		next := b.link(t, r)
		if err := <-read; err != nil {
			t.Errorf("the read at the next holder: %v", err)
		}
		near.Close()
		next.Close()
		h.cut()
	})
}
