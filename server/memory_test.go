package server

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A memoryNet carries connections in memory, so that whole gateways run under a
// fake clock.
type memoryNet struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (m *memoryNet) Accept() (net.Conn, error) {
	select {
	case conn := <-m.conns:
		return conn, nil
	case <-m.done:
		return nil, net.ErrClosed
	}
}

func (m *memoryNet) Close() error   { m.once.Do(func() { close(m.done) }); return nil }
func (m *memoryNet) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8808} }

func (m *memoryNet) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	m.conns <- far
	return near, nil
}

// inMemory runs do with a gateway whose clock is fake.
func inMemory(t *testing.T, do func(t *testing.T, g *Gateway, client *http.Client)) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		g, err := New(Options{State: dir, Origins: []string{testOrigin}, Version: "0.0.0-test"})
		if err != nil {
			t.Fatal(err)
		}
		wires := &memoryNet{conns: make(chan net.Conn), done: make(chan struct{})}
		g.port, g.listeners = 8808, []net.Listener{wires}
		served := make(chan error, 1)
		go func() { served <- g.Serve(context.Background()) }()
		transport := &http.Transport{DialContext: wires.dial}
		do(t, g, &http.Client{Transport: transport})
		transport.CloseIdleConnections()
		g.Close(context.Background())
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// A mutedPort stops sending at some moment, like a page that hangs while its browser
// still answers pings.
type mutedPort struct {
	jsonrpc.Port
	silent atomic.Bool
}

func (m *mutedPort) Write(ctx context.Context, msg []byte) error {
	if m.silent.Load() {
		return nil
	}
	return m.Port.Write(ctx, msg)
}

// joinInMemory joins a page; hang makes it say nothing any more.
func joinInMemory(t *testing.T, g *Gateway, client *http.Client, source engine.Source) (hang func(), gone <-chan struct{}) {
	t.Helper()
	first, key := invited(t, g)
	conn, _, err := websocket.Dial(t.Context(), first.Address, &websocket.DialOptions{
		HTTPClient: client, HTTPHeader: http.Header{"Origin": {testOrigin}}, Subprotocols: []string{gateway.PageProtocol},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := prove(t.Context(), conn, first, testOrigin, key, &gateway.Hello{Page: "tab", Name: "notes"}); err != nil {
		t.Fatal(err)
	}
	page := engine.New(engine.Info{Name: "notes", Version: "1"}, nil)
	page.Mount("", source)
	s := socket.New(conn, limits.MaxMessage+limits.MaxSlack, false)
	m := &mutedPort{Port: s}
	go page.Serve(context.Background(), m)
	synctest.Wait()
	return func() { m.silent.Store(true) }, s.Done()
}

// A pong of the browser does not keep a page connected: one that hangs is disconnected
// after 40 s, one that has nothing to send stays. R-346.
func TestHangingPageIsDropped(t *testing.T) {
	inMemory(t, func(t *testing.T, g *Gateway, client *http.Client) {
		hang, gone := joinInMemory(t, g, client, engine.NewTable())
		time.Sleep(time.Hour)
		select {
		case <-gone:
			t.Fatal("a silent page was dropped")
		default:
		}
		hang()
		start := time.Now()
		<-gone
		if took := time.Since(start); took < limits.PingTimeout-limits.PingEvery || took > limits.PingTimeout+limits.PingEvery/3 {
			t.Errorf("dropped after %v", took)
		}
		synctest.Wait()
	})
}

// post sends a modern read and returns when the header of the answer is there.
func postRead(t *testing.T, g *Gateway, client *http.Client, uri string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", g.URL(), strings.NewReader(modern("1", "resources/read", `"uri":"`+uri+`"`)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{
		"Authorization": {"Bearer " + g.testToken()}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"resources/read"}, "Mcp-Name": {uri},
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// slow is a source that never answers.
type slow struct{}

func (slow) List(context.Context, string) (engine.Listing, error) { return engine.Listing{}, nil }

func (slow) Read(ctx context.Context, _ string) ([]engine.Contents, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// A slow response becomes an event stream after 2 s, is kept open by comments, and ends
// with a response even if the page disconnects. R-287 R-290 R-292 R-313 R-359.
func TestSlowAnswerBecomesStream(t *testing.T) {
	inMemory(t, func(t *testing.T, g *Gateway, client *http.Client) {
		_, gone := joinInMemory(t, g, client, slow{})
		start := time.Now()
		answer := postRead(t, g, client, "notes+notes://slow")
		if took := time.Since(start); took != limits.StreamAfter || !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
			t.Errorf("the header came after %v: %v", took, answer.Header)
		}
		messages, other := events(t, answer.Body)
		got := <-messages
		if took := time.Since(start); took != 30*time.Second || !strings.Contains(got, `"reason":"timeout"`) || !strings.Contains(got, `"id":1`) {
			t.Errorf("after %v: %s", took, got)
		}
		if comments := len(other); comments < 2 { // at 2 s and every 15 s
			t.Errorf("%d comments", comments)
		}
		if _, more := <-messages; more {
			t.Error("the stream goes on")
		}
		select {
		case <-gone:
			t.Error("a slow read cost the page its socket")
		default:
		}
	})
}
