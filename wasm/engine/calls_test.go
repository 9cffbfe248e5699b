package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
)

// Calls and completions of one client are limited, and it recovers; others are not
// concerned. R-187 R-364.
func TestCallsAreRateLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := enginetest.Offering
		e := engine.New(engine.Info{Name: "test", Version: "1"}, &options)
		e.Mount("", enginetest.NotesOf(t, "open"))
		hasty, other := enginetest.Speak(t, e, "hasty"), enginetest.Speak(t, e, "other")
		complete := func(s enginetest.Speaker) string {
			s.Ask("1", "completion/complete", "", `,"ref":{"type":"ref/prompt","name":"open"},"argument":{"name":"a","value":""}`)
			return s.Next()
		}
		served := 0
		for range 300 {
			if msg := complete(hasty); strings.Contains(msg, "value of open") {
				served++
			} else if !strings.Contains(msg, `"reason":"busy"`) {
				t.Fatalf("refused by %s", msg)
			}
		}
		if served != 50 {
			t.Errorf("%d of 300 at once were served, want 50", served)
		}
		called := 0
		for range 300 {
			hasty.Ask("1", "tools/call", "", `,"name":"open"`)
			if strings.Contains(hasty.Next(), `"content"`) {
				called++
			}
		}
		if called != 200 {
			t.Errorf("%d of 300 calls at once were served, want 200", called)
		}
		if msg := complete(other); !strings.Contains(msg, "value of open") {
			t.Errorf("another client gets %s", msg)
		}
		time.Sleep(time.Second)
		if msg := complete(hasty); !strings.Contains(msg, "value of open") {
			t.Errorf("a second later: %s", msg)
		}
		hasty.Port.Close()
		other.Port.Close()
	})
}

// Engines that serve one session after each other ask with different ids, also at the same time. R-005.
func TestEnginesAskWithDifferentIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := map[string]bool{}
		for range 3 {
			e := newHandleEngine(t, handleOptions())
			c := enginetest.Speak(t, e, "")
			c.Say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}}}}`)
			c.Wants(`"2025-06-18"`)
			c.Say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			c.Say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ask"}}`)
			question := c.Next()
			_, behind, _ := strings.Cut(question, `"id":"`)
			id, _, _ := strings.Cut(behind, `"`)
			if seen[id] || !strings.HasPrefix(id, "pagemcp:") {
				t.Errorf("asked by %s", question)
			}
			seen[id] = true
			c.Port.Close()
		}
	})
}

// Progress that comes in a flood is thinned out; the deadline counts all of it.
// R-078 R-081.
func TestProgressIsThinned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := enginetest.Offering
		e := engine.New(engine.Info{Name: "test", Version: "1"}, &options)
		table := engine.NewTable()
		enginetest.ToolOf(t, table, "flood", func(ctx context.Context, _ []byte) ([]byte, error) {
			i := engine.InvocationOf(ctx)
			for range 10_000 {
				i.Progress([]byte(`{"progress":1}`)) // does not increase: one is sent
			}
			for n := range 1000 {
				i.Progress(append(append([]byte(`{"progress":2.`), strings.Repeat("9", n+1)[:min(n+1, 14)]...), '}'))
			}
			time.Sleep(time.Second)
			i.Progress([]byte(`{"progress":3}`))
			return []byte(`{"content":[]}`), nil
		})
		e.Mount("", table)
		c := enginetest.Speak(t, e, "")
		c.Ask("1", "tools/call", `,"progressToken":1`, `,"name":"flood"`)
		sent := 0
		for {
			msg := c.Next()
			if strings.Contains(msg, "complete") {
				break
			}
			sent++
		}
		if sent < 3 || sent > 60 {
			t.Errorf("%d progress notifications of 11,001", sent)
		}
		c.Port.Close()
	})
}
