package engine_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A panic in a goroutine of a Remote costs its link: it is reported by an engine that
// follows the Remote, and the page may come back.
func TestPanicCostsTheLinkOfARemote(t *testing.T) {
	for name, provoke := range map[string]func(*hop, *engine.Remote){
		"notification": func(h *hop, _ *engine.Remote) { h.table.Changed("notes://cart") },
		"announcement": func(h *hop, r *engine.Remote) {
			if err := r.Reattach(h.Context(), h.port()); err != nil { // announces all
				h.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHop(t)
				remote, err := engine.Attach(t.Context(), h.port())
				if err != nil {
					t.Fatal(err)
				}
				var reported reports
				e := engine.New(engine.Info{Name: "gateway", Version: "1"}, &engine.Options{Report: reported.add})
				e.Mount("", remote)
				d := newDialogue(t, e)
				d.listen(`"resourcesListChanged":true,"resourceSubscriptions":["notes://cart"]`)
				var broken atomic.Bool
				broken.Store(true)
				ctx, cancel := context.WithCancel(t.Context())
				remote.Follow(ctx, func(engine.Change) {
					if broken.Load() {
						panic("a follower")
					}
				}).Want([]string{"notes://cart"})
				synctest.Wait()
				provoke(h, remote)
				synctest.Wait()
				select {
				case <-remote.Gone():
				default:
					t.Error("the link lives")
				}
				if text := reported.take(); !strings.Contains(text, "panic") || !strings.Contains(text, "a follower") {
					t.Errorf("reported: %q", text)
				}
				broken.Store(false)
				if err := remote.Reattach(t.Context(), h.port()); err != nil {
					t.Fatal(err)
				}
				if got := d.modern("resources/read", `"uri":"notes://cart"`); !strings.Contains(got, `"result"`) {
					t.Errorf("after the return: %s", got)
				}
				cancel()
				d.port.Close()
				e.Close()
				remote.Close()
				synctest.Wait()
			})
		})
	}
}

// The goroutines of Serve, too, end their own client and no other.
func TestPanicEndsItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reported reports
		e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{Report: reported.add})
		other := newDialogue(t, e)
		for name, p := range map[string]*brokenPort{"read": {reads: true}, "write": {}} {
			near, far := jsonrpc.Pipe()
			p.Port = far
			ended := make(chan error, 1)
			go func() { ended <- e.Serve(t.Context(), p) }()
			near.Write(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
			if err := <-ended; err == nil {
				t.Errorf("%s: Serve returns no error", name)
			}
			if text := reported.take(); !strings.Contains(text, "panic") {
				t.Errorf("%s: reported %q", name, text)
			}
			if near.Write(t.Context(), []byte(`{}`)) == nil {
				t.Errorf("%s: the port is open", name)
			}
		}
		if got := other.request("ping", ""); !strings.Contains(got, `"result":{}`) {
			t.Errorf("another client: %s", got)
		}
		other.port.Close()
		synctest.Wait()
	})
}

// A brokenPort panics when it is read, or else when it is written to.
type brokenPort struct {
	jsonrpc.Port
	reads bool
}

func (p *brokenPort) Read(ctx context.Context) ([]byte, error) {
	if p.reads {
		panic("read")
	}
	return p.Port.Read(ctx)
}

func (p *brokenPort) Write(context.Context, []byte) error { panic("write") }
