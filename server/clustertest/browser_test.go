//go:build unix

package clustertest

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// A balancer knows which nodes are ready, and cuts the connections of those that are not, as
// a balancer in front of them does.
type balancer struct {
	nodes []*process

	mu    sync.Mutex
	ready []*process
	up    map[*process]*upState
	stop  chan struct{}
}

// An upState is what a balancer knows of a node.
type upState struct {
	connections context.Context // ends when they are cut
	cut         context.CancelFunc
	failed      int // health checks in a row
}

const (
	lookEvery = 200 * time.Millisecond // between two health checks
	cutAfter  = 3                      // failed health checks
)

func newBalancer(nodes ...*process) *balancer {
	b := &balancer{nodes: nodes, ready: nodes, up: map[*process]*upState{}, stop: make(chan struct{})}
	for _, node := range nodes {
		b.up[node] = newUpState()
	}
	b.nodes[0].t.Cleanup(func() { close(b.stop) })
	go b.watch()
	return b
}

func newUpState() *upState {
	ctx, cancel := context.WithCancel(context.Background())
	return &upState{connections: ctx, cut: cancel}
}

func (b *balancer) watch() {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			b.look()
		case <-b.stop:
			return
		}
	}
}

// add adds nodes that were started later.
func (b *balancer) add(nodes ...*process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.nodes = append(b.nodes[:len(b.nodes):len(b.nodes)], nodes...)
	for _, node := range nodes {
		b.up[node] = newUpState()
	}
}

func (b *balancer) all() []*process {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.nodes
}

// look checks all nodes at the same time.
func (b *balancer) look() {
	client := &http.Client{Timeout: 2 * lookEvery}
	nodes := b.all()
	answers := make([]bool, len(nodes))
	var asking sync.WaitGroup
	for i, node := range nodes {
		asking.Go(func() {
			answer, err := client.Get("http://" + node.admin + "/readyz")
			if err == nil {
				answer.Body.Close()
				answers[i] = answer.StatusCode == http.StatusOK
			}
		})
	}
	asking.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ready = nil
	for i, node := range nodes {
		state := b.up[node]
		if answers[i] {
			b.ready = append(b.ready, node)
			state.failed = 0
			if state.connections.Err() != nil {
				b.up[node] = newUpState()
			}
		} else if state.failed++; state.failed == cutAfter && !node.isDraining() {
			state.cut()
		}
	}
}

// pick returns one of the nodes that are ready, and the context of its connections; or nil.
func (b *balancer) pick() (*process, context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.ready) == 0 {
		return nil, nil
	}
	node := b.ready[rand.IntN(len(b.ready))]
	return node, b.up[node].connections
}

// A tab is a page in a browser: it joins again when it has lost its socket, until close.
type tab struct {
	d        *deployment
	balancer *balancer
	user, id string
	document *document // nil: its pages cost little

	replacing sync.Mutex // held by replace

	mu     sync.Mutex
	page   *simPage // the present or last one
	node   *process // that it has joined
	closed bool
	codes  []websocket.StatusCode // with which sockets were closed
}

const (
	leastRedial  = 50 * time.Millisecond
	spreadRedial = 450 * time.Millisecond
)

// open opens a tab, and returns when it has joined.
func (d *deployment) open(b *balancer, user, id string) *tab {
	d.t.Helper()
	return d.openTab(&tab{d: d, balancer: b, user: user, id: id})
}

func (d *deployment) openTab(t *tab) *tab {
	d.t.Helper()
	joined := make(chan struct{})
	go t.run(joined)
	select {
	case <-joined:
	case <-time.After(testTime):
		d.t.Fatal("timeout: a tab joins")
	}
	d.t.Cleanup(t.close)
	return t
}

func (t *tab) run(joined chan struct{}) {
	for !t.isClosed() {
		node, connections := t.balancer.pick()
		if node == nil {
			time.Sleep(leastRedial)
			continue
		}
		page := t.newPage()
		if page.join(node.addr) == nil {
			t.joined(page, node)
			if joined != nil {
				close(joined)
				joined = nil
			}
			stop := context.AfterFunc(connections, func() { page.conn.CloseNow() })
			<-page.done
			stop()
			t.left(page)
			for next := t.present(); next != page; next = t.present() { // it was replaced: see replace
				page = next
				<-page.done
				t.left(page)
			}
		}
		time.Sleep(leastRedial + time.Duration(rand.Int64N(int64(spreadRedial))))
	}
}

func (t *tab) newPage() *simPage {
	p := &simPage{d: t.d, user: t.user, id: t.id, instance: "1", document: t.document}
	if t.document != nil {
		p.instance = t.document.instance()
	}
	return p
}

func (t *tab) joined(page *simPage, node *process) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.page, t.node = page, node
	if t.closed {
		page.conn.CloseNow()
	}
}

func (t *tab) left(page *simPage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.page == page {
		t.node = nil
	}
	t.codes = append(t.codes, page.code)
}

func (t *tab) present() *simPage {
	t.replacing.Lock()
	defer t.replacing.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.page
}

func (t *tab) isClosed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed
}

// reload makes the tab lose its document: it joins again as another one.
func (t *tab) reload() {
	t.document.load()
	t.present().conn.CloseNow()
}

// replace is reload while the old document's socket is still open, at another node: the
// gateway has to close it.
func (t *tab) replace(node *process) error {
	t.replacing.Lock() // run waits: the old page may be closed before this one is known
	defer t.replacing.Unlock()
	t.document.load()
	p := t.newPage()
	if err := p.join(node.addr); err != nil {
		return err
	}
	t.joined(p, node)
	return nil
}

// at returns the node that the tab has joined, or nil.
func (t *tab) at() *process {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.node
}

func (t *tab) name() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.page.name
}

func (t *tab) uri() string { return t.name() + "+notes://a" }

// close closes the tab. It does not wait for that.
func (t *tab) close() {
	t.mu.Lock()
	t.closed = true
	if t.page != nil {
		t.page.conn.CloseNow()
	}
	t.mu.Unlock() // run ends soon: waiting for thousands of them would take minutes
}
