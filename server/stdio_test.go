package server

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/loopback"
	"github.com/pagemcp/pagemcp/server/internal/testports"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// An assistant that runs the gateway as a command: its ends of the two streams.
type parent struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	ended chan error
}

func startStdio(t *testing.T, opts StdioOptions) *parent {
	t.Helper()
	inReader, in := io.Pipe()
	outReader, out := io.Pipe()
	p := &parent{t: t, in: in, lines: make(chan string, 256), ended: make(chan error, 1)}
	opts.Port = jsonrpc.Lines(inReader, out)
	opts.Gateway.Version = "0.0.0-test"
	if opts.Listen == "" {
		opts.Listen = "127.0.0.1:0"
	}
	over := make(chan struct{})
	go func() {
		p.ended <- ServeStdio(context.Background(), opts)
		out.Close()
		close(over)
	}()
	go func() { // ends with out
		defer close(p.lines)
		lines := bufio.NewScanner(outReader)
		lines.Buffer(nil, limits.MaxAnswer)
		for lines.Scan() {
			p.lines <- lines.Text()
		}
	}()
	t.Cleanup(func() { // before its gateway ends: it would start another one
		in.Close()
		await(t, "the end of the process", over)
	})
	return p
}

func (p *parent) ask(line string) string {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
	return gatewaytest.Receive(p.t, p.lines)
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

// Without a running gateway the process starts one; others connect to it; when it ends,
// another process starts one, and pages and assistants continue. R-330 R-331 R-336.
func TestStdioStartsConnectsTakesOver(t *testing.T) {
	t.Parallel()
	state, port := t.TempDir(), testports.Free(t, 1)[0]
	opts := StdioOptions{Gateway: Options{State: state, Origins: []string{testOrigin}}, Listen: "127.0.0.1:" + strconv.Itoa(port)}
	first := startStdio(t, opts)
	if got := first.ask(gatewaytest.Modern("1", "server/discover", "")); !strings.Contains(got, `"resultType":"complete"`) || !strings.Contains(got, `"id":1`) {
		t.Fatalf("discover: %s", got)
	}
	second := startStdio(t, opts)
	if got := second.ask(gatewaytest.Initialize); !strings.Contains(got, "2025-11-25") {
		t.Fatalf("initialize: %s", got)
	}
	if running := awaitRunning(t, "the first is the gateway", state, 0); running.MCP != "http://127.0.0.1:"+strconv.Itoa(port)+"/mcp" {
		t.Fatalf("running: %+v", running)
	}
	if got := second.ask(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"notes+a:b"}}`); !strings.Contains(got, "-32002") {
		t.Errorf("through the other process: %s", got)
	}
	first.end()
	gatewaytest.Eventually(t, "the second is the gateway", func() bool {
		_, ok := FindRunning(t.Context(), state)
		return ok
	})
	for _, line := range []string{"{", "[]", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "\ufeff{}", strings.Repeat("x", limits.MaxMessage+1)} {
		for got := second.ask(line); !strings.Contains(got, `"error"`); got = gatewaytest.Receive(t, second.lines) {
		}
		if got := second.ask(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`); !strings.Contains(got, `"id":"alive","result":{}`) {
			t.Errorf("afterwards: %s", got)
		}
	}
	second.end()
	if _, err := os.Stat(state + "/running.json"); !os.IsNotExist(err) {
		t.Errorf("the last one leaves running.json: %v", err)
	}
}

// HTTP alone has batches: a line with an array is rejected, and its ids can be used again.
func TestStdioRejectsArrays(t *testing.T) {
	t.Parallel()
	opts := StdioOptions{Gateway: Options{State: t.TempDir(), Origins: []string{testOrigin}}}
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

// A line over 1 MiB gets an error response with its id if that can be read, so that its
// sender need not wait for a timeout.
func TestStdioRefusesLongLineWithItsID(t *testing.T) {
	t.Parallel()
	p := startStdio(t, StdioOptions{Gateway: Options{State: t.TempDir(), Origins: []string{testOrigin}}})
	p.ask(gatewaytest.Initialize)
	long := `"method":"tools/call","params":{"name":"t","arguments":{"x":"` + strings.Repeat("x", 2*limits.MaxMessage) + `"}}`
	for line, id := range map[string]string{
		`{"jsonrpc":"2.0","id":7,` + long + `}`:                                  `7`,
		`{` + long + `,"jsonrpc":"2.0","id":"a-1"}`:                              `"a-1"`,
		` {` + long + `,"id":12,"jsonrpc":"2.0"} `:                               `12`,
		`{"jsonrpc":"2.0",` + long + `,"id":1.5}`:                                ``,
		`[{"jsonrpc":"2.0","id":7,` + long + `}]`:                                ``,
		`{"jsonrpc":"2.0","method":"x","params":` + long[:limits.MaxMessage+100]: ``,
	} {
		got := p.ask(line)
		if string(jsonrpc.Member([]byte(got), "id")) != id || !strings.Contains(got, "-32600") {
			t.Errorf("%.40s…%s is answered by %s", line, line[len(line)-20:], got)
		}
		if got := p.ask(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`); !strings.Contains(got, `"id":"alive","result":{}`) {
			t.Errorf("afterwards: %s", got)
		}
	}
	p.end()
}

// A page of the gateway is available to an assistant that connects by stdio. When that
// gateway ends, the process of the assistant takes over its port, and the page joins it
// with the key it has: the subscription continues.
func TestStdioOutlivesGateway(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	g := startGatewayAt(t, testports.Free(t, 1)[0], Options{State: state})
	page := newPage(t, testOrigin, "tab")
	page.write("notes://a", "1")
	page.join(g)
	assistant := startStdio(t, StdioOptions{
		Gateway: Options{State: state, Origins: []string{testOrigin}}, Listen: "127.0.0.1:" + strconv.Itoa(g.Port()),
	})
	read := gatewaytest.Modern("1", "resources/read", `"uri":"notes+notes://a"`)
	if got := assistant.ask(read); !strings.Contains(got, `"text":"1"`) {
		t.Fatalf("read: %s", got)
	}
	if got := assistant.ask(gatewaytest.Modern("2", "subscriptions/listen", `"notifications":{"resourceSubscriptions":["notes+notes://a"]}`)); !strings.Contains(got, "acknowledged") {
		t.Fatalf("listen: %s", got)
	}
	page.write("notes://a", "2")
	if got := gatewaytest.Receive(t, assistant.lines); !strings.Contains(got, `"uri":"notes+notes://a"`) {
		t.Errorf("updated: %s", got)
	}
	g.Close(context.Background())
	page.leave()
	gatewaytest.Eventually(t, "the assistant's process is the gateway", func() bool {
		_, ok := FindRunning(t.Context(), state)
		return ok
	})
	page.write("notes://a", "3")
	page.joinAt(g.PageURL(), nil)
	for !strings.Contains(gatewaytest.Receive(t, assistant.lines), `"uri":"notes+notes://a"`) {
	}
	answer := assistant.ask(strings.Replace(read, `"id":1`, `"id":3`, 1))
	for !strings.Contains(answer, `"id":3`) { // a further update
		answer = gatewaytest.Receive(t, assistant.lines)
	}
	if !strings.Contains(answer, `"text":"3"`) {
		t.Errorf("read: %s", answer)
	}
	assistant.end()
}

// A program that took the port of a crashed gateway does not get the token.
func TestOtherProgramOnThePortGetsNoToken(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	g := startGateway(t, Options{State: state})
	token := g.testToken()
	var seen strings.Builder
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Write(&seen)
		w.Header().Set(proofHeader, "00")
	}))
	defer other.Close()
	at := strings.TrimPrefix(other.URL, "http://")
	err := g.state.save(runningFile, Running{PID: 1, MCP: other.URL + "/mcp", WS: "ws://" + at + "/ws", TokenFile: g.TokenFile()})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := FindRunning(t.Context(), state); ok {
		t.Error("taken for ours")
	}
	if !strings.Contains(seen.String(), "/probe") || strings.Contains(seen.String(), token) {
		t.Errorf("the stranger saw %s", seen.String())
	}
	// Nor can it pass the question on to the gateway that moved.
	relay := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		real, err := http.NewRequest("GET", strings.TrimSuffix(g.URL(), "mcp")+"probe", nil)
		if err != nil {
			return
		}
		real.Header.Set(nonceHeader, r.Header.Get(nonceHeader))
		answer, err := gatewaytest.HTTP.Do(real)
		if err != nil {
			return
		}
		answer.Body.Close()
		w.Header().Set(proofHeader, answer.Header.Get(proofHeader))
	}))
	defer relay.Close()
	if err := probe(t.Context(), relay.URL+"/mcp", token); err != errNotOurGateway {
		t.Errorf("a relay: %v", err)
	}
	if err := probe(t.Context(), g.URL(), token); err != nil {
		t.Errorf("ourselves: %v", err)
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
