package server

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/loopback"
	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// An assistant that runs the gateway as a command: its ends of the two streams.
type parent struct {
	t     *testing.T
	in    io.WriteCloser
	lines chan string
	ended chan error
}

func newParent(t *testing.T, in io.WriteCloser, out io.Reader) *parent {
	p := &parent{t: t, in: in, lines: make(chan string, 256), ended: make(chan error, 1)}
	go func() { // ends with out
		defer close(p.lines)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, limits.MaxAnswer)
		for lines.Scan() {
			p.lines <- lines.Text()
		}
	}()
	return p
}

func startStdio(t *testing.T, opts StdioOptions) *parent {
	t.Helper()
	inReader, in := io.Pipe()
	outReader, out := io.Pipe()
	p := newParent(t, in, outReader)
	opts.Port = jsonrpc.Lines(inReader, out)
	if opts.Start == nil && opts.Command == nil {
		opts.Start = func(ctx context.Context) error { // the test does
			for !isRunning(ctx, opts.State) {
				if !wait.For(ctx, retryInterval) {
					return ctx.Err()
				}
			}
			return nil
		}
	}
	over := make(chan struct{})
	go func() {
		p.ended <- ServeStdio(context.Background(), opts)
		out.Close()
		close(over)
	}()
	t.Cleanup(func() { // before its gateway ends: it would start another one
		in.Close()
		await(t, "the end of the process", over)
	})
	return p
}

// startsHere returns StdioOptions.Start of a process whose gateways run in this one, at a port.
func startsHere(t *testing.T, state string, port int) func(context.Context) error {
	return func(ctx context.Context) error {
		_, release, err := reach(ctx, Options{State: state, Version: "0.0.0-test"}, "127.0.0.1:"+strconv.Itoa(port))
		t.Cleanup(release)
		return err
	}
}

func (p *parent) ask(line string) string {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
	return gatewaytest.Receive(p.t, p.lines)
}

// response sends a request, and returns the line with its id; notifications may come before.
func (p *parent) response(line, id string) string {
	p.t.Helper()
	got := p.ask(line)
	for !strings.Contains(got, id) {
		got = gatewaytest.Receive(p.t, p.lines)
	}
	return got
}

// EOF ends it, whatever requests are pending. R-333. TestEndOfInputWaitsForAnswers shows
// that this takes a limited time.
func (p *parent) end() {
	p.t.Helper()
	p.in.Close()
	select {
	case err := <-p.ended:
		if err != nil {
			p.t.Error(err)
		}
	case <-time.After(testTime):
		p.t.Fatal("it does not end")
	}
}

// Without a running gateway a process starts one; others connect to it, and when it ends,
// one of them starts the next. R-330 R-331 R-336.
func TestStdioStartsAGateway(t *testing.T) {
	t.Parallel()
	state, port := t.TempDir(), gatewaytest.FreePorts(t, 1)[0]
	opts := StdioOptions{State: state, Start: startsHere(t, state, port)}
	first := startStdio(t, opts)
	if got := first.ask(gatewaytest.Modern("1", "server/discover", "")); !strings.Contains(got, `"resultType":"complete"`) || !strings.Contains(got, `"id":1`) {
		t.Fatalf("discover: %s", got)
	}
	second := startStdio(t, opts)
	if got := second.ask(gatewaytest.Initialize); !strings.Contains(got, "2025-11-25") {
		t.Fatalf("initialize: %s", got)
	}
	control, err := Connect(t.Context(), state)
	if err != nil || control.Running.MCP != "http://127.0.0.1:"+strconv.Itoa(port)+"/mcp" {
		t.Fatalf("%+v, %v", control, err)
	}
	if got := second.ask(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"notes+a:b"}}`); !strings.Contains(got, "-32002") {
		t.Errorf("a read: %s", got)
	}
	first.end()
	if err := control.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"{", "[]", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "\ufeff{}", strings.Repeat("x", limits.MaxMessage+1)} {
		for got := second.ask(line); !strings.Contains(got, `"error"`); got = gatewaytest.Receive(t, second.lines) {
		}
		for got := second.ask(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`); !strings.Contains(got, `"id":"alive","result":{}`); got = gatewaytest.Receive(t, second.lines) {
		}
	}
	second.end()
}

// A process whose gateway cannot be started ends with the reason; one that has been served
// answers each request with it, until there is a gateway again.
func TestStdioSaysWhyThereIsNoGateway(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	never := startStdio(t, StdioOptions{State: state, Start: func(context.Context) error { return errors.New("the port is taken") }})
	if err := await(t, "the process to end", never.ended); err == nil || err.Error() != "the port is taken" {
		t.Errorf("it ended with %v", err)
	}
	g := startGateway(t, Options{State: state})
	p := startStdio(t, StdioOptions{State: state, Start: func(context.Context) error { return errors.New("the port is taken") }})
	p.ask(gatewaytest.Initialize)
	g.Close(context.Background())
	gatewaytest.Eventually(t, "requests are answered", func() bool {
		return strings.Contains(p.ask(`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`), "the port is taken")
	})
	startGateway(t, Options{State: state})
	gatewaytest.Eventually(t, "requests are served again", func() bool {
		return strings.Contains(p.ask(`{"jsonrpc":"2.0","id":2,"method":"resources/list"}`), `"resources":[]`)
	})
}

// HTTP alone has batches: a line with an array is rejected, and its ids can be used again.
func TestStdioRejectsArrays(t *testing.T) {
	t.Parallel()
	opts := StdioOptions{State: startGateway(t, Options{}).state.dir}
	for _, version := range []string{"2025-03-26", "2025-11-25"} {
		p := startStdio(t, opts)
		p.ask(strings.Replace(gatewaytest.Initialize, "2025-11-25", version, 1))
		if got := p.ask(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"}]`); !strings.Contains(got, "-32600") || strings.Contains(got, `"id"`) {
			t.Errorf("an array in a session of %s: %s", version, got)
		}
		if got := p.ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
			t.Errorf("after it: %s", got)
		}
		p.end()
	}
}

// The subscriptions of an assistant in both eras, and a read that waits, go on at the next
// gateway, where the page joins with the key it has. A call that may have had an effect is
// answered with an error. Nothing else is said twice, or lost.
func TestStdioOutlivesGateway(t *testing.T) {
	t.Parallel()
	for _, classic := range []bool{false, true} {
		state, port := t.TempDir(), gatewaytest.FreePorts(t, 1)[0]
		g := startGatewayAt(t, port, Options{State: state})
		page := newPage(t, testOrigin, "tab")
		page.engine = engine.New(engine.Info{Name: "notes", Version: "1"}, &engine.Options{UpdateInterval: 10 * time.Millisecond, Tools: true})
		page.engine.Mount("", page.table)
		page.write("notes://a", "1")
		runs := make(chan bool, 1)
		page.tool("wait", "waits", nil, func(ctx context.Context, _ object) (any, error) {
			runs <- true
			<-ctx.Done()
			return nil, ctx.Err()
		})
		page.join(g)
		assistant := startStdio(t, StdioOptions{State: state, Start: startsHere(t, state, port)})
		request, subscribe := gatewaytest.Modern, gatewaytest.Modern("2", "subscriptions/listen", `"notifications":{"resourceSubscriptions":["notes+notes://a"]}`)
		if classic {
			assistant.ask(gatewaytest.Initialize)
			if _, err := io.WriteString(assistant.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
				t.Fatal(err)
			}
			request, subscribe = gatewaytest.Classic, gatewaytest.Classic("2", "resources/subscribe", `"uri":"notes+notes://a"`)
		}
		if got := assistant.ask(subscribe); strings.Contains(got, `"error"`) {
			t.Fatalf("subscribe: %s", got)
		}
		page.write("notes://a", "2")
		if got := gatewaytest.Receive(t, assistant.lines); !strings.Contains(got, `"uri":"notes+notes://a"`) {
			t.Errorf("updated: %s", got)
		}
		if _, err := io.WriteString(assistant.in, request("3", "tools/call", `"name":"notes__wait","arguments":{}`)+"\n"); err != nil {
			t.Fatal(err)
		}
		await(t, "the call to run", runs)
		g.breakLines() // as a kill does: it answers nothing
		closed, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if got := gatewaytest.Receive(t, assistant.lines); !strings.Contains(got, `"id":3,"error"`) || !strings.Contains(got, "interrupted") {
			t.Errorf("the call: %s", got)
		}
		g.Close(closed)
		page.leave()
		if _, err := io.WriteString(assistant.in, request("4", "resources/read", `"uri":"notes+notes://a"`)+"\n"); err != nil {
			t.Fatal(err)
		}
		page.write("notes://a", "3")
		gatewaytest.Eventually(t, "there is a gateway", func() bool { _, err := Connect(t.Context(), state); return err == nil })
		page.joinAt(g.PageURL(), nil)
		var updated, read bool
		for !updated || !read {
			got := gatewaytest.Receive(t, assistant.lines)
			updated = updated || strings.Contains(got, engine.MethodUpdated) && strings.Contains(got, `"uri":"notes+notes://a"`)
			if strings.Contains(got, `"id":4`) {
				read = true
				if !strings.Contains(got, `"text":"3"`) {
					t.Errorf("read: %s", got)
				}
			}
			if strings.Contains(got, "acknowledged") || strings.Contains(got, "pagemcp/") || strings.Contains(got, `"id":2`) {
				t.Errorf("said twice: %s", got)
			}
		}
		assistant.end()
	}
}

// The gateway binds both loopback addresses or neither: a program on the other one would
// get half of the connections to localhost.
func TestPortMustBeFreeOnBothAddresses(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Logf("no IPv6 here (%v): then there is nothing to squat on", err)
		return
	}
	defer l.Close()
	if _, _, err := loopback.Listen(l.Addr().(*net.TCPAddr).Port); err == nil || !strings.Contains(err.Error(), "[::1]") {
		t.Errorf("%v", err)
	}
}
