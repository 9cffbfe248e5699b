package server

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// bridged returns an assistant's side of a bridge, whose gateway the test is.
func bridged(t *testing.T, state string) (assistant jsonrpc.Port, gateway jsonrpc.Port, ended <-chan error) {
	near, far := jsonrpc.Pipe()
	port, gateway := jsonrpc.Pipe()
	over := make(chan error, 1)
	b := &bridge{StdioOptions: StdioOptions{State: state, Port: near, Logger: slog.New(slog.DiscardHandler)}, answered: wait.NewSignal()}
	go func() { over <- b.run(t.Context(), port) }()
	return far, gateway, over
}

func exchange(t *testing.T, from, to jsonrpc.Port, msg string) {
	t.Helper()
	if err := from.Write(t.Context(), []byte(msg)); err != nil {
		t.Fatal(err)
	}
	if got, err := to.Read(t.Context()); string(got) != msg || err != nil {
		t.Fatalf("read %s, %v; want %s", got, err, msg)
	}
}

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
			assistant, gateway, ended := bridged(t, t.TempDir())
			for _, msg := range []string{
				`{"jsonrpc":"2.0","id":"a","method":"resources/list"}`,
				`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen"}`,
				`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
				`{"jsonrpc":"2.0","id":"c","method":"resources/list"}`,
				`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}`, // gets no answer
			} {
				exchange(t, assistant, gateway, msg)
			}
			assistant.Close()
			if test.answer > 0 {
				time.AfterFunc(test.answer, func() { gateway.Write(t.Context(), []byte(`{"jsonrpc":"2.0","id":"a","result":{}}`)) })
			}
			began := time.Now()
			if err := <-ended; err != nil || time.Since(began) != test.waits {
				t.Errorf("%s: %v after %v, want the end after %v", test.name, err, time.Since(began), test.waits)
			}
		}
	})
}

// The error response to a line that is too long has its id, unless a request with this
// id is pending: the error would complete that request.
func TestLongLineWithIDOfAnOpenRequest(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	long := `{"jsonrpc":"2.0","id":7,"method":"x","params":{"x":"` + strings.Repeat("x", limits.MaxMessage) + `"}}`
	near, far := jsonrpc.Pipe()
	var out bytes.Buffer
	b := &bridge{StdioOptions: StdioOptions{State: state, Logger: slog.New(slog.DiscardHandler),
		Port: jsonrpc.Lines(strings.NewReader(long+"\n"+`{"jsonrpc":"2.0","id":7,"method":"ping"}`+"\n"+long), &out)}, answered: wait.NewSignal()}
	ended := make(chan error, 1)
	go func() { ended <- b.run(t.Context(), near) }()
	if msg, err := far.Read(t.Context()); !strings.Contains(string(msg), "ping") || err != nil {
		t.Errorf("the gateway gets %.50s, %v", msg, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"id":7,"error"`) || !strings.Contains(lines[1], `"error"`) || strings.Contains(lines[1], `"id":7`) {
		t.Errorf("the answers: %q", lines)
	}
}

// Requests that wait for a gateway are bounded; another one gets an error at once.
func TestRequestsWithoutAnAnswerAreBounded(t *testing.T) {
	t.Parallel()
	assistant, gateway, _ := bridged(t, t.TempDir())
	defer assistant.Close()
	request := func(id string, size int) string {
		const format = `{"jsonrpc":"2.0","id":%s,"method":"resources/read","params":{"uri":"a:%s"}}`
		return fmt.Sprintf(format, id, strings.Repeat("x", size-len(format)+len("%s%s")-len(id)))
	}
	for i := range maxOpen / limits.MaxMessage {
		exchange(t, assistant, gateway, request(strconv.Itoa(i), limits.MaxMessage))
	}
	if err := assistant.Write(t.Context(), []byte(request(`"over"`, 100))); err != nil {
		t.Fatal(err)
	}
	if got, err := assistant.Read(t.Context()); err != nil || !strings.Contains(string(got), `"id":"over","error"`) || !strings.Contains(string(got), `"reason":"busy"`) {
		t.Errorf("%.200s, %v", got, err)
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
			state := startGateway(t, Options{}).state.dir
			near, far := jsonrpc.Pipe()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			ended := make(chan error, 1)
			go func() {
				ended <- ServeStdio(ctx, StdioOptions{State: state, Port: stuckPort{near}})
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
