package remote_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
	"github.com/pagemcp/pagemcp/wasm/internal/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Reads that are answered while the page is asleep are reported when it is awake.
func TestThePageIsToldOfReadsWhileItWasAsleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newMirroredHop(t, newShare())
		h.anotherTab("")
		h.remote.Read(t.Context(), "notes://cart")
		h.publisher.Sleep(true)
		synctest.Wait()
		for range 3 {
			h.remote.Read(t.Context(), "notes://cart")
			time.Sleep(2 * time.Second)
		}
		h.publisher.Sleep(false)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		const want = `{"reads":[{"assistant":"unnamed","uri":"notes://cart","count":3,"bytes":8}]}`
		if got := h.publisher.Served(); len(got) != 1 || got[0] != want {
			t.Errorf("told %q\nwant %s", got, want)
		}
	})
}

// A page that sends the result of a read without a mark has not published it.
func TestAChangeWithoutAMarkDropsTheValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newMirroredHop(t, newShare())
		h.remote.Read(t.Context(), "notes://cart")
		h.publisher.Change("notes://cart", strings.Replace(value("notes://cart", "private"), "pagemcp/published", "pagemcp/other", 1))
		synctest.Wait()
		if contents, err := h.remote.Read(t.Context(), "notes://cart"); err != nil || string(contents[0].Relayed.Body) != `"2 apples"` {
			t.Errorf("%v %+v", err, contents)
		}
	})
}

// A page that sleeps is read while the result is fresh, with the time since it came; one that leaves takes it along.
func TestTimedResultsOfAPageThatSleepsOrLeaves(t *testing.T) {
	for _, leaves := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h := newTimedHop(t, newShare(), false)
			h.anotherTab("")
			h.body("claude", "notes://cart")
			time.Sleep(5 * time.Second)
			if leaves {
				h.cut()
				h.remote.Forget()
			} else {
				h.publisher.Sleep(true)
				synctest.Wait()
			}
			now := 5 * time.Second // since it was read
			for _, at := range []time.Duration{6 * time.Second, 59 * time.Second, 61 * time.Second} {
				time.Sleep(at - now)
				now = at
				contents, err := h.remote.Read(engine.WithPrincipal(t.Context(), "claude"), "notes://cart")
				if leaves || at > time.Minute {
					if err == nil {
						t.Errorf("leaves %v: after %v it reads %s", leaves, at, contents[0].Relayed.Body)
					}
				} else if want := fmt.Sprintf(`{"io.github.pagemcp/ageMs":%d}`, at.Milliseconds()); err != nil || string(contents[0].Relayed.Result) != want || contents[0].Cache.TTL != time.Minute-at {
					t.Errorf("after %v: %v, %+v, want %s", at, err, contents, want)
				}
				if _, err := h.remote.Read(engine.WithPrincipal(t.Context(), "codex"), "notes://cart"); err == nil {
					t.Errorf("leaves %v: another principal reads it", leaves)
				}
			}
		})
	}
}

// What is over is dropped also if nothing reads it.
func TestTimedResultsAreDroppedWhenTheyAreOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTimedHop(t, newShare(), false)
		h.compute("notes://long", engine.Cache{TTL: time.Hour, Public: true})
		h.compute("notes://short", engine.Cache{TTL: time.Second})
		for _, uri := range []string{"notes://cart", "notes://long", "notes://short"} {
			h.body("claude", uri)
			h.body("codex", uri)
		}
		one := 0
		for _, step := range []struct {
			after time.Duration
			kept  int
		}{{0, 5}, {1500 * time.Millisecond, 3}, {time.Minute, 1}, {time.Hour, 0}} {
			time.Sleep(step.after)
			synctest.Wait()
			page, owner, all := remote.Mirrored(h.remote)
			if step.kept == 5 {
				one = page / 5
			}
			if page != owner || page != all || (page+one/2)/one != step.kept {
				t.Errorf("after %v %d, %d and %d bytes are kept, of %d results", step.after, page, owner, all, step.kept)
			}
		}
	})
}

// A slowMirror is the port to a page, on which the word that values are kept takes longer than anything else.
type slowMirror struct{ jsonrpc.Port }

const notifyMirror = "notifications/io.github.pagemcp/mirror" // of hop

func (p slowMirror) Write(ctx context.Context, data []byte) error {
	if msg, err := jsonrpc.Parse(data); err == nil && msg.Method == notifyMirror {
		time.Sleep(time.Millisecond)
	}
	return p.Port.Write(ctx, data)
}

// The page learns that its values are kept before the first read reaches it, also before one that waited for it.
func TestReadsThatWaitedForThePageAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newMirroredHop(t, newShare())
		d := enginetest.Speak(t, h.gateway, "claude")
		defer d.Port.Close()
		const uris = 20
		ask := func(from int) {
			for i := range uris {
				d.Ask(fmt.Sprint(from+i), "resources/read", "", fmt.Sprintf(`,"uri":"notes+notes://%d"`, i))
			}
		}
		for i := range uris {
			h.put(fmt.Sprintf("notes://%d", i), "kept")
		}
		h.cut()
		ask(1)
		synctest.Wait()
		h.slowly = true
		h.join()
		for range uris {
			d.Wants(`"text":"kept"`)
		}
		ask(1 + uris)
		for range uris {
			d.Wants(`"text":"kept"`)
		}
		if n := h.reads(); n != uris {
			t.Errorf("%d reads have reached the page, of %d URIs", n, uris)
		}
	})
}
