package ring_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/hosted/ring"
	"github.com/pagemcp/pagemcp/server/hosted/ring/ringtest"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
)

const testTime = 15 * time.Second // for anything that a test waits for

// A frontNode is a node whose core says which node it is. Owners are in the header Owner.
type frontNode struct {
	*ring.Nodes
	front            *ring.Front
	name             string
	public, internal *httptest.Server
	served, asked    atomic.Int32       // requests: of the core, and at the internal address
	kill             context.CancelFunc // without a word to others
}

// startFront starts a node on loopback. Without internal address it refuses connections.
func startFront(t *testing.T, bucket ring.Bucket, name string, core http.HandlerFunc) *frontNode {
	t.Helper()
	n := &frontNode{name: name}
	var front atomic.Pointer[ring.Front]
	n.internal = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.asked.Add(1)
		front.Load().Inside(front.Load()).ServeHTTP(w, r)
	}))
	t.Cleanup(n.internal.Close)
	n.Nodes = ring.New(ring.Options{Bucket: bucket, URL: n.internal.URL, Release: "1", Log: slog.New(slog.DiscardHandler), Ready: func() bool { return true }})
	ctx, cancel := context.WithCancel(context.Background())
	n.kill = cancel
	t.Cleanup(cancel)
	n.front = ring.NewFront(n.Nodes, func(r *http.Request) (access.Owner, *http.Request) { return access.Owner(r.Header.Get("Owner")), r }, ring.NewTransport(nil), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.served.Add(1)
		w.Header().Set("Node", name)
		core(w, r)
	}))
	front.Store(n.front)
	n.public = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		address, _, _ := net.SplitHostPort(r.RemoteAddr)
		n.front.ServeHTTP(w, r.WithContext(access.WithAddress(r.Context(), netip.MustParseAddr(address))))
	}))
	t.Cleanup(n.public.Close)
	go n.Run(ctx) // ends with cancel
	gatewaytest.Eventually(t, name+" is announced", n.Announced)
	return n
}

// await returns when the nodes know each other.
func await(t *testing.T, nodes ...*frontNode) {
	t.Helper()
	for _, n := range nodes {
		gatewaytest.Eventually(t, n.name+" knows the others", func() bool { return n.Count() == len(nodes) })
	}
}

// homedAt returns an owner whose home is n, as seen by from.
func homedAt(t *testing.T, from, n *frontNode) access.Owner {
	t.Helper()
	for i := range 1_000 {
		if id, _ := from.HomeURL(ownerOf(i)); id == n.ID() {
			return ownerOf(i)
		}
	}
	t.Fatalf("%s has no owner", n.name)
	return ""
}

// ask sends a request to a node.
func ask(t *testing.T, n *frontNode, owner access.Owner, body string) (*http.Response, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "POST", n.public.URL+"/mcp?x=1", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "mcp.app.example"
	r.Header.Set("Owner", string(owner))
	r.Header.Set("X-Forwarded-For", "198.51.100.1")
	r.Header.Set(ring.HopHeader, "forged")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

// echo answers with what arrived.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	fmt.Fprintf(w, "%s %s host %s for %q hop %q via %t: %s", r.Method, r.URL, r.Host, r.Header.Get("X-Forwarded-For"), r.Header.Get(ring.HopHeader), ring.Via(r.Context()) != "", body)
}

// Whichever node gets a request, the home of its owner serves it, as the client has sent it.
func TestRequestsAreServedByTheHomeOfTheirOwner(t *testing.T) {
	t.Parallel()
	bucket := ringtest.NewBucket(ring.Expiry)
	a, b := startFront(t, bucket, "a", echo), startFront(t, bucket, "b", echo)
	await(t, a, b)
	for _, home := range []*frontNode{a, b} {
		owner := homedAt(t, a, home)
		for _, entry := range []*frontNode{a, b} {
			forwarded, via := "198.51.100.1", false // proxies of the public address read and remove it
			if entry != home {
				forwarded, via = "127.0.0.1", true
			}
			want := fmt.Sprintf("POST /mcp?x=1 host mcp.app.example for %q hop \"\" via %t: text", forwarded, via)
			if answer, text := ask(t, entry, owner, "text"); answer.StatusCode != 200 || answer.Header.Get("Node") != home.name || text != want {
				t.Errorf("from %s to %s: %d %s, want %s", entry.name, home.name, answer.StatusCode, text, want)
			}
		}
	}
	before := a.served.Load()
	if _, text := ask(t, a, "", "text"); a.served.Load() != before+1 {
		t.Errorf("without an owner: %s", text)
	}
	answer, err := http.Get(b.internal.URL)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusForbidden {
		t.Errorf("a client at the internal address: %d", answer.StatusCode)
	}
}

// Two nodes take each other for the home of a user, since they do not hear of each other: a request is served
// by none of them, and never passed on twice. It waits, whole, until they agree.
func TestARequestWaitsUntilTheNodesAgree(t *testing.T) {
	t.Parallel()
	first, second := ringtest.NewBucket(time.Hour), ringtest.NewBucket(time.Hour)
	a, b := startFront(t, first, "a", echo), startFront(t, second, "b", echo)
	for bucket, other := range map[*ringtest.Bucket]*frontNode{first: b, second: a} {
		if _, err := bucket.Put(t.Context(), "other-"+other.ID(), fmt.Appendf(nil, `{"url":%q}`, other.internal.URL), ring.AnyRevision); err != nil {
			t.Fatal(err)
		}
	}
	gatewaytest.Eventually(t, "both have a view of two", func() bool { return a.Count() == 2 && b.Count() == 2 })
	var owner access.Owner
	for i := range 1_000 {
		here, _ := a.HomeURL(ownerOf(i))
		there, _ := b.HomeURL(ownerOf(i))
		if here != a.ID() && there != b.ID() {
			owner = ownerOf(i)
		}
	}
	bodies := []string{"text", strings.Repeat("x", 100_000)}
	var waiting sync.WaitGroup
	for _, body := range bodies {
		waiting.Go(func() {
			if answer, text := ask(t, a, owner, body); answer.StatusCode != 200 || answer.Header.Get("Node") != "b" || !strings.HasSuffix(text, ": "+body) {
				t.Errorf("%d bytes: %d %.200s", len(body), answer.StatusCode, text)
			}
		})
	}
	gatewaytest.Eventually(t, "both are asked for again and again", func() bool { return b.asked.Load() > 10 })
	if a.asked.Load() > 0 || a.served.Load()+b.served.Load() > 0 {
		t.Errorf("%d requests came back, %d were served", a.asked.Load(), a.served.Load()+b.served.Load())
	}
	if err := second.Delete(t.Context(), "other-"+a.ID()); err != nil {
		t.Fatal(err)
	}
	waiting.Wait()
}

// A home that refuses connections has ended: the request is served by the next one, whole.
func TestARefusedConnectionIsTriedAtTheNextNode(t *testing.T) {
	t.Parallel()
	bucket := ringtest.NewBucket(ring.Expiry)
	a, b, c := startFront(t, bucket, "a", echo), startFront(t, bucket, "b", echo), startFront(t, bucket, "c", echo)
	await(t, a, b, c)
	owner := homedAt(t, a, b)
	b.internal.CloseClientConnections()
	b.internal.Close()
	body := strings.Repeat("x", 100_000)
	answer, text := ask(t, a, owner, body)
	if answer.StatusCode != 200 || !strings.HasSuffix(text, ": "+body) {
		t.Errorf("%d %.100s", answer.StatusCode, text)
	}
	if a.served.Load()+c.served.Load() != 1 {
		t.Error("it was not served once")
	}
}

// A request that was sent is not repeated: it may have had its effect.
func TestARequestThatWasSentIsNotRepeated(t *testing.T) {
	t.Parallel()
	bucket := ringtest.NewBucket(ring.Expiry)
	arrived, over := make(chan struct{}, 2), make(chan struct{})
	defer close(over)
	hang := func(http.ResponseWriter, *http.Request) { arrived <- struct{}{}; <-over }
	a, b := startFront(t, bucket, "a", echo), startFront(t, bucket, "b", hang)
	await(t, a, b)
	owner := homedAt(t, a, b)
	go func() { <-arrived; b.internal.CloseClientConnections() }()
	if answer, text := ask(t, a, owner, "text"); answer.StatusCode != http.StatusBadGateway || a.served.Load() != 0 {
		t.Errorf("%d %s", answer.StatusCode, text)
	}
	// A frozen node: the request ends when the node has expired.
	go func() { <-arrived; b.kill() }()
	began := time.Now()
	if answer, text := ask(t, a, owner, "text"); answer.StatusCode != http.StatusBadGateway || time.Since(began) > testTime {
		t.Errorf("%d %s after %v", answer.StatusCode, text, time.Since(began))
	}
}

// Events pass at once, and WebSockets in both directions.
func TestStreamsAndWebSocketsPass(t *testing.T) {
	t.Parallel()
	bucket := ringtest.NewBucket(ring.Expiry)
	next := make(chan string)
	core := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" {
			conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"pagemcp.v1"}})
			if err != nil {
				return
			}
			conn.SetReadLimit(-1)
			for {
				kind, data, err := conn.Read(context.Background())
				if err != nil {
					return
				}
				conn.Write(context.Background(), kind, data)
			}
		}
		stay := ring.Stay(r.Context())
		for {
			select {
			case text := <-next:
				io.WriteString(w, text+"\n")
				http.NewResponseController(w).Flush()
			case <-stay.Done():
				io.WriteString(w, "end\n")
				return
			}
		}
	}
	a, b := startFront(t, bucket, "a", core), startFront(t, bucket, "b", core)
	await(t, a, b)
	owner := homedAt(t, a, b)
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()

	header := http.Header{"Owner": {string(owner)}}
	conn, _, err := websocket.Dial(ctx, strings.Replace(a.public.URL, "http", "ws", 1), &websocket.DialOptions{HTTPHeader: header, Subprotocols: []string{"pagemcp.v1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	conn.SetReadLimit(-1)
	for _, size := range []int{1, 5_000, 1 << 20} {
		sent := strings.Repeat("x", size)
		go conn.Write(ctx, websocket.MessageText, []byte(sent))
		if _, data, err := conn.Read(ctx); err != nil || string(data) != sent {
			t.Fatalf("%d bytes: %d, %v", size, len(data), err)
		}
	}

	r, err := http.NewRequestWithContext(ctx, "GET", a.public.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	answers := make(chan *http.Response, 1)
	go func() {
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Error(err)
		}
		answers <- answer
	}()
	next <- "first"
	answer := <-answers
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	for _, want := range []string{"first", "second"} {
		if want == "second" {
			next <- want
		}
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("%q, want %q", lines.Text(), want)
		}
	}
	b.front.EndStreams(func(of access.Owner, via string) bool { return of == owner && via == a.ID() })
	if !lines.Scan() || lines.Text() != "end" || lines.Scan() {
		t.Errorf("the stream does not end: %q", lines.Text())
	}
}
