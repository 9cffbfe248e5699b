package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/engine/remote/remotetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// threeGateways returns three nodes and their NATS server.
func threeGateways(t *testing.T) (a, b, c *gatewayNode, s *server.Server) {
	t.Helper()
	s = startNATS(t, server.Options{})
	urls := []string{s.ClientURL()}
	return startGateway(t, urls), startGateway(t, urls), startGateway(t, urls), s
}

const cart = "notes+notes://cart"

// A client of one node reads, lists and calls what a page of another node has, and the
// page sees on whose behalf.
func TestViewServesPageOfOtherNode(t *testing.T) {
	a, b, c, _ := threeGateways(t)
	notes, tasks := newTab(t, "notes"), newTab(t, "tasks")
	b.join(notes)
	c.join(tasks)
	const both = "notes+notes://cart tasks+notes://cart"
	client := a.assistant(t)
	eventually(t, "all pages", both, client.uris) // at once, unless NATS takes a quarter of a second
	want(t, "read", client.read(cart), "notes: first for client:test")
	want(t, "read", client.read("tasks+notes://cart"), "tasks: first for client:test")
	local := b.assistant(t)
	eventually(t, "at the holder", both, local.uris)
	eventually(t, "at the other holder", both, c.assistant(t).uris)
	alone := c.assistantAt(t, "/mcp/notes")
	want(t, "at /mcp/notes", alone.read("notes://cart"), "notes: first for client:test")
	if info, _ := alone.remote.Info(); info.Name != "notes" {
		t.Errorf("/mcp/notes declares %q", info.Name)
	}
	if links := a.Stats().Links; links != 2 {
		t.Errorf("%d links for two pages", links)
	}
	if all := a.core.Count(); all.Pages != 0 || all.Away != 0 {
		t.Errorf("node A counts %+v", all)
	}
	if reads := notes.reads.Load(); reads != 2 {
		t.Errorf("%d reads reached the page, want 2", reads)
	}
	late := newTab(t, "late")
	c.join(late)
	eventually(t, "a page that joins later", "late: first for client:test", func() string { return client.read("late+notes://cart") })
}

// A published value is read at another node over one link, from the node that the page has joined: the page is asked
// once, and again after a change.
func TestOtherNodesReadKeptValues(t *testing.T) {
	a, b, c, _ := threeGateways(t)
	notes := newTab(t, "notes")
	notes.publishes = &remotetest.Publisher{Publishes: func(string) bool { return true }}
	b.join(notes)
	client := a.assistant(t)
	eventually(t, "the page", cart, client.uris)
	client.watch(cart)
	for n, value := range []string{"first", "second"} {
		if n > 0 {
			notes.publishes.Change("notes://cart", "")
			notes.set(value)
			client.update("after the change")
		}
		for range 10 {
			want(t, "read", client.read(cart), "notes: "+value+" for client:test")
		}
		if reads := int(notes.reads.Load()); reads != n+1 {
			t.Errorf("%d of %d reads reached the page, want %d", reads, 10*(n+1), n+1)
		}
	}
	if atA, atB, atC := a.Stats().Links, b.Stats().Links, c.Stats().Links; atA != 1 || atB != 1 || atC != 0 {
		t.Errorf("the nodes have %d, %d and %d links, want one, between the first two", atA, atB, atC)
	}
}

// An update crosses the link once; a page that is closed leaves the lists.
func TestUpdatesCrossLinksOnce(t *testing.T) {
	a, b, _, _ := threeGateways(t)
	p := newTab(t, "notes")
	b.join(p)
	client, second := a.assistant(t), a.assistant(t)
	want(t, "read", client.read(cart), "notes: first for client:test")
	client.watch(cart)
	second.watch(cart)
	client.noUpdate("before a change")
	for _, text := range []string{"second", "third"} {
		p.set(text)
		client.update("after a change")
		second.update("after a change")
		want(t, "read after the update", client.read(cart), "notes: "+text+" for client:test")
	}
	client.noUpdate("after the last change")
	second.noUpdate("after the last change")
}

// The page moves from one node to another while it is read and watched: each read is
// answered once, by the page; the URI stays watched.
func TestPageMovesBetweenNodes(t *testing.T) {
	a, b, c, _ := threeGateways(t)
	p := newTab(t, "notes")
	first := b.join(p)
	client := a.assistant(t)
	client.watch(cart)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		reader := a.assistant(t)
		readers.Go(func() {
			for {
				if text := reader.read(cart); !strings.HasPrefix(text, "notes: ") {
					t.Errorf("read: %q", text)
					return
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for _, to := range []*gatewayNode{c, b, a, c} {
		next := to.join(p)
		first.wantEnd(socket.CloseReplaced)
		first = next
		client.update("after a move")
	}
	close(stop)
	readers.Wait()
	for len(client.updates) > 0 { // one per loss of a link
		<-client.updates
	}
	p.set("after the moves")
	client.update("of a change at the new node")
	want(t, "read", client.read(cart), "notes: after the moves for client:test")
	if links := a.Stats().Links; links != 1 {
		t.Errorf("%d links", links)
	}
}

// Links break again and again under readers: each read is answered, by the newest state of
// the page, and the last change is announced.
func TestLinksBreakUnderReaders(t *testing.T) {
	a, b, _, _ := threeGateways(t)
	p := newTab(t, "notes")
	b.join(p)
	client := a.assistant(t)
	client.watch(cart)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 8 {
		reader := a.assistant(t)
		readers.Go(func() {
			for {
				if text := reader.read(cart); !strings.HasPrefix(text, "notes: ") {
					t.Errorf("read: %q", text)
					return
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for i := range 10 { // an update takes 250 ms: views limit them
		text := "change " + string(rune('a'+i))
		side := a
		if i%2 == 1 {
			side = b
		}
		side.links.endAll(errGap)
		p.set(text)
		client.update("after a break and a change")
		eventually(t, "the new text", "notes: "+text+" for client:test", func() string { return client.read(cart) })
	}
	close(stop)
	readers.Wait()
	if links := a.Stats().Links; links != 1 {
		t.Errorf("%d links", links)
	}
}

// The page reloads on its node: the link stays, and so does the subscription.
func TestReloadKeepsLink(t *testing.T) {
	a, b, _, _ := threeGateways(t)
	p := newTab(t, "notes")
	first := b.join(p)
	client := a.assistant(t)
	want(t, "before", client.read(cart), "notes: first for client:test")
	client.watch(cart)
	link := func() string {
		for _, l := range a.links.all(func(*link) bool { return true }) {
			return l.id
		}
		return ""
	}
	before := link()
	b.join(p)
	first.wantEnd(socket.CloseReplaced)
	client.update("after the reload")
	p.set("second")
	client.update("after a change")
	want(t, "read", client.read(cart), "notes: second for client:test")
	want(t, "the link", link(), before)
}

// A socket that breaks without a word: requests wait until the page is back on any node.
func TestReadsWaitForPage(t *testing.T) {
	a, b, c, _ := threeGateways(t)
	p := newTab(t, "notes")
	first := b.join(p)
	client := a.assistant(t)
	want(t, "before", client.read(cart), "notes: first for client:test")
	first.socket.Close()
	answer := make(chan string, 1)
	go func() { answer <- client.read(cart) }()
	c.join(p)
	select {
	case text := <-answer:
		want(t, "the read that waited", text, "notes: first for client:test")
	case <-time.After(testTime):
		t.Fatal("the read is not answered")
	}
}

// A page was given up by its node, and joins again while another node does not answer: reads
// wait from the moment at which the page has a socket, and the page is in the lists.
func TestReadsWaitForPageThatJoinsAgain(t *testing.T) {
	a, b, _, _ := threeGateways(t)
	p := newTab(t, "notes")
	first := a.join(p)
	client := a.assistant(t)
	want(t, "before", client.read(cart), "notes: first for client:test")
	first.socket.Close()
	views := a.core.Views(testOwnerKey)
	eventually(t, "the page has left", "The page is away", func() string {
		views.ExpireGrace("notes")
		return client.readSoon(cart)
	})
	resume := b.freeze()
	joined := make(chan struct{})
	go func() {
		defer close(joined)
		a.join(p)
	}()
	eventually(t, "the page has a socket", "true", func() string { return fmt.Sprint(views.Pages()[0].Connected) })
	want(t, "list", client.uris(), cart)
	want(t, "read", client.read(cart), "notes: first for client:test")
	resume()
	<-joined
}

// Two nodes hold one page, since they could not hear each other: the older one closes its
// socket, and clients of all nodes get the newer one.
func TestOlderOfTwoHoldersGivesUp(t *testing.T) {
	a, b, c, _ := threeGateways(t)
	stale, fresh := newTab(t, "notes"), newTab(t, "notes")
	fresh.set("fresh")
	first := b.join(stale)
	clients := []*assistant{a.assistant(t), b.assistant(t), c.assistant(t)}
	for _, client := range clients {
		want(t, "before", client.read(cart), "notes: first for client:test")
	}
	c.join(fresh)
	first.wantEnd(socket.CloseReplaced)
	for _, client := range clients {
		eventually(t, "after", "notes: fresh for client:test", func() string { return client.read(cart) })
	}
}

// A call of a tool ends as interrupted when the page moves, and is not repeated.
func TestCallIsInterruptedByMove(t *testing.T) {
	a, b, c, _ := threeGateways(t)
	p := newTab(t, "notes")
	b.join(p)
	client := a.assistant(t)
	result := make(chan error, 1)
	go func() {
		_, err := client.remote.CallTool(context.Background(), "notes__pay", []byte(`{}`))
		result <- err
	}()
	select {
	case <-p.called:
	case <-time.After(testTime):
		t.Fatal("the tool was not called")
	}
	c.join(p)
	select {
	case err := <-result:
		wire := (*jsonrpc.Error)(nil)
		if !errors.As(err, &wire) || !strings.Contains(string(wire.Data), `"reason":"interrupted"`) {
			t.Errorf("call: %v", err)
		}
	case <-time.After(testTime):
		t.Fatal("the call does not end")
	}
	want(t, "read", client.read(cart), "notes: first for client:test")
	if calls := p.calls.Load(); calls != 1 {
		t.Errorf("%d calls", calls)
	}
}

// NATS restarts: reads wait, and what is watched gets an update and is watched further.
func TestGatewaysSurviveRestartOfNATS(t *testing.T) {
	a, b, _, s := threeGateways(t)
	p := newTab(t, "notes")
	b.join(p)
	client := a.assistant(t)
	client.watch(cart)
	port := s.Addr().(*net.TCPAddr).Port
	s.Shutdown()
	s.WaitForShutdown()
	a.await("disconnected", a.disconnected)
	answer := make(chan string, 1)
	go func() { answer <- client.read(cart) }()
	startNATS(t, server.Options{Port: port})
	select {
	case text := <-answer:
		want(t, "the read that waited", text, "notes: first for client:test")
	case <-time.After(testTime):
		t.Fatal("the read is not answered")
	}
	client.update("after the restart")
	p.set("second")
	client.update("after a change")
}

// While NATS is away, a node opens no view: it would show a part of the pages as the whole.
func TestNoNewViewWithoutNATS(t *testing.T) {
	a, b, _, s := threeGateways(t)
	b.join(newTab(t, "notes"))
	s.Shutdown()
	s.WaitForShutdown()
	a.await("disconnected", a.disconnected)
	if _, err := a.core.Acquire(testOwnerKey, "/mcp"); !errors.Is(err, gateway.ErrIsolated) {
		t.Errorf("a view without NATS: %v", err)
	}
}

// The node of a page loses NATS: clients of other nodes wait, its own go on; when it is
// back, all is as before.
func TestNodeLosesNATS(t *testing.T) {
	a, b, _, _ := threeGateways(t)
	p := newTab(t, "notes")
	b.join(p)
	client, own := a.assistant(t), b.assistant(t)
	client.watch(cart)
	want(t, "before", client.read(cart), "notes: first for client:test")
	if err := b.conn.ForceReconnect(); err != nil {
		t.Fatal(err)
	}
	want(t, "of its own", own.read(cart), "notes: first for client:test")
	want(t, "after", client.read(cart), "notes: first for client:test")
	client.update("after the loss")
	p.set("second")
	client.update("after a change")
}

// An owner has a limited number of pages on all nodes: one more is closed with 4429.
func TestPagesAreCountedOnAllNodes(t *testing.T) {
	options := Options{URLs: []string{startNATS(t, server.Options{}).ClientURL()}, askTime: testTime / 5} // an answer that is late does not count
	a, b, c := startGatewayWith(t, options), startGatewayWith(t, options), startGatewayWith(t, options)
	for i, n := range []*gatewayNode{a, b, c} {
		n.join(newTab(t, "page"+string(rune('a'+i))))
	}
	refused := a.join(newTab(t, "more"))
	refused.wantEnd(4429)
	client := a.assistant(t)
	eventually(t, "pages", "pagea+notes://cart pageb+notes://cart pagec+notes://cart", client.uris)
}

// Views that are not used follow nothing: links, subscriptions and pages of other nodes go.
func TestIdleViewsEndLinks(t *testing.T) {
	a, b, _, _ := threeGateways(t)
	b.join(newTab(t, "notes"))
	endpoint := a.acquire(t, "/mcp")
	eventually(t, "links", "1", func() string { return string(rune('0' + a.Stats().Links)) })
	endpoint.Release()
	a.core.CloseIdleViews()
	for _, n := range []*gatewayNode{a, b} {
		eventually(t, "links", "0", func() string { return string(rune('0' + n.Stats().Links)) })
	}
	if views := a.core.Count().Views; views != 0 {
		t.Errorf("%d views", views)
	}
	client := a.assistant(t) // and again
	want(t, "read", client.read(cart), "notes: first for client:test")
}
