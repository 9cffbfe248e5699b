//go:build unix

package cluster

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A balancer passes TCP connections on to nodes in turn, and tries the next one if a node refuses.
type balancer struct {
	listener net.Listener
	next     atomic.Int64

	mu    sync.Mutex
	nodes []*node
}

func (d *deployment) balance(nodes ...*node) *balancer {
	d.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		d.t.Fatal(err)
	}
	b := &balancer{listener: listener, nodes: nodes}
	d.t.Cleanup(func() { listener.Close() })
	go func() { // ends with the listener
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go b.pass(conn)
		}
	}()
	return b
}

func (b *balancer) addr() string { return b.listener.Addr().String() }

// replace exchanges a node by another one, which may be nil.
func (b *balancer) replace(old, by *node) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.nodes = slices.DeleteFunc(slices.Clone(b.nodes), func(n *node) bool { return n == old })
	if by != nil {
		b.nodes = append(b.nodes, by)
	}
}

func (b *balancer) pick() *node {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.nodes[int(b.next.Add(1))%len(b.nodes)]
}

func (b *balancer) pass(near net.Conn) {
	defer near.Close()
	for range 4 {
		far, err := net.DialTimeout("tcp", b.pick().addr, time.Second)
		if err != nil {
			continue
		}
		defer far.Close()
		go func() { // ends with both
			io.Copy(far, near)
			far.(*net.TCPConn).CloseWrite()
		}()
		io.Copy(near, far)
		return
	}
}

// A tab is a page of a user that comes back as a browser does. It has one resource.
type tab struct {
	d      *deployment
	user   string         // whom the resource names
	engine *engine.Engine // serves the page; nil: it is simulated, and costs little

	mu   sync.Mutex
	conn *websocket.Conn // nil while it is away
	name string          // at the gateway
	over bool
	back time.Time // when it last joined
	err  error     // of the last attempt
}

const discovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"resources":{"listChanged":true,"subscribe":true}},` +
	`"serverInfo":{"name":"sim","version":"1"},"ttlMs":0,"cacheScope":"private"}`

// open opens a tab, which joins at addr, and returns when it has joined.
func (d *deployment) open(addr, user string, e *engine.Engine) *tab {
	d.t.Helper()
	t := &tab{engine: e, d: d, user: user}
	d.t.Cleanup(t.close)
	go t.run(addr) // ends with close
	for deadline := time.Now().Add(testTime); !t.isThere(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			d.t.Fatalf("%s has not joined within %v: %v", user, testTime, t.problem())
		}
	}
	return t
}

func (t *tab) isThere() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.conn != nil
}

func (t *tab) joined() (name string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.name, t.back
}

func (t *tab) problem() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

func (t *tab) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	if t.conn != nil {
		t.conn.CloseNow()
	}
}

func (t *tab) set(conn *websocket.Conn, name string) (over bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn = conn; conn != nil {
		t.name, t.back = name, time.Now()
	}
	return t.over
}

// run joins again and again.
func (t *tab) run(addr string) {
	for {
		wait := 200 + rand.IntN(300) // ms
		conn, name, err := t.join(addr)
		if err == nil {
			if t.set(conn, name) {
				conn.CloseNow()
				return
			}
			if t.engine != nil {
				t.engine.Serve(engine.WithSpeakForOthers(context.Background()), socket.New(conn, limits.MaxMessage+limits.MaxSlack, false))
			} else {
				err = t.serve(conn)
			}
			if t.set(nil, "") {
				return
			}
		}
		t.mu.Lock()
		t.err = err
		t.mu.Unlock()
		if closed := (websocket.CloseError{}); errors.As(err, &closed) && closed.Code >= 4412 {
			if most, err := strconv.Atoi(closed.Reason); err == nil {
				wait = rand.IntN(most + 1)
			}
		}
		time.Sleep(time.Duration(wait) * time.Millisecond)
	}
}

func (t *tab) join(addr string) (conn *websocket.Conn, name string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), testTime)
	defer cancel()
	token := "pagemcp.token." + base64.RawURLEncoding.EncodeToString([]byte(t.d.app.JoinToken(pageURL, origin, map[string]any{"sub": t.user})))
	conn, _, err = websocket.Dial(ctx, "ws://"+addr+"/page", &websocket.DialOptions{
		Host: mcpHost, HTTPHeader: http.Header{"Origin": {origin}}, Subprotocols: []string{"pagemcp.v1", token},
	})
	if err != nil {
		return nil, "", err
	}
	err = conn.Write(ctx, websocket.MessageText, []byte(`{"pagemcp":1,"hello":{"page":"1","instance":"1","name":"notes","title":"Notes"}}`))
	var data []byte
	if err == nil {
		_, data, err = conn.Read(ctx)
	}
	if err != nil {
		conn.CloseNow()
		return nil, "", err
	}
	name, _ = jsonrpc.Text(jsonrpc.Member(data, "joined"))
	return conn, name, nil
}

// serve answers requests until the socket is closed.
func (t *tab) serve(conn *websocket.Conn) error {
	defer conn.CloseNow()
	for {
		_, data, err := conn.Read(context.Background())
		if err != nil {
			return err
		}
		m, refusal := jsonrpc.Parse(data)
		if refusal != nil || m.Kind != jsonrpc.Request {
			continue
		}
		const cached = `"resultType":"complete","ttlMs":0,"cacheScope":"private"}`
		answer := jsonrpc.AppendError(nil, m.ID, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "not simulated"})
		switch m.Method {
		case "server/discover":
			answer = jsonrpc.AppendResult(nil, m.ID, []byte(discovered))
		case "resources/list":
			answer = jsonrpc.AppendResult(nil, m.ID, []byte(`{"resources":[{"uri":"notes://a","name":"a"}],`+cached))
		case "resources/read":
			answer = jsonrpc.AppendResult(nil, m.ID, fmt.Appendf(nil, `{"contents":[{"uri":"notes://a","text":"of %s"}],%s`, t.user, cached))
		}
		if err := conn.Write(context.Background(), websocket.MessageText, answer); err != nil {
			return err
		}
	}
}

// A client is an assistant of one user, with kept connections.
type client struct {
	addr  string
	token string
	http  *http.Client
}

func (d *deployment) client(addr, user string) *client {
	return &client{addr, d.auth.AccessToken(mcpURL, map[string]any{"sub": user}), &http.Client{Timeout: testTime, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
}

// do sends a request with a body, which is JSON-RPC; headers are "Name: value".
func (c *client) do(method, path, body string, headers ...string) (*http.Response, error) {
	request, err := http.NewRequest(method, "http://"+c.addr+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Host = mcpHost
	request.Header = http.Header{"Authorization": {"Bearer " + c.token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	return c.http.Do(request)
}

// read reads the resource of a tab. It returns status and body, or the error as text.
func (c *client) read(t *tab) string {
	name, _ := t.joined()
	uri := name + "+notes://a"
	const method = "resources/read"
	return whole(c.do("POST", "/mcp", gatewaytest.Modern("1", method, fmt.Sprintf(`"uri":%q`, uri)), gatewaytest.V2026, "Mcp-Method: "+method, "Mcp-Name: "+uri))
}

func whole(answer *http.Response, err error) string {
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(answer.StatusCode, " ", string(data))
}

// A load reads pages all the time, each worker on its own connection.
type load struct {
	stop  chan struct{}
	done  sync.WaitGroup
	count atomic.Int64

	mu       sync.Mutex
	failures []string
	longest  time.Duration
}

// begin reads tabs with one client for each of them.
func (d *deployment) load(addr string, tabs []*tab) *load {
	l := &load{stop: make(chan struct{})}
	for _, t := range tabs {
		c := d.client(addr, t.user)
		l.done.Go(func() {
			for {
				select {
				case <-l.stop:
					return
				default:
				}
				began := time.Now()
				got := c.read(t)
				l.count.Add(1)
				l.note(strings.Contains(got, `"of `+t.user+`"`), got, time.Since(began))
			}
		})
	}
	return l
}

func (l *load) note(ok bool, got string, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.longest = max(l.longest, took)
	if !ok {
		l.failures = append(l.failures, fmt.Sprint("after ", took, ": ", got))
	}
}

// end ends the load, and returns what failed.
func (l *load) end() []string {
	close(l.stop)
	l.done.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failures
}
