package cluster

import (
	"context"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/server/internal/testlimit"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
	"github.com/pagemcp/pagemcp/wasm/engine/remote/remotetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A gatewayNode is a gateway with its node of the cluster.
type gatewayNode struct {
	*testNode
	core   *gateway.Gateway
	server *httptest.Server
	host   string
}

func startGateway(t testing.TB, urls []string) *gatewayNode {
	t.Helper()
	return startGatewayWith(t, Options{URLs: urls})
}

func startGatewayWith(t testing.TB, options Options) *gatewayNode {
	t.Helper()
	n := &gatewayNode{testNode: joined(t, options)}
	core := gateway.New(gateway.Options{
		Info: engine.Info{Name: "gateway", Version: "1"}, Doorkeeper: openDoor{}, Sessions: gateway.SessionOptions{Keys: keys.Of(make([]byte, 32)), Changes: &mcphttp.MemoryChanges{}},
		Log: slog.New(slog.DiscardHandler), OnDemand: true, ViewIdle: time.Minute, NoSockets: true, Links: gateway.NewLinks(n.Node),
	}, &access.Gate{Limits: noLimits{}, Audit: noAudit{}, Monitor: quiet{}}, quiet{})
	n.core = core
	guard := &access.Guard{PageOrigins: anyOrigin{}}
	n.server = httptest.NewServer(core.Handler(guard))
	n.host = strings.TrimPrefix(n.server.URL, "http://")
	guard.Hosts = []string{n.host}
	t.Cleanup(func() {
		core.Close()
		core.Wait()
		n.server.Close()
		core.End()
	})
	return n
}

// openDoor lets a page join that sends its owner and its name.
type openDoor struct{}

func (openDoor) Join(ctx context.Context, f gateway.Frames, _, _ string) (gateway.Joiner, error) {
	_, frame, err := f.Read(ctx)
	if err != nil {
		return gateway.Joiner{}, err
	}
	owner, name, _ := strings.Cut(string(frame), " ")
	return gateway.Joiner{
		Owner: access.Owner(owner), Name: name, Key: testKey(name), MaxPages: 3, Hello: gateway.Hello{Page: name, Name: name},
		Valid: func() bool { return true }, Touch: func() {},
	}, nil
}

type (
	anyOrigin struct{}
	noAudit   struct{}
	noLimits  struct{}
	quiet     struct{}
)

func (anyOrigin) Contains(string) bool                      { return true }
func (noAudit) Record(access.Entry)                         {}
func (noAudit) RecordRefusal(access.Entry)                  {}
func (quiet) Active() bool                                  { return false }
func (quiet) PagesChanged()                                 {}
func (quiet) Forget(string)                                 {}
func (quiet) Message(access.Client, string, string, []byte) {}
func (quiet) Answered(access.Client, string, string, int)   {}
func (noLimits) Delay(access.Client, string) (time.Duration, *access.Exceeded) {
	return 0, nil
}
func (noLimits) Acquire(context.Context, access.Client, string, access.Use) (func(), *access.Exceeded) {
	return func() {}, nil
}

// A tab is a page whose engine outlives its sockets.
type tab struct {
	t     testing.TB
	name  string
	table *engine.Table
	*engine.Engine
	reads  atomic.Int32
	calls  atomic.Int32
	called chan struct{}

	publishes *remotetest.Publisher // with the port of the present connection; nil: the app publishes nothing
}

// newTab returns a page with the resource notes://cart, whose text is the name of the page
// and the number of the change, and the tool pay, which does not return.
func newTab(t testing.TB, name string) *tab {
	t.Helper()
	p := &tab{t: t, name: name, table: engine.NewTable(), called: make(chan struct{}, 10)}
	p.Engine = engine.New(engine.Info{Name: name, Version: "1"}, &engine.Options{Tools: true, Prompts: true, Completions: true, UpdateInterval: time.Nanosecond})
	p.Mount("", p.table)
	p.set("first")
	err := p.table.Put(engine.Entry{Kind: engine.Tools, JSON: []byte(`{"name":"pay","inputSchema":{"type":"object"}}`),
		Call: func(ctx context.Context, _ []byte) ([]byte, error) {
			p.calls.Add(1)
			p.called <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// set changes the resource.
func (p *tab) set(text string) {
	p.t.Helper()
	err := p.table.Put(engine.Entry{
		JSON: engine.Describe("uri", "notes://cart", "name", "cart"),
		Read: func(ctx context.Context, _ string) ([]engine.Contents, error) {
			p.reads.Add(1)
			return []engine.Contents{{URI: "notes://cart", Text: p.name + ": " + text + " for " + string(engine.PrincipalOf(ctx))}}, nil
		},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	p.table.Changed("notes://cart")
}

// A joinedTab is a page with a socket to a node.
type joinedTab struct {
	t      testing.TB
	socket *tabSocket
	ended  chan websocket.StatusCode // of the close frame, once
}

// join joins a page to a node. It returns when the page has answered the node, or was
// refused.
func (n *gatewayNode) join(p *tab) *joinedTab {
	p.t.Helper()
	conn, _, err := websocket.Dial(p.t.Context(), "ws://"+n.host+access.PagePath, &websocket.DialOptions{HTTPClient: testlimit.Client,
		Subprotocols: []string{gateway.PageProtocol}, HTTPHeader: map[string][]string{"Origin": {"https://app.example"}},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	conn.SetReadLimit(limits.MaxMessage + limits.MaxSlack)
	if err := conn.Write(p.t.Context(), websocket.MessageText, []byte(testOwner+" "+p.name)); err != nil {
		p.t.Fatal(err)
	}
	j := &joinedTab{t: p.t, socket: &tabSocket{conn: conn, answered: make(chan struct{})}, ended: make(chan websocket.StatusCode, 1)}
	var port jsonrpc.Port = j.socket
	if p.publishes != nil {
		p.publishes.Port = port
		port = p.publishes
	}
	ended := make(chan struct{})
	go func() { // ends with the socket
		defer close(ended)
		p.Serve(engine.WithSpeakForOthers(context.Background()), port)
		j.ended <- j.socket.code
	}()
	p.t.Cleanup(func() { j.socket.Close() })
	select {
	case <-j.socket.answered:
	case <-ended:
	case <-time.After(testTime):
		p.t.Fatal("the page is not attached")
	}
	return j
}

// wantEnd waits until the node has closed the socket.
func (j *joinedTab) wantEnd(code websocket.StatusCode) {
	j.t.Helper()
	select {
	case got := <-j.ended:
		if got != code {
			j.t.Errorf("the socket was closed with %d, want %d", got, code)
		}
	case <-time.After(testTime):
		j.t.Fatal("the socket stays open")
	}
}

// A tabSocket is the page's end of its WebSocket.
type tabSocket struct {
	conn     *websocket.Conn
	code     websocket.StatusCode // of the other end, after Read has failed
	once     sync.Once
	answered chan struct{} // closed when the page has answered server/discover: the node holds it then
}

func (s *tabSocket) Read(ctx context.Context) ([]byte, error) {
	_, msg, err := s.conn.Read(ctx)
	if err != nil {
		s.code = websocket.CloseStatus(err)
		return nil, io.EOF
	}
	return msg, nil
}

func (s *tabSocket) Write(ctx context.Context, msg []byte) error {
	defer s.once.Do(func() { close(s.answered) })
	return s.conn.Write(ctx, websocket.MessageText, msg)
}

func (s *tabSocket) Close() error { return s.conn.CloseNow() }

// An assistant is a client at /mcp of a node.
type assistant struct {
	t       testing.TB
	remote  *remote.Remote
	updates chan string
}

func (n *gatewayNode) assistant(t testing.TB) *assistant {
	t.Helper()
	return n.assistantAt(t, "/mcp")
}

func (n *gatewayNode) assistantAt(t testing.TB, path string) *assistant {
	t.Helper()
	n.acquire(t, path).Release()
	near, far := jsonrpc.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() { // ends with ctx
		defer far.Close() // if the view cannot be opened after all, Attach fails
		n.core.ServePort(ctx, far, testOwnerKey, path, access.Client{Principal: "client:test", Endpoint: path})
	}()
	client, err := remote.Attach(t.Context(), near)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &assistant{t: t, remote: client, updates: make(chan string, 100)}
}

// acquire opens a view. It tries again: NATS may take a quarter of a second on a loaded
// machine, and a view is not opened then.
func (n *gatewayNode) acquire(t testing.TB, path string) (endpoint mcphttp.Endpoint) {
	t.Helper()
	eventually(t, "a view", "open", func() string {
		var err error
		if endpoint, err = n.core.Acquire(testOwnerKey, path); err != nil {
			return err.Error()
		}
		return "open"
	})
	return endpoint
}

var testOwnerKey = access.Owner(testOwner)

func (a *assistant) read(uri string) string {
	a.t.Helper()
	result, err := a.remote.Request(a.t.Context(), "resources/read", append(jsonrpc.AppendString([]byte(`{"uri":`), uri), '}'))
	if err != nil {
		return err.Error()
	}
	contents, _ := jsonrpc.Elements(jsonrpc.Member(result, "contents"))
	if len(contents) != 1 {
		return string(result)
	}
	text, _ := jsonrpc.Text(jsonrpc.Member(contents[0], "text"))
	return text
}

// readSoon is read for what is answered at once, if nothing waits.
func (a *assistant) readSoon(uri string) string {
	a.t.Helper()
	answer := make(chan string, 1)
	go func() { answer <- a.read(uri) }()
	select {
	case text := <-answer:
		return text
	case <-time.After(50 * time.Millisecond):
		return "waits"
	}
}

func (a *assistant) uris() string {
	a.t.Helper()
	listing, err := a.remote.List(a.t.Context(), engine.Resources, "")
	if err != nil {
		return err.Error()
	}
	uris := make([]string, len(listing.Items))
	for i, r := range listing.Items {
		uris[i] = r.Key
	}
	return strings.Join(uris, " ")
}

// watch subscribes to a URI, and returns when that is acknowledged.
func (a *assistant) watch(uri string) {
	a.t.Helper()
	following := a.remote.Follow(a.t.Context(), func(c engine.Change) {
		if c.URI != "" {
			a.updates <- c.URI
		}
	})
	select {
	case <-following.Want([]string{uri}, nil):
	case <-time.After(testTime):
		a.t.Fatalf("%s is not watched", uri)
	}
}

// update awaits the next update.
func (a *assistant) update(what string) {
	a.t.Helper()
	select {
	case <-a.updates:
	case <-time.After(testTime):
		a.t.Fatalf("no update %s", what)
	}
}

// noUpdate checks that nothing more was announced before what has been read since.
func (a *assistant) noUpdate(what string) {
	a.t.Helper()
	select {
	case uri := <-a.updates:
		a.t.Errorf("a further update of %s %s", uri, what)
	default:
	}
}

// eventually waits until get returns want.
func eventually(t testing.TB, what, want string, get func() string) {
	t.Helper()
	deadline := time.NewTimer(testTime)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for got := get(); got != want; got = get() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("%s: %q, want %q", what, got, want)
		}
	}
}
