package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Whatever ends a listen, nothing follows on it, and every message is one, also while what it
// watches changes all the time.
func TestListensEndWholly(t *testing.T) {
	listens := 2_000
	if !testing.Short() {
		listens = 100_000
	}
	e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{UpdateInterval: time.Nanosecond})
	table := engine.NewTable()
	if err := table.Put(engine.Entry{JSON: engine.Describe("uri", "notes://a", "name", "a")}); err != nil {
		t.Fatal(err)
	}
	e.Mount("", table)
	near, far := jsonrpc.Pipe()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	go e.Serve(ctx, far) // ends with near
	defer near.Close()

	over := make(chan struct{})
	var changes sync.WaitGroup
	changes.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
				table.Changed("notes://a")
				runtime.Gosched() // wasm has one thread
			}
		}
	})
	defer changes.Wait()
	defer close(over)
	for n := range listens {
		for _, message := range []string{
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"subscriptions/listen","params":{%s,"notifications":{"resourceSubscriptions":["notes://a"]}}}`, n, enginetest.ModernMeta),
			fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, n),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":"ping %d","method":"ping"}`, n),
		} {
			if err := near.Write(ctx, []byte(message)); err != nil {
				t.Fatal(err)
			}
		}
		for isOver := false; !isOver; {
			data, err := near.Read(ctx)
			if err != nil {
				t.Fatal(err)
			}
			msg, refusal := jsonrpc.Parse(data)
			if refusal != nil {
				t.Fatalf("listen %d: %s", n, data)
			}
			if meta := jsonrpc.Member(msg.Params, "_meta"); msg.Kind == jsonrpc.Notification && !strings.Contains(string(meta), fmt.Sprintf(`subscriptionId":%d}`, n)) {
				t.Fatalf("listen %d: %s", n, data)
			}
			isOver = msg.Kind == jsonrpc.Response
		}
	}
}

// A request leaves nothing behind for the next one of its client, such as the number of a method that is unknown.
func TestRequestsShareNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine.New(engine.Info{Name: "e", Version: "1"}, nil)
		far := &messageSink{}
		c := e.Connect(far, "")
		c.Message([]byte(`{"jsonrpc":"2.0","id":1,"method":"com.example/none"}`))
		c.Message([]byte(`{"jsonrpc":"2.0","id":2,"method":"ping"}`))
		synctest.Wait()
		if got := far.answers[len(far.answers)-1]; !strings.HasPrefix(got, "{}") {
			t.Errorf("ping is answered by %s", got)
		}
		c.Close()
	})
}

// A call that was cancelled asks its client nothing.
func TestCancelledCallsAskNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := speaksOn(t, func(ctx context.Context) ([]byte, error) {
			<-ctx.Done()
			return engine.InvocationOf(ctx).Ask(ctx, []byte(`{"may":{"method":"elicitation/create","params":{"message":"May I?","requestedSchema":{"type":"object","properties":{}}}}}`))
		})
		d := enginetest.NewDialogue(t, e)
		d.Request("initialize", `"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}`)
		d.Say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		id := d.Send("tools/call", `"name":"work"`)
		synctest.Wait()
		d.Say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
		synctest.Wait()
		d.Send("ping", "")
		for got := ""; !strings.Contains(got, `"result":{}`); {
			if got = d.Next("the answer of ping"); strings.Contains(got, "elicitation") {
				t.Fatal(got)
			}
		}
		d.Port.Close()
		synctest.Wait()
	})
}

// Progress that several goroutines report at a time never decreases. R-076.
func TestProgressNeverDecreases(t *testing.T) {
	const reports = 2_000
	e, _ := speaksOn(t, func(ctx context.Context) ([]byte, error) {
		i, last, all := engine.InvocationOf(ctx), atomic.Int64{}, sync.WaitGroup{}
		last.Store(1)
		for range 4 {
			all.Go(func() {
				for range reports / 4 {
					i.Progress([]byte(fmt.Sprintf(`{"progress":%d}`, last.Add(1))))
				}
			})
		}
		all.Wait()
		return []byte(`{"content":[]}`), nil
	})
	c := enginetest.Speak(t, e, "c")
	c.Ask("1", "tools/call", speaking, `,"name":"work"`)
	for before := int64(0); ; {
		msg := []byte(c.Next())
		if jsonrpc.Member(msg, "id") != nil {
			break
		}
		if progress, ok := jsonrpc.Int(jsonrpc.Member(jsonrpc.Member(msg, "params"), "progress")); ok {
			if progress <= before {
				t.Fatalf("%d after %d", progress, before)
			}
			before = progress
		}
	}
	c.Port.Close()
}
