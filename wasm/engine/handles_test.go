package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
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
		c := speak(t, e, "somebody")
		c.ask("1", "subscriptions/listen", "", `,"notifications":{"resourceSubscriptions":["notes://open","notes://secret","notes://lent"]}`)
		c.wants(`"notifications":{"resourceSubscriptions":["notes://open","notes://lent"]}`)
		table.Changed("notes://secret")
		table.Changed("notes://lent")
		c.wants(`"uri":"notes://lent"`)
		time.Sleep(time.Second)
		revoked.Store(true)
		table.Changed("notes://lent")
		table.Changed("notes://open")
		c.wants(`"uri":"notes://open"`)
		c.port.Close()
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
		friend, stranger := speak(t, e, "friend"), speak(t, e, "stranger")
		friend.ask("1", "tools/call", "", `,"name":"ask"`)
		state := handleIn(t, friend.next(), "requestState")
		stranger.ask("1", "tools/call", "", `,"name":"ask","requestState":"`+state+`"`)
		stranger.wants("-32602", "requestState")
		friend.ask("2", "tools/call", "", `,"name":"ask","requestState":"`+state+`"`)
		friend.wants(`"content"`)

		friend.ask("3", "tools/list", "", "")
		cursor := handleIn(t, friend.next(), "nextCursor")
		stranger.ask("3", "tools/list", "", `,"cursor":"`+cursor+`"`)
		if msg := stranger.next(); strings.Contains(msg, "secret") || !strings.Contains(msg, `"third"`) {
			t.Errorf("the stranger goes on with %s", msg)
		}
		friend.port.Close()
		stranger.port.Close()
	})
}

// After a change of keys, what the previous key has signed is accepted, and what an unknown
// key has signed is not.
func TestOldKeysStillOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keyed := func(keys ...byte) speaker {
			options := handleOptions()
			options.CursorKey = [16]byte{keys[0]}
			for _, key := range keys[1:] {
				options.OldCursorKeys = append(options.OldCursorKeys, [16]byte{key})
			}
			return speak(t, newHandleEngine(t, options), "friend")
		}
		before, after, other := keyed(1), keyed(2, 1), keyed(3, 2)
		before.ask("1", "tools/call", "", `,"name":"ask"`)
		state := handleIn(t, before.next(), "requestState")
		before.ask("2", "tools/list", "", "")
		cursor := handleIn(t, before.next(), "nextCursor")

		after.ask("1", "tools/call", "", `,"name":"ask","requestState":"`+state+`"`)
		after.wants(`"content"`)
		after.ask("2", "tools/list", "", `,"cursor":"`+cursor+`"`)
		after.wants(`"secret"`)

		other.ask("1", "tools/call", "", `,"name":"ask","requestState":"`+state+`"`)
		other.wants("-32602", "requestState")
		other.ask("2", "tools/list", "", `,"cursor":"`+cursor+`"`)
		other.wants("-32602", "cursor")
		for _, c := range []speaker{before, after, other} {
			c.port.Close()
		}
	})
}

func handleOptions() engine.Options {
	options := offering
	options.PageSize = 1
	return options
}

// newHandleEngine returns an engine whose lists have cursors, and whose tool ask needs
// another round.
func newHandleEngine(t *testing.T, options engine.Options) *engine.Engine {
	e := engine.New(engine.Info{Name: "test", Version: "1"}, &options)
	table := notesOf(t, "open", "secret", "third")
	err := table.PutTool(engine.ToolEntry{
		Tool: engine.Tool{Name: "ask", Object: []byte(`{"name":"ask","inputSchema":{"type":"object"}}`)},
		Call: func(ctx context.Context, _ []byte) ([]byte, error) {
			i := engine.InvocationOf(ctx)
			if _, state, err := i.Answers(); err != nil || state != nil {
				return []byte(`{"content":[]}`), err
			}
			return nil, i.Need(nil, []byte(`"kept"`))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
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

// Cancels and answers race in every order: each call has at most one answer, none
// after its cancel was taken, and in the end nothing runs. R-070 P5.
func TestCancelsRaceWithAnswers(t *testing.T) {
	for seed := range uint64(50) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			h := newCallingHop(t)
			var running atomic.Int32
			h.tool("work", func(ctx context.Context, arguments []byte) ([]byte, error) {
				running.Add(1)
				defer running.Add(-1)
				ms, _ := jsonrpc.Int(jsonrpc.Member(arguments, "ms"))
				select {
				case <-time.After(time.Duration(ms) * time.Millisecond):
					return []byte(`{"content":[]}`), nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			})
			c := speak(t, gatewayOf(t, map[string]*hop{"": h}), "c")
			var mu sync.Mutex
			answers := map[string]int{}
			count := func(id string) int {
				mu.Lock()
				defer mu.Unlock()
				return answers[id]
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				for {
					msg, err := c.port.Read(context.Background())
					if err != nil {
						return
					}
					mu.Lock()
					answers[string(jsonrpc.Member(msg, "id"))]++
					mu.Unlock()
				}
			}()
			cancelled := map[string]int{} // to how many answers there were
			for id := range 40 {
				name := fmt.Sprint(id)
				c.ask(name, "tools/call", "", fmt.Sprintf(`,"name":"work","arguments":{"ms":%d}`, random.IntN(20)))
				if random.IntN(2) == 0 {
					time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond)
					c.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + name + `}}`)
					synctest.Wait()
					cancelled[name] = count(name)
				}
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			if n := running.Load(); n != 0 {
				t.Errorf("seed %d: %d calls still run", seed, n)
			}
			for id := range 40 {
				name := fmt.Sprint(id)
				before, wasCancelled := cancelled[name]
				switch n := count(name); {
				case n > 1, wasCancelled && n != before, !wasCancelled && n != 1:
					t.Errorf("seed %d: call %s has %d answers; cancelled: %v, after %d", seed, name, n, wasCancelled, before)
				}
			}
			c.port.Close()
			<-done
		})
	}
}

// Every request of a Remote has the envelope, and it follows a page's cursors to
// the end of each list. R-368 R-377.
func TestRemoteSpeaksAsAClientMust(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := offering
		options.PageSize = 1
		h := &hop{T: t, page: engine.New(engine.Info{Name: "page", Version: "1"}, &options), wire: &wire{}}
		h.page.Mount("", notesOf(t, "a", "b", "c"))
		remote, err := engine.Attach(t.Context(), h.port())
		if err != nil {
			t.Fatal(err)
		}
		prompts, err := remote.Prompts(t.Context())
		if len(prompts) != 3 || err != nil {
			t.Errorf("prompts: %v, %v", prompts, err)
		}
		tools, err := remote.Tools(t.Context())
		if len(tools) != 3 || err != nil {
			t.Errorf("tools: %v, %v", tools, err)
		}
		if templates, err := remote.Templates(t.Context()); len(templates) != 3 || err != nil {
			t.Errorf("templates: %v, %v", templates, err)
		}
		if _, err := remote.CallTool(t.Context(), "a", []byte("{}")); err != nil {
			t.Error(err)
		}
		if _, err := remote.GetPrompt(t.Context(), "a", []byte("{}")); err != nil {
			t.Error(err)
		}
		if _, err := remote.Complete(t.Context(), engine.CompletionRequest{Prompt: "a", Argument: "a"}); err != nil {
			t.Error(err)
		}
		for _, msg := range h.wire.sent {
			meta := jsonrpc.Member(jsonrpc.Member([]byte(msg), "params"), "_meta")
			if string(jsonrpc.Member(meta, "io.modelcontextprotocol/protocolVersion")) != `"2026-07-28"` ||
				jsonrpc.Member(meta, "io.modelcontextprotocol/clientCapabilities") == nil {
				t.Errorf("without envelope: %s", msg)
			}
		}
		if len(h.wire.sent) < 13 {
			t.Errorf("only %d requests", len(h.wire.sent))
		}
		remote.Close()
	})
}
