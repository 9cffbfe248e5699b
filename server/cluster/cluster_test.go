package cluster

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/wait"
)

// A memoryCluster has nodes whose NATS is in memory: their time can be virtual.
type memoryCluster struct {
	mu    sync.Mutex
	nodes map[string]*memoryNode
	sent  map[string]int // messages by the first token behind the prefix
}

// A memoryNode is a node without its connection.
type memoryNode struct {
	*directory
	cluster *memoryCluster
	problem error
	stop    func()

	mu         sync.Mutex
	subscribed map[string]int
	side       int // messages reach nodes of the same side
	away       bool
	frozen     bool
	queue      []func()
	changed    chan struct{}
}

func newMemoryCluster() *memoryCluster {
	return &memoryCluster{nodes: map[string]*memoryNode{}, sent: map[string]int{}}
}

// join starts a node.
func (c *memoryCluster) join(t *testing.T, change func(*memoryNode)) *memoryNode {
	t.Helper()
	n := &memoryNode{cluster: c, subscribed: map[string]int{}, changed: make(chan struct{}, 1)}
	id, s := newID(), newSubjects("test")
	n.directory = newDirectory(id, s, n, newLinks(id, s, n))
	n.links.serve = n.directory.serve
	n.directory.problem = func(err error) { n.set(func() { n.problem = err }) }
	if change != nil {
		change(n)
	}
	if err := n.start(); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	c.nodes[id] = n
	c.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { n.run(ctx) })
	running.Go(func() { n.deliver(ctx) })
	n.do(n.reconnected)
	n.stop = sync.OnceFunc(func() {
		n.links.close()
		c.mu.Lock()
		delete(c.nodes, id)
		c.mu.Unlock()
		cancel()
		running.Wait()
	})
	t.Cleanup(n.stop)
	return n
}

func (n *memoryNode) run(ctx context.Context) {
	defer close(n.ended)
	ticker := time.NewTicker(pingEvery)
	defer ticker.Stop()
	for {
		select {
		case command := <-n.commands:
			command()
		case <-ticker.C:
			if !n.is(func() bool { return n.frozen }) {
				n.tick()
			}
		case <-ctx.Done():
			return
		}
	}
}

// deliver passes messages on in their order.
func (n *memoryNode) deliver(ctx context.Context) {
	for {
		for _, message := range n.take() {
			message()
		}
		select {
		case <-n.changed:
		case <-ctx.Done():
			return
		}
	}
}

func (n *memoryNode) take() []func() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.frozen {
		return nil
	}
	queue := n.queue
	n.queue = nil
	return queue
}

func (n *memoryNode) is(what func() bool) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return what()
}

func (n *memoryNode) why() (problem error) {
	n.set(func() { problem = n.problem })
	return problem
}

func (n *memoryNode) set(what func()) {
	defer wait.Wake(n.changed)
	n.mu.Lock()
	defer n.mu.Unlock()
	what()
}

// setAway cuts a node off from NATS, or connects it again.
func (n *memoryNode) setAway(away bool) {
	n.set(func() { n.away = away })
	if away {
		n.links.endAll(errAway)
	} else {
		n.do(n.reconnected)
	}
}

func (n *memoryNode) MaxPayload() int64           { return 1 << 20 }
func (n *memoryNode) Flush(context.Context) error { return nil }
func (n *memoryNode) IsConnected() bool           { return !n.is(func() bool { return n.away }) }

func (n *memoryNode) Subscribe(subject string) (func(), error) {
	n.set(func() { n.subscribed[subject]++ })
	return func() { n.set(func() { n.subscribed[subject]-- }) }, nil
}

func (n *memoryNode) Publish(subject, reply string, payload []byte) error {
	if !n.IsConnected() {
		return errAwayInTest
	}
	side := 0
	n.set(func() { side = n.side })
	n.cluster.mu.Lock()
	defer n.cluster.mu.Unlock()
	token, _, _ := strings.Cut(strings.TrimPrefix(subject, "pagemcp.1.test."), ".")
	n.cluster.sent[token]++
	payload = bytes.Clone(payload)
	received := false
	for id, to := range n.cluster.nodes {
		isFrame := strings.HasPrefix(subject, to.subjects.link(id, ""))
		if to == n || !to.is(func() bool { return !to.away && to.side == side && (isFrame || to.subscribed[subject] > 0) }) {
			continue
		}
		received = true
		to.set(func() {
			to.queue = append(to.queue, func() {
				if isFrame {
					to.links.deliver(subject, reply, payload, false)
				} else {
					to.do(func() { to.handle(subject, reply, payload) })
				}
			})
		})
	}
	if !received && reply != "" {
		n.set(func() { n.queue = append(n.queue, func() { n.links.deliver(reply, "", nil, true) }) })
	}
	return nil
}

// A view collects what a follower hears.
type view struct {
	mu    sync.Mutex
	pages map[string]gateway.Held
	lost  int // pages whose node was lost
	left  int
}

func follow(t *testing.T, n *memoryNode, owner string) *view {
	t.Helper()
	v := &view{pages: map[string]gateway.Held{}}
	if err := n.follow(t.Context(), owner, v.changed); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *view) changed(h gateway.Held) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch h.State {
	case gateway.HeldThere:
		v.pages[h.Key] = h
	case gateway.HeldLeft:
		v.left++
		delete(v.pages, h.Key)
	case gateway.HeldLost:
		v.lost++
		delete(v.pages, h.Key)
	}
}

// names are the names of the pages and the nodes that have them.
func (v *view) names(nodes ...*memoryNode) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var names []string
	for _, h := range v.pages {
		at := slices.IndexFunc(nodes, func(n *memoryNode) bool { return n.node == h.Node })
		names = append(names, h.Name+"@"+string(rune('A'+at)))
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// testKey returns a key that begins with name.
func testKey(name string) string { return (name + strings.Repeat("a", keySize))[:keySize] }

// A heldTest is a page that a test node holds.
type heldTest struct {
	release  func()
	replaced *bool
}

func tryHold(t *testing.T, n *memoryNode, owner, name string, change func(*gateway.Page)) (heldTest, error) {
	t.Helper()
	replaced := new(bool)
	p := gateway.Page{
		Owner: access.Owner(owner), Key: testKey(name), Name: name, Origin: "https://app.example",
		Serve: echo, Replaced: func() { *replaced = true },
	}
	if change != nil {
		change(&p)
	}
	release, err := n.hold(t.Context(), p)
	return heldTest{release, replaced}, err
}

func hold(t *testing.T, n *memoryNode, owner, name string) heldTest {
	t.Helper()
	h, err := tryHold(t, n, owner, name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// A view sees the pages that were there before it and those that join later, of its owner
// alone, and those that leave.
func TestFollowSeesPagesOfOtherNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newMemoryCluster()
		a, b, d := c.join(t, nil), c.join(t, nil), c.join(t, nil)
		pass(startTime)
		before := hold(t, b, testOwner, "notes")
		hold(t, b, testKey("other"), "secret")
		began := time.Now()
		v := follow(t, a, testOwner)
		if waited := time.Since(began); waited != 0 {
			t.Errorf("the view waited %v, although all nodes have answered", waited)
		}
		want(t, "at first", v.names(a, b, d), "notes@B")
		hold(t, d, testOwner, "tasks")
		hold(t, a, testOwner, "own")
		synctest.Wait()
		want(t, "after a join", v.names(a, b, d), "notes@B tasks@C")
		before.release()
		before.release()
		synctest.Wait()
		want(t, "after a leave", v.names(a, b, d), "tasks@C")
		if v.left != 1 || v.lost != 0 {
			t.Errorf("%d left, %d lost", v.left, v.lost)
		}
	})
}

// A node that does not answer costs a view 250 ms, and its late answer counts.
func TestSilentNodeDelaysViewOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newMemoryCluster()
		a, b := c.join(t, nil), c.join(t, nil)
		pass(startTime)
		hold(t, b, testOwner, "notes")
		synctest.Wait()
		b.set(func() { b.frozen = true })
		began := time.Now()
		v := follow(t, a, testOwner)
		if waited := time.Since(began); waited != askTime {
			t.Errorf("the view waited %v", waited)
		}
		want(t, "without an answer", v.names(a, b), "")
		b.set(func() { b.frozen = false })
		synctest.Wait()
		want(t, "after the late answer", v.names(a, b), "notes@B")
	})
}

// A page joins another node: there the epoch is higher, the first one gives it up and ends
// its links, and a view hears of the move.
func TestLaterHolderWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newMemoryCluster()
		a, b, d := c.join(t, nil), c.join(t, nil), c.join(t, nil)
		d.now = func() time.Time { return time.Now().Add(-time.Hour) } // its clock is wrong
		pass(startTime)
		first := hold(t, b, testOwner, "notes")
		v := follow(t, a, testOwner)
		p, err := a.links.dial(t.Context(), b.node, opening{Owner: testOwner, Page: testKey("notes"), Epoch: v.pages[testKey("notes")].Epoch})
		if err != nil {
			t.Fatal(err)
		}
		second := hold(t, d, testOwner, "notes")
		synctest.Wait()
		want(t, "after the move", v.names(a, b, d), "notes@C")
		if !*first.replaced || *second.replaced {
			t.Errorf("replaced: first %v, second %v", *first.replaced, *second.replaced)
		}
		if why := p.(*link).why(); why != nil {
			t.Errorf("the link to the first holder has no moment to answer calls: %v", why)
		}
		pass(lingerTime)
		if p.(*link).why() == nil {
			t.Error("the link to the first holder goes on")
		}
		first.release() // it has nothing to release
		synctest.Wait()
		want(t, "after the release of the first", v.names(a, b, d), "notes@C")
		if _, err := a.links.dial(t.Context(), b.node, opening{Owner: testOwner, Page: testKey("notes"), Epoch: 1}); err == nil {
			t.Error("the first holder still serves the page")
		}
		third := hold(t, b, testOwner, "notes") // and back
		synctest.Wait()
		want(t, "after the way back", v.names(a, b, d), "notes@B")
		if !*second.replaced || *third.replaced || v.left != 0 {
			t.Errorf("replaced: second %v, third %v; left %d", *second.replaced, *third.replaced, v.left)
		}
	})
}

// A page reloads on its node: held again, the links stay, and the first release is void.
func TestHoldAgainKeepsLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newMemoryCluster()
		a, b := c.join(t, nil), c.join(t, nil)
		pass(startTime)
		first := hold(t, b, testOwner, "notes")
		v := follow(t, a, testOwner)
		ask := opening{Owner: testOwner, Page: testKey("notes"), Epoch: v.pages[testKey("notes")].Epoch}
		p, err := a.links.dial(t.Context(), b.node, ask)
		if err != nil {
			t.Fatal(err)
		}
		second := hold(t, b, testOwner, "notes")
		first.release()
		synctest.Wait()
		want(t, "after the reload", v.names(a, b), "notes@B")
		if later := v.pages[testKey("notes")].Epoch; later <= ask.Epoch {
			t.Errorf("epoch %d after %d", later, ask.Epoch)
		}
		if err := p.(*link).why(); err != nil || *first.replaced {
			t.Errorf("the link ended by %v, replaced %v", err, *first.replaced)
		}
		second.release()
		synctest.Wait()
		want(t, "after the second release", v.names(a, b), "")
		if p.(*link).why() == nil {
			t.Error("the link outlives the page")
		}
	})
}

// Two sides of a split hold one page: when the network heals, the later one stays.
func TestStaleSecondHolderGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newMemoryCluster()
		a, b, d := c.join(t, nil), c.join(t, nil), c.join(t, nil)
		pass(startTime)
		first := hold(t, b, testOwner, "notes")
		v := follow(t, a, testOwner)
		d.set(func() { d.side = 1 })
		pass(silenceTime + pingEvery)
		second := hold(t, d, testOwner, "notes")
		pass(time.Minute)
		want(t, "during the split", v.names(a, b, d), "notes@B")
		if *first.replaced || *second.replaced {
			t.Error("a node gave up without hearing of the other")
		}
		d.set(func() { d.side = 0 })
		pass(2 * pingEvery) // heartbeats come back
		synctest.Wait()
		want(t, "after the split", v.names(a, b, d), "notes@C")
		if !*first.replaced || *second.replaced {
			t.Errorf("replaced: first %v, second %v", *first.replaced, *second.replaced)
		}
	})
}

// The nodes of both sides of a split learn when it is over, once for each node that they hear
// again: events of sessions were lost. What is shorter than silenceTime is no split, and a
// newcomer has not returned.
func TestNodesLearnThatASplitIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newMemoryCluster()
		var nodes [3]*memoryNode
		var returned [3]atomic.Int32
		for i := range nodes {
			nodes[i] = c.join(t, func(n *memoryNode) { n.directory.returned = func() { returned[i].Add(1) } })
			pass(startTime)
		}
		for _, test := range []struct {
			split time.Duration
			want  [3]int32
		}{
			{0, [3]int32{}}, {silenceTime - 2*pingEvery, [3]int32{}}, {silenceTime + pingEvery, [3]int32{1, 1, 2}}, {2 * memberTime, [3]int32{2, 2, 4}},
		} {
			nodes[2].set(func() { nodes[2].side = 1 })
			pass(test.split)
			nodes[2].set(func() { nodes[2].side = 0 })
			pass(2 * pingEvery)
			for i, want := range test.want {
				if got := returned[i].Load(); got != want {
					t.Errorf("after a split of %v: node %d has heard %d nodes again, want %d", test.split, i, got, want)
				}
			}
		}
	})
}

// A node ends without a word, or is killed: its pages are lost, not left, and come back
// with it.
func TestPagesOfLostNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newMemoryCluster()
		a, b := c.join(t, nil), c.join(t, nil)
		pass(startTime)
		hold(t, b, testOwner, "notes")
		v := follow(t, a, testOwner)
		b.set(func() { b.frozen = true })
		pass(silenceTime - pingEvery)
		want(t, "for less than 5 s", v.names(a, b), "notes@B")
		pass(2 * pingEvery)
		want(t, "silent", v.names(a, b), "")
		if v.lost != 1 || v.left != 0 {
			t.Errorf("%d lost, %d left", v.lost, v.left)
		}
		began := time.Now()
		follow(t, a, testOwner)
		if waited := time.Since(began); waited != 0 {
			t.Errorf("a view waited %v for a node that is lost", waited)
		}
		b.set(func() { b.frozen = false })
		pass(2 * pingEvery)
		want(t, "back", v.names(a, b), "notes@B")
		b.do(b.bye)
		synctest.Wait()
		want(t, "after its end", v.names(a, b), "")
		if v.lost != 2 {
			t.Errorf("%d lost", v.lost)
		}
	})
}

// A node without NATS opens no view, holds pages nevertheless, and makes up for all of
// that when NATS is back, though announcements in both directions were lost.
func TestNodeComesBackToNATS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newMemoryCluster()
		a, b := c.join(t, nil), c.join(t, nil)
		pass(startTime)
		v := follow(t, a, testOwner)
		w := follow(t, b, testOwner)
		gone := hold(t, b, testOwner, "gone")
		b.setAway(true)
		if err := b.follow(t.Context(), testOwner, func(gateway.Held) {}); err == nil {
			t.Error("a view was opened without NATS")
		}
		gone.release()
		hold(t, b, testOwner, "joined")
		hold(t, a, testOwner, "other")
		pass(time.Second)
		want(t, "before", v.names(a, b), "gone@B")
		b.setAway(false)
		pass(spreadTime)
		want(t, "at A", v.names(a, b), "joined@B")
		want(t, "at B", w.names(a, b), "other@A")
		if v.left != 0 || v.lost != 1 { // another node may have it, whose announcement comes later
			t.Errorf("%d pages left, %d are lost", v.left, v.lost)
		}
	})
}

// Pages of an owner are counted on all nodes, and no two of them have one name.
func TestHoldChecksPagesOfOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newMemoryCluster()
		a, b := c.join(t, nil), c.join(t, nil)
		pass(startTime)
		limited := func(p *gateway.Page) { p.MaxPages = 3 }
		hold(t, a, testOwner, "one")
		hold(t, b, testOwner, "two")
		if _, err := tryHold(t, b, testOwner, "three", limited); err != nil {
			t.Errorf("the third page: %v", err)
		}
		if _, err := tryHold(t, a, testOwner, "four", limited); err != gateway.ErrTooManyPages {
			t.Errorf("the fourth page: %v", err)
		}
		if _, err := tryHold(t, a, testOwner, "two", limited); err != nil {
			t.Errorf("a page that moves: %v", err)
		}
		if _, err := tryHold(t, a, testKey("other"), "four", limited); err != nil {
			t.Errorf("a page of another owner: %v", err)
		}
		for _, n := range []*memoryNode{a, b} {
			if _, err := tryHold(t, n, testOwner, "one", func(p *gateway.Page) { p.Key = testKey("twin") }); err != gateway.ErrNameTaken {
				t.Errorf("a second page with this name: %v", err)
			}
		}
		for _, change := range []func(*gateway.Page){
			func(p *gateway.Page) { p.Key = "*" }, func(p *gateway.Page) { p.Key = strings.Repeat(".", keySize) },
			func(p *gateway.Page) { p.Name = "a.b" }, func(p *gateway.Page) { p.Name = ">" },
			func(p *gateway.Page) { p.Owner = ">" }, func(p *gateway.Page) { p.Owner = "" },
			func(p *gateway.Page) { p.Origin = strings.Repeat("x", maxOrigin+1) },
		} {
			if _, err := tryHold(t, a, testOwner, "five", change); err == nil {
				t.Error("an invalid page was held")
			}
		}
	})
}

// Two pages with one name join two nodes that cannot hear each other: later the newer one
// leaves.
func TestNewerPageWithTakenNameLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newMemoryCluster()
		a, b := c.join(t, nil), c.join(t, nil)
		pass(startTime)
		b.set(func() { b.side = 1 })
		older := hold(t, a, testOwner, "notes")
		pass(time.Minute)
		newer, err := tryHold(t, b, testOwner, "notes", func(p *gateway.Page) { p.Key = testKey("twin") })
		if err != nil {
			t.Fatal(err)
		}
		b.set(func() { b.side = 0 })
		a.do(a.resync)
		b.do(b.resync)
		synctest.Wait()
		if *older.replaced || !*newer.replaced {
			t.Errorf("replaced: older %v, newer %v", *older.replaced, *newer.replaced)
		}
	})
}

// A newcomer that has no key or link version in common with a ready node is not ready; the
// others stay ready.
func TestNewcomerMustFit(t *testing.T) {
	with := func(keys []string, versions []byte) func(*memoryNode) {
		return func(n *memoryNode) {
			n.links.versions = versions
			n.self = func() heartbeat {
				return heartbeat{Ready: n.why() == nil, Keys: keys, Versions: versions}
			}
			n.problem = errStarting
		}
	}
	for _, test := range []struct {
		name     string
		keys     []string
		versions []byte
		want     error
	}{
		{"the same", []string{"k1"}, []byte{1}, nil},
		{"a second key", []string{"k1", "k2"}, []byte{1, 2}, nil},
		{"a new key as the first", []string{"k2", "k1"}, []byte{1}, errNoKey},
		{"another key", []string{"k2"}, []byte{1}, errNoKey},
		{"another version", []string{"k1"}, []byte{2}, errNoVersion},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newMemoryCluster()
				old := c.join(t, with([]string{"k1"}, []byte{1}))
				synctest.Wait()
				if old.why() != errStarting {
					t.Errorf("the first node, at once: %v", old.why())
				}
				pass(startTime + pingEvery)
				if old.why() != nil {
					t.Errorf("the first node: %v", old.why())
				}
				newcomer := c.join(t, with(test.keys, test.versions))
				pass(greetTime)
				if got := newcomer.why(); (got == nil) != (test.want == nil) || got != nil && !strings.HasPrefix(got.Error(), test.want.Error()) {
					t.Errorf("the newcomer: %v, want %v", got, test.want)
				}
				pass(10 * pingEvery)
				if old.why() != nil {
					t.Errorf("the first node: %v", old.why())
				}
			})
		})
	}
}

// A heartbeat under a key that a newcomer does not have, which any program may send, keeps it
// from being ready only if it hears no ready node.
func TestStrangersKeepNoNewcomerOut(t *testing.T) {
	for _, alone := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			c := newMemoryCluster()
			if !alone {
				c.join(t, func(n *memoryNode) {})
				pass(startTime + pingEvery)
			}
			newcomer := c.join(t, func(n *memoryNode) { n.problem = errStarting })
			for range 5 {
				newcomer.do(func() { newcomer.handleStranger(newID()) })
				pass(pingEvery)
			}
			if got := newcomer.why(); errors.Is(got, errNoKey) != alone || !alone && got != nil {
				t.Errorf("alone %v: %v", alone, got)
			}
		})
	}
}

// A newcomer that has heard of a node that fits still waits for the others to answer.
func TestNewcomerWaitsForAllNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		with := func(versions ...byte) func(*memoryNode) {
			return func(n *memoryNode) { n.links.versions, n.problem = versions, errStarting }
		}
		c := newMemoryCluster()
		slow, _ := c.join(t, with(1)), c.join(t, with(1, 2))
		pass(startTime)
		slow.set(func() { slow.frozen = true })
		newcomer := c.join(t, with(2))
		synctest.Wait()
		if newcomer.why() != errStarting {
			t.Errorf("at once: %v", newcomer.why())
		}
		slow.set(func() { slow.frozen = false })
		pass(greetTime)
		if !errors.Is(newcomer.why(), errNoVersion) {
			t.Errorf("after all have answered: %v", newcomer.why())
		}
	})
}

// What follows or holds nothing costs nothing: no state and no subscription remains.
func TestDirectoryForgetsOwners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newMemoryCluster()
		a, b := c.join(t, nil), c.join(t, nil)
		pass(startTime)
		ctx, cancel := context.WithCancel(t.Context())
		if err := a.follow(ctx, testOwner, func(gateway.Held) {}); err != nil {
			t.Fatal(err)
		}
		h := hold(t, b, testOwner, "notes")
		lost := hold(t, b, testOwner, "lost")
		other := hold(t, a, testOwner, "lost")
		synctest.Wait()
		if !*lost.replaced {
			t.Error("not replaced")
		}
		cancel()
		h.release()
		other.release()
		pass(lateTime + pingEvery)
		for _, n := range []*memoryNode{a, b} {
			if len(n.owners) != 0 || len(n.questions) != 0 || n.subscribed[n.subjects.event(testOwner)] != 0 {
				t.Errorf("%d owners, %d questions, %d subscriptions remain", len(n.owners), len(n.questions), n.subscribed[n.subjects.event(testOwner)])
			}
		}
	})
}

// Messages with foreign or invalid members change nothing and do not panic.
func TestInvalidMessagesAreIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newMemoryCluster()
		a, b := c.join(t, nil), c.join(t, nil)
		pass(startTime)
		hold(t, b, testOwner, "notes")
		v := follow(t, a, testOwner)
		node := newID()
		page := `{"key":"` + testKey("x") + `","name":"x","origin":"","epoch":`
		for _, m := range []struct{ subject, data string }{
			{a.subjects.event(testOwner), ``},
			{a.subjects.event(testOwner), `{`},
			{a.subjects.event(testOwner), `{"node":"*","page":` + page + `1}}`},
			{a.subjects.event(testOwner), `{"node":"` + a.node + `","page":` + page + `1}}`},
			{a.subjects.event(testOwner), `{"node":"` + node + `","page":` + page + `0}}`},
			{a.subjects.event(testOwner), `{"node":"` + node + `","page":` + page + `9223372036854775807}}`},
			{a.subjects.event(testOwner), `{"node":"` + node + `","page":{"key":"x","name":"x","epoch":1}}`},
			{a.subjects.event(testOwner), `{"node":"` + node + `","left":true,"page":{"key":"` + testKey("notes") + `","name":"notes","epoch":1}}`},
			{a.subjects.event(">"), `{"node":"` + node + `","page":` + page + `1}}`},
			{a.subjects.question(), `{"node":"` + node + `","id":"x","owner":"*"}`},
			{a.subjects.question(), `{"node":"..","id":"` + node + `","owner":"*"}`},
			{a.subjects.heartbeat(), `{"node":"` + strings.Repeat("n", 100) + `"}`},
			{a.subjects.heartbeat(), `[]`},
			{a.subjects.control(a.node), `{"node":"` + node + `","held":{"id":"` + node + `","owner":"` + testOwner + `","pages":[` + page + `1}]}}`},
			{a.subjects.control(a.node), `{"node":"` + node + `","who":{"node":"` + node + `","id":"` + node + `","owner":"` + testOwner + `"}}`},
			{a.subjects.control(a.node), `{"node":"` + node + `","open":{"owner":"x","page":"y","versions":"AQ=="}}`},
			{a.subjects.control(a.node), `{}`},
			{"else", `{}`},
		} {
			a.do(func() { a.handle(m.subject, "", []byte(m.data)) })
		}
		synctest.Wait()
		want(t, "pages", v.names(a, b), "notes@B")
		if len(a.members) != 1 {
			t.Errorf("%d members", len(a.members))
		}
	})
}

// pass lets time pass, and all that happens then.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// For 15 s after a node has come or gone, pages may be on their way.
func TestNodesAreUnsettledAfterChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newMemoryCluster()
		a := c.join(t, nil)
		wantUnsettled := func(what string) {
			t.Helper()
			pass(unsettledTime - 2*pingEvery)
			if !a.isUnsettled() {
				t.Errorf("settled after %s", what)
			}
			pass(2 * pingEvery)
			if a.isUnsettled() {
				t.Errorf("unsettled long after %s", what)
			}
		}
		wantUnsettled("the start")
		b := c.join(t, nil)
		wantUnsettled("the start of another node")
		b.do(func() { b.draining = true; b.beat(false) })
		wantUnsettled("a drain")
		b.set(func() { b.frozen = true })
		pass(silenceTime + pingEvery)
		wantUnsettled("a loss")
	})
}
