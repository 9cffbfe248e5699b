package server

import (
	"slices"
	"testing"
	"time"
)

// TestSimCheckerFindsBrokenHistories checks histories that break one guarantee each, and
// histories that look unusual and break none.
func TestSimCheckerFindsBrokenHistories(t *testing.T) {
	const store = "https://app.example notes"
	at := func(s int) time.Duration { return time.Duration(s) * time.Second }
	join := func(s int, tab, doc, name string) simEvent {
		return simEvent{At: at(s), Kind: simJoin, Who: tab, ID: doc, Name: name, Text: store}
	}
	leave := func(s int, tab, doc, name string) simEvent {
		return simEvent{At: at(s), Kind: simLeave, Who: tab, ID: doc, Name: name}
	}
	of := func(s int, kind simKind, id string) simEvent {
		return simEvent{At: at(s), Sent: at(s), Kind: kind, Who: "client", ID: id, Name: "notes", URI: "notes:///0"}
	}
	write := func(s, version int) simEvent {
		return simEvent{At: at(s), Kind: simWrite, Who: store, URI: "notes:///0", Version: version}
	}
	call := func(s int, id, kind string) simEvent {
		e := of(s, simCall, id)
		e.Text, e.Clean = kind, true
		return e
	}
	answer := func(s int, id, text string, version int) simEvent {
		e := of(s, simAnswer, id)
		e.Text, e.Version, e.Clean = text, version, true
		return e
	}
	run := func(s int, id string) simEvent { return simEvent{At: at(s), Kind: simRun, ID: id} }
	classic := func(s int, id string) simEvent {
		e := of(s, simSubscribe, id)
		e.Text = "classic"
		return e
	}
	received := func(s int, sent time.Duration) simEvent { // on the stream of a session
		e := of(s, simNote, "")
		e.Sent = sent
		return e
	}
	calm, check := simEvent{At: at(200), Kind: simCalm}, simEvent{At: at(500), Kind: simCheck}
	here := join(1, "tab1", "tab1.1", "notes")
	listening := []simEvent{here, of(2, simSubscribe, "l"), of(3, simAck, "l")}

	for _, test := range []struct {
		name   string
		events []simEvent
		want   []string // promises, in order
	}{
		{"all is well", append(slices.Clone(listening), write(10, 1), of(11, simNote, "l"), calm, check), nil},
		{"two changes, one note after the last", append(slices.Clone(listening), write(10, 1), write(11, 2), of(12, simNote, "l"), calm, check), nil},
		{"a stream that ended is owed nothing", append(slices.Clone(listening), of(5, simEnd, "l"), write(10, 1), calm, check), nil},
		{"a change just before the check may still be announced", append(slices.Clone(listening), calm, write(499, 1), check), nil},
		{"a page that is away announces nothing", append(slices.Clone(listening), leave(5, "tab1", "tab1.1", "notes"), write(10, 1), calm, check), nil},
		{"a change before the acknowledgement is the read's affair", []simEvent{here, of(2, simSubscribe, "l"), write(3, 1), of(4, simAck, "l"), calm, check}, nil},
		{"the same document comes back", append(slices.Clone(listening), leave(5, "tab1", "tab1.1", "notes"), join(6, "tab1", "tab1.1", "notes"), calm, check), nil},
		{"another tab of the app takes over", []simEvent{here, leave(5, "tab1", "tab1.1", "notes"), join(30, "tab2", "tab2.1", "notes"), join(40, "tab1", "tab1.1", "notes-2")}, nil},
		{"a note on its way when the client unsubscribed", []simEvent{here, classic(2, "client/1"), of(3, simAck, "client/1"), of(5, simCancel, "client/1"), received(6, at(4))}, nil},
		{"a session subscribes again", []simEvent{here, classic(2, "client/1"), of(3, simAck, "client/1"), of(5, simCancel, "client/1"), classic(6, "client/2"), received(7, at(7))}, nil},
		{"a read that overlaps a write may have either", []simEvent{here, write(2, 1), call(3, "r", "read"), write(4, 2), answer(5, "r", "ok", 1)}, nil},
		{"a tool that was cut off", []simEvent{here, call(2, "t", "tool"), run(3, "t"), answer(4, "t", `{"retry":false}`, 0)}, nil},

		{"P1: before the acknowledgement", []simEvent{here, of(2, simSubscribe, "l"), of(3, simNote, "l")}, []string{"P1"}},
		{"P1: after the cancel", append(slices.Clone(listening), of(5, simCancel, "l"), of(6, simNote, "l")), []string{"P1"}},
		{"P1: after the end", append(slices.Clone(listening), of(5, simEnd, "l"), of(6, simNote, "l")), []string{"P1"}},
		{"P1: never subscribed", []simEvent{here, of(3, simNote, "l")}, []string{"P1"}},
		{"P1: a session that has unsubscribed", []simEvent{here, classic(2, "client/1"), of(3, simAck, "client/1"), of(5, simCancel, "client/1"), received(7, at(6))}, []string{"P1"}},
		{"P1: a session that never subscribed", []simEvent{here, received(7, at(6))}, []string{"P1"}},
		{"P2: no note", append(slices.Clone(listening), write(10, 1), calm, check), []string{"P2"}},
		{"P2: only a note before the last change", append(slices.Clone(listening), write(10, 1), of(11, simNote, "l"), write(12, 2), calm, check), []string{"P2"}},
		{"P3: no note for a new document", append(slices.Clone(listening), leave(5, "tab1", "tab1.1", "notes"), join(9, "tab1", "tab1.2", "notes"), calm, check), []string{"P3"}},
		{"P4: an old version", []simEvent{here, write(2, 1), write(3, 2), call(4, "r", "read"), answer(5, "r", "ok", 1)}, []string{"P4"}},
		{"P4: a version that was never written", []simEvent{here, write(2, 1), call(4, "r", "read"), answer(5, "r", "ok", 2)}, []string{"P4"}},
		{"P5: two answers", []simEvent{here, call(2, "r", "read"), answer(3, "r", "ok", 0), answer(4, "r", "ok", 0)}, []string{"P5"}},
		{"P5: an answer after the cancel", []simEvent{here, call(2, "r", "read"), of(3, simGiveUp, "r"), answer(4, "r", "ok", 0)}, []string{"P5"}},
		{"P5: an answer to nothing", []simEvent{here, answer(4, "r", "ok", 0)}, []string{"P5"}},
		{"P5: no answer", []simEvent{here, call(2, "r", "read"), calm, check}, []string{"P5"}},
		{"P5: a tool runs twice", []simEvent{here, call(2, "t", "tool"), run(3, "t"), run(4, "t")}, []string{"P5"}},
		{"P5: a retry of what ran", []simEvent{here, call(2, "t", "tool"), run(3, "t"), answer(4, "t", `{"retry":true}`, 0)}, []string{"P5"}},
		{"P5: a run after a retry was offered", []simEvent{here, call(2, "t", "tool"), answer(3, "t", `{"retry":true}`, 0), run(4, "t")}, []string{"P5"}},
		{"P5: an answer without a run", []simEvent{here, call(2, "t", "tool"), answer(4, "t", "ok", 0)}, []string{"P5"}},
		{"P5: an error in calm weather", []simEvent{here, calm, call(300, "r", "read"), answer(301, "r", "-32603", 0)}, []string{"P5"}},
		{"names: two pages at once", []simEvent{here, join(2, "tab2", "tab2.1", "notes")}, []string{"names"}},
		{"names: lost", []simEvent{here, leave(2, "tab1", "tab1.1", "notes"), join(3, "tab1", "tab1.1", "notes-2")}, []string{"names"}},
		{"names: given to another app", []simEvent{here, leave(2, "tab1", "tab1.1", "notes"), {At: at(3), Kind: simJoin, Who: "tab2", ID: "tab2.1", Name: "notes", Text: "https://other.example notes"}}, []string{"names"}},
		{"names: a new one while one is free", []simEvent{here, leave(2, "tab1", "tab1.1", "notes"), join(300, "tab2", "tab2.1", "notes-2")}, []string{"names"}},
		{"lists: slow", []simEvent{here, call(2, "r", "list"), answer(20, "r", "ok", 0)}, []string{"lists"}},
		{"lists: failed", []simEvent{here, call(2, "r", "list"), answer(3, "r", "-32603", 0)}, []string{"lists"}},
		{"alarm", []simEvent{{Kind: simAlarm, Text: "the session is unknown"}}, []string{"alarm"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, v := range checkHistory(test.events, simListLimit) {
				got = append(got, v.Promise)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("found %q; want %q", got, test.want)
			}
		})
	}
}
