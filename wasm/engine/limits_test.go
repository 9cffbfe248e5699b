package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Each limit at L is served and at L+1 refused as documented, and the next ping
// is answered.
func TestLimitsOfOneMessage(t *testing.T) {
	const limit = 1<<20 + 64<<10 // bytes
	padded := func(length int) string {
		head, tail := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"pad":"`, `"}}`
		return head + strings.Repeat("x", length-len(head)-len(tail)) + tail
	}
	nested := func(levels int) string { // the message and its params are two
		return `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"deep":` +
			strings.Repeat("[", levels-2) + strings.Repeat("]", levels-2) + `}}`
	}
	const pong = `{"jsonrpc":"2.0","id":1,"result":{}}`
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // of the bubble's clock
		defer cancel()
		e := engine.New(engine.Info{Name: "test", Version: "1"}, nil)
		near, far := jsonrpc.Pipe()
		go e.Serve(ctx, far) // ends with near
		defer near.Close()
		for _, test := range []struct{ name, message, answer string }{
			{"1 MiB", padded(limit), pong},
			{"a byte more", padded(limit + 1), `{"jsonrpc":"2.0","error":{"code":-32600,"message":"The message is too large"}}`},
			{"20 MiB", padded(20 * limit), `{"jsonrpc":"2.0","error":{"code":-32600,"message":"The message is too large"}}`},
			{"128 levels", nested(128), pong},
			{"129 levels", nested(129), `{"jsonrpc":"2.0","error":{"code":-32700,"message":"JSON is nested deeper than 128 levels"}}`},
			{"500,000 brackets", strings.Repeat("[", 500_000), `{"jsonrpc":"2.0","error":{"code":-32700,"message":"JSON is nested deeper than 128 levels"}}`},
		} {
			for _, exchange := range [][2]string{{test.message, test.answer}, {`{"jsonrpc":"2.0","id":1,"method":"ping"}`, pong}} {
				if err := near.Write(ctx, []byte(exchange[0])); err != nil {
					t.Fatalf("%s: %v", test.name, err)
				}
				if answer, err := near.Read(ctx); string(answer) != exchange[1] || err != nil {
					t.Errorf("%s: answer is %s, %v; want %s", test.name, answer, err, exchange[1])
				}
			}
		}
		// Closing ends Serve, so that nothing is left in the bubble.
		near.Close()
		synctest.Wait()
	})
}

// Progress and log messages of a source that never stops, for a client that does
// not read: what waits is bounded, and the answer still comes.
func TestRemarksToAStalledClientAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := engine.NewTable()
		large := `"` + strings.Repeat("x", 60_000) + `"`
		enginetest.ToolOf(t, table, "t", func(ctx context.Context, _ []byte) ([]byte, error) {
			i := engine.InvocationOf(ctx)
			for n := range 1000 {
				i.Log([]byte(`{"level":"error","data":` + large + `}`))
				i.Progress([]byte(fmt.Sprintf(`{"progress":%d,"message":%s}`, n, large)))
				time.Sleep(100 * time.Millisecond)
			}
			i.Log([]byte(`{"level":"error","data":"` + strings.Repeat("x", 1<<20) + `"}`))
			return []byte(`{"content":[]}`), nil
		})
		e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{Tools: true, Logging: true})
		e.Mount("", table)
		d := enginetest.NewDialogue(t, e)
		d.Send("tools/call", `"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"debug","progressToken":1}`)
		time.Sleep(150 * time.Second)
		waited, last := 0, ""
		for !strings.Contains(last, `"result"`) {
			last = d.Next("the answer of the tool")
			waited += len(last)
		}
		if waited > 16<<20 {
			t.Errorf("%d bytes waited for a client that did not read", waited)
		}
		d.Port.Close()
		synctest.Wait()
	})
}

// The hung requests of one assistant leave room for others: a gateway may have more
// in flight at a page than another client, and an end of that.
func TestGatewayMayHaveMoreInFlight(t *testing.T) {
	for _, gateway := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{MaxInFlight: 4})
			e.Mount("", hanging{})
			h := newRecordingSink(t)
			c := e.Connect(h, "gateway")
			if gateway {
				c.SpeakForOthers()
			}
			for i := range 100 {
				c.Message(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{%s,"uri":"a:b"}}`, i, enginetest.ModernMeta))
			}
			synctest.Wait()
			refused, _, _ := h.answers()
			if want := map[bool]int{false: 96, true: 36}[gateway]; refused != want {
				t.Errorf("gateway %v: %d requests are refused, want %d", gateway, refused, want)
			}
			c.Close()
			synctest.Wait()
		})
	}
}

// The subscribed URIs of a client are limited in bytes, its listens in number; existing ones go on.
// The error has the limit.
func TestLimitsOfSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine.New(engine.Info{Name: "e", Version: "1"}, nil)
		table := engine.NewTable()
		e.Mount("", table)
		d := enginetest.NewDialogue(t, e)
		for range 1024 {
			d.Listen(`"resourcesListChanged":true`)
		}
		if got := d.Listen(`"resourcesListChanged":true`); !strings.Contains(got, `"reason":"busy","retry":true`) {
			t.Errorf("the 1,025th listen: %s", got)
		}
		d.Port.Close()

		d = enginetest.NewDialogue(t, e)
		d.Request("initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}`)
		long := strings.Repeat("x", 7900)
		if err := table.Put(engine.Entry{Kind: engine.Templates, JSON: engine.Describe("uriTemplate", "notes://{+path}", "name", "note")}); err != nil {
			t.Fatal(err)
		}
		last, subscribed := "", 0
		for ; subscribed < 2200 && !strings.Contains(last, `"error"`); subscribed++ {
			last = d.Request("resources/subscribe", fmt.Sprintf(`"uri":"notes://%d/%s"`, subscribed, long))
		}
		if !strings.Contains(last, "16 MiB") || subscribed < 2000 {
			t.Errorf("subscription %d: %s", subscribed, last)
		}
		d.Request("resources/unsubscribe", `"uri":"notes://0/`+long+`"`)
		if got := d.Request("resources/subscribe", `"uri":"notes://1999/`+long+`"`); strings.Contains(got, `"error"`) {
			t.Errorf("after an unsubscribe: %s", got)
		}
		d.Port.Close()
		synctest.Wait()
	})
}
