package remote_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Each value is kept for the time that its own result has named.
func TestEachValueIsKeptForItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newMirroredHop(t, newShare())
		h.put("notes://short", "1 pear")
		for uri, keep := range map[string]time.Duration{"notes://cart": time.Hour, "notes://short": 10 * time.Second} {
			h.publisher.Keep = keep
			h.remote.Read(t.Context(), uri)
		}
		h.cut()
		h.remote.Forget()
		time.Sleep(11 * time.Second)
		if _, err := h.remote.Read(t.Context(), "notes://cart"); err != nil {
			t.Errorf("a value that is kept for an hour: %v", err)
		}
		if contents, err := h.remote.Read(t.Context(), "notes://short"); err == nil {
			t.Errorf("a value that was kept for 10 s: %s", contents[0].Relayed.Body)
		}
	})
}

// Reads that are answered while the page is away are reported when it is back.
func TestThePageIsToldOfReadsWhileItWasAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newMirroredHop(t, newShare())
		h.cut()
		h.keep = time.Hour
		h.join()
		h.remote.Read(t.Context(), "notes://cart")
		h.cut()
		for range 3 {
			h.remote.Read(t.Context(), "notes://cart")
			time.Sleep(2 * time.Second)
		}
		h.join()
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
