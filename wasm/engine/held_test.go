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
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// newRounds is an engine with a destructive tool that asks its client twice before it acts. It
// counts how often it runs.
func newRounds(t *testing.T) (a *guarded, runs *atomic.Int32) {
	a, runs = newGuarded(t, asks), &atomic.Int32{}
	err := a.table.Put(engine.Entry{
		Kind: engine.Tools, JSON: []byte(`{"name":"wipe","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}`),
		Call: func(ctx context.Context, _ []byte) ([]byte, error) {
			runs.Add(1)
			for _, key := range []string{"a", "b"} {
				if _, err := engine.InvocationOf(ctx).Ask(ctx, []byte(`{"`+key+`":{"method":"elicitation/create","params":{"message":"sure?","requestedSchema":{"type":"object","properties":{}}}}}`)); err != nil {
					return nil, err
				}
			}
			return []byte(`{"content":[{"type":"text","text":"wiped"}]}`), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a, runs
}

// callRound begins a call of the tool, or goes on with it by the requestState of the round before.
func callRound(s enginetest.Speaker, key, state, arguments string) {
	members := `,"name":"wipe","arguments":` + arguments
	if key != "" {
		members += `,"inputResponses":{"` + key + `":{"action":"accept","content":{}}},"requestState":` + state
	}
	s.Ask("1", "tools/call", "", members)
}

func stateOf(answer string) string {
	return string(jsonrpc.Member(jsonrpc.Member([]byte(answer), "result"), "requestState"))
}

// A handler waits between two requests: it runs once, the user is asked about it once, and a state
// that was used, or belongs to other arguments or another assistant, begins nothing.
func TestACallWaitsBetweenItsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, runs := newRounds(t)
		s := enginetest.Speak(t, a.engine, "claude")
		callRound(s, "", "", `{"x":1}`)
		a.answer <- engine.AccessAnswer{Allow: true, Reason: "asked"}
		first := stateOf(s.Next())
		time.Sleep(9 * time.Minute) // longer than any request may take
		s.Port.Close()              // the connection may be another one
		synctest.Wait()
		s = enginetest.Speak(t, a.engine, "claude")
		callRound(s, "a", first, `{"x":1}`)
		second := stateOf(s.Next())
		if first == "" || second == "" || first == second {
			t.Fatalf("the states are %s and %s", first, second)
		}
		const refused = "requestState is not valid"
		callRound(s, "a", first, `{"x":1}`)
		s.Wants(refused)
		callRound(s, "b", second, `{"x":2}`)
		s.Wants(refused)
		other := enginetest.Speak(t, a.engine, "codex")
		callRound(other, "b", second, `{"x":1}`)
		other.Wants(refused)
		callRound(s, "b", second, `{"x":1}`)
		s.Wants("wiped")
		callRound(s, "b", second, `{"x":1}`)
		s.Wants(refused)
		if len(a.questions) != 1 || runs.Load() != 1 {
			t.Errorf("%d questions, %d runs", len(a.questions), runs.Load())
		}
		s.Port.Close()
		other.Port.Close()
	})
}

// What ends a call that waits between two requests: a denial, also when it has ended; the end of the
// time; the end of the engine. A cancelled request ends it too.
func TestWaitingCallsEnd(t *testing.T) {
	for name, end := range map[string]func(a *guarded, s enginetest.Speaker, state string){
		"a denial": func(a *guarded, _ enginetest.Speaker, _ string) {
			a.set(deniesAll)
			a.set(asks)
		},
		"10 minutes": func(*guarded, enginetest.Speaker, string) { time.Sleep(11 * time.Minute) },
		"the engine": func(a *guarded, _ enginetest.Speaker, _ string) { a.engine.Close() },
		"a cancelled request": func(_ *guarded, s enginetest.Speaker, state string) {
			callRound(s, "a", state, `{}`)
			s.Next()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newGuarded(t, `{"default":"open","grants":[]}`)
				ended := make(chan error, 1)
				err := a.table.Put(engine.Entry{
					Kind: engine.Tools, JSON: []byte(`{"name":"wipe","inputSchema":{"type":"object"}}`),
					Call: func(ctx context.Context, _ []byte) ([]byte, error) {
						answers, err := engine.InvocationOf(ctx).Ask(ctx, []byte(`{"a":{"method":"elicitation/create","params":{"message":"sure?","requestedSchema":{"type":"object","properties":{}}}}}`))
						ended <- err
						return answers, err
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				s := enginetest.Speak(t, a.engine, "claude")
				callRound(s, "", "", `{}`)
				end(a, s, stateOf(s.Next()))
				synctest.Wait()
				select {
				case err := <-ended:
					if (err == nil) != (name == "a cancelled request") {
						t.Error(err)
					}
				default:
					t.Error("it still waits")
				}
				s.Port.Close()
			})
		})
	}
}

// A request that goes on with a call at the moment when that ends is answered at once: by the result, or why there is none.
func TestAnswersAtTheEndOfTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := newRounds(t)
		s := enginetest.Speak(t, a.engine, "claude")
		for range 200 {
			callRound(s, "", "", `{}`)
			a.answer <- engine.AccessAnswer{Allow: true, Reason: "asked"}
			state := stateOf(s.Next())
			time.Sleep(10 * time.Minute)
			began := time.Now()
			callRound(s, "a", state, `{}`)
			if got := s.Next(); time.Since(began) > time.Second {
				t.Fatalf("after %v: %s", time.Since(began), got)
			}
		}
		s.Port.Close()
	})
}

// Progress begins anew with the token of each request of a call.
func TestProgressOfEachRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newGuarded(t, `{"default":"open","grants":[]}`)
		err := a.table.Put(engine.Entry{
			Kind: engine.Tools, JSON: []byte(`{"name":"wipe","inputSchema":{"type":"object"}}`),
			Call: func(ctx context.Context, _ []byte) ([]byte, error) {
				i := engine.InvocationOf(ctx)
				i.Progress([]byte(`{"progress":5}`))
				_, err := i.Ask(ctx, []byte(`{"a":{"method":"elicitation/create","params":{"message":"sure?","requestedSchema":{"type":"object","properties":{}}}}}`))
				i.Progress([]byte(`{"progress":1}`))
				return []byte(`{"content":[]}`), err
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		s := enginetest.Speak(t, a.engine, "claude")
		s.Ask("1", "tools/call", `,"progressToken":"first"`, `,"name":"wipe","arguments":{}`)
		s.Wants(`"progressToken":"first","progress":5`)
		state := stateOf(s.Next())
		s.Ask("2", "tools/call", `,"progressToken":"second"`, `,"name":"wipe","arguments":{},"inputResponses":{"a":{"action":"accept","content":{}}},"requestState":`+state)
		s.Wants(`"progressToken":"second","progress":1`)
		s.Wants(`"id":2`)
		s.Port.Close()
	})
}

// An assistant may have 16 calls that wait; others are not concerned.
func TestWaitingCallsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newHandleEngine(t, handleOptions())
		friend, stranger := enginetest.Speak(t, e, "friend"), enginetest.Speak(t, e, "stranger")
		for range 16 {
			friend.Ask("1", "tools/call", "", `,"name":"ask"`)
			friend.Wants("requestState")
		}
		friend.Ask("1", "tools/call", "", `,"name":"ask"`)
		friend.Wants(`"reason":"busy"`)
		stranger.Ask("1", "tools/call", "", `,"name":"ask"`)
		stranger.Wants("requestState")
		friend.Port.Close()
		stranger.Port.Close()
		e.Close()
	})
}

// A session of an older revision has one request for all rounds, and one question.
func TestASessionIsAskedAboutOnceInAllRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := newRounds(t)
		d := enginetest.DialogueOf(t, a.engine, "claude")
		d.Request("initialize", `"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}`)
		d.Say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		d.Send("tools/call", `"name":"wipe","arguments":{}`)
		a.answer <- engine.AccessAnswer{Allow: true, Reason: "asked"}
		for range 2 {
			id := string(jsonrpc.Member([]byte(d.Next("a request for input")), "id"))
			d.Say(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{}}}`)
		}
		if got := d.Next("the result"); !strings.Contains(got, "wiped") {
			t.Error(got)
		}
		if n := len(a.questions); n != 1 {
			t.Errorf("%d questions", n)
		}
	})
}
