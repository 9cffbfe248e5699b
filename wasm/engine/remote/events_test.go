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
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// An eventPage is a page with an event and resources, and its Remote in a gateway's engine.
type eventPage struct {
	t      *testing.T
	engine *engine.Engine
	table  *engine.Table
	remote *remote.Remote
	port   jsonrpc.Port // of the gateway
}

func newEventPage(t *testing.T) *eventPage {
	p := &eventPage{t: t, remote: remote.New()}
	p.load()
	return p
}

// load makes the page's document anew.
func (p *eventPage) load() {
	p.engine = engine.New(engine.Info{Name: "page", Version: "1"}, nil)
	p.table = engine.NewTable()
	p.engine.Mount("", p.table)
	event, err := engine.ParseEvent([]byte(`{"name":"saved","description":"d"}`))
	if err == nil {
		err = p.engine.PutEvent(event, false)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// join connects the page's document.
func (p *eventPage) join() {
	p.t.Helper()
	near, far := jsonrpc.Pipe()
	go p.engine.Serve(engine.WithSpeakForOthers(context.Background()), far) // ends with near
	p.port = near
	if err := p.remote.Reattach(p.t.Context(), near); err != nil {
		p.t.Fatal(err)
	}
}

func (p *eventPage) emit(data string) {
	p.t.Helper()
	if _, _, err := p.engine.Emit("saved", []byte(data), time.Now()); err != nil {
		p.t.Fatal(err)
	}
}

func eventGateway(pages map[string]*eventPage) *engine.Engine {
	e := engine.New(engine.Info{Name: "gateway", Version: "1"}, &engine.Options{Events: true, JoinEvents: engine.JoinEvents})
	e.Mount("", engine.NewTable()) // a gateway has its tools
	for name, p := range pages {
		e.Mount(name+"+", p.remote)
	}
	return e
}

// note waits for a note of a stream that is no heartbeat.
func note(t *testing.T, d *enginetest.Dialogue, kind string, parts ...string) string {
	t.Helper()
	for {
		got := d.Next(kind)
		if kind != "heartbeat" && strings.Contains(got, "events/heartbeat") {
			continue
		}
		for _, part := range append(parts, `"notifications/events/`+kind+`"`) {
			if !strings.Contains(got, part) {
				t.Errorf("%s\n  has no %s", got, part)
			}
		}
		return got
	}
}

func textOf(message, path string) string {
	value := []byte(message)
	for name := range strings.SplitSeq(path, ".") {
		value = jsonrpc.Member(value, name)
	}
	text, _ := jsonrpc.Text(value)
	return text
}

// Events of pages have the page's prefix, resources of all pages are one event, and both reach a
// client by its polls and streams.
func TestEventsOfPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := newEventPage(t), newEventPage(t)
		a.join()
		b.join()
		d := enginetest.NewDialogue(t, eventGateway(map[string]*eventPage{"a": a, "b": b}))
		got := d.Modern("events/list", "")
		for _, name := range []string{"resource_updated", "a.saved", "b.saved"} {
			if strings.Count(got, `"name":"`+name+`"`) != 1 {
				t.Errorf("%s: %s", name, got)
			}
		}
		if strings.Contains(got, "a.resource_updated") {
			t.Error(got)
		}
		all := d.Modern("events/poll", `"name":"resource_updated","cursor":null`)
		saved := d.Modern("events/poll", `"name":"b.saved","cursor":null`)
		a.table.Changed("notes://1")
		b.table.Changed("notes://2")
		a.emit(`1`)
		b.emit(`2`)
		got = d.Modern("events/poll", `"name":"resource_updated","cursor":"`+textOf(all, "result.cursor")+`"`)
		for _, part := range []string{`"data":{"uri":"a+notes://1"}`, `"data":{"uri":"b+notes://2"}`, `"truncated":false`, `"name":"resource_updated"`} {
			if !strings.Contains(got, part) {
				t.Errorf("%s\n  has no %s", got, part)
			}
		}
		got = d.Modern("events/poll", `"name":"b.saved","cursor":"`+textOf(saved, "result.cursor")+`"`)
		if !strings.Contains(got, `"name":"b.saved","timestamp":`) || !strings.Contains(got, `"data":2`) || strings.Contains(got, `"data":1`) {
			t.Error(got)
		}
		if got := d.Modern("events/poll", `"name":"c.saved","cursor":null`); !strings.Contains(got, "-32023") {
			t.Error(got)
		}
		if got := d.Modern("events/poll", `"name":"a.none","cursor":null`); !strings.Contains(got, "-32023") {
			t.Error(got)
		}
		if got := d.Modern("events/stream", `"name":"a.none","cursor":null`); !strings.Contains(got, "-32023") {
			t.Error(got)
		}
		d.Send("events/stream", enginetest.ModernMeta+`,"name":"resource_updated","cursor":null,"arguments":{"uri":["a+notes://1","b+notes://1"]}`)
		note(t, d, "active", `"truncated":false`)
		b.table.Changed("notes://1")
		note(t, d, "event", `"data":{"uri":"b+notes://1"}`)
		a.table.Changed("notes://2")
		a.table.Changed("notes://1")
		note(t, d, "event", `"data":{"uri":"a+notes://1"}`)
		a.remote.Close()
		b.remote.Close()
		a.port.Close()
		b.port.Close()
	})
}

// A stream survives the reload of a page: an error, then active, which says whether the page's
// document is another one. A gateway that restarts loses nothing.
func TestStreamSurvivesReloadAndRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newEventPage(t)
		p.join()
		d := enginetest.NewDialogue(t, eventGateway(map[string]*eventPage{"p": p}))
		d.Send("events/stream", enginetest.ModernMeta+`,"name":"p.saved","cursor":null`)
		note(t, d, "active", `"truncated":false`)
		p.emit(`1`)
		note(t, d, "event", `"data":1`)

		p.port.Close() // the network: the document stays
		note(t, d, "error", `"message":"The page is away"`)
		p.emit(`2`)
		time.Sleep(20 * time.Second)
		p.join()
		note(t, d, "active", `"truncated":false`)
		last := note(t, d, "event", `"data":2`)

		// Another gateway, with the client's cursor.
		p.port.Close()
		p.emit(`3`)
		old := p.remote
		p.remote = remote.New()
		p.join()
		d = enginetest.NewDialogue(t, eventGateway(map[string]*eventPage{"p": p}))
		got := d.Modern("events/poll", `"name":"p.saved","cursor":"`+textOf(last, "params.cursor")+`"`)
		if !strings.Contains(got, `"data":3`) || strings.Contains(got, `"data":2`) || !strings.Contains(got, `"truncated":false`) {
			t.Error(got)
		}
		d.Send("events/stream", enginetest.ModernMeta+`,"name":"p.saved","cursor":"`+textOf(got, "result.cursor")+`"`)
		note(t, d, "active", `"truncated":false`)

		p.port.Close() // a reload: a new document
		note(t, d, "error")
		p.load()
		p.join()
		note(t, d, "active", `"truncated":true`)
		p.emit(`4`)
		note(t, d, "event", `"data":4`)
		old.Close()
		p.remote.Close()
		p.port.Close()
		note(t, d, "error")
		note(t, d, "terminated")
	})
}

// A page that comes late, or whose resources were requested while it was away, is said to have
// lost events.
func TestStreamOfAPageThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newEventPage(t)
		d := enginetest.NewDialogue(t, eventGateway(map[string]*eventPage{"p": p}))
		d.Send("events/stream", enginetest.ModernMeta+`,"name":"resource_updated","cursor":null,"arguments":{"uri":"p+notes://1"}`)
		note(t, d, "active", `"truncated":false`)
		p.join()
		note(t, d, "active", `"truncated":true`)
		p.table.Changed("notes://1")
		note(t, d, "event", `"uri":"p+notes://1"`)
		p.remote.Close()
		p.port.Close()
	})
}

// A page that joins while a stream for all resources is open is one of its sources from then on.
func TestStreamOfAPageThatJoins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := eventGateway(nil)
		d := enginetest.NewDialogue(t, e)
		d.Send("events/stream", enginetest.ModernMeta+`,"name":"resource_updated","cursor":null`)
		note(t, d, "active")
		p := newEventPage(t)
		p.join()
		unmount := e.Mount("p+", p.remote)
		synctest.Wait()
		p.table.Changed("notes://1")
		note(t, d, "event", `"uri":"p+notes://1"`)
		unmount()
		synctest.Wait()
		p.table.Changed("notes://1")
		note(t, d, "heartbeat")
		p.remote.Close()
		p.port.Close()
	})
}

// A page that has as many streams as it takes refuses one more, which begins when there is room,
// with a mark that something is missing.
func TestStreamWaitsForRoomAtThePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const room = 64 // streams of a client that does not speak for others
		p := newEventPage(t)
		near, far := jsonrpc.Pipe()
		go p.engine.Serve(context.Background(), far) // ends with near
		if err := p.remote.Reattach(t.Context(), near); err != nil {
			t.Fatal(err)
		}
		var end [room]context.CancelFunc
		for i := range end {
			var ctx context.Context
			ctx, end[i] = context.WithCancel(t.Context())
			go p.remote.StreamEvents(ctx, engine.EventQuery{Name: "saved"}, func(engine.EventNote) bool { return true })
			synctest.Wait()
		}
		// Resources of two sources: an error of one does not end the stream.
		other := newEventPage(t)
		other.join()
		g := eventGateway(map[string]*eventPage{"notes": p, "other": other})
		for name, query := range map[string]string{
			"one page":  `"name":"notes.saved"`,
			"two pages": `"name":"resource_updated","arguments":{"uri":["notes+a:b","other+a:b"]}`,
		} {
			d := enginetest.NewDialogue(t, g)
			d.Send(engine.MethodStreamEvents, enginetest.ModernMeta+","+query+`,"cursor":null`)
			note(t, d, "active", `"truncated":false`)
			time.Sleep(time.Minute)
			end[len(name)]()
			note(t, d, "active", `"truncated":true`)
			p.emit(`{"id":1}`)
			p.table.Changed("a:b")
			note(t, d, "event")
			end[len(name)] = func() {}
		}
		for _, each := range end {
			each()
		}
		p.remote.Close()
		other.remote.Close()
		near.Close()
		other.port.Close()
	})
}

// The changes of a page whose engine is older than events get into the ring of the gateway.
func TestEventsOfAnOldPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, near := newScriptedPage(t)
		r := remote.New()
		if err := r.Reattach(t.Context(), near); err != nil {
			t.Fatal(err)
		}
		if r.HasEvents() {
			t.Fatal("a page without events has some")
		}
		_ = p
		r.Close()
	})
}

// A page that floods its stream costs the gateway bounded memory, and its client few
// notifications; what is dropped is requested again.
func TestFloodOfAPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newEventPage(t)
		p.join()
		d := enginetest.NewDialogue(t, eventGateway(map[string]*eventPage{"p": p}))
		d.Send("events/stream", enginetest.ModernMeta+`,"name":"p.saved","cursor":null`)
		note(t, d, "active")
		for i := range 100_000 {
			p.emit(fmt.Sprint(i))
		}
		began, count, truncated := time.Now(), 0, false
		for {
			got := d.Next("the newest event")
			if strings.Contains(got, "heartbeat") {
				continue
			}
			count++
			truncated = truncated || strings.Contains(got, `"truncated":true`)
			if strings.Contains(got, `"data":99999,`) {
				break
			}
		}
		if seconds := time.Since(began).Seconds(); float64(count) > 70+11*seconds || !truncated {
			t.Errorf("%d notifications in %.0f s, truncated: %v", count, seconds, truncated)
		}
		p.remote.Close()
		p.port.Close()
	})
}
