package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/conns/connstest"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
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
	gatewaytest.Client
	t       *testing.T
	network *connstest.Listener

	mu      sync.Mutex
	entries []access.Entry // of the audit log
}

func startGateway(t *testing.T, change ...func(*Options)) *testGateway {
	t.Helper()
	g := &testGateway{t: t, network: connstest.NewListener()}
	options := Options{
		Info: engine.Info{Name: "pagemcp", Title: "PageMCP", Version: "0.0.0-test"}, Doorkeeper: openDoor{}, Log: slog.New(slog.DiscardHandler),
		Sessions: SessionOptions{Lifetime: 24 * time.Hour},
	}
	for _, c := range change {
		c(&options)
	}
	g.Gateway = New(options, &access.Gate{Auth: oneOwner{}, Limits: limits.New(limits.Local(), nil), Audit: g, Monitor: silent{}}, silent{})
	server := &http.Server{Handler: g.Handler(&access.Guard{Hosts: []string{testHost}, PageOrigins: origins{testOrigin}})}
	go server.Serve(g.network) // ends with Close
	transport := &http.Transport{DialContext: g.network.Connect}
	g.Client = gatewaytest.Client{T: t, HTTP: &http.Client{Transport: recording(transport)}, URL: "http://" + testHost}
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

type (
	silent   struct{}
	oneOwner struct{}
)

func (silent) Active() bool                                  { return false }
func (silent) Message(access.Client, string, string, []byte) {}
func (silent) Answered(access.Client, string, string, int)   {}
func (silent) PagesChanged()                                 {}
func (silent) Forget(string)                                 {}
func (oneOwner) Authenticate(*http.Request) (access.Caller, *access.Challenge) {
	return access.Caller{Owner: "o", Principal: "p"}, nil
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

func (openDoor) Join(ctx context.Context, f Frames, _ *http.Request) (Joiner, error) {
	var hello Hello
	_, frame, err := f.Read(ctx)
	if err == nil {
		err = json.Unmarshal(frame, &hello)
	}
	return Joiner{Owner: "o", Name: hello.Page, Hello: hello, Welcome: []byte("{}"), Valid: func() bool { return true }}, err
}

// A testPage is a page without a browser. Its engine outlives its sockets.
type testPage struct {
	t      *testing.T
	hello  Hello
	table  *engine.Table
	engine *engine.Engine
	tap    gatewaytest.Tap
	conn   *websocket.Conn

	knowsClients bool // it lets the gateway name the client of each request

	gone <-chan struct{} // closed when that is closed

	texts gatewaytest.Texts
}

// newPage returns a page that will be called name.
func newPage(t *testing.T, name string) *testPage {
	p := &testPage{t: t, hello: Hello{Page: name, Name: name, Title: "Notes", URL: testOrigin + "/notes"}, table: engine.NewTable()}
	p.serve(engine.Info{Name: name, Version: "1"})
	return p
}

// serve gives the page another engine.
func (p *testPage) serve(info engine.Info) {
	p.engine = engine.New(info, &engine.Options{
		UpdateInterval: time.Nanosecond, Tools: true, Prompts: true, Completions: true, Extensions: []*engine.Extension{skill.Extension},
	})
	p.engine.Mount("", p.table)
}

func (p *testPage) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// write changes or makes a text resource.
func (p *testPage) write(uri, text string) { p.texts.Write(p.t, p.table, uri, text) }

// tool registers a tool that returns a text. properties is JSON, of its inputSchema.
func (p *testPage) tool(name, properties string, call func() string) {
	gatewaytest.PutTool(p.t, p.table, name, properties, call)
}

func always(text string) func() string { return func() string { return text } }

// dial opens the WebSocket of a page, and sends its first frame unless it is nil.
func (p *testPage) dial(g *testGateway, origin, protocol string, frame []byte) (*websocket.Conn, error) {
	conn, _, err := websocket.Dial(p.t.Context(), "ws://"+testHost+access.PagePath, &websocket.DialOptions{
		HTTPClient: g.HTTP, HTTPHeader: http.Header{"Origin": {origin}}, Subprotocols: []string{protocol},
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
	go p.engine.Serve(ctx, p.tap.On(s)) // ends with the socket
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
