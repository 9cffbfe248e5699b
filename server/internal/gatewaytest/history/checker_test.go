package history

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestBrokenHistoriesAreFound judges histories that break one guarantee each, and
// histories that look unusual and break none.
var rules = Rules{
	Lists: 4 * time.Second, Recovery: 60 * time.Second, Prompt: 6 * time.Second, Patience: 2 * time.Minute, Delay: time.Second / 2,
	Reads: true, Whole: true, Codes: []int{-1, 4412},
}

func TestBrokenHistoriesAreFound(t *testing.T) {
	const store = "https://app.example notes"
	at := func(s int) time.Duration { return time.Duration(s) * time.Second }
	join := func(s int, tab, doc, name string) Event {
		return Event{At: at(s), Kind: Join, Who: tab, ID: doc, Name: name, Text: store}
	}
	leave := func(s int, tab, doc, name string) Event {
		return Event{At: at(s), Kind: Leave, Who: tab, ID: doc, Name: name}
	}
	of := func(s int, kind Kind, id string) Event {
		return Event{At: at(s), Sent: at(s), Kind: kind, Who: "client", ID: id, Name: "notes", URI: "notes:///0"}
	}
	write := func(s, version int) Event {
		return Event{At: at(s), Kind: Write, Who: store, URI: "notes:///0", Version: version}
	}
	call := func(s int, id, kind string) Event {
		e := of(s, Call, id)
		e.Text, e.Clean = kind, true
		return e
	}
	answer := func(s int, id, text string, version int) Event {
		e := of(s, Answer, id)
		e.Text, e.Version, e.Clean = text, version, true
		return e
	}
	run := func(s int, id string) Event { return Event{At: at(s), Kind: Run, ID: id} }
	classic := func(s int, id string) Event {
		e := of(s, Subscribe, id)
		e.Text = "classic"
		return e
	}
	received := func(s int, sent time.Duration) Event { // on the stream of a session
		e := of(s, Note, "")
		e.Sent = sent
		return e
	}
	from := func(store string, e Event) Event { e.Store = store; return e }
	socket := func(number, began int, e Event) Event { e.Socket, e.Sent = number, at(began); return e }
	closed := func(s, number, code int) Event {
		return Event{At: at(s), Kind: Leave, Who: "tab1", ID: "tab1.1", Name: "notes", Socket: number, Code: code}
	}
	calm, check := Event{At: at(200), Kind: Calm}, Event{At: at(500), Kind: Check}
	here := join(1, "tab1", "tab1.1", "notes")
	listening := []Event{here, of(2, Subscribe, "l"), of(3, Ack, "l")}

	for _, test := range []struct {
		name   string
		events []Event
		want   []string // promises, in order
	}{
		{"all is well", append(slices.Clone(listening), write(10, 1), of(11, Note, "l"), calm, check), nil},
		{"two changes, one note after the last", append(slices.Clone(listening), write(10, 1), write(11, 2), of(12, Note, "l"), calm, check), nil},
		{"a stream that ended is owed nothing", append(slices.Clone(listening), of(5, End, "l"), write(10, 1), calm, check), nil},
		{"a change just before the check may still be announced", append(slices.Clone(listening), calm, write(499, 1), check), nil},
		{"a page that is away announces nothing", append(slices.Clone(listening), leave(5, "tab1", "tab1.1", "notes"), write(10, 1), calm, check), nil},
		{"a change before the acknowledgement is the read's affair", []Event{here, of(2, Subscribe, "l"), write(3, 1), of(4, Ack, "l"), calm, check}, nil},
		{"the same document comes back", append(slices.Clone(listening), leave(5, "tab1", "tab1.1", "notes"), join(6, "tab1", "tab1.1", "notes"), calm, check), nil},
		{"another tab of the app takes over", []Event{here, leave(5, "tab1", "tab1.1", "notes"), join(30, "tab2", "tab2.1", "notes"), join(40, "tab1", "tab1.1", "notes-2")}, nil},
		{"a note on its way when the client unsubscribed", []Event{here, classic(2, "client/1"), of(3, Ack, "client/1"), of(5, Cancel, "client/1"), received(6, at(4))}, nil},
		{"a session subscribes again", []Event{here, classic(2, "client/1"), of(3, Ack, "client/1"), of(5, Cancel, "client/1"), classic(6, "client/2"), received(7, at(7))}, nil},
		{"a read that overlaps a write may have either", []Event{here, write(2, 1), call(3, "r", "read"), write(4, 2), answer(5, "r", "ok", 1)}, nil},
		{"a tool that was cut off", []Event{here, call(2, "t", "tool"), run(3, "t"), answer(4, "t", `{"retry":false}`, 0)}, nil},

		{"a note on its way for a moment longer", []Event{here, classic(2, "client/1"), of(3, Ack, "client/1"), of(5, Cancel, "client/1"), received(6, 5*time.Second+rules.Delay)}, nil},
		{"the page's own answer", []Event{here, call(2, "r", "read"), from(store, answer(3, "r", "ok", 0))}, nil},
		{"a break during a fault", []Event{here, call(3, "r", "read"), of(4, Closed, "r")}, nil},
		{"a node drains", []Event{here, closed(5, 1, 4412)}, nil},
		{"a socket breaks", []Event{here, closed(5, 1, -1)}, nil},
		{"replaced by a newer document", []Event{socket(1, 0, here), closed(5, 1, Replaced), socket(2, 4, join(6, "tab1", "tab1.2", "notes"))}, nil},

		{"P1: before the acknowledgement", []Event{here, of(2, Subscribe, "l"), of(3, Note, "l")}, []string{"P1"}},
		{"P1: after the cancel", append(slices.Clone(listening), of(5, Cancel, "l"), of(6, Note, "l")), []string{"P1"}},
		{"P1: after the end", append(slices.Clone(listening), of(5, End, "l"), of(6, Note, "l")), []string{"P1"}},
		{"P1: never subscribed", []Event{here, of(3, Note, "l")}, []string{"P1"}},
		{"P1: a session that has unsubscribed", []Event{here, classic(2, "client/1"), of(3, Ack, "client/1"), of(5, Cancel, "client/1"), received(7, at(6))}, []string{"P1"}},
		{"P1: a session that never subscribed", []Event{here, received(7, at(6))}, []string{"P1"}},
		{"P2: no note", append(slices.Clone(listening), write(10, 1), calm, check), []string{"P2"}},
		{"P2: only a note before the last change", append(slices.Clone(listening), write(10, 1), of(11, Note, "l"), write(12, 2), calm, check), []string{"P2"}},
		{"P3: no note for a new document", append(slices.Clone(listening), leave(5, "tab1", "tab1.1", "notes"), join(9, "tab1", "tab1.2", "notes"), calm, check), []string{"P3"}},
		{"P4: an old version", []Event{here, write(2, 1), write(3, 2), call(4, "r", "read"), answer(5, "r", "ok", 1)}, []string{"P4"}},
		{"P4: a version that was never written", []Event{here, write(2, 1), call(4, "r", "read"), answer(5, "r", "ok", 2)}, []string{"P4"}},
		{"P5: two answers", []Event{here, call(2, "r", "read"), answer(3, "r", "ok", 0), answer(4, "r", "ok", 0)}, []string{"P5"}},
		{"P5: an answer after the cancel", []Event{here, call(2, "r", "read"), of(3, GiveUp, "r"), answer(4, "r", "ok", 0)}, []string{"P5"}},
		{"P5: an answer to nothing", []Event{here, answer(4, "r", "ok", 0)}, []string{"P5"}},
		{"P5: no answer", []Event{here, call(2, "r", "read"), calm, check}, []string{"P5"}},
		{"P5: a tool runs twice", []Event{here, call(2, "t", "tool"), run(3, "t"), run(4, "t")}, []string{"P5"}},
		{"P5: a retry of what ran", []Event{here, call(2, "t", "tool"), run(3, "t"), answer(4, "t", `{"retry":true}`, 0)}, []string{"P5"}},
		{"P5: a run after a retry was offered", []Event{here, call(2, "t", "tool"), answer(3, "t", `{"retry":true}`, 0), run(4, "t")}, []string{"P5"}},
		{"P5: an answer without a run", []Event{here, call(2, "t", "tool"), answer(4, "t", "ok", 0)}, []string{"P5"}},
		{"P5: an error in calm weather", []Event{here, calm, call(300, "r", "read"), answer(301, "r", "-32603", 0)}, []string{"reads", "P5"}},
		{"P5: a break in calm weather", []Event{here, calm, call(300, "r", "read"), of(301, Closed, "r")}, []string{"P5"}},
		{"P5: slow in calm weather", []Event{here, calm, call(300, "r", "read"), answer(310, "r", "ok", 0)}, []string{"P5"}},
		{"P5: the answer of another page", []Event{here, call(2, "r", "read"), from("https://app.example shop", answer(3, "r", "ok", 0))}, []string{"P5"}},
		{"reads: failed", []Event{here, call(2, "r", "read"), answer(3, "r", "-32603", 0)}, []string{"reads"}},
		{"tools: failed", []Event{here, call(2, "r", "tool"), answer(3, "r", "-32603", 0)}, []string{"tools"}},
		{"codes: unexpected", []Event{here, closed(5, 1, 4410)}, []string{"codes"}},
		{"codes: replaced by nothing", []Event{here, closed(5, 1, Replaced)}, []string{"codes"}},
		{"codes: replaced by a page that began later", []Event{socket(1, 0, here), closed(5, 1, Replaced), socket(2, 6, join(7, "tab1", "tab1.2", "notes"))}, []string{"codes"}},
		{"names: two pages at once", []Event{here, join(2, "tab2", "tab2.1", "notes")}, []string{"names"}},
		{"names: lost", []Event{here, leave(2, "tab1", "tab1.1", "notes"), join(3, "tab1", "tab1.1", "notes-2")}, []string{"names"}},
		{"names: given to another app", []Event{here, leave(2, "tab1", "tab1.1", "notes"), {At: at(3), Kind: Join, Who: "tab2", ID: "tab2.1", Name: "notes", Text: "https://other.example notes"}}, []string{"names"}},
		{"names: a new one while one is free", []Event{here, leave(2, "tab1", "tab1.1", "notes"), join(300, "tab2", "tab2.1", "notes-2")}, []string{"names"}},
		{"lists: slow", []Event{here, call(2, "r", "list"), answer(20, "r", "ok", 0)}, []string{"lists"}},
		{"lists: failed", []Event{here, call(2, "r", "list"), answer(3, "r", "-32603", 0)}, []string{"lists"}},
		{"alarm", []Event{{Kind: Alarm, Text: "the session is unknown"}}, []string{"alarm"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			rules := rules
			rules.Tools = strings.HasPrefix(test.name, "tools:")
			for _, v := range Violations(test.events, rules) {
				got = append(got, v.Promise)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("found %q; want %q", got, test.want)
			}
		})
	}
}
