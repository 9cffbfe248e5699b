package engine_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
)

// The policy decides again about each notification: a listen is acknowledged without
// what is forbidden, and what is forbidden later is not announced any more. R-171
//
func TestPolicyOfSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var revoked atomic.Bool
		e := engine.New(engine.Info{Name: "test", Version: "1"}, &engine.Options{
			Allow: func(_ engine.Principal, _ engine.Verb, uri string) bool {
				return uri == "notes://open" || uri == "notes://lent" && !revoked.Load()
			},
		})
		table := engine.NewTable()
		e.Mount("", table)
		c := enginetest.Speak(t, e, "somebody")
		c.Ask("1", "subscriptions/listen", "", `,"notifications":{"resourceSubscriptions":["notes://open","notes://secret","notes://lent"]}`)
		c.Wants(`"notifications":{"resourceSubscriptions":["notes://open","notes://lent"]}`)
		table.Changed("notes://secret")
		table.Changed("notes://lent")
		c.Wants(`"uri":"notes://lent"`)
		time.Sleep(time.Second)
		revoked.Store(true)
		table.Changed("notes://lent")
		table.Changed("notes://open")
		c.Wants(`"uri":"notes://open"`)
		c.Port.Close()
	})
}

// What one principal was given as a handle grants another nothing: requestState is
// refused, and a cursor leads to what the other may see. R-088 R-270.
func TestHandlesGrantNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := handleOptions()
		options.Allow = func(who engine.Principal, _ engine.Verb, uri string) bool {
			return who == "friend" || !strings.Contains(uri, "secret")
		}
		e := newHandleEngine(t, options)
		friend, stranger := enginetest.Speak(t, e, "friend"), enginetest.Speak(t, e, "stranger")
		friend.Ask("1", "tools/call", "", `,"name":"ask"`)
		state := handleIn(t, friend.Next(), "requestState")
		stranger.Ask("1", "tools/call", "", `,"name":"ask","requestState":"`+state+`"`)
		stranger.Wants("-32602", "requestState")
		friend.Ask("2", "tools/call", "", `,"name":"ask","requestState":"`+state+`"`)
		friend.Wants(`"content"`)

		friend.Ask("3", "tools/list", "", "")
		cursor := handleIn(t, friend.Next(), "nextCursor")
		stranger.Ask("3", "tools/list", "", `,"cursor":"`+cursor+`"`)
		if msg := stranger.Next(); strings.Contains(msg, "secret") || !strings.Contains(msg, `"third"`) {
			t.Errorf("the stranger goes on with %s", msg)
		}
		friend.Port.Close()
		stranger.Port.Close()
	})
}

func handleOptions() engine.Options {
	options := enginetest.Offering
	options.PageSize = 1
	return options
}

// newHandleEngine returns an engine whose lists have cursors, and whose tool ask needs
// another round.
func newHandleEngine(t *testing.T, options engine.Options) *engine.Engine {
	e := engine.New(engine.Info{Name: "test", Version: "1"}, &options)
	table := enginetest.NotesOf(t, "open", "secret", "third")
	enginetest.ToolOf(t, table, "ask", func(ctx context.Context, _ []byte) ([]byte, error) {
		_, err := engine.InvocationOf(ctx).Ask(ctx, []byte(`{"k":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}`))
		return []byte(`{"content":[]}`), err
	})
	e.Mount("", table)
	return e
}

func handleIn(t *testing.T, msg, name string) string {
	t.Helper()
	_, behind, _ := strings.Cut(msg, `"`+name+`":"`)
	value, _, _ := strings.Cut(behind, `"`)
	if value == "" {
		t.Fatalf("no %s in %s", name, msg)
	}
	return value
}
