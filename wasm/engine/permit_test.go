package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// newRounds is an engine with a destructive tool that asks its client twice before it acts.
func newRounds(t *testing.T) *guarded {
	a := newGuarded(t, asks)
	err := a.table.Put(engine.Entry{
		Kind: engine.Tools, JSON: []byte(`{"name":"wipe","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}`),
		Call: func(ctx context.Context, _ []byte) ([]byte, error) {
			i := engine.InvocationOf(ctx)
			inputs, _, err := i.Answers()
			if err != nil {
				return nil, err
			}
			for _, key := range []string{"a", "b"} {
				if jsonrpc.Member(inputs, key) == nil {
					return nil, i.Need([]byte(`{"`+key+`":{"method":"elicitation/create","params":{"message":"sure?","requestedSchema":{"type":"object","properties":{}}}}}`), nil)
				}
			}
			return []byte(`{"content":[{"type":"text","text":"wiped"}]}`), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
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

// The user is asked about a call of a destructive tool in its first round only. Whoever sends a
// round again, changes its arguments, or has another name, is asked about.
func TestACallIsAskedAboutOnceInAllRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newRounds(t)
		s := enginetest.Speak(t, a.engine, "claude")
		allowed := engine.AccessAnswer{Allow: true, Reason: "asked"}
		questions := 0
		asked := func(why string, want bool) {
			t.Helper()
			synctest.Wait()
			a.mu.Lock()
			defer a.mu.Unlock()
			if was := len(a.questions) > questions; was != want {
				t.Errorf("%s: asked %v", why, was)
			}
			questions = len(a.questions)
		}
		callRound(s, "", "", `{"x":1}`)
		asked("the first round", true)
		a.answer <- allowed
		first := stateOf(s.Next())
		callRound(s, "a", first, `{"x":1}`)
		asked("the second round", false)
		second := stateOf(s.Next())
		if first == "" || second == "" {
			t.Fatal("a round has no requestState")
		}
		callRound(s, "a", first, `{"x":1}`)
		asked("the second round again", true)
		a.answer <- engine.AccessAnswer{Reason: "declined"}
		s.Wants("The user declined")
		callRound(s, "b", second, `{"x":2}`)
		asked("other arguments", true)
		a.answer <- allowed
		s.Wants("requestState is not valid")
		other := enginetest.Speak(t, a.engine, "codex")
		callRound(other, "b", second, `{"x":1}`)
		asked("another assistant", true)
		a.answer <- engine.AccessAnswer{Reason: "declined"}
		other.Wants("The user declined")
		callRound(s, "b", second, `{"x":1}`)
		asked("the third round", false)
		s.Wants("wiped")
		callRound(s, "b", second, `{"x":1}`)
		asked("the third round again", true)
		a.answer <- engine.AccessAnswer{Reason: "declined"}
		s.Wants("The user declined")
		if log := a.log(); strings.Count(log, "claude act tools/call wipe true asked\n") < 3 {
			t.Errorf("the audit has\n%s", log)
		}
		s.Port.Close()
		other.Port.Close()
	})
}

// What is denied between two rounds is denied, also when the denial has ended.
func TestADenialBetweenRoundsEndsThePermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newRounds(t)
		s := enginetest.Speak(t, a.engine, "claude")
		callRound(s, "", "", `{}`)
		a.answer <- engine.AccessAnswer{Allow: true, Reason: "asked"}
		state := stateOf(s.Next())
		a.set(deniesAll)
		callRound(s, "a", state, `{}`)
		s.Wants("The user declined")
		a.set(asks)
		callRound(s, "a", state, `{}`)
		a.answer <- engine.AccessAnswer{Reason: "unanswered"} // it asks again
		s.Wants("The user has not answered")
		s.Port.Close()
	})
}

// A session of an older revision has one request for all rounds, and one question.
func TestASessionIsAskedAboutOnceInAllRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newRounds(t)
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
