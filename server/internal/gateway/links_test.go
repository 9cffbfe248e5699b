package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A fakeCluster is the directory and dialer of one node, without other nodes: tests say
// what these have.
type fakeCluster struct {
	Peers
	mu      sync.Mutex
	changed func(Held)
	follows int
	ended   int
	err     error                     // of Follow
	pages   map[string]*engine.Engine // by node: what Dial reaches
	dials   []time.Time
	ports   map[jsonrpc.Port]string // far ends that are open, by node
	initial []Held
	gate    chan struct{} // Hold and Dial wait until it is closed; nil: they do not

	unsettled bool
}

func (c *fakeCluster) ID() string                           { return "here" }
func (c *fakeCluster) SessionEvents() mcphttp.SessionEvents { return nil }
func (c *fakeCluster) Unsettled() bool                      { return c.unsettled }

func (c *fakeCluster) Hold(context.Context, Page) (func(), error) {
	c.pass()
	return func() {}, nil
}

// pass waits at the gate.
func (c *fakeCluster) pass() {
	c.mu.Lock()
	gate := c.gate
	c.mu.Unlock()
	if gate != nil {
		<-gate
	}
}

// shut closes the gate, which open opens again.
func (c *fakeCluster) shut() (open func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	gate := make(chan struct{})
	c.gate = gate
	return func() { close(gate) }
}

func (c *fakeCluster) Follow(ctx context.Context, _ access.Owner, changed func(Held)) error {
	c.mu.Lock()
	c.follows++
	c.changed = changed
	err, initial := c.err, c.initial
	c.mu.Unlock()
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ended++
	})
	for _, h := range initial {
		changed(h)
	}
	return nil
}

func (c *fakeCluster) Dial(_ context.Context, h Held) (jsonrpc.Port, error) {
	c.pass()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dials = append(c.dials, time.Now())
	e := c.pages[h.Node]
	if e == nil {
		return nil, errors.New("nobody is there")
	}
	near, far := jsonrpc.Pipe()
	c.ports[far] = h.Node
	go func() { // ends with the port
		e.Serve(engine.WithSpeakForOthers(context.Background()), far)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.ports, far)
	}()
	return near, nil
}

// cut ends all links to a node.
func (c *fakeCluster) cut(node string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for port, at := range c.ports {
		if at == node {
			port.Close()
		}
	}
}

func (c *fakeCluster) open() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.ports)
}

// serve lets a node have the page, whose resource says which node that is.
func (c *fakeCluster) serve(t *testing.T, node string) {
	t.Helper()
	table := engine.NewTable()
	err := table.Put(engine.Entry{
		JSON: engine.Describe("uri", "notes://cart", "name", "cart"),
		Read: func(context.Context, string) ([]engine.Contents, error) {
			return []engine.Contents{{URI: "notes://cart", Text: "from " + node}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Info{Name: "notes", Version: "1"}, nil)
	e.Mount("", table)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages[node] = e
}

func (c *fakeCluster) stop(node string) {
	c.mu.Lock()
	delete(c.pages, node)
	c.mu.Unlock()
	c.cut(node)
}

func heldBy(node string, epoch int64, state HeldState) Held {
	return Held{Owner: "o", Key: strings.Repeat("k", 26), Name: "notes", Origin: "https://app.example", Node: node, Epoch: epoch, State: state}
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
func (silent) Record(access.Entry)                           {}
func (silent) RecordRefusal(access.Entry)                    {}
func (silent) Delay(access.Client, string) (time.Duration, *access.Exceeded) {
	return 0, nil
}
func (silent) Acquire(context.Context, access.Client, string, access.Use) (func(), *access.Exceeded) {
	return func() {}, nil
}
func (oneOwner) Authenticate(*http.Request) (access.Caller, *access.Challenge) {
	return access.Caller{Owner: "o", Principal: "p"}, nil
}

func newClustered(t *testing.T, initial ...Held) (*Gateway, *fakeCluster) {
	t.Helper()
	c := &fakeCluster{pages: map[string]*engine.Engine{}, ports: map[jsonrpc.Port]string{}, initial: initial}
	g := New(Options{
		Info: engine.Info{Name: "gateway", Version: "1"}, Sessions: SessionOptions{Keys: keys.Of(make([]byte, 32)), Changes: &mcphttp.MemoryChanges{}}, Log: slog.New(slog.DiscardHandler),
		OnDemand: true, ViewIdle: time.Minute, Links: NewLinks(c),
	}, &access.Gate{Auth: oneOwner{}, Limits: silent{}, Audit: silent{}, Monitor: silent{}}, silent{})
	t.Cleanup(func() {
		g.Close()
		g.Wait()
		g.End()
	})
	return g, c
}

// reader returns what reads the resource at /mcp, as a client.
func reader(t *testing.T, g *Gateway) (read func() string, list func() int) {
	t.Helper()
	client := clientAt(t, g, "/mcp")
	read = func() string { return readBy(t, client, "notes+notes://cart") }
	list = func() int {
		listing, err := client.List(t.Context(), engine.Resources, "")
		if err != nil {
			t.Error(err)
		}
		return len(listing.Items)
	}
	return read, list
}

func readerAt(t *testing.T, g *Gateway, path, uri string) (read func() string) {
	t.Helper()
	client := clientAt(t, g, path)
	return func() string { return readBy(t, client, uri) }
}

func clientAt(t *testing.T, g *Gateway, path string) *remote.Remote {
	t.Helper()
	near, far := jsonrpc.Pipe()
	go g.ServePort(context.Background(), far, "o", path, access.Client{Principal: "p"}) // ends with near
	client, err := remote.Attach(t.Context(), near)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func readBy(t *testing.T, client *remote.Remote, uri string) string {
	result, err := client.Request(t.Context(), "resources/read", []byte(`{"uri":"`+uri+`"}`))
	if err != nil {
		return err.Error()
	}
	contents, _ := jsonrpc.Elements(jsonrpc.Member(result, "contents"))
	if len(contents) != 1 {
		return string(result)
	}
	if got, _ := jsonrpc.Text(jsonrpc.Member(contents[0], "uri")); got != uri {
		t.Errorf("the answer is about %q, not %q", got, uri)
	}
	text, _ := jsonrpc.Text(jsonrpc.Member(contents[0], "text"))
	return text
}

// The page leaves its node: it leaves the lists at once, since that node has waited. When
// it is held again, it is there again.
func TestPageLeavesOtherNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, c := newClustered(t, heldBy("b", 1, HeldThere))
		c.serve(t, "b")
		read, list := reader(t, g)
		if got := read(); got != "from b" {
			t.Errorf("read: %q", got)
		}
		c.changed(heldBy("b", 0, HeldLeft)) // of an earlier time: ignored
		c.changed(heldBy("x", 2, HeldLeft)) // of another node: ignored
		synctest.Wait()
		if n := list(); n != 1 {
			t.Errorf("%d resources", n)
		}
		c.changed(heldBy("b", 1, HeldLeft))
		synctest.Wait()
		began := time.Now()
		if got := read(); got != "The page is away" || time.Since(began) != 0 {
			t.Errorf("read: %q after %v", got, time.Since(began))
		}
		if n := list(); n != 0 || c.open() != 0 {
			t.Errorf("%d resources, %d links", n, c.open())
		}
		c.changed(heldBy("b", 3, HeldThere))
		synctest.Wait()
		if got := read(); got != "from b" {
			t.Errorf("read: %q", got)
		}
	})
}

// A page that has left joins another node: reads wait from then on, until there is a link, or
// that node has lost it.
func TestReadsWaitForLinkToPageThatIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, c := newClustered(t, heldBy("b", 1, HeldThere))
		c.serve(t, "b")
		read, list := reader(t, g)
		read()
		list()
		for epoch, end := range []HeldState{HeldLeft, HeldLost} {
			c.changed(heldBy("b", 1, HeldLeft))
			synctest.Wait()
			began := time.Now()
			if got := read(); got != "The page is away" || time.Since(began) != 0 {
				t.Errorf("read before: %q after %v", got, time.Since(began))
			}
			open := c.shut()
			c.serve(t, "c")
			c.changed(heldBy("c", int64(epoch)+2, HeldThere))
			answers := make(chan string, 1)
			go func() { answers <- read() }()
			time.Sleep(100 * time.Millisecond)
			if end == HeldLeft {
				open()
				if got := <-answers; got != "from c" {
					t.Errorf("read: %q", got)
				}
			}
			c.stop("c")
			c.changed(heldBy("c", int64(epoch)+2, end))
			if end == HeldLost {
				open()
				if got := <-answers; got != "The page is away" || time.Since(began) < limits.GraceTime {
					t.Errorf("read of a page that was lost: %q after %v", got, time.Since(began))
				}
			}
			time.Sleep(limits.GraceTime)
			began = time.Now()
			if got := read(); got != "The page is away" || time.Since(began) != 0 || list() != 0 {
				t.Errorf("read after: %q after %v; %d resources", got, time.Since(began), list())
			}
		}
	})
}

// The node of the page is lost: requests wait, and are answered by the node that the page
// joins; or they end after the grace time.
func TestRequestsWaitForPageOfLostNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, c := newClustered(t, heldBy("b", 1, HeldThere))
		c.serve(t, "b")
		read, list := reader(t, g)
		read()
		list()
		answers := make(chan string, 1)
		c.stop("b")
		c.changed(heldBy("b", 1, HeldLost))
		go func() { answers <- read() }()
		time.Sleep(limits.GraceTime - time.Second)
		if n := list(); n != 1 {
			t.Errorf("%d resources during the grace time", n)
		}
		c.serve(t, "c")
		c.changed(heldBy("c", 2, HeldThere))
		if got := <-answers; got != "from c" {
			t.Errorf("the read that waited: %q", got)
		}
		c.stop("c")
		began := time.Now()
		if got := read(); got != "The page is away" || time.Since(began) != limits.GraceTime {
			t.Errorf("read: %q after %v", got, time.Since(began))
		}
		time.Sleep(time.Second)
		if n := list(); n != 0 {
			t.Errorf("%d resources after the grace time", n)
		}
		c.serve(t, "c") // it still holds the page
		time.Sleep(maxRedial)
		synctest.Wait()
		if got := read(); got != "from c" {
			t.Errorf("read: %q", got)
		}
	})
}

// A page is between two nodes when a view is opened that has never known it: reads wait for
// it, at /mcp and at /mcp/{page}, while such moves are likely.
func TestReadsWaitForPageThatIsNotKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, c := newClustered(t)
		c.serve(t, "b")
		read, _ := reader(t, g)
		alone := readerAt(t, g, "/mcp/notes", "notes://cart")
		began := time.Now()
		if got := read(); got != "The page is away" || time.Since(began) != announceTime {
			t.Errorf("read: %q after %v", got, time.Since(began))
		}
		began = time.Now()
		if got := alone(); got != "Resource not found" || time.Since(began) != announceTime {
			t.Errorf("read at its own path: %q after %v", got, time.Since(began))
		}
		c.unsettled = true
		began = time.Now()
		if got := read(); got != "The page is away" || time.Since(began) != limits.GraceTime {
			t.Errorf("read: %q after %v", got, time.Since(began))
		}
		answers := make(chan string, 2)
		go func() { answers <- read() }()
		go func() { answers <- alone() }()
		time.Sleep(limits.GraceTime / 2)
		c.changed(heldBy("b", 1, HeldThere))
		for range 2 {
			if got := <-answers; got != "from b" {
				t.Errorf("a read that waited: %q", got)
			}
		}
	})
}

// A page becomes known while a read waits for it. Its node may have announced it a moment later
// than it has joined; if that node cannot be dialled, the read waits for the grace time once.
func TestReadsWaitForPageThatIsBeingAnnounced(t *testing.T) {
	for _, row := range []struct {
		unsettled, served bool
		announced, answer time.Duration
		want              string
	}{{false, true, announceTime / 2, announceTime / 2, "from b"}, {true, false, limits.GraceTime / 2, limits.GraceTime, "The page is away"}} {
		for path, uri := range map[string]string{"/mcp": "notes+notes://cart", "/mcp/notes": "notes://cart"} {
			synctest.Test(t, func(t *testing.T) {
				g, c := newClustered(t)
				if c.unsettled = row.unsettled; row.served {
					c.serve(t, "b")
				}
				read := readerAt(t, g, path, uri)
				time.AfterFunc(row.announced, func() { c.changed(heldBy("b", 1, HeldThere)) })
				began := time.Now()
				if got := read(); got != row.want || time.Since(began) != row.answer {
					t.Errorf("read at %s: %q after %v", path, got, time.Since(began))
				}
			})
		}
	}
}

// A node that cannot be dialled is dialled again, less and less often.
func TestDialBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, c := newClustered(t, heldBy("b", 1, HeldThere))
		began := time.Now()
		if _, err := g.Acquire("o", "/mcp"); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(began); waited != firstLinkTime {
			t.Errorf("the view waited %v for the link", waited)
		}
		time.Sleep(10 * time.Second)
		c.mu.Lock()
		defer c.mu.Unlock()
		want := minRedial
		for i := 1; i < len(c.dials); i++ {
			if got := c.dials[i].Sub(c.dials[i-1]); got != want {
				t.Errorf("dial %d after %v, want %v", i, got, want)
			}
			want = min(2*want, maxRedial)
		}
		if len(c.dials) < 10 {
			t.Errorf("%d dials", len(c.dials))
		}
	})
}

// Concurrent requests follow once; without a view nothing is followed, and no link stays.
func TestViewsFollowWhileTheyExist(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, c := newClustered(t, heldBy("b", 1, HeldThere))
		c.serve(t, "b")
		var all sync.WaitGroup
		for _, path := range []string{"/mcp", "/mcp/notes", "/mcp/other", "/mcp"} {
			all.Go(func() {
				endpoint, err := g.Acquire("o", path)
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Second)
				endpoint.Release()
			})
		}
		all.Wait()
		if c.follows != 1 || c.open() != 1 {
			t.Errorf("followed %d times, %d links", c.follows, c.open())
		}
		g.Sweep(time.Now())
		synctest.Wait()
		if c.ended != 0 || c.open() != 1 {
			t.Errorf("ended %d times while the views are young, %d links", c.ended, c.open())
		}
		g.Sweep(time.Now().Add(time.Minute))
		synctest.Wait()
		if c.ended != 1 || c.open() != 0 || len(g.owners) != 0 {
			t.Errorf("ended %d times, %d links, %d owners", c.ended, c.open(), len(g.owners))
		}
		if _, err := g.Acquire("o", "/mcp"); err != nil || c.follows != 2 {
			t.Errorf("again: %v, followed %d times", err, c.follows)
		}
	})
}

// A view cannot be opened: clients are asked to retry soon, and later it can.
func TestIsolatedNodeAnswers503(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, c := newClustered(t)
		c.err = ErrIsolated
		ask := func() *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
			g.Route(w, r)
			return w
		}
		if w := ask(); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" {
			t.Errorf("%d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
		}
		c.err = nil
		if w := ask(); w.Code == http.StatusServiceUnavailable {
			t.Errorf("%d when the nodes are back", w.Code)
		}
		if c.follows != 2 {
			t.Errorf("followed %d times", c.follows)
		}
	})
}
