//go:build unix

package clustertest

import (
	"flag"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

var all = flag.Bool("all", false, "run the rows of the failure table that take longer than 10 seconds, too")

// needsAll is for tests of `make cluster`, which the short form in `make test` leaves out.
func needsAll(t *testing.T) {
	t.Helper()
	if !*all {
		t.Skip("runs with -all, as by make cluster")
	}
}

// A wire forwards TCP connections, and can be cut: what one node loses when it is isolated.
type wire struct {
	listener net.Listener
	to       string

	mu    sync.Mutex
	isCut bool
	open  map[net.Conn]struct{}

	frozen chan struct{} // closed by freeze
	thawed chan struct{} // closed when the test ends
	once   sync.Once
}

func newWire(t testing.TB, to string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: l, to: to, open: map[net.Conn]struct{}{}, frozen: make(chan struct{}), thawed: make(chan struct{})}
	t.Cleanup(func() { l.Close(); w.cut(); close(w.thawed) })
	go w.accept() // ends with the listener
	return w
}

func (w *wire) url() string { return "nats://" + w.listener.Addr().String() }

func (w *wire) accept() {
	for {
		conn, err := w.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", w.to)
		if err != nil || !w.add(conn, far) {
			conn.Close()
			if err == nil {
				far.Close()
			}
			continue
		}
		go w.forward(conn, far)
		go w.forward(far, conn)
	}
}

// forward copies until either end closes, and closes both; or until freeze.
func (w *wire) forward(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 32<<10)
	for {
		count, err := from.Read(buffer)
		select {
		case <-w.frozen:
			<-w.thawed
			return
		default:
		}
		if count > 0 {
			if _, err := to.Write(buffer[:count]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// freeze forwards nothing more, and leaves all connections open, as a machine that is gone
// without a reset does.
func (w *wire) freeze() { w.once.Do(func() { close(w.frozen) }) }

func (w *wire) add(conns ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isCut {
		return false
	}
	for _, conn := range conns {
		w.open[conn] = struct{}{}
	}
	return true
}

// cut closes all connections, and further ones at once, until mend.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isCut = true
	for conn := range w.open {
		conn.Close()
	}
	clear(w.open)
}

func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isCut = false
}

// A node that loses NATS for a while serves its own pages, and finds the others again. One
// that is isolated for longer is not ready, and its pages move.
func TestIsolatedNodeLosesItsPages(t *testing.T) {
	needsAll(t)
	d := newDeployment(t)
	d.limits = testLimits
	d.startNATS(1)
	w := newWire(t, fmt.Sprintf("127.0.0.1:%d", d.nats[0].client))
	b, c := d.start(), d.start()
	d.urls = []string{w.url()}
	a := d.start()
	balanced := newBalancer(a, b, c)
	seen := d.witness(balanced)
	seen.rules.Reads = false // those of other nodes' pages are page-away
	alice := d.client("alice")
	own, err := d.join(a.addr, "alice", "own")
	if err != nil {
		t.Fatal(err)
	}
	other, err := d.join(b.addr, "alice", "other")
	if err != nil {
		t.Fatal(err)
	}
	ownURI, otherURI := own.name+"+notes://a", other.name+"+notes://a"
	for _, uri := range []string{ownURI, otherURI} {
		if got := alice.read(a, uri); !strings.Contains(got, "of alice") {
			t.Fatalf("%s: %s", uri, got)
		}
	}

	seen.fault("a node has lost NATS")
	w.cut()
	if got := alice.read(a, ownURI); !strings.Contains(got, "of alice") {
		t.Errorf("an own page while NATS is away: %s", got)
	}
	if got := d.client("bob").read(a, ownURI); !strings.HasPrefix(got, "503") {
		t.Errorf("a new view while NATS is away: %s", got)
	}
	w.mend()
	began := time.Now()
	eventually(t, "the page of the other node is read again", func() bool { return strings.Contains(alice.read(a, otherURI), "of alice") })
	t.Logf("NATS away for a moment: read again after %v", since(began))

	tab := d.open(balanced, "carol", "tab") // at any node
	w.cut()
	began = time.Now()
	<-own.done
	if own.code != 4412 {
		t.Errorf("the page of an isolated node is closed with %d", own.code)
	}
	t.Logf("isolated: its page was closed after %v", since(began))
	eventually(t, "no tab is at the isolated node", func() bool { at := tab.at(); return at != nil && at != a })
	if a.isReady() {
		t.Error("an isolated node is ready")
	}
	if _, err := d.join(a.addr, "dave", "tab"); err == nil {
		t.Error("a page joins an isolated node")
	}
	w.mend()
	eventually(t, "the node is ready again", a.isReady)
	seen.judge()
}

// With all NATS servers away, nodes serve their own pages to views that are open, and no new
// views; after 15 s none is ready. All of that ends with the return of NATS.
func TestNATSIsAwayForAll(t *testing.T) {
	needsAll(t)
	t.Parallel() // mostly waits
	d, nodes := threeNodes(t)
	page, err := d.join(nodes[0].addr, "alice", "tab")
	if err != nil {
		t.Fatal(err)
	}
	alice, uri := d.client("alice"), page.name+"+notes://a"
	if got := alice.read(nodes[0], uri); !strings.Contains(got, "of alice") {
		t.Fatal(got)
	}
	seen := d.witness(newBalancer(nodes[:]...))
	seen.rules.Reads = false // page-away
	seen.fault("NATS is away")
	for _, server := range d.nats {
		server.kill()
	}
	if got := alice.read(nodes[0], uri); !strings.Contains(got, "of alice") {
		t.Errorf("an own page: %s", got)
	}
	if got := alice.read(nodes[1], uri); !strings.HasPrefix(got, "503") {
		t.Errorf("a new view: %s", got)
	}
	eventually(t, "no node is ready", func() bool { return !nodes[0].isReady() && !nodes[1].isReady() && !nodes[2].isReady() })
	<-page.done
	if page.code != 4412 {
		t.Errorf("the page is closed with %d", page.code)
	}
	for _, server := range d.nats {
		server.start(t)
	}
	began := time.Now()
	for _, server := range d.nats {
		server.line()
	}
	eventually(t, "all nodes are ready", func() bool { return nodes[0].isReady() && nodes[1].isReady() && nodes[2].isReady() })
	t.Logf("all nodes are ready %v after NATS was started", since(began))
	if _, err := d.join(nodes[2].addr, "alice", "tab"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the page is read at each node", func() bool {
		for _, node := range nodes {
			if !strings.Contains(alice.read(node, uri), "of alice") {
				return false
			}
		}
		return true
	})
	seen.judge()
}

// A page that is closed leaves the lists after its grace time, at all nodes.
func TestClosedPagesLeaveTheLists(t *testing.T) {
	needsAll(t)
	t.Parallel() // mostly waits
	d, nodes := threeNodes(t)
	page, err := d.join(nodes[0].addr, "alice", "tab")
	if err != nil {
		t.Fatal(err)
	}
	alice, uri := d.client("alice"), page.name+"+notes://a"
	if got := alice.read(nodes[1], uri); !strings.Contains(got, "of alice") {
		t.Fatal(got)
	}
	seen := d.witness(newBalancer(nodes[:]...))
	seen.fault("a page of another user is closed")
	page.conn.CloseNow()
	began := time.Now()
	got := alice.read(nodes[1], uri) // waits
	if !strings.Contains(got, "page-away") {
		t.Errorf("%s", got)
	}
	t.Logf("away after %v", since(began))
	eventually(t, "the page is in no list", func() bool { return !strings.Contains(alice.list(nodes[1]), page.name) })
	seen.judge()
}

// Of two documents with one page id, at two nodes, the newer one stays.
func TestNewerOfTwoHoldersStays(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	t.Parallel() // mostly waits
	d, nodes := threeNodes(t)
	older, err := d.join(nodes[0].addr, "alice", "tab")
	if err != nil {
		t.Fatal(err)
	}
	newer, err := d.join(nodes[1].addr, "alice", "tab")
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-older.done:
	case <-time.After(testTime):
		t.Fatal("timeout: the older page is closed")
	}
	if older.code != 4409 || older.name != newer.name {
		t.Errorf("closed with %d; names %q and %q", older.code, older.name, newer.name)
	}
	for i, node := range nodes {
		if got := d.client("alice").read(node, newer.name+"+notes://a"); !strings.Contains(got, "of alice") {
			t.Errorf("node %d: %s", i, got)
		}
	}
}
