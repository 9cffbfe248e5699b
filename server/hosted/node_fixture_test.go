package hosted

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/hosted/ring"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/oauth/oauthtest"
	"github.com/pagemcp/pagemcp/server/internal/remote/remotetest"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

const (
	appOrigin = "https://app.example"
	testTime  = 15 * time.Second // for anything that a test waits for
	testHost  = "mcp.app.example"
)

// A liveNode is a node on loopback, with an issuer of access tokens and a backend that
// issues join tokens. Its public URL is https://mcp.app.example: a balancer would end TLS.
type liveNode struct {
	*Node
	t           testing.TB
	auth, app   *oauthtest.Issuer
	audit, logs *lineBuffer
	stop        func() // returns when the node has ended
}

// A lineBuffer collects lines of several goroutines.
type lineBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lineBuffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(data)
}

func (b *lineBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// startNode runs a node until the test ends. change may adjust its configuration.
func startNode(t testing.TB, change func(*config.Config)) *liveNode {
	t.Helper()
	return startWith(t, nil, change)
}

// startWith is startNode for a node of a cluster: store is what it shares with others.
func startWith(t testing.TB, store *ring.Store, change func(*config.Config)) *liveNode {
	t.Helper()
	n := &liveNode{t: t, auth: oauthtest.Start(), app: oauthtest.Start(), audit: &lineBuffer{}, logs: &lineBuffer{}}
	t.Cleanup(n.auth.Close)
	t.Cleanup(n.app.Close)
	keyFile := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keyFile, []byte(keys.New()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := config.Config{
		PublicURL: "https://" + testHost, Listen: "127.0.0.1:0", TrustedProxies: []string{"127.0.0.1"},
		Admin:      config.Admin{Listen: "127.0.0.1:0"},
		Assistants: config.Assistants{Issuer: n.auth.URL()},
		Pages:      config.Pages{Origins: []string{appOrigin}, Tokens: config.Tokens{Issuer: n.app.URL()}},
		Keys:       keyFile,
		Limits:     map[string]int{"pages": 1_000, "streams": 1_000},
	}
	if change != nil {
		change(&c)
	}
	n.open(c, store)
	return n
}

func (n *liveNode) open(c config.Config, store *ring.Store) {
	n.t.Helper()
	opener := func(config.Cluster, *slog.Logger) (*ring.Store, error) { return store, nil }
	node, err := Open(Options{Config: c, Version: "0.0.0-test", Log: n.logs, Audit: n.audit, Store: opener, abrupt: true})
	if err != nil {
		n.t.Fatal(err)
	}
	n.run(node)
}

// another starts a further node of the cluster of n.
func (n *liveNode) another(store *ring.Store) *liveNode {
	n.t.Helper()
	other := &liveNode{t: n.t, auth: n.auth, app: n.app, audit: &lineBuffer{}, logs: &lineBuffer{}}
	other.open(n.options.Config, store)
	return other
}

// run runs a node until the test ends, and returns when it is ready.
func (n *liveNode) run(node *Node) {
	n.t.Helper()
	n.Node = node
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- node.Run(ctx) }()
	n.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			n.t.Error(err)
		}
	})
	n.t.Cleanup(n.stop)
	gatewaytest.Eventually(n.t, "the node is ready", func() bool { status, _ := n.probe("/readyz"); return status == http.StatusOK })
}

// probe requests a path of the admin listener.
func (n *liveNode) probe(path string) (status int, body string) {
	n.t.Helper()
	answer, err := gatewaytest.HTTP.Get("http://" + n.AdminAddr().String() + path)
	if err != nil {
		n.t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		n.t.Fatal(err)
	}
	return answer.StatusCode, string(data)
}

// token returns an access token of a user. changes replace claims.
func (n *liveNode) token(user string, changes map[string]any) string {
	claims := map[string]any{"sub": user}
	for name, value := range changes {
		claims[name] = value
	}
	return n.auth.AccessToken("https://"+testHost+"/mcp", claims)
}

// An httpAnswer is a response with its body.
type httpAnswer struct {
	status int
	header http.Header
	body   string
}

// client returns a client behind the balancer.
func (n *liveNode) client(token string) gatewaytest.Client {
	return gatewaytest.Client{T: n.t, URL: "http://" + n.Addr().String(), Host: testHost, Token: token}
}

// send sends a request; headers are "Name: value".
func (n *liveNode) send(method, path, body string, headers ...string) httpAnswer {
	n.t.Helper()
	answer, text := n.client("").Whole(context.Background(), method, path, body, append([]string{gatewaytest.Streams, "Content-Type: application/json"}, headers...)...)
	return httpAnswer{answer.StatusCode, answer.Header, text}
}

// ask sends one request of 2026-07-28. members are members of its params, or "".
func (n *liveNode) ask(token, path, method, name, members string) httpAnswer {
	n.t.Helper()
	headers := []string{gatewaytest.V2026, "Mcp-Method: " + method}
	if name != "" {
		headers = append(headers, "Mcp-Name: "+name)
	}
	if token != "" {
		headers = append(headers, "Authorization: Bearer "+token)
	}
	return n.send("POST", path, gatewaytest.Modern("1", method, members), headers...)
}

// begin begins a session of 2025-11-25.
func (n *liveNode) begin(token string) (session string) {
	n.t.Helper()
	got := n.send("POST", "/mcp", gatewaytest.Initialize, "Authorization: Bearer "+token)
	if session = got.header.Get("Mcp-Session-Id"); session == "" {
		n.t.Fatalf("no session: %d %s", got.status, got.body)
	}
	return session
}

// read reads a resource.
func (n *liveNode) read(token, path, uri string) httpAnswer {
	n.t.Helper()
	return n.ask(token, path, "resources/read", uri, fmt.Sprintf(`"uri":%q`, uri))
}

// A livePage is a page without a browser: an engine with a table.
type livePage struct {
	node   *liveNode
	user   string
	id     string
	origin string

	profile string
	claims  map[string]any // of its join token, besides the usual ones
	table   *engine.Table
	texts   gatewaytest.Texts
	engine  *engine.Engine

	publishes *remotetest.Publisher // with the port of the present connection; nil: the app publishes nothing

	conn   *websocket.Conn
	port   *socket.Socket // of conn, when it has joined
	joined joinedFrame
}

func (n *liveNode) page(user, id string) *livePage {
	p := &livePage{node: n, user: user, id: id, origin: appOrigin, table: engine.NewTable()}
	p.engine = engine.New(engine.Info{Name: "notes", Version: "1"}, &engine.Options{Tools: true, Prompts: true})
	p.engine.Mount("", p.table)
	return p
}

// note adds a resource with a text.
func (p *livePage) note(uri, text string) *livePage {
	p.texts.Write(p.node.t, p.table, uri, text)
	return p
}

// token returns a join token.
func (p *livePage) token() string {
	claims := map[string]any{"sub": p.user}
	for name, value := range p.claims {
		claims[name] = value
	}
	return p.node.app.JoinToken("wss://"+testHost+"/page", p.origin, claims)
}

// dial opens the WebSocket, with a new token. The status is that of a refused upgrade.
func (p *livePage) dial() (status int, err error) {
	return p.dialWith(tokenProtocol + base64.RawURLEncoding.EncodeToString([]byte(p.token())))
}

// dialWith opens it with further subprotocols.
func (p *livePage) dialWith(protocols ...string) (status int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), testTime)
	defer cancel()
	conn, answer, err := websocket.Dial(ctx, "ws://"+p.node.Addr().String()+"/page", &websocket.DialOptions{
		Host: testHost, HTTPHeader: http.Header{"Origin": {p.origin}}, Subprotocols: append([]string{gateway.PageProtocol}, protocols...),
	})
	if err != nil {
		if answer == nil {
			p.node.t.Fatal(err)
		}
		return answer.StatusCode, err
	}
	p.conn = conn
	p.node.t.Cleanup(func() { conn.CloseNow() })
	return 0, nil
}

// frame sends a frame and returns the next one.
func (p *livePage) frame(text string) (answer string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), testTime)
	defer cancel()
	p.conn.Write(ctx, websocket.MessageText, []byte(text)) // if the socket is closed, Read says so
	_, data, err := p.conn.Read(ctx)
	return string(data), err
}

func (p *livePage) hello() string {
	return fmt.Sprintf(`{"pagemcp":1,"hello":{"page":%q,"instance":"1","profile":%q,"name":"notes","title":"Notes"}}`, p.id, p.profile)
}

// join joins, and returns when the page is attached.
func (p *livePage) join() *livePage {
	p.node.t.Helper()
	if err := p.tryJoin(); err != nil {
		p.node.t.Fatal(err)
	}
	gatewaytest.Eventually(p.node.t, "the page is attached", func() bool {
		return strings.Contains(p.node.ask(p.node.token(p.user, p.claims), "/mcp/"+p.joined.Joined, "resources/list", "", "").body, `"uri"`)
	})
	return p
}

// tryJoin joins; the error is that of the refused upgrade or the closed socket.
func (p *livePage) tryJoin() error {
	if _, err := p.dial(); err != nil {
		return err
	}
	answer, err := p.frame(p.hello())
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(answer), &p.joined); err != nil {
		return fmt.Errorf("%s: %w", answer, err)
	}
	p.port = socket.New(p.conn, limits.MaxMessage+limits.MaxSlack, false)
	port := jsonrpc.Port(p.port)
	if p.publishes != nil {
		p.publishes.Port = port
		port = p.publishes
	}
	go p.engine.Serve(engine.WithSpeakForOthers(context.Background()), port) // ends with the socket
	return nil
}

// closed waits until the gateway has closed the socket, and returns the code and reason.
func (p *livePage) closed(err error) (code websocket.StatusCode, reason string) {
	p.node.t.Helper()
	for deadline := time.Now().Add(testTime); err == nil && time.Now().Before(deadline); {
		ctx, cancel := context.WithDeadline(context.Background(), deadline)
		_, _, err = p.conn.Read(ctx)
		cancel()
	}
	closed := websocket.CloseError{}
	if ok := asClose(err, &closed); !ok {
		p.node.t.Fatalf("the socket is not closed by the gateway: %v", err)
	}
	return closed.Code, closed.Reason
}

func asClose(err error, closed *websocket.CloseError) bool { return errors.As(err, closed) }

// awaitEnd waits until the socket of a joined page is closed.
func (p *livePage) awaitEnd(what string) {
	p.node.t.Helper()
	select {
	case <-p.port.Done():
	case <-time.After(testTime):
		p.node.t.Fatalf("timeout: %s", what)
	}
}
