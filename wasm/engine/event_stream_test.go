package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// stream opens a stream and returns its id and the cursor of its first note.
func stream(t *testing.T, d *enginetest.Dialogue, members string) (id, cursor string) {
	t.Helper()
	id = d.Send("events/stream", enginetest.ModernMeta+","+members)
	got := wantNote(t, d, "active", `"truncated":false`)
	cursor, _ = jsonrpc.Text(jsonrpc.Member(jsonrpc.Member([]byte(got), "params"), "cursor"))
	return id, cursor
}

func wantNote(t *testing.T, d *enginetest.Dialogue, kind string, parts ...string) string {
	t.Helper()
	got := d.Next(kind)
	parts = append(parts, `"method":"notifications/events/`+kind+`"`, `"_meta":{"io.modelcontextprotocol/subscriptionId":`)
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("%s\n  has no %s", got, part)
		}
	}
	return got
}

// Events that follow each other at once are sent without a timer: those of a hidden window may fire
// once a second. One write changes several resources.
func TestStreamSendsFewEventsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := eventPage(t, engine.Options{})
		d := enginetest.NewDialogue(t, e)
		stream(t, d, `"name":"saved","cursor":null`)
		for range 3 {
			time.Sleep(time.Second)
			began := time.Now()
			for i := range 5 {
				emit(t, e, fmt.Sprintf(`{"id":"%d"}`, i))
				wantNote(t, d, "event", fmt.Sprintf(`"data":{"id":"%d"}`, i))
			}
			if took := time.Since(began); took > 0 {
				t.Errorf("five events take %v", took)
			}
		}
	})
}

// A stream begins with active, has each occurrence with a cursor that a poll takes, and a
// heartbeat at most 30 s apart. A cancel ends it without an answer.
func TestStreamOfAnApp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := eventPage(t, engine.Options{})
		d := enginetest.NewDialogue(t, e)
		emit(t, e, `{"id":"before"}`)
		id, _ := stream(t, d, `"name":"saved","cursor":null`)
		emit(t, e, `{"id":"1"}`)
		got := wantNote(t, d, "event", `"eventId":"`, `"name":"saved"`, `"timestamp":"`, `"data":{"id":"1"}`, `subscriptionId":`+id)
		cursor, _ := jsonrpc.Text(jsonrpc.Member(jsonrpc.Member([]byte(got), "params"), "cursor"))
		for range 3 {
			began := time.Now()
			wantNote(t, d, "heartbeat", `"cursor":"`)
			if since := time.Since(began); since > 30*time.Second {
				t.Errorf("%v between heartbeats", since)
			}
		}
		emit(t, e, `{"id":"2"}`)
		wantNote(t, d, "event", `"data":{"id":"2"}`)
		d.Say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
		synctest.Wait()
		emit(t, e, `{"id":"3"}`)
		poll(t, d, "saved", cursor, "").wants(`{"id":"2"} {"id":"3"}`, false, false) // and nothing came before
		d.Send("events/stream", enginetest.ModernMeta+`,"name":"saved","cursor":"`+cursor+`"`)
		wantNote(t, d, "active", `"truncated":false`)
		wantNote(t, d, "event", `"data":{"id":"2"}`)
		wantNote(t, d, "event", `"data":{"id":"3"}`)
	})
}

// The end of an event is told as terminated, and then the stream has its result; the end of the
// engine is its result alone.
func TestStreamEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := eventPage(t, engine.Options{})
		d := enginetest.NewDialogue(t, e)
		id, _ := stream(t, d, `"name":"saved","cursor":null`)
		e.RemoveEvent("saved")
		wantNote(t, d, "terminated", `"error":{"code":-32023`)
		if got := d.Next("the result"); !strings.Contains(got, `"id":`+id+`,"result":{"resultType":"complete"`) {
			t.Error(got)
		}
		id, _ = stream(t, d, `"name":"resource_updated","cursor":null`)
		e.Close()
		if got := d.Next("the result"); !strings.Contains(got, `"id":`+id+`,"result":{"resultType":"complete"`) {
			t.Error(got)
		}
		d.Alive("a closed engine")
	})
}

// Streams do not count among the requests in flight, and are bounded themselves.
func TestStreamsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := eventPage(t, engine.Options{MaxInFlight: 2})
		d := enginetest.NewDialogue(t, e)
		for range 64 {
			stream(t, d, `"name":"saved","cursor":null`)
		}
		if got := d.Modern("events/stream", `"name":"saved","cursor":null`); !strings.Contains(got, `-32025,"message":"Too many streams","data":{"limit":"streams","max":64}`) {
			t.Error(got)
		}
		poll(t, d, "saved", "null", "")
	})
}

// A page that emits a million events costs bounded memory and few notifications, and the stream
// says that it has not sent all of them; the newest one comes.
func TestStreamOfAFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := eventPage(t, engine.Options{})
		d := enginetest.NewDialogue(t, e)
		stream(t, d, `"name":"saved","cursor":null`)
		for i := range 1_000_000 {
			emit(t, e, fmt.Sprint(i))
		}
		began, events, truncated := time.Now(), 0, false
		for {
			got := d.Next("the newest event")
			if strings.Contains(got, "events/heartbeat") {
				continue
			}
			events++
			truncated = truncated || strings.Contains(got, `"truncated":true`)
			if strings.Contains(got, `"data":999999`) {
				break
			}
		}
		if seconds := time.Since(began).Seconds(); float64(events) > 60+11*seconds || !truncated || events > 2000 {
			t.Errorf("%d notifications in %.0f s, truncated %v", events, seconds, truncated)
		}
	})
}

// Grants decide about events as about reads: the list is empty, polls and streams are denied, and
// a revocation ends a stream at once.
func TestGrantsOfEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := eventPage(t, engine.Options{})
		grants := func(allow string) {
			g, err := engine.ParseGrants([]byte(`{"default":"ask","grants":[{"assistant":"claude","right":"read","allow":` + allow + `}]}`))
			if err != nil {
				t.Fatal(err)
			}
			e.SetGrants(g)
		}
		grants("true")
		claude, other := enginetest.Speak(t, e, "claude"), enginetest.Speak(t, e, "other")
		other.Ask("1", "events/list", "", "")
		other.Wants(`"events":[]`)
		other.Ask("2", "events/poll", "", `,"name":"saved","cursor":null`)
		other.Wants(`"reason":"declined"`)
		other.Ask("3", "events/stream", "", `,"name":"resource_updated","cursor":null`)
		other.Wants(`"reason":"declined"`)

		claude.Ask("1", "events/list", "", "")
		claude.Wants(`"name":"saved"`)
		claude.Ask("2", "events/stream", "", `,"name":"saved","cursor":null`)
		claude.Wants("events/active")
		began := time.Now()
		grants("false")
		claude.Wants("events/terminated", "-32024")
		claude.Wants(`"id":2,"result"`)
		if since := time.Since(began); since > 100*time.Millisecond {
			t.Errorf("it took %v", since)
		}
		emit(t, e, `{"id":"1"}`)
		claude.Ask("3", "events/poll", "", `,"name":"saved","cursor":null`)
		claude.Wants(`"reason":"declined"`)
		claude.Port.Close()
		other.Port.Close()
	})
}

// A resource that the policy hides is none of the events of a client.
func TestPolicyOfEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, table := eventPage(t, engine.Options{Allow: func(_ engine.Principal, _ engine.Verb, uri string) bool {
			return uri != "notes://1" && uri != "event:secret"
		}})
		putEvent(t, e, `{"name":"secret","description":"d"}`)
		d := enginetest.NewDialogue(t, e)
		if got := d.Modern("events/list", ""); strings.Contains(got, "secret") {
			t.Error(got)
		}
		if got := d.Modern("events/poll", `"name":"secret","cursor":null`); !strings.Contains(got, "-32023") {
			t.Error(got)
		}
		stream(t, d, `"name":"resource_updated"`)
		table.Changed("notes://1")
		table.Changed("notes://2")
		wantNote(t, d, "event", `"data":{"uri":"notes://2"}`)
	})
}

// What an app has kept goes on after a restart: with its numbers, and with what was lost said.
func TestKeptEventsAreRestored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := func() (*engine.Engine, *enginetest.Dialogue) {
			e, _ := eventPage(t, engine.Options{})
			event, _ := engine.ParseEvent([]byte(`{"name":"kept","description":"d"}`))
			if err := e.PutEvent(event, true); err != nil {
				t.Fatal(err)
			}
			return e, enginetest.NewDialogue(t, e)
		}
		e, d := start()
		e.RestoreEvents([]byte(`{"epoch":77,"base":1000,"kept":[]}`))
		kept, saved := poll(t, d, "kept", "null", ""), poll(t, d, "saved", "null", "")
		number, _, err := e.Emit("kept", []byte(`1`), time.Now())
		if err != nil || number != 1 {
			t.Fatalf("%d, %v", number, err)
		}
		emit(t, e, `{"id":"gone"}`)
		stored := fmt.Sprintf(`{"epoch":77,"base":9000,"lost":0,"kept":[{"number":%d,"name":"kept","time":5,"data":1}]}`, 1000+number)
		poll(t, d, "kept", kept.cursor(), "").wants("1", false, false)

		e, d = start()
		if _, _, err := e.Emit("kept", []byte(`2`), time.Now()); err != nil { // before the store was read
			t.Fatal(err)
		}
		early := poll(t, d, "kept", "null", "")
		e.RestoreEvents([]byte(stored))
		if _, _, err := e.Emit("kept", []byte(`3`), time.Now()); err != nil {
			t.Fatal(err)
		}
		poll(t, d, "kept", kept.cursor(), "").wants("1 2 3", false, false)
		poll(t, d, "kept", early.cursor(), "").wants("3", false, false)
		p := poll(t, d, "saved", saved.cursor(), "").wants("", true, false)
		poll(t, d, "saved", p.cursor(), "").wants("", false, false)

		e, d = start()
		e.RestoreEvents([]byte(strings.Replace(stored, `"lost":0`, `"lost":1000`, 1)))
		poll(t, d, "kept", kept.cursor(), "").wants("1", false, false) // the position is behind 1000
		e, d = start()
		e.RestoreEvents([]byte(strings.Replace(stored, `"lost":0`, `"lost":1001`, 1)))
		poll(t, d, "kept", kept.cursor(), "").wants("1", true, false)
		e, d = start()
		began := time.Now()
		time.AfterFunc(time.Second, func() { e.RestoreEvents([]byte(stored)) }) // the page loads slowly
		poll(t, d, "kept", kept.cursor(), "").wants("1", false, false)
		if time.Since(began) != time.Second {
			t.Errorf("it has waited %v", time.Since(began))
		}
		e, d = start()
		poll(t, d, "kept", kept.cursor(), "").wants("", true, false) // not restored: another ring
	})
}
