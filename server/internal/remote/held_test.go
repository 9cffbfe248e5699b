package remote

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// While large answers of another engine are being passed on, nothing more is read from
// it: until their callers have ended, or for two seconds.
func TestLargeAnswersPaceTheirEngine(t *testing.T) {
	waits := func(h *backlog) time.Duration {
		begun := time.Now()
		h.wait(context.Background())
		return time.Since(begun)
	}
	for _, test := range []struct {
		name  string
		sizes []int
		ends  time.Duration // of the callers
		want  time.Duration
	}{
		{"nothing", nil, 0, 0},
		{"small answers do not count", []int{minCounted - 1, maxBacklog / 8, maxBacklog / 8}, time.Hour, 0},
		{"a large one, until its caller ends", []int{maxBacklog}, time.Second, time.Second},
		{"several, until there is room", []int{maxBacklog - 1, maxBacklog - 1}, time.Second, time.Second},
		{"a caller that does not end", []int{maxBacklog}, time.Hour, maxBacklogWait},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newBacklog()
				ctx, cancel := context.WithTimeout(context.Background(), test.ends)
				defer cancel()
				for _, size := range test.sizes {
					h.add(ctx, size)
				}
				if got := waits(h); got != test.want {
					t.Errorf("waits %v, want %v", got, test.want)
				}
				if again := waits(h); test.want == maxBacklogWait && again != 0 {
					t.Errorf("the same caller delays another message by %v", again)
				}
				cancel()
				synctest.Wait()
				if h.bytes != 0 || len(h.answers) != 0 {
					t.Errorf("%d bytes count for ever", h.bytes)
				}
			})
		})
	}
	t.Run("until the answer of the gateway is written", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			page, gateway := engine.New(engine.Info{Name: "page", Version: "1"}, nil), engine.New(engine.Info{Name: "gateway", Version: "1"}, nil)
			table := engine.NewTable()
			err := table.Put(engine.Entry{JSON: engine.Describe("uri", "notes://a", "name", "a"), Read: func(context.Context, string) ([]engine.Contents, error) {
				return []engine.Contents{{URI: "notes://a", Text: strings.Repeat("x", minCounted)}}, nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			page.Mount("", table)
			near, far := jsonrpc.Pipe()
			go page.Serve(t.Context(), far) // ends with the test
			remote, err := Attach(t.Context(), near)
			if err != nil {
				t.Fatal(err)
			}
			defer remote.Close()
			gateway.Mount("", remote)
			client := gateway.Direct(t.Context())
			defer client.Close()
			for name, end := range map[string]func(*engine.Outbox){
				"is followed by another one": func(o *engine.Outbox) { o.Next(t.Context()) },
				"has no reader any more":     (*engine.Outbox).Close,
			} {
				out := engine.NewOutbox()
				client.Post(gateway.Examine([]byte(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"notes://a","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)), out)
				if msg, err := out.Next(t.Context()); err != nil || len(msg) < minCounted {
					t.Fatalf("%.200s, %v", msg, err)
				}
				synctest.Wait()
				if held := len(remote.backlog.answers); held != 1 {
					t.Errorf("%d answers count while one is written", held)
				}
				end(out)
				synctest.Wait()
				if held := len(remote.backlog.answers); held != 0 {
					t.Errorf("%d answers count when it %s", held, name)
				}
			}
		})
	})
}
