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
)

// An emptySource has nothing.
type emptySource struct{}

func (emptySource) List(context.Context, string) (engine.Listing, error) {
	return engine.Listing{}, nil
}
func (emptySource) Read(context.Context, string) ([]engine.Contents, error) {
	return nil, engine.ErrNotFound
}

// Whatever may change who completes, or from what, ends what is kept before anything else is sent.
func TestAChangeOfRegistrationsEndsKeptCompletions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newListHop(t, newShare())
		unmount := func() {}
		for _, change := range []struct {
			why  string
			make func()
		}{
			{"a prompt", h.register},
			{"a resource", func() { h.put("notes://other", "") }},
			{"a changed list", func() { h.table.Changed("") }},
			{"a source", func() { unmount = h.page.Mount("more+", engine.NewTable()) }},
			{"a removed source", func() { unmount() }},
			{"another source", func() { unmount = h.page.Mount("others+", emptySource{}) }},
			{"a removed other source", func() { unmount() }},
			{"a reload of the page", func() { h.cut(); h.join() }},
			{"a change of all values", func() { h.publisher.Change("", "") }},
		} {
			h.wants("before "+change.why, true)
			h.wants("again, before "+change.why, false)
			h.completion.Values = []string{"Oslo after " + change.why}
			change.make()
			synctest.Wait()
		}
		h.wants("at last", true)
		h.table.Changed("notes://cart")
		h.publisher.Change("notes://cart", "")
		synctest.Wait()
		h.wants("after a change of a value", false)
		h.body("claude", "notes://other")
		before := h.reads()
		h.register()
		synctest.Wait()
		if h.body("claude", "notes://other"); h.reads() != before {
			t.Error("a registration has ended a published value")
		}
		h.wants("after it", true)
	})
}

// A result from before a change is not kept, also if it comes after it.
func TestACompletionFromBeforeAChangeIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newListHop(t, newShare())
		h.during = func() { h.register() }
		h.wants("the list changes meanwhile", true)
		h.during = nil
		h.completion.Values = []string{"Oslo"}
		h.wants("after that", true)
		h.wants("again", false)
	})
}

// Functions, large results and long texts are the page's.
func TestWhichCompletionsAreNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newListHop(t, newShare())
		h.completion.Fixed = false
		for range 2 {
			h.wants("of a function", true)
		}
		h.completion.Fixed = true
		h.completion.Values = append(h.completion.Values, strings.Repeat("x", remote.MaxMirroredValue))
		for range 2 {
			h.wants("a large one", true)
		}
		h.completion.Values = h.completion.Values[:1]
		d := enginetest.Speak(t, h.gateway, "claude")
		for range 2 {
			if _, asked := h.from(d, engine.LatestModern, ofPrompt, "to", strings.Repeat("x", 4096)); !asked {
				t.Error("of a long text: the gateway has it")
			}
		}
		h.completion.Values = []string{strings.Repeat("x", 60<<10)}
		for n := range 100 {
			time.Sleep(time.Second) // a client may complete 10 times a second
			h.from(d, engine.LatestModern, ofPrompt, "to", fmt.Sprint(n))
			if page, _, _ := remote.Mirrored(h.remote); page > remote.MaxMirroredOfPage || n == 0 && page < 60<<10 {
				t.Fatalf("after %d results %d bytes are kept", n+1, page)
			}
		}
		for n, kept := range map[int]bool{99: true, 50: true, 0: false} {
			if _, asked := h.from(d, engine.LatestModern, ofPrompt, "to", fmt.Sprint(n)); asked == kept {
				t.Errorf("result %d is kept: %v", n, !asked)
			}
		}
		d.Port.Close()
	})
}

// The grants that the page would apply are those of reads, and its audit gets what was answered.
func TestGrantsDecideAboutKeptCompletions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newListHop(t, newShare())
		grant := func(text string) {
			table, err := engine.ParseGrants([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			h.page.SetGrants(table)
			time.Sleep(time.Second) // the gateway has them
		}
		grant(onlyClaude)
		h.wants("granted", true)
		h.wants("granted", false)
		h.wants("granted", false)
		time.Sleep(time.Second)
		synctest.Wait()
		told := strings.Join(h.publisher.Served(), "")
		for _, what := range []string{"trip", "trips://{to}"} {
			const want = `{"assistant":"claude","uri":"%s","method":"completion/complete","reason":"grant","count":2,"bytes":`
			if !strings.Contains(told, fmt.Sprintf(want, what)) {
				t.Errorf("the page's audit got %s", told)
			}
		}
		declined := func(who engine.Principal, ref string) {
			d := enginetest.Speak(t, h.gateway, who)
			if answer, _ := h.from(d, engine.LatestModern, ref, "to", "r"); !strings.Contains(answer, `"reason":"declined"`) {
				t.Errorf("%s may not read: %s", who, answer)
			}
			d.Port.Close()
		}
		declined("codex", ofPrompt)
		declined("codex", ofTemplate)
		grant(nobody)
		declined("claude", ofPrompt)
		declined("claude", ofTemplate)
		time.Sleep(time.Second) // the requests for the grants end
	})
}
