package remote_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/enginetest"
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
