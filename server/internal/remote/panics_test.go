package remote_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
)

// A panic in a goroutine of a Remote costs its link: it is reported by an engine that
// follows the Remote, and the page may come back.
func TestPanicCostsTheLinkOfARemote(t *testing.T) {
	for name, provoke := range map[string]func(*hop, *remote.Remote){
		"notification": func(h *hop, _ *remote.Remote) { h.table.Changed("notes://cart") },
		"announcement": func(h *hop, r *remote.Remote) {
			if err := r.Reattach(h.Context(), h.port()); err != nil { // announces all
				h.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHop(t)
				r, err := remote.Attach(t.Context(), h.port())
				if err != nil {
					t.Fatal(err)
				}
				var reported enginetest.Reports
				e := engine.New(engine.Info{Name: "gateway", Version: "1"}, &engine.Options{Report: reported.Add})
				e.Mount("", r)
				d := enginetest.NewDialogue(t, e)
				d.Listen(`"resourcesListChanged":true,"resourceSubscriptions":["notes://cart"]`)
				var broken atomic.Bool
				broken.Store(true)
				ctx, cancel := context.WithCancel(t.Context())
				r.Follow(ctx, func(engine.Change) {
					if broken.Load() {
						panic("a follower")
					}
				}).Want(topics("notes://cart"), nil)
				synctest.Wait()
				provoke(h, r)
				synctest.Wait()
				select {
				case <-r.Gone():
				default:
					t.Error("the link lives")
				}
				if text := reported.Take(); !strings.Contains(text, "panic") || !strings.Contains(text, "a follower") {
					t.Errorf("reported: %q", text)
				}
				broken.Store(false)
				if err := r.Reattach(t.Context(), h.port()); err != nil {
					t.Fatal(err)
				}
				if got := d.Modern("resources/read", `"uri":"notes://cart"`); !strings.Contains(got, `"result"`) {
					t.Errorf("after the return: %s", got)
				}
				cancel()
				d.Port.Close()
				e.Close()
				r.Close()
				synctest.Wait()
			})
		})
	}
}
