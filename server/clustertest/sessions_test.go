//go:build unix

package clustertest

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// An enginePage is a page with an engine, whose resources can be watched.
type enginePage struct {
	table *engine.Table
	name  string
	port  *socket.Socket

	mu   sync.Mutex
	text string
}

// joinEngine joins a page with an engine at a node.
func (d *deployment) joinEngine(node *process, user, id string) *enginePage {
	d.t.Helper()
	p := &enginePage{table: engine.NewTable(), text: "first"}
	err := p.table.Put(engine.Entry{
		JSON: engine.Describe("uri", "notes://a", "name", "a"),
		Read: func(context.Context, string) ([]engine.Contents, error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			return []engine.Contents{{URI: "notes://a", Text: p.text}}, nil
		},
	})
	if err != nil {
		d.t.Fatal(err)
	}
	p.join(d, node, user, id)
	return p
}

// join joins a node, also another one later.
func (p *enginePage) join(d *deployment, node *process, user, id string) {
	d.t.Helper()
	conn, name, err := d.handshake(node.addr, user, id, "1")
	if err != nil {
		d.t.Fatal(err)
	}
	e := engine.New(engine.Info{Name: "notes", Version: "1"}, &engine.Options{UpdateInterval: time.Millisecond})
	e.Mount("", p.table)
	p.name, p.port = name, socket.New(conn, limits.MaxMessage+limits.MaxSlack, false)
	go e.Serve(context.Background(), p.port) // ends with the socket
	d.t.Cleanup(p.port.Abort)
}

func (p *enginePage) set(text string) {
	p.mu.Lock()
	p.text = text
	p.mu.Unlock()
	p.table.Changed("notes://a")
}

// A session is one of 2025-11-25.
type session struct {
	*client
	id   string
	last int // id of a request
}

func (c *client) send(ctx context.Context, node *process, method, body, session string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+node.addr+"/mcp", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Host = mcpHost
	request.Header = http.Header{"Authorization": {"Bearer " + c.token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if session != "" {
		request.Header.Set("Mcp-Session-Id", session)
		request.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	return c.http.Do(request)
}

func (c *client) begin(node *process) *session {
	c.d.t.Helper()
	answer, err := c.send(context.Background(), node, "POST",
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`, "")
	if err != nil {
		c.d.t.Fatal(err)
	}
	defer answer.Body.Close()
	s := &session{client: c, id: answer.Header.Get("Mcp-Session-Id")}
	if s.id == "" {
		c.d.t.Fatalf("no session: %s", answer.Status)
	}
	initialized, err := c.send(context.Background(), node, "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, s.id)
	if err != nil {
		c.d.t.Fatal(err)
	}
	initialized.Body.Close()
	return s
}

// call sends a request in the session, and returns the status and body.
func (s *session) call(node *process, method, uri string) string {
	s.d.t.Helper()
	s.last++
	ctx, cancel := context.WithTimeout(context.Background(), testTime)
	defer cancel()
	answer, err := s.send(ctx, node, "POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"uri":%q}}`, s.last, method, uri), s.id)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	text := answer.Status
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		text += " " + lines.Text()
	}
	return text
}

// stream opens the GET stream, and returns its lines.
func (s *session) stream(node *process) <-chan string {
	s.d.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s.d.t.Cleanup(cancel)
	answer, err := s.send(ctx, node, "GET", "", s.id)
	if err != nil {
		s.d.t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		s.d.t.Fatalf("GET stream: %s", answer.Status)
	}
	lines := make(chan string, 1_000)
	go func() { // ends with the stream
		defer close(lines)
		defer answer.Body.Close()
		for scanner := bufio.NewScanner(answer.Body); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	return lines
}

// hears waits for a line that contains text.
func hears(t testing.TB, lines <-chan string, text string) {
	t.Helper()
	late := time.After(testTime)
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				t.Fatalf("the stream has ended before %q", text)
			}
			if strings.Contains(line, text) {
				return
			}
		case <-late:
			t.Fatalf("timeout: a line with %q", text)
		}
	}
}

// drained returns after lines have been quiet for a moment.
func drained(lines <-chan string) {
	for {
		select {
		case <-lines:
		case <-time.After(300 * time.Millisecond):
			return
		}
	}
}

// A classic session goes on at any node, also when the node that began it and has its
// stream is killed, and when all nodes have been started again: its id contains the facts,
// and its subscriptions are in JetStream.
func TestSessionsOutliveNodes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	t.Parallel() // mostly waits
	d, nodes := threeNodes(t)
	page := d.joinEngine(nodes[2], "alice", "tab")
	uri := page.name + "+notes://a"
	s := d.client("alice").begin(nodes[0])
	if got := s.call(nodes[1], "resources/subscribe", uri); !strings.Contains(got, `"result"`) {
		t.Fatalf("subscribe at another node: %s", got)
	}
	lines := s.stream(nodes[0])
	drained(lines)
	page.set("second")
	hears(t, lines, `"uri":"`+uri+`"`)

	foreign := &session{client: d.client("bob"), id: s.id}
	if got := foreign.call(nodes[1], "resources/read", uri); !strings.HasPrefix(got, "404") {
		t.Errorf("another user with the id: %s", got)
	}

	nodes[0].kill()
	lines = s.stream(nodes[1])
	hears(t, lines, `"uri":"`+uri+`"`) // it may have changed in the meantime
	drained(lines)
	page.set("third")
	hears(t, lines, `"uri":"`+uri+`"`)
	if got := s.call(nodes[2], "resources/read", uri); !strings.Contains(got, "third") {
		t.Errorf("read after the kill: %s", got)
	}

	nodes[1].kill()
	nodes[2].kill()
	fresh := d.start()
	page.join(d, fresh, "alice", "tab")
	lines = s.stream(fresh)
	hears(t, lines, `"uri":"`+uri+`"`)
	drained(lines)
	page.set("fourth")
	hears(t, lines, `"uri":"`+uri+`"`)
	if got := s.call(fresh, "resources/read", uri); !strings.Contains(got, "fourth") {
		t.Errorf("read after a restart of all nodes: %s", got)
	}
}

// Subscriptions that were acknowledged while JetStream was away survive the kill of the node
// that got them and the drain of another one, which stores them, too: it has the streams of
// some sessions, and only knows of the others.
func TestSubscriptionsOutliveNodesWithoutStore(t *testing.T) {
	needsAll(t)
	d := newDeployment(t)
	d.limits = testLimits
	d.startNATS(3)
	d.nats[0].kill()
	d.nats[1].kill()
	nodes := [3]*process{d.start(), d.start(), d.start()}
	page := d.joinEngine(nodes[2], "alice", "tab")
	uri := page.name + "+notes://a"
	const count = 12
	alice := d.client("alice")
	eventually(t, "the page is read over the last NATS server", func() bool { return strings.Contains(alice.read(nodes[0], uri), "first") })
	seen := d.witness(newBalancer(nodes[1], nodes[2])) // the killed node alone may know other subscriptions
	seen.fault("JetStream is away, a node is killed, and another one is drained when JetStream is back")
	sessions, streams := make([]*session, count), make([]<-chan string, count)
	var times []time.Duration
	for i := range sessions {
		sessions[i] = alice.begin(nodes[0])
		if i%2 == 0 {
			streams[i] = sessions[i].stream(nodes[1])
		} else {
			sessions[i].call(nodes[1], "ping", "")
		}
		began := time.Now()
		if got := sessions[i].call(nodes[0], "resources/subscribe", uri); !strings.Contains(got, mcphttp.MetaDurable+`":false`) {
			t.Fatalf("subscribe without the store: %s", got)
		}
		times = append(times, time.Since(began))
	}
	nodes[0].kill()
	for _, s := range d.nats[:2] {
		s.start(t)
	}
	for _, s := range d.nats[:2] {
		s.line()
	}
	for i := 1; i < count; i += 2 {
		sessions[i].call(nodes[1], "ping", "") // is awake for another 30 s
	}
	nodes[1].signal(syscall.SIGTERM)
	select {
	case <-nodes[1].ended:
	case <-time.After(time.Minute):
		t.Fatal("timeout: the end of the drained node")
	}
	for i, s := range sessions {
		streams[i] = s.stream(nodes[2])
	}
	for _, lines := range streams {
		drained(lines)
	}
	page.set("second")
	for _, lines := range streams {
		hears(t, lines, `"uri":"`+uri+`"`)
	}
	seen.judge()
	slices.Sort(times)
	t.Logf("all of %d streams hear again; without the store a subscription took %v at the median, and at most %v", count, times[count/2].Round(time.Millisecond), times[count-1].Round(time.Millisecond))
}
