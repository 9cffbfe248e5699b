//go:build unix

package clustertest

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/oauth/oauthtest"
)

// testLimits let few users do a lot.
const testLimits = "pages: 1000, streams: 1000, joinsPerTenantPerSecond: 10000, readsPerSecond: 100000, callsPerSecond: 100000"

// threeNodes starts three nodes and a NATS server each.
func threeNodes(t testing.TB) (*deployment, [3]*process) {
	t.Helper()
	d := newDeployment(t)
	d.limits = testLimits
	d.startNATS(3)
	return d, [3]*process{d.start(), d.start(), d.start()}
}

// A page of one node is read at all of them, and moves with a loss of its node: kill -9. With
// -serve, the nodes run for a developer.
func TestPagesAreReadAtEachNodeAndOutliveOne(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	t.Parallel() // mostly waits
	d, nodes := threeNodes(t)
	page, err := d.join(nodes[1].addr, "alice", "tab")
	if err != nil {
		t.Fatal(err)
	}
	alice, bob, uri := d.client("alice"), d.client("bob"), page.name+"+notes://a"
	var foreign sync.WaitGroup // these wait for a page that may come back
	for i, node := range nodes {
		if got := alice.read(node, uri); !strings.Contains(got, "of alice") {
			t.Errorf("node %d: %s", i, got)
		}
		foreign.Go(func() {
			if got := bob.read(node, uri); !strings.Contains(got, "page-away") || strings.Contains(got, "of alice") {
				t.Errorf("node %d gives to another user: %s", i, got)
			}
		})
	}
	foreign.Wait()
	if *serve {
		d.serveUntilInterrupted(nodes[:], alice)
		return
	}
	nodes[1].kill()
	began := time.Now()
	answer := make(chan string, 1)
	go func() { answer <- alice.read(nodes[0], uri) }() // waits for the page
	<-page.done
	again, err := d.join(nodes[2].addr, "alice", "tab")
	if err != nil {
		t.Fatal(err)
	}
	if got := <-answer; !strings.Contains(got, "of alice") {
		t.Errorf("a read during the move: %s", got)
	}
	t.Logf("answered %v after the kill", since(began))
	if again.name != page.name {
		t.Errorf("the name %q has become %q", page.name, again.name)
	}
	if got := alice.read(nodes[0], uri); !strings.Contains(got, "of alice") {
		t.Errorf("after the move: %s", got)
	}
}

// A fault is something that happens to a deployment, and must cost no read.
type fault struct {
	name   string
	strike func(d *deployment, nodes []*process, w *witness)
	heal   func(d *deployment, nodes []*process) // after everything works again; may be nil
}

// slowTime is how long a slow node does nothing: less than the time after which the others
// give up on it.
const slowTime = 1500 * time.Millisecond

// faults are rows of hosted.md, section 6.6, whose reads wait and are answered.
func faults() []fault {
	return []fault{
		{"all pages are loaded again", func(_ *deployment, _ []*process, w *witness) { w.reload() }, nil},
		{"new documents join before the old ones have gone", func(_ *deployment, nodes []*process, w *witness) { w.replace(nodes[0]) }, nil},
		{"frames are lost", func(d *deployment, _ []*process, _ *witness) { d.splitOff(1, true); d.splitOff(1, false) }, nil},
		{"a node is slow", func(_ *deployment, nodes []*process, _ *witness) {
			nodes[0].signal(syscall.SIGSTOP)
			time.AfterFunc(slowTime, func() { nodes[0].command.Process.Signal(syscall.SIGCONT) })
		}, nil},
		{"a page's node is killed", func(_ *deployment, nodes []*process, _ *witness) { nodes[2].kill() }, nil},
		{"a NATS server is killed", func(d *deployment, _ []*process, _ *witness) { d.nats[0].kill() },
			func(d *deployment, _ []*process) { d.nats[0].start(d.t); d.nats[0].line() }},
		{"a NATS server is frozen", func(d *deployment, _ []*process, _ *witness) { d.nats[1].signal(syscall.SIGSTOP) },
			func(d *deployment, _ []*process) { d.nats[1].signal(syscall.SIGCONT) }},
		{"a node is drained", func(_ *deployment, nodes []*process, _ *witness) { nodes[1].drain() }, nil},
		{"both issuers are down", func(d *deployment, _ []*process, _ *witness) {
			d.auth.SetOutage(oauthtest.Errors)
			d.app.SetOutage(oauthtest.Errors)
		},
			func(d *deployment, _ []*process) { d.auth.SetOutage(oauthtest.None); d.app.SetOutage(oauthtest.None) }},
		{"a node is frozen", func(_ *deployment, nodes []*process, _ *witness) { nodes[3].signal(syscall.SIGSTOP) },
			func(_ *deployment, nodes []*process) { nodes[3].signal(syscall.SIGCONT) }},
	}
}

// While nodes and NATS servers fail one after the other, each read is answered by the right
// page, or its connection is lost with its node and the client repeats it.
func TestReadsGoOnThroughFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	d, three := threeNodes(t)
	nodes := append(three[:], d.start()) // two of them end
	b := newBalancer(nodes...)
	var tabs []*tab
	for i := range 30 {
		tabs = append(tabs, d.open(b, fmt.Sprint("user", i%15), fmt.Sprint("tab", i)))
	}
	w := d.witness(b)
	for _, fault := range faults() {
		w.fault(fault.name)
		l := d.newLoad(b, tabs, 8)
		eventually(t, "the load has begun", func() bool { return l.count.Load() > 50 })
		began := time.Now()
		fault.strike(d, nodes, w)
		eventually(t, fault.name+": all tabs are joined at nodes that are ready", func() bool {
			for _, tab := range tabs {
				if at := tab.at(); at == nil || !at.isReady() {
					return false
				}
			}
			return true
		})
		recovered, count := since(began), l.count.Load()
		eventually(t, fault.name+": reads go on", func() bool { return l.count.Load() > count+200 })
		if fault.heal != nil {
			fault.heal(d, nodes)
		}
		failures := l.end()
		if len(failures) > 0 {
			t.Errorf("%s: %d failures of %d reads: %s", fault.name, len(failures), l.count.Load(), failures[0])
		}
		t.Logf("%s: tabs joined within %v; %d reads, the longest took %v", fault.name, recovered, l.count.Load(), l.longest())
	}
	w.judge()
}
