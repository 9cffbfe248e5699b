package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// takeAll takes what is in an Outbox now, and the error after it; nil if more may come.
func takeAll(o *engine.Outbox) (all []string, end error) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for {
		msg, err := o.Next(over)
		if errors.Is(err, context.Canceled) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, string(msg))
	}
}

// directOf connects a client of 2025-11-25 to an engine with a table.
func directOf(t *testing.T) (*engine.Engine, *engine.Table, *engine.Direct) {
	e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{Tools: true})
	table := engine.NewTable()
	e.Mount("", table)
	d := e.Direct(t.Context())
	t.Cleanup(d.Close)
	post(e, d, d.Outbox(), `"i"`, "initialize", `"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}`)
	d.Post(e.Examine([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)), d.Outbox())
	takeAll(d.Outbox())
	return e, table, d
}

func post(e *engine.Engine, d *engine.Direct, to *engine.Outbox, id, method, members string) {
	d.Post(e.Examine([]byte(`{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`","params":{`+members+`}}`)), to)
}

// A lateSource answers all reads when answer is closed.
type lateSource struct {
	hanging
	text   string
	answer chan struct{}
}

func (s lateSource) Read(_ context.Context, uri string) ([]engine.Contents, error) {
	<-s.answer
	return []engine.Contents{{URI: uri, Text: s.text}}, nil
}

// What waits for a client that does not read has 4 MiB, whatever it has requested before: an answer
// above that is an error that says so. Each request has one answer.
func TestAnswersToAStalledClientAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _, d := directOf(t)
		text, answer := strings.Repeat("x", 200_000), make(chan struct{})
		e.Mount("", lateSource{text: text, answer: answer})
		takeAll(d.Outbox()) // that the lists have changed
		const requests = 60
		for id := range requests {
			post(e, d, d.Outbox(), fmt.Sprint(id), "resources/read", `"uri":"a:b"`)
		}
		close(answer)
		synctest.Wait()
		waits, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := d.Outbox().Room(waits); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("there is room: %v", err)
		}
		all, _ := takeAll(d.Outbox())
		size, dropped, ids := 0, 0, map[string]bool{}
		for _, msg := range all {
			size += len(msg)
			ids[string(jsonrpc.Member([]byte(msg), "id"))] = true
			if strings.Contains(msg, `"error"`) {
				dropped++
				if !strings.Contains(msg, "4 MiB") || !strings.Contains(msg, `"reason":"busy"`) {
					t.Error(msg)
				}
			}
		}
		if size > 4<<20+len(text)+100*requests || dropped == 0 || len(all) != requests || len(ids) != requests {
			t.Errorf("%d bytes in %d messages to %d requests, %d of them errors", size, len(all), len(ids), dropped)
		}
		if err := d.Outbox().Room(t.Context()); err != nil {
			t.Error(err)
		}
		post(e, d, d.Outbox(), "1", "resources/read", `"uri":"a:b"`)
		synctest.Wait()
		if all, _ := takeAll(d.Outbox()); len(all) != 1 || !strings.Contains(all[0], "xxx") {
			t.Errorf("when all is read: %.200q", all)
		}
	})
}

// However often and for how long a resource changes, a client gets at most one notification in an
// interval, and one after the last change. One that does not read gets one of each when it does.
func TestAtMostOneNotificationInAnInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, table, d := directOf(t)
		for i := range 10 {
			if err := table.Put(engine.Entry{JSON: engine.Describe("uri", fmt.Sprintf("a:%d", i), "name", "b")}); err != nil {
				t.Fatal(err)
			}
			post(e, d, engine.NewOutbox(), "1", "resources/subscribe", fmt.Sprintf(`"uri":"a:%d"`, i))
		}
		synctest.Wait()
		time.Sleep(time.Minute)
		takeAll(d.Outbox())
		change := func(every, until time.Duration) {
			for began := time.Now(); time.Since(began) < until; time.Sleep(every) {
				for i := range 10 {
					table.Changed(fmt.Sprintf("a:%d", i))
				}
			}
		}
		change(time.Millisecond, 10*time.Second)
		time.Sleep(time.Minute)
		if all, _ := takeAll(d.Outbox()); len(all) != 10 {
			t.Errorf("a client that did not read gets %d notifications of 10 resources", len(all))
		}
		var at []time.Duration
		began := time.Now()
		reads, stop := context.WithCancel(t.Context())
		defer stop()
		go func() {
			for {
				msg, err := d.Outbox().Next(reads)
				if err != nil {
					return
				}
				if strings.Contains(string(msg), `"a:7"`) {
					at = append(at, time.Since(began))
				}
			}
		}()
		change(3*time.Millisecond, time.Second)
		last := time.Since(began)
		time.Sleep(time.Minute)
		stop()
		synctest.Wait()
		for i := 1; i < len(at); i++ {
			if at[i]-at[i-1] < 50*time.Millisecond {
				t.Errorf("notifications at %v and %v", at[i-1], at[i])
			}
		}
		if len(at) < 2 || at[len(at)-1] < last-3*time.Millisecond {
			t.Errorf("the last change is at %v, notifications at %v", last, at)
		}
	})
}

// A request with an Outbox of its own is answered there alone, whatever ids others have. A
// cancellation ends the newest one with its id, and withdraws what it has asked the client.
func TestRequestsHaveOutboxesOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, table, d := directOf(t)
		enginetest.ToolOf(t, table, "asks", func(ctx context.Context, _ []byte) ([]byte, error) {
			return engine.InvocationOf(ctx).Ask(ctx, []byte(`{"q":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}`))
		})
		var boxes []*engine.Outbox
		for range 3 {
			boxes = append(boxes, engine.NewOutbox())
			post(e, d, boxes[len(boxes)-1], "1", "tools/call", `"name":"asks"`)
		}
		ping := engine.NewOutbox()
		post(e, d, ping, "1", "ping", "")
		synctest.Wait()
		post(e, d, boxes[0], "1", "ping", "") // is refused: this one waits
		if all, end := takeAll(ping); len(all) != 1 || all[0] != `{"jsonrpc":"2.0","id":1,"result":{}}` || end != io.EOF {
			t.Errorf("ping: %q, %v", all, end)
		}
		d.Post(e.Examine([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)), engine.NewOutbox())
		d.Fail("1", boxes[0], &jsonrpc.Error{Code: -1, Message: "a pause"})
		synctest.Wait()
		for i, want := range []struct {
			messages []string
			end      error
		}{
			{[]string{"elicitation/create", "still waits", "notifications/cancelled", "a pause"}, io.EOF},
			{[]string{"elicitation/create"}, nil},
			{[]string{"elicitation/create", "notifications/cancelled"}, io.EOF},
		} {
			all, end := takeAll(boxes[i])
			if end != want.end || len(all) != len(want.messages) {
				t.Fatalf("call %d: %q, %v", i, all, end)
			}
			for n := range all {
				if !strings.Contains(all[n], want.messages[n]) {
					t.Errorf("call %d: %s", i, all[n])
				}
			}
		}
		d.Close()
		late := engine.NewOutbox()
		post(e, d, late, "2", "ping", "")
		for name, box := range map[string]*engine.Outbox{"one that waits": boxes[1], "the client's": d.Outbox(), "one that comes later": late} {
			if all, end := takeAll(box); !errors.Is(end, jsonrpc.ErrClosed) {
				t.Errorf("%s after the end of the client: %q, %v", name, all, end)
			}
		}
		if all, _ := takeAll(d.Outbox()); len(all) != 0 {
			t.Errorf("for no request: %q", all)
		}
		synctest.Wait()
	})
}

// What changes while notifications are held is announced once afterwards, also what waited before.
func TestHeldNotificationsFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, table, d := directOf(t)
		if err := table.Put(engine.Entry{JSON: engine.Describe("uri", "a:b", "name", "b")}); err != nil {
			t.Fatal(err)
		}
		listen := engine.NewOutbox()
		post(e, d, listen, `"l"`, "subscriptions/listen", enginetest.ModernMeta+`,"notifications":{"resourceSubscriptions":["a:b"]}`)
		post(e, d, engine.NewOutbox(), "1", "resources/subscribe", `"uri":"a:b"`)
		time.Sleep(time.Minute)
		takeAll(d.Outbox())
		table.Changed("a:b")
		d.Hold(true)
		for range 5 {
			table.Changed("a:b")
			time.Sleep(time.Minute)
		}
		if all, _ := takeAll(d.Outbox()); len(all) != 0 {
			t.Errorf("while they are held: %q", all)
		}
		d.Hold(false)
		time.Sleep(time.Minute)
		all, _ := takeAll(d.Outbox())
		if got := strings.Join(all, "\n"); len(all) != 2 || strings.Count(got, `"uri":"a:b"`) != 2 || strings.Count(got, `subscriptionId":"l"`) != 1 {
			t.Errorf("afterwards: %s", got)
		}
	})
}
