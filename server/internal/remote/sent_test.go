package remote_test

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

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

// A page that is about to be closed gets no call any more, unless one runs already.
func TestCallsStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, pay := newCallingHop(t), &payment{}
		pay.register(h, time.Second)
		r, err := remote.Attach(t.Context(), h.port())
		if err != nil {
			t.Fatal(err)
		}
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

// A read outlives one break of the link. A page that ends twice under it may do so because of it.
func TestReadOutlivesABreak(t *testing.T) {
	for breaks, want := range []error{nil, nil, engine.ErrAway} {
		synctest.Test(t, func(t *testing.T) {
			h, r := newHop(t), remote.New()
			defer r.Close()
			attach := func(deaf bool) *deafPort {
				port := &deafPort{h.port(), deaf}
				if err := r.Reattach(t.Context(), port); err != nil {
					t.Fatal(err)
				}
				return port
			}
			port := attach(breaks > 0)
			read := make(chan error, 1)
			go func() {
				_, err := r.Read(t.Context(), "notes://cart")
				read <- err
			}()
			for i := range breaks {
				synctest.Wait()
				port.Close()
				synctest.Wait()
				port = attach(i+1 < breaks)
			}
			if err := <-read; !errors.Is(err, want) {
				t.Errorf("after %d breaks the read ended with %v, want %v", breaks, err, want)
			}
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
