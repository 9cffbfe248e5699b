package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// The end of the input waits for the responses to earlier requests, for a limited time:
//
func TestEndOfInputWaitsForAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct {
			name   string
			answer time.Duration // 0: never
			waits  time.Duration
		}{{"answered", 100 * time.Millisecond, 100 * time.Millisecond}, {"never answered", 0, drainTime}} {
			near, far := jsonrpc.Pipe()
			port := newDrainPort(t.Context(), near)
			for _, msg := range []string{
				`{"jsonrpc":"2.0","id":"a","method":"resources/list"}`,
				`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen"}`,
				`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `nonsense`,
				`{"jsonrpc":"2.0","id":"c","method":"resources/list"}`,
				`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}`, // gets no answer
				`[{"jsonrpc":"2.0","id":"b","method":"resources/list"},{"jsonrpc":"2.0","id":2,"method":"resources/list"}]`,
			} {
				if err := far.Write(t.Context(), []byte(msg)); err != nil {
					t.Fatal(err)
				}
				if got, err := port.Read(t.Context()); string(got) != msg || err != nil {
					t.Fatalf("read %s, %v", got, err)
				}
			}
			far.Close()
			if test.answer > 0 {
				time.AfterFunc(test.answer, func() {
					port.Write(t.Context(), []byte(`[{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":"b","error":{"code":1,"message":""}}]`))
					port.Write(t.Context(), []byte(`{"jsonrpc":"2.0","id":"a","result":{}}`))
				})
			}
			began := time.Now()
			if _, err := port.Read(t.Context()); err != io.EOF || time.Since(began) != test.waits {
				t.Errorf("%s: %v after %v, want the end after %v", test.name, err, time.Since(began), test.waits)
			}
		}
	})
}

// The error response to a line that is too long has its id, unless a request with this
// id is pending: the error would complete that request.
func TestLongLineWithIDOfAnOpenRequest(t *testing.T) {
	t.Parallel()
	long := `{"jsonrpc":"2.0","id":7,"method":"x","params":{"x":"` + strings.Repeat("x", limits.MaxMessage) + `"}}`
	var out bytes.Buffer
	port := newDrainPort(t.Context(), jsonrpc.Lines(strings.NewReader(long+"\n"+`{"jsonrpc":"2.0","id":7,"method":"ping"}`+"\n"+long), &out))
	if msg, err := port.Read(t.Context()); !strings.Contains(string(msg), "ping") || err != nil {
		t.Errorf("read %.50s, %v", msg, err)
	}
	if got := out.String(); strings.Count(got, `"id":7,"error"`) != 1 {
		t.Errorf("the first is answered by %s", got)
	}
	if _, err := port.Read(t.Context()); !errors.Is(err, jsonrpc.ErrTooLarge) || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("the second: %v, %s", err, &out)
	}
}

// stuckPort is a port that can be read and not written.
type stuckPort struct{ jsonrpc.Port }

func (stuckPort) Write(context.Context, []byte) error { select {} }

// A process whose output is not read ends soon after its input, and after it is stopped.
func TestStdioEndsWhenItsOutputIsNotRead(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(far jsonrpc.Port, stop func()){
		"the input ends": func(far jsonrpc.Port, _ func()) { far.Close() },
		"it is stopped":  func(_ jsonrpc.Port, stop func()) { stop() },
	} {
		t.Run(name, func(t *testing.T) {
			near, far := jsonrpc.Pipe()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			ended := make(chan error, 1)
			go func() {
				ended <- ServeStdio(ctx, StdioOptions{Gateway: Options{State: t.TempDir()}, Listen: "127.0.0.1:0", Port: stuckPort{near}})
			}()
			large := `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 1<<19) + `%d","method":"ping"}`
			sent := make(chan struct{})
			go func() { // more than is queued: the reading stops
				defer close(sent)
				for i := range 10 {
					if far.Write(ctx, fmt.Appendf(nil, large, i)) != nil {
						return
					}
				}
			}()
			select {
			case <-sent:
			case <-time.After(time.Second): // the queue is full
			}
			end(far, stop)
			select {
			case <-ended:
			case <-time.After(30 * time.Second):
				t.Fatal("waited 30 s and still not: the process has ended")
			}
		})
	}
}
