package gateway

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/conns/connstest"
	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

const (
	testHost   = "gateway.example"
	testOrigin = "https://app.example"
	testTime   = time.Minute // of the bubble's clock, for anything that a test waits for
)

// A testGateway serves one owner on a network in memory. Its tests run in a bubble of
// synctest.
type testGateway struct {
	*Gateway
	t       *testing.T
	network *connstest.Listener
	client  *http.Client

	mu      sync.Mutex
	entries []access.Entry // of the audit log
}

func startGateway(t *testing.T, change ...func(*Options)) *testGateway {
	t.Helper()
	g := &testGateway{t: t, network: connstest.NewListener()}
	options := Options{
		Info: engine.Info{Name: "pagemcp", Title: "PageMCP", Version: "0.0.0-test"}, Doorkeeper: openDoor{}, Log: slog.New(slog.DiscardHandler),
		Sessions: SessionOptions{Keys: keys.Of(make([]byte, 32)), Lifetime: 24 * time.Hour, Changes: &mcphttp.MemoryChanges{}},
	}
	for _, c := range change {
		c(&options)
	}
	g.Gateway = New(options, &access.Gate{Auth: oneOwner{}, Limits: silent{}, Audit: g, Monitor: silent{}}, silent{})
	server := &http.Server{Handler: g.Handler(&access.Guard{Hosts: []string{testHost}, PageOrigins: origins{testOrigin}})}
	go server.Serve(g.network) // ends with Close
	transport := &http.Transport{DialContext: g.network.Connect}
	g.client = &http.Client{Transport: recording(transport)}
	t.Cleanup(func() {
		g.Close()
		g.Wait()
		g.End()
		transport.CloseIdleConnections()
		server.Close()
		time.Sleep(time.Minute) // Remotes pause before they ask a page again, and end after it
	})
	return g
}

// settle waits until nothing happens any more, also not after the pause that a Remote makes
// before it asks a page again.
func settle() {
	time.Sleep(time.Second)
	synctest.Wait()
}

// await receives one value, or the end of the channel.
func await[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	late := time.NewTimer(testTime)
	defer late.Stop()
	select {
	case value := <-from:
		return value
	case <-late.C:
		t.Fatalf("waited %v and still not: %s", testTime, what)
		panic("unreachable")
	}
}

type origins []string

func (o origins) Contains(origin string) bool { return slices.Contains(o, origin) }

// Record implements access.Audit.
func (g *testGateway) Record(e access.Entry) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.entries = append(g.entries, e)
}

func (g *testGateway) RecordRefusal(e access.Entry) { g.Record(e) }

// audited counts the entries that fit.
func (g *testGateway) audited(fits func(access.Entry) bool) (n int) {
	synctest.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range g.entries {
		if fits(e) {
			n++
		}
	}
	return n
}

// An openDoor lets each page join: its first frame is the Hello, whose page is the name that
// it gets.
type openDoor struct{}

func (openDoor) Join(ctx context.Context, f Frames, _, _ string) (Joiner, error) {
	var hello Hello
	_, frame, err := f.Read(ctx)
	if err == nil {
		err = json.Unmarshal(frame, &hello)
	}
	return Joiner{Owner: "o", Name: hello.Page, Hello: hello, Welcome: []byte("{}"), Valid: func() bool { return true }}, err
}

const (
	envelope = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	v2026    = "MCP-Protocol-Version: 2026-07-28"
	streams  = "Accept: application/json, text/event-stream"

	initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
)

func modern(id, method, params string) string {
	if params != "" {
		params = "," + params
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + envelope + params + `}}`
}

// newRequest makes an HTTP request. Header lines are "Name: value".
func (g *testGateway) newRequest(ctx context.Context, method, path, body string, lines ...string) *http.Request {
	g.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, "http://"+testHost+path, strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	return r
}

func (g *testGateway) send(ctx context.Context, method, path, body string, lines ...string) *http.Response {
	g.t.Helper()
	answer, err := g.client.Do(g.newRequest(ctx, method, path, body, lines...))
	if err != nil {
		g.t.Fatal(err)
	}
	return answer
}

// post is send for a POST whose response is read as a whole.
func (g *testGateway) post(path, body string, lines ...string) (answer *http.Response, text string) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), testTime)
	defer cancel()
	answer = g.send(ctx, "POST", path, body, lines...)
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	return answer, string(data)
}

// request is post for a request of 2026-07-28. params are JSON members.
func (g *testGateway) request(path, method, params string, lines ...string) (status int, body string) {
	g.t.Helper()
	answer, body := g.post(path, modern("1", method, params), append(lines, headersOf(method, params)...)...)
	return answer.StatusCode, body
}

// headersOf returns the headers that repeat what is in a request.
func headersOf(method, params string) []string {
	lines := []string{v2026, "Mcp-Method: " + method}
	member := "name"
	if method == engine.MethodReadResource {
		member = "uri"
	}
	if name, ok := jsonrpc.Text(jsonrpc.Member([]byte("{"+params+"}"), member)); ok {
		lines = append(lines, "Mcp-Name: "+name)
	}
	return lines
}

func (g *testGateway) read(path, uri string) (status int, body string) {
	g.t.Helper()
	return g.request(path, engine.MethodReadResource, `"uri":"`+uri+`"`)
}

// A stream is an event stream of a response.
type stream struct {
	t      *testing.T
	header http.Header
	body   io.ReadCloser
	lines  *bufio.Scanner
}

// open is send for a response that is an event stream.
func (g *testGateway) open(ctx context.Context, method, path, body string, lines ...string) *stream {
	g.t.Helper()
	answer := g.send(ctx, method, path, body, append(lines, streams)...)
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != mcphttp.EventStreamType {
		g.t.Fatalf("%s %s: %s %v", method, body, answer.Status, answer.Header)
	}
	g.t.Cleanup(func() { answer.Body.Close() })
	return &stream{g.t, answer.Header, answer.Body, bufio.NewScanner(answer.Body)}
}

// listen opens a subscription, until ctx ends. It returns after its acknowledgement.
func (g *testGateway) listen(ctx context.Context, path, notifications string) *stream {
	g.t.Helper()
	params := `"notifications":{` + notifications + `}`
	s := g.open(ctx, "POST", path, modern("1", engine.MethodListen, params), headersOf(engine.MethodListen, params)...)
	if first := s.next(); !strings.Contains(first, "acknowledged") {
		g.t.Fatalf("listen at %s begins with %s", path, first)
	}
	return s
}

// next returns the next message, or "" at the end.
func (s *stream) next() string {
	s.t.Helper()
	late := time.AfterFunc(testTime, func() { s.body.Close() })
	defer late.Stop()
	for s.lines.Scan() {
		if data, ok := strings.CutPrefix(s.lines.Text(), "data: "); ok {
			return data
		}
	}
	if err := s.lines.Err(); err != nil {
		s.t.Fatalf("the stream breaks, or nothing came for %v: %v", testTime, err)
	}
	return ""
}

// A session is one of 2025-11-25.
type session struct {
	*testGateway
	path, header string
}

func (g *testGateway) openSession(path string) *session {
	g.t.Helper()
	answer, _ := g.post(path, initialize, streams)
	s := &session{g, path, mcphttp.SessionHeader + ": " + answer.Header.Get(mcphttp.SessionHeader)}
	if answer, body := g.post(path, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, s.header, streams); answer.StatusCode != http.StatusAccepted {
		g.t.Fatalf("initialized: %s %s", answer.Status, body)
	}
	return s
}

func classic(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `}}`
}

// request sends a request, and returns all that its response has.
func (s *session) request(id, method, params string) (status int, body string) {
	s.t.Helper()
	answer, body := s.post(s.path, classic(id, method, params), s.header, streams)
	return answer.StatusCode, body
}

// A testPage is a page without a browser. Its engine outlives its sockets.
type testPage struct {
	t      *testing.T
	hello  Hello
	table  *engine.Table
	engine *engine.Engine
	forge  func(msg []byte) []byte // changes what it sends, or drops it with nil; may be nil
	conn   *websocket.Conn

	knowsClients bool // it lets the gateway name the client of each request

	gone <-chan struct{} // closed when that is closed

	mu    sync.Mutex
	texts map[string]string
}

// newPage returns a page that will be called name.
func newPage(t *testing.T, name string) *testPage {
	p := &testPage{t: t, hello: Hello{Page: name, Name: name, Title: "Notes", URL: testOrigin + "/notes"}, table: engine.NewTable(), texts: map[string]string{}}
	p.serve(engine.Info{Name: name, Version: "1"}, nil)
	return p
}

// serve gives the page another engine. extension is that of com.acme/ext, JSON, or nil.
func (p *testPage) serve(info engine.Info, extension []byte) {
	options := &engine.Options{UpdateInterval: time.Nanosecond, Tools: true, Prompts: true, Completions: true}
	if extension != nil {
		options.Extensions = slices.Concat([]byte(`{"com.acme/ext":`), extension, []byte("}"))
		options.Extend = func(_ context.Context, method string, params []byte) ([]byte, error) {
			if method != "acme/x" {
				return nil, engine.ErrNotFound
			}
			return []byte(`{"page":"` + p.hello.Page + `","a":` + string(jsonrpc.Member(params, "a")) + `}`), nil
		}
	}
	p.engine = engine.New(info, options)
	p.engine.Mount("", p.table)
}

func (p *testPage) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// write changes or makes a text resource.
func (p *testPage) write(uri, text string) {
	p.t.Helper()
	p.mu.Lock()
	_, known := p.texts[uri]
	p.texts[uri] = text
	p.mu.Unlock()
	if known {
		p.table.Changed(uri)
		return
	}
	p.must(p.table.Put(engine.Entry{
		Resource: engine.Resource{URI: uri, Name: uri, MIMEType: "text/plain", Size: -1},
		Read: func(context.Context, string) ([]engine.Contents, error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			return []engine.Contents{{URI: uri, MIMEType: "text/plain", Text: p.texts[uri]}}, nil
		},
	}))
}

// tool registers a tool that returns a text. properties is JSON, of its inputSchema.
func (p *testPage) tool(name, properties string, call func() string) {
	p.t.Helper()
	p.must(p.table.PutTool(engine.ToolEntry{
		Tool: engine.Tool{Name: name, Object: []byte(`{"name":"` + name + `","description":"A tool of the page.","inputSchema":{"type":"object","properties":` + properties + `}}`)},
		Call: func(context.Context, []byte) ([]byte, error) {
			return []byte(`{"content":[{"type":"text","text":"` + call() + `"}]}`), nil
		},
	}))
}

func always(text string) func() string { return func() string { return text } }

// dial opens the WebSocket of a page, and sends its first frame unless it is nil.
func (p *testPage) dial(g *testGateway, origin, protocol string, frame []byte) (*websocket.Conn, error) {
	conn, _, err := websocket.Dial(p.t.Context(), "ws://"+testHost+access.PagePath, &websocket.DialOptions{
		HTTPClient: g.client, HTTPHeader: http.Header{"Origin": {origin}}, Subprotocols: []string{protocol},
	})
	if err != nil {
		return nil, err
	}
	p.t.Cleanup(func() { conn.CloseNow() })
	if frame != nil {
		err = conn.Write(p.t.Context(), websocket.MessageText, frame)
	}
	return conn, err
}

// join returns when the page is attached.
func (p *testPage) join(g *testGateway) {
	p.t.Helper()
	hello, err := json.Marshal(p.hello)
	p.must(err)
	p.conn, err = p.dial(g, testOrigin, PageProtocol, hello)
	p.must(err)
	if _, _, err := p.conn.Read(p.t.Context()); err != nil {
		p.t.Fatalf("instead of the welcome: %v", err)
	}
	s := socket.New(p.conn, limits.MaxMessage+limits.MaxSlack, false)
	p.gone = s.Done()
	ctx := context.Background()
	if p.knowsClients {
		ctx = engine.WithSpeakForOthers(ctx)
	}
	go p.engine.Serve(ctx, &forgingPort{s, p.forge}) // ends with the socket
	synctest.Wait()
	if !g.Views("o").IsConnected(p.hello.Page) {
		p.t.Fatalf("%s is not attached", p.hello.Page)
	}
}

// leave drops the connection without a closing handshake, like a page that crashed, and ends
// the grace time if expires is set.
func (p *testPage) leave(g *testGateway, expires bool) {
	p.t.Helper()
	p.conn.CloseNow()
	synctest.Wait()
	if g.Views("o").IsConnected(p.hello.Page) {
		p.t.Fatalf("%s is still attached", p.hello.Page)
	}
	if expires {
		g.Views("o").ExpireGrace(p.hello.Page)
		synctest.Wait()
	}
}

type forgingPort struct {
	jsonrpc.Port
	forge func([]byte) []byte
}

func (p *forgingPort) Write(ctx context.Context, msg []byte) error {
	if p.forge != nil {
		if msg = p.forge(msg); msg == nil {
			return nil
		}
	}
	return p.Port.Write(ctx, msg)
}

// closed returns how the other end closes a WebSocket.
func closed(t *testing.T, conn *websocket.Conn) (end websocket.CloseError) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	for {
		if _, _, err := conn.Read(ctx); errors.As(err, &end) {
			return end
		} else if err != nil {
			t.Fatalf("the socket is not closed with a code within %v: %v", testTime, err)
		}
	}
}
