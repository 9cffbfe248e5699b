package server

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

const (
	testOrigin = "https://app.example"
	testTime   = 15 * time.Second // for anything that a test waits for
)

// startGateway runs a gateway on a free port, with a state directory of its own
// unless opts names one.
func startGateway(t testing.TB, opts Options) *Gateway {
	t.Helper()
	return startGatewayAt(t, 0, opts)
}

// startGatewayAt is startGateway at a port: one of gatewaytest.FreePorts, if the test takes it once more.
func startGatewayAt(t testing.TB, port int, opts Options) *Gateway {
	t.Helper()
	if opts.State == "" {
		opts.State = t.TempDir()
	}
	if opts.Origins == nil {
		opts.Origins = []string{testOrigin}
	}
	opts.Version = cmp.Or(opts.Version, "0.0.0-test")
	g, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Listen("127.0.0.1:" + strconv.Itoa(port)); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- g.Serve(context.Background()) }()
	t.Cleanup(func() {
		g.Close(context.Background())
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	if answer, err := gatewaytest.HTTP.Get(strings.TrimSuffix(g.URL(), "mcp")); err != nil { // now it serves
		t.Fatal(err)
	} else {
		answer.Body.Close()
	}
	return g
}

// errNotOurGateway is the error of a page whose gateway does not prove that it has the key.
var errNotOurGateway = errors.New("the gateway has not proved itself")

func (g *Gateway) testToken() string { return g.token.text() }

// caller returns a client with the token of the user.
func caller(t testing.TB, g *Gateway) gatewaytest.Client {
	return gatewaytest.Client{T: t, URL: strings.TrimSuffix(g.URL(), "/mcp"), Token: g.testToken()}
}

// A testPage is a page without a browser: an engine with a table, joined by the
// real handshake over a real WebSocket.
type testPage struct {
	t      testing.TB
	origin string
	id     string
	app    string // what it calls itself
	table  *engine.Table
	engine *engine.Engine
	texts  *gatewaytest.Texts
	tap    gatewaytest.Tap

	mu      sync.Mutex
	notes   map[string]string // of events
	emitted int               // events of the document
	loaded  string            // when it began
	slow    int               // calls of test_slow that run
	keyID   string
	key     []byte
	conn    *websocket.Conn
	name    string
}

func newPage(t testing.TB, origin, id string) *testPage {
	p := &testPage{t: t, origin: origin, id: id, app: "notes"}
	p.load()
	return p
}

// load makes its document anew.
func (p *testPage) load() {
	p.table, p.texts, p.notes, p.emitted = engine.NewTable(), &gatewaytest.Texts{}, map[string]string{}, 0
	p.loaded = time.Now().Format(time.RFC3339Nano)
	p.engine = engine.New(engine.Info{Name: "notes", Version: "0.0.0-test"}, &engine.Options{UpdateInterval: 10 * time.Millisecond})
	p.engine.Mount("", p.table)
}

// event offers an event.
func (p *testPage) event(name, description string, isShown bool) {
	p.t.Helper()
	uri := "event:///" + name
	e := engine.Entry{JSON: engine.Describe("uri", uri, "name", name, "description", description)}
	if isShown {
		e.JSON = append(e.JSON[:len(e.JSON)-1], `,"_meta":{"io.github.pagemcp/show":true}}`...)
	}
	e.Read = func(context.Context, string) ([]engine.Contents, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return []engine.Contents{{URI: uri, MIMEType: "application/jsonl", Text: p.notes[uri]}}, nil
	}
	p.must(p.table.Put(e))
}

// emit says that an event has happened. The last 3 are kept.
func (p *testPage) emit(name, data string) {
	p.mu.Lock()
	uri := "event:///" + name
	p.emitted++
	lines := strings.SplitAfter(p.notes[uri]+fmt.Sprintf(`{"number":%d,"time":%q,"since":%q,"data":%s}`+"\n", p.emitted, time.Now().Format(time.RFC3339Nano), p.loaded, data), "\n")
	p.notes[uri] = strings.Join(lines[max(0, len(lines)-4):], "")
	p.mu.Unlock()
	p.table.Changed(uri)
}

// write changes or makes a resource.
func (p *testPage) write(uri, text string) { p.texts.Write(p.t, p.table, uri, text) }

// A pass is the content of a fragment.
type pass struct {
	URL    string `json:"url"`
	ID     string `json:"id"`
	Secret string `json:"secret"`
}

func readFragment(t testing.TB, fragment string) pass {
	t.Helper()
	data, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(fragment, "#pagemcp="))
	if err != nil {
		t.Fatal(err)
	}
	var p pass
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// join joins with a fresh secret, or with the key of an earlier join. It returns
// when the page is mounted.
func (p *testPage) join(g *Gateway) {
	p.t.Helper()
	p.joinPort(g, g.port)
}

// joinPort is join at a port of the gateway.
func (p *testPage) joinPort(g *Gateway, port int) {
	p.t.Helper()
	p.joinAt(g.pageURLAt(port), func() (pass, []byte) {
		pass := readFragment(p.t, g.fragment(port))
		secret, err := decodeBinary(pass.Secret)
		if err != nil {
			p.t.Fatal(err)
		}
		key, err := deriveKey(secret, g.keys.gateway, p.origin)
		if err != nil {
			p.t.Fatal(err)
		}
		return pass, key
	})
	gatewaytest.Eventually(p.t, "the page is attached", func() bool {
		return g.core.Views("").IsConnected(p.name)
	})
}

// joinAt joins the gateway at address; pair is called if there is no key yet.
func (p *testPage) joinAt(address string, pair func() (pass, []byte)) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testTime)
	defer cancel()
	open := opening{Version: 1, Address: address, Key: p.keyID}
	if p.keyID == "" {
		pass, key := pair()
		open.Secret, p.key = pass.ID, key
	}
	conn := p.dial(ctx, address)
	done, err := proveFor(ctx, conn, open, p.origin, p.key, reply{
		Hello: &gateway.Hello{Page: p.id, Instance: "1", Name: p.app, Title: "Notes", URL: p.origin + "/notes?token=s3cret#part"}, Sequences: true,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	p.keyID, p.conn, p.name = done.Key, conn, *done.Joined
	port := socket.New(conn, limits.MaxMessage+limits.MaxSlack, false)
	if done.Sequences {
		port.AllowSequences()
	}
	go p.engine.Serve(engine.WithSpeakForOthers(context.Background()), p.tap.On(port)) // ends with the socket
	p.t.Cleanup(func() { conn.CloseNow() })
}

func (p *testPage) dial(ctx context.Context, address string) *websocket.Conn {
	return p.dialFor(ctx, address, gateway.PageProtocol)
}

func (p *testPage) dialFor(ctx context.Context, address, protocol string) *websocket.Conn {
	p.t.Helper()
	conn, _, err := websocket.Dial(ctx, address, &websocket.DialOptions{
		HTTPHeader: http.Header{"Origin": {p.origin}}, Subprotocols: []string{protocol},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return conn
}

// leave drops the connection without a closing handshake, like a page that crashed.
func (p *testPage) leave() { p.conn.CloseNow() }

func (p *testPage) awaitAway(g *Gateway) {
	p.t.Helper()
	gatewaytest.Eventually(p.t, "the gateway notices that the page has gone", func() bool {
		return !g.core.Views("").IsConnected(p.name)
	})
}

// prove is the page's side of joining.
func prove(ctx context.Context, conn *websocket.Conn, open opening, origin string, key []byte, hello *gateway.Hello) (welcome, error) {
	return proveFor(ctx, conn, open, origin, key, reply{Hello: hello, Pair: hello == nil})
}

// proveFor is the page's side of the pairing protocol at any endpoint; answer lacks the
// proof.
func proveFor(ctx context.Context, conn *websocket.Conn, open opening, origin string, key []byte, answer reply) (welcome, error) {
	var done welcome
	nonce := randomBytes(nonceLength)
	open.Nonce = encodeBinary(nonce)
	if err := writeFrame(ctx, conn, open); err != nil {
		return done, err
	}
	var first challenge
	if err := readFrame(ctx, conn, &first); err != nil {
		return done, err
	}
	gatewayNonce, err := decodeBinary(first.Nonce)
	if err != nil {
		return done, err
	}
	spoken := transcript{pageNonce: nonce, gatewayNonce: gatewayNonce, origin: origin, gateway: first.Gateway, address: open.Address}
	if encodeBinary(spoken.sign(key, gatewayLabel)) != first.Proof {
		return done, errNotOurGateway
	}
	answer.Proof = encodeBinary(spoken.sign(key, pageLabel))
	if err := writeFrame(ctx, conn, answer); err != nil {
		return done, err
	}
	return done, readFrame(ctx, conn, &done)
}
