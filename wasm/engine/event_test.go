package engine_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// eventPage returns an engine that offers events, with one of an app and a table of resources.
func eventPage(t *testing.T, options engine.Options) (*engine.Engine, *engine.Table) {
	t.Helper()
	options.Events = true
	e := engine.New(engine.Info{Name: "page", Version: "1"}, &options)
	table := engine.NewTable()
	for i := range 3 {
		if err := table.Put(engine.Entry{Resource: engine.Resource{URI: fmt.Sprintf("notes://%d", i), Name: "n"}}); err != nil {
			t.Fatal(err)
		}
	}
	e.Mount("", table)
	putEvent(t, e, `{"name":"saved","description":"A note was saved","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}}}`)
	return e, table
}

func putEvent(t *testing.T, e *engine.Engine, object string) {
	t.Helper()
	event, err := engine.ParseEvent([]byte(object))
	if err == nil {
		err = e.PutEvent(event, false)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func emit(t *testing.T, e *engine.Engine, data string) {
	t.Helper()
	if _, _, err := e.Emit("saved", []byte(data), time.Now()); err != nil {
		t.Fatal(err)
	}
}

// A polled is the answer to a poll.
type polled struct {
	t    *testing.T
	text string
}

func poll(t *testing.T, d *enginetest.Dialogue, name, cursor, more string) polled {
	t.Helper()
	if cursor != "null" {
		cursor = strconv.Quote(cursor)
	}
	return polled{t, d.Modern("events/poll", `"name":"`+name+`","cursor":`+cursor+more)}
}

func (p polled) member(name string) []byte {
	return jsonrpc.Member(jsonrpc.Member([]byte(p.text), "result"), name)
}

func (p polled) cursor() string {
	p.t.Helper()
	cursor, _ := jsonrpc.Text(p.member("cursor"))
	if cursor == "" {
		p.t.Fatalf("no cursor: %s", p.text)
	}
	return cursor
}

// data returns the data of the events, separated by blanks.
func (p polled) data() string {
	p.t.Helper()
	elements, ok := jsonrpc.Elements(p.member("events"))
	if !ok {
		p.t.Fatalf("no events: %s", p.text)
	}
	var all []string
	for _, element := range elements {
		all = append(all, string(jsonrpc.Member(element, "data")))
	}
	return strings.Join(all, " ")
}

func (p polled) wants(data string, truncated, hasMore bool) polled {
	p.t.Helper()
	if got := p.data(); got != data || string(p.member("truncated")) != fmt.Sprint(truncated) || string(p.member("hasMore")) != fmt.Sprint(hasMore) {
		p.t.Errorf("%s\n  want %s, truncated %v, hasMore %v", p.text, data, truncated, hasMore)
	}
	return p
}

// The list has the event of resources, and those of the app, with all members of the draft.
func TestListOfEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := eventPage(t, engine.Options{})
		d := enginetest.NewDialogue(t, e)
		got := d.Modern("events/list", "")
		for _, part := range []string{
			`"resultType":"complete"`, `"events":[{"name":"resource_updated",`, `"delivery":["poll","push"]`, `"inputSchema":{`, `"payloadSchema":{`,
			`{"name":"saved","description":"A note was saved","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}},"payloadSchema":{},"delivery":["poll","push"]}`,
		} {
			if !strings.Contains(got, part) {
				t.Errorf("%s\n  has no %s", got, part)
			}
		}
		if got := d.Modern("server/discover", ""); !strings.Contains(got, `"io.modelcontextprotocol/events":{"listChanged":true}`) {
			t.Error(got)
		}
	})
}

// A list with more events than a page has goes on by its cursor.
func TestListOfEventsInPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := eventPage(t, engine.Options{PageSize: 3})
		for i := range 10 {
			putEvent(t, e, fmt.Sprintf(`{"name":"e%d","description":"d"}`, i))
		}
		d := enginetest.NewDialogue(t, e)
		seen, cursor := 0, ""
		for pages := 0; pages < 10; pages++ {
			result := jsonrpc.Member([]byte(d.Modern("events/list", cursor)), "result")
			all, _ := jsonrpc.Elements(jsonrpc.Member(result, "events"))
			seen += len(all)
			next := jsonrpc.Member(result, "nextCursor")
			if next == nil {
				break
			}
			cursor = `"cursor":` + string(next)
		}
		if seen != 12 {
			t.Errorf("%d events, want 12", seen)
		}
		if got := d.Modern("events/list", `"cursor":"made up"`); !strings.Contains(got, "-32602") {
			t.Error(got)
		}
	})
}

// Without the option the methods are unknown to others, and there for programs of this project.
func TestEventsAreOffered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine.New(engine.Info{Name: "page", Version: "1"}, nil)
		e.Mount("", engine.NewTable())
		d := enginetest.NewDialogue(t, e)
		for _, method := range []string{"events/list", "events/poll", "events/stream", "events/subscribe", "events/unsubscribe"} {
			if got := d.Modern(method, `"name":"resource_updated"`); !strings.Contains(got, "-32601") {
				t.Errorf("%s: %s", method, got)
			}
		}
		if got := d.Modern("server/discover", ""); strings.Contains(got, "events") {
			t.Error(got)
		}
		if got := d.Listen(`"eventsListChanged":true`); strings.Contains(got, "events") {
			t.Error(got)
		}
		const ours = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.github.pagemcp/events":{}}}}`
		if got := d.Request("events/list", ours); !strings.Contains(got, "resource_updated") {
			t.Error(got)
		}
		d.Send("subscriptions/listen", ours+`,"notifications":{"eventsListChanged":true}`)
		if got := d.Next("the acknowledgement"); !strings.Contains(got, `"eventsListChanged":true`) {
			t.Error(got)
		}
		putEvent(t, e, `{"name":"saved","description":"d"}`)
		if got := d.Next("the change of the list"); !strings.Contains(got, "notifications/events/list_changed") {
			t.Error(got)
		}
	})
}

// A null cursor means from now on; each cursor goes on where its answer ended.
func TestPollOfAnApp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := eventPage(t, engine.Options{})
		d := enginetest.NewDialogue(t, e)
		emit(t, e, `{"id":"before"}`)
		now := poll(t, d, "saved", "null", "").wants("", false, false)
		for i := range 5 {
			emit(t, e, fmt.Sprintf(`{"id":"%d"}`, i))
		}
		first := poll(t, d, "saved", now.cursor(), `,"maxEvents":2`).wants(`{"id":"0"} {"id":"1"}`, false, true)
		if got := string(first.member("nextPollMs")); got != "0" {
			t.Errorf("nextPollMs is %s although there is more", got)
		}
		rest := poll(t, d, "saved", first.cursor(), "").wants(`{"id":"2"} {"id":"3"} {"id":"4"}`, false, false)
		poll(t, d, "saved", rest.cursor(), "").wants("", false, false)
		poll(t, d, "saved", now.cursor(), `,"arguments":{"id":"3"}`).wants(`{"id":"3"}`, false, false)
		time.Sleep(time.Minute)
		emit(t, e, `{"id":"late"}`)
		poll(t, d, "saved", now.cursor(), `,"maxAgeMs":1000`).wants(`{"id":"late"}`, false, false)
		elements, _ := jsonrpc.Elements(first.member("events"))
		if got := string(elements[0]); !strings.Contains(got, `"eventId":"`) || !strings.Contains(got, `"name":"saved"`) ||
			!strings.Contains(got, `"timestamp":"2000-01-01T00:00:00.000Z"`) || !strings.Contains(got, `"cursor":"`) {
			t.Errorf("an occurrence: %s", got)
		}
		// The cursor of an occurrence is behind it.
		cursor, _ := jsonrpc.Text(jsonrpc.Member(elements[1], "cursor"))
		poll(t, d, "saved", cursor, `,"maxEvents":1`).wants(`{"id":"2"}`, false, true)
	})
}

// Requests that are wrong are answered with the codes of the draft, and cursors that were made
// up with -32602, or truncated: never by a panic.
func TestWrongPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := eventPage(t, engine.Options{Allow: func(_ engine.Principal, _ engine.Verb, uri string) bool { return uri != "notes://2" }})
		d := enginetest.NewDialogue(t, e)
		for _, row := range []struct{ members, want string }{
			{`"cursor":null`, "-32602"},
			{`"name":7`, "-32602"},
			{`"name":"saved","cursor":7`, "-32602"},
			{`"name":"saved","cursor":""`, "-32602"},
			{`"name":"saved","cursor":"x"`, "-32602"},
			{`"name":"saved","cursor":"` + strings.Repeat("A", 100_000) + `"`, "-32602"},
			{`"name":"saved","arguments":[]`, "-32602"},
			{`"name":"saved","arguments":{"x":1}`, "-32602"},
			{`"name":"saved","maxEvents":-1`, "-32602"},
			{`"name":"saved","maxAgeMs":"1"`, "-32602"},
			{`"name":"none"`, `-32023,"message":"There is no such event","data":{"kind":"event"}`},
			{`"name":"resource_updated","arguments":{"uri":7}`, "-32602"},
			{`"name":"resource_updated","arguments":{"uri":[]}`, "-32602"},
			{`"name":"resource_updated","arguments":{"url":"notes://1"}`, "-32602"},
			{`"name":"resource_updated","arguments":{"uri":["notes://1","notes://2","not a uri"]}`, `-32023,"message":"There is no such resource","data":{"kind":"resource","names":["notes://2","not a uri"]}`},
		} {
			for _, method := range []string{"events/poll", "events/stream"} {
				if got := d.Modern(method, row.members); !strings.Contains(got, `"code":`+row.want) {
					t.Errorf("%s %.200s\n  %s", method, row.members, got)
				}
			}
		}
		good := poll(t, d, "saved", "null", "").cursor()
		emit(t, e, `{"id":"1"}`)
		for i := range len(good) {
			for _, c := range []byte("Aa0_") {
				forged := good[:i] + string(c) + good[i+1:]
				got := d.Modern("events/poll", `"name":"saved","cursor":"`+forged+`"`)
				if !strings.Contains(got, "-32602") && !strings.Contains(got, `"truncated":true`) && !strings.Contains(got, `"data":{"id":"1"}`) && !strings.Contains(got, `"events":[]`) {
					t.Errorf("%s: %s", forged, got)
				}
			}
		}
		other, _ := eventPage(t, engine.Options{})
		foreign := poll(t, enginetest.NewDialogue(t, other), "saved", "null", "").cursor()
		poll(t, d, "saved", foreign, "").wants(`{"id":"1"}`, true, false)
	})
}

// A ring is bounded in number and bytes; what is gone is said, also at the edge.
func TestRingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := eventPage(t, engine.Options{})
		d := enginetest.NewDialogue(t, e)
		start := poll(t, d, "saved", "null", "").cursor()
		for i := range 1000 {
			emit(t, e, strconv.Itoa(i))
		}
		p := poll(t, d, "saved", start, `,"maxEvents":1`).wants("0", false, true)
		emit(t, e, "1000") // drops 0, which p has got
		poll(t, d, "saved", p.cursor(), `,"maxEvents":1`).wants("1", false, true)
		poll(t, d, "saved", start, `,"maxEvents":1`).wants("1", true, true)

		large := `"` + strings.Repeat("x", 16<<10-2) + `"`
		for range 100 {
			emit(t, e, large)
		}
		p = poll(t, d, "saved", start, `,"maxEvents":1000`)
		if string(p.member("truncated")) != "true" || len(p.text) > 100<<10 || string(p.member("hasMore")) != "true" {
			t.Errorf("%d bytes: %.200s", len(p.text), p.text)
		}
		total := 0
		for cursor := start; ; {
			p := poll(t, d, "saved", cursor, "")
			total += len(p.data())
			cursor = p.cursor()
			if string(p.member("hasMore")) == "false" {
				break
			}
		}
		if total > 256<<10 || total < 200<<10 {
			t.Errorf("the ring has %d bytes", total)
		}
		for _, data := range []string{"", `"` + strings.Repeat("x", 16<<10-1) + `"`, strings.Repeat("x", 1<<20)} {
			if _, _, err := e.Emit("saved", []byte(data), time.Now()); err == nil {
				t.Errorf("data of %d bytes was accepted", len(data))
			}
		}
		if _, _, err := e.Emit("none", []byte("1"), time.Now()); err == nil {
			t.Error("an unknown event was emitted")
		}
	})
}

// What an app emits reaches models and terminals without control characters.
func TestEventsAreCleaned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := eventPage(t, engine.Options{})
		d := enginetest.NewDialogue(t, e)
		start := poll(t, d, "saved", "null", "").cursor()
		emit(t, e, `{"text":"a\u001b[2Jb\u202ec","n\u200bame":["\u0007x"]}`)
		poll(t, d, "saved", start, "").wants(`{"text":"abc","name":["x"]}`, false, false)
		for _, object := range []string{
			`{"name":"a\u202eb","description":"d"}`, `{"name":"","description":"d"}`, `{"name":"a"}`, `{"description":"d"}`, `{"name":"a","description":7}`,
			`{"name":"a","description":"d","inputSchema":[]}`, `{"name":"a","description":"d","payloadSchema":{"const":"\u001b"}}`, `{"name":"` + strings.Repeat("x", 129) + `","description":"d"}`,
		} {
			if _, err := engine.ParseEvent([]byte(object)); err == nil {
				t.Errorf("%.200s is accepted", object)
			}
		}
		clean, err := engine.ParseEvent([]byte(`{"name":"a","description":"d\u001b[31m","x":1,"payloadSchema":{"title":"t\u202e"}}`))
		if err != nil || strings.Contains(string(clean.Object), "u202e") || strings.Contains(string(clean.Object), "31m") || strings.Contains(string(clean.Object), `"x"`) {
			t.Errorf("%s, %v", clean.Object, err)
		}
		for _, name := range []string{"resource_updated", "notes.resource_updated"} {
			if err := e.PutEvent(engine.Event{Name: name}, false); err == nil {
				t.Errorf("%s is accepted", name)
			}
		}
	})
}

// Every resource that changes is an event, of which the newest of each URI is kept.
func TestResourcesAreEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, table := eventPage(t, engine.Options{})
		d := enginetest.NewDialogue(t, e)
		table.Changed("notes://0") // before anybody wants to know
		all := poll(t, d, "resource_updated", "null", "").cursor()
		one := poll(t, d, "resource_updated", "null", `,"arguments":{"uri":"notes://1"}`).cursor()
		for range 1000 {
			table.Changed("notes://0")
			table.Changed("notes://1")
		}
		table.Changed("notes://0")
		poll(t, d, "resource_updated", all, "").wants(`{"uri":"notes://1"} {"uri":"notes://0"}`, false, false)
		p := poll(t, d, "resource_updated", one, `,"arguments":{"uri":["notes://1"]}`).wants(`{"uri":"notes://1"}`, false, false)
		table.Announce(engine.Change{URI: "notes://", Under: true})
		poll(t, d, "resource_updated", p.cursor(), `,"arguments":{"uri":["notes://1"]}`).wants(`{"uri":"notes://1"}`, false, false)
		poll(t, d, "resource_updated", p.cursor(), "").wants(`{"uri":"notes://1"} {"uri":"notes://","under":true}`, false, false)
	})
}

// 100,000 writes on 1,000 URIs take one place each.
func TestRingOfManyWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, table := eventPage(t, engine.Options{})
		d := enginetest.NewDialogue(t, e)
		start := poll(t, d, "resource_updated", "null", "").cursor()
		for i := range 100_000 {
			table.Changed(fmt.Sprintf("notes://%d", i%1000))
		}
		seen := map[string]bool{}
		for cursor := start; ; {
			p := poll(t, d, "resource_updated", cursor, `,"maxEvents":300`)
			for _, data := range strings.Fields(p.data()) {
				seen[data] = true
			}
			cursor = p.cursor()
			if string(p.member("truncated")) == "true" {
				t.Fatal("truncated")
			}
			if string(p.member("hasMore")) == "false" {
				break
			}
		}
		if len(seen) != 1000 {
			t.Errorf("%d URIs, want 1,000", len(seen))
		}
	})
}

// A cursor keeps the watch for some minutes after a poll; one that is older, or that began with
// other URIs, is truncated.
func TestLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine.New(engine.Info{Name: "page", Version: "1"}, &engine.Options{Events: true})
		source := &watchedSource{}
		defer e.Mount("", source)()
		d := enginetest.NewDialogue(t, e)
		const one, both = `,"arguments":{"uri":"w://1"}`, `,"arguments":{"uri":["w://1","w://2"]}`
		p := poll(t, d, "resource_updated", "null", one).wants("", false, false)
		synctest.Wait()
		if !source.isWatched() {
			t.Fatal("a poll does not watch")
		}
		time.Sleep(4 * time.Minute)
		source.change("w://1")
		p = poll(t, d, "resource_updated", p.cursor(), one).wants(`{"uri":"w://1"}`, false, false)
		poll(t, d, "resource_updated", p.cursor(), both).wants("", true, false)
		time.Sleep(4 * time.Minute)
		p = poll(t, d, "resource_updated", p.cursor(), one).wants("", false, false)
		time.Sleep(16 * time.Minute)
		synctest.Wait()
		if source.isWatched() {
			t.Error("a lease does not end")
		}
		source.change("w://1") // unseen
		p = poll(t, d, "resource_updated", p.cursor(), one).wants("", true, false)
		poll(t, d, "resource_updated", p.cursor(), one).wants("", false, false)
	})
}

// Leases are bounded for each principal, and in their number.
func TestLeasesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, table := eventPage(t, engine.Options{})
		uris := func(from int) string {
			var all []string
			for i := range 1000 {
				all = append(all, fmt.Sprintf(`"n://%d"`, from+i))
			}
			return `,"arguments":{"uri":[` + strings.Join(all, ",") + `]}`
		}
		speakers := map[int]enginetest.Speaker{}
		for i := range 70 {
			s := enginetest.Speak(t, e, engine.Principal(fmt.Sprint("p", i)))
			speakers[i] = s
			s.Ask("1", "events/poll", "", `,"name":"resource_updated","cursor":null`+uris(0))
			s.Wants(`"events":[]`)
		}
		table.Changed("n://5")
		s := speakers[69]
		s.Ask("2", "events/poll", "", `,"name":"resource_updated","cursor":null`+uris(5000)) // makes room
		cursor, _ := jsonrpc.Text(jsonrpc.Member(jsonrpc.Member([]byte(s.Next()), "result"), "cursor"))
		table.Changed("n://5001")
		s.Ask("3", "events/poll", "", `,"name":"resource_updated","cursor":"`+cursor+`"`+uris(5000))
		s.Wants(`"data":{"uri":"n://5001"}`, `"truncated":false`)
		for _, s := range speakers {
			s.Port.Close()
		}
	})
}

// A watchedSource announces changes while it is watched.
type watchedSource struct{ changed func(engine.Change) }

func (s *watchedSource) List(context.Context, string) (engine.Listing, error) {
	return engine.Listing{}, nil
}
func (s *watchedSource) Read(context.Context, string) ([]engine.Contents, error) {
	return nil, engine.ErrNotFound
}

func (s *watchedSource) Watch(ctx context.Context, changed func(engine.Change)) error {
	s.changed = changed
	<-ctx.Done()
	s.changed = nil
	return nil
}

func (s *watchedSource) isWatched() bool { return s.changed != nil }

func (s *watchedSource) change(uri string) {
	if s.changed != nil {
		s.changed(engine.Change{URI: uri})
	}
}
