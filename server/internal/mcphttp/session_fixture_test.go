package mcphttp_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/conns/connstest"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Processes under test run in a bubble of synctest: on a network in memory, with a fake clock.
// They share the engines of all owners.

// A testOwners is what processes share.
type testOwners struct {
	t *testing.T

	mu      sync.Mutex
	engines map[string]*engine.Engine // by owner and path
	tables  map[access.Owner]*engine.Table
	running int // calls of the tool `slow`

	busy atomic.Bool // several goroutines send requests: none waits for the others
}

// settle waits until nothing happens any more.
func (c *testOwners) settle() {
	if !c.busy.Load() {
		synctest.Wait()
	}
}

func newTestOwners(t *testing.T) *testOwners {
	return &testOwners{t: t, engines: map[string]*engine.Engine{}, tables: map[access.Owner]*engine.Table{}}
}

// table returns the resources and tools of owner.
func (c *testOwners) table(owner access.Owner) *engine.Table {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tableOf(owner)
}

func (c *testOwners) tableOf(owner access.Owner) *engine.Table {
	table := c.tables[owner]
	if table != nil {
		return table
	}
	table = engine.NewTable()
	c.tables[owner] = table
	read := func(_ context.Context, uri string) ([]engine.Contents, error) {
		return []engine.Contents{{URI: uri, Text: "text of " + string(owner)}}, nil
	}
	err := errors.Join(
		table.Put(engine.Entry{JSON: engine.Describe("uri", "notes://a", "name", "a"), Read: read}, engine.Entry{JSON: engine.Describe("uri", "notes://b", "name", "b"), Read: read}),
		table.Put(
			engine.Entry{Kind: engine.Tools, JSON: []byte(`{"name":"slow","inputSchema":{"type":"object"}}`), Call: c.slow},
			engine.Entry{Kind: engine.Tools, JSON: []byte(`{"name":"asking","inputSchema":{"type":"object"}}`), Call: asking},
		))
	if err != nil {
		c.t.Fatal(err)
	}
	return table
}

// slow waits until it is cancelled.
func (c *testOwners) slow(ctx context.Context, _ []byte) ([]byte, error) {
	c.count(1)
	defer c.count(-1)
	<-ctx.Done()
	return nil, ctx.Err()
}

func (c *testOwners) count(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running += n
}

func (c *testOwners) slowCalls() int {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running
}

// asking asks the user, and returns the answer.
func asking(ctx context.Context, _ []byte) ([]byte, error) {
	answers, err := engine.InvocationOf(ctx).Ask(ctx, []byte(`{"q":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}`))
	if err != nil {
		return nil, err
	}
	return append(append([]byte(`{"content":[{"type":"text","text":`), jsonrpc.AppendString(nil, string(answers))...), `}]}`...), nil
}

// A testProcess implements mcphttp.Endpoints, access.Authenticator, access.Audit and
// access.Monitor.
type testProcess struct {
	*testOwners
	sessions *mcphttp.Sessions
	log      strings.Builder
	client   gatewaytest.Client

	validMu sync.Mutex
	valid   map[string]context.Context // by the value of Authorization
}

// limited returns the limits of a local gateway with one of them changed, unless that is "".
func limited(limit string, most float64) *limits.Usage {
	l := limits.Local()
	l.Set(limit, most)
	return limits.New(l, nil)
}

// process starts a process, which ends with the test. change may change its sessions.
func (c *testOwners) process(change ...func(*mcphttp.Sessions)) *testProcess {
	n := &testProcess{testOwners: c, valid: map[string]context.Context{}}
	gate := &access.Gate{Auth: n, Limits: limited("", 0), Audit: n, Monitor: n}
	n.sessions = &mcphttp.Sessions{Endpoints: n, Gate: gate, Lifetime: 7 * 24 * time.Hour, Log: slog.New(slog.NewTextHandler(&n.log, nil))}
	for _, each := range change {
		each(n.sessions)
	}
	n.sessions.Open()
	ending, end := context.WithCancel(context.Background())
	mcp := &mcphttp.Server{Ending: ending, Endpoints: n, Gate: gate, Sessions: n.sessions}
	wires := connstest.NewListener()
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { mcp.Serve(w, r, r.URL.Path) })}
	served := make(chan struct{})
	go func() { // ends with the server
		defer close(served)
		server.Serve(wires)
	}()
	transport := &http.Transport{DialContext: wires.Connect}
	n.client = gatewaytest.Client{T: c.t, HTTP: &http.Client{Transport: transport}, URL: "http://node.example"}
	c.t.Cleanup(func() {
		end()
		transport.CloseIdleConnections()
		server.Close()
		<-served
		n.sessions.Close()
	})
	return n
}

func (n *testProcess) Acquire(owner access.Owner, path string) (mcphttp.Endpoint, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	key := string(owner) + path
	at := n.engines[key]
	if at == nil {
		at = engine.New(engine.Info{Name: "test", Version: "1"}, &engine.Options{Tools: true, Prompts: true, Logging: true, Lenient: true, UpdateInterval: time.Nanosecond})
		at.Mount("", n.tableOf(owner))
		n.engines[key] = at
	}
	return mcphttp.Endpoint{Owner: owner, Path: path, Engine: at, Release: func() {}}, nil
}

// Authenticate reads `issuer owner client`.
func (n *testProcess) Authenticate(r *http.Request) (access.Caller, *access.Challenge) {
	token := r.Header.Get("Authorization")
	parts := strings.Fields(token)
	if len(parts) < 3 {
		return access.Caller{}, &access.Challenge{Status: 401, Text: "no token"}
	}
	n.validMu.Lock()
	defer n.validMu.Unlock()
	caller := access.Caller{Issuer: parts[0], Owner: access.Owner(parts[1]), Principal: "client:" + parts[2], Valid: n.valid[token]}
	if len(parts) > 3 && strings.HasPrefix(parts[3], "tenant-") {
		caller.Tenant = parts[3]
	}
	if strings.HasSuffix(token, " no-scopes") {
		caller.Authorize = func(_ string, rights ...engine.Right) *access.Challenge {
			for _, right := range rights {
				if right == engine.RightRead || right == engine.RightPrompt {
					return &access.Challenge{Status: 403, Text: "insufficient_scope"}
				}
			}
			return nil
		}
	}
	return caller, nil
}

// expire sets how long a token is valid.
func (n *testProcess) expire(token string, after time.Duration) {
	valid, cancel := context.WithTimeout(context.Background(), after)
	n.t.Cleanup(cancel)
	n.validMu.Lock()
	defer n.validMu.Unlock()
	n.valid[token] = valid
}

func (n *testProcess) Record(access.Entry)                           {}
func (n *testProcess) RecordRefusal(access.Entry)                    {}
func (n *testProcess) Active() bool                                  { return false }
func (n *testProcess) Message(access.Client, string, string, []byte) {}
func (n *testProcess) Answered(access.Client, string, string, int)   {}

const (
	aliceToken = "https://auth.example alice app"
	testBegin  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`
)

// An answer is a response whose body was read.
type answer struct {
	*http.Response
	body string
}

// linesOf returns the header lines of a request with the token and the session, if that is not
// empty.
func linesOf(token, session, body string) []string {
	lines := []string{"Authorization: " + token, gatewaytest.Streams}
	if strings.Contains(body, "io.modelcontextprotocol/protocolVersion") {
		lines = append(lines, gatewaytest.HeadersOf("subscriptions/listen", "")...)
	}
	if session != "" {
		lines = append(lines, mcphttp.SessionHeader+": "+session)
	}
	return lines
}

// do sends a request, and returns the whole response.
func (n *testProcess) do(method, path, token, session, body string) answer {
	n.t.Helper()
	got, text := n.client.Whole(n.t.Context(), method, path, body, linesOf(token, session, body)...)
	return answer{got, text}
}

// begin opens a session of alice at /mcp.
func (n *testProcess) begin() (session string) {
	n.t.Helper()
	begun := n.do("POST", "/mcp", aliceToken, "", testBegin)
	session = begun.Header.Get("Mcp-Session-Id")
	if begun.StatusCode != 200 || session == "" {
		n.t.Fatalf("initialize: %d %s", begun.StatusCode, begun.body)
	}
	if told := n.do("POST", "/mcp", aliceToken, session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); told.StatusCode != 202 {
		n.t.Fatalf("initialized: %d %s", told.StatusCode, told.body)
	}
	n.settle()
	return session
}

// request sends a request of alice in a session, and returns the status and the body.
func (n *testProcess) request(session, id, method, params string) (int, string) {
	n.t.Helper()
	answered := n.do("POST", "/mcp", aliceToken, session, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, params))
	return answered.StatusCode, answered.body
}

// stream sends a request whose response is an event stream.
func (n *testProcess) stream(method, path, token, session, body string) *gatewaytest.Stream {
	n.t.Helper()
	s := n.client.Stream(n.t.Context(), method, path, body, linesOf(token, session, body)...)
	n.settle()
	return s
}

// listen opens the GET stream of a session of alice.
func (n *testProcess) listen(session string) *gatewaytest.Stream {
	n.t.Helper()
	return n.stream("GET", "/mcp", aliceToken, session, "")
}

// call sends tools/call in a session of alice.
func (n *testProcess) call(session, id, tool string) *gatewaytest.Stream {
	n.t.Helper()
	return n.stream("POST", "/mcp", aliceToken, session, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q}}`, id, tool))
}
