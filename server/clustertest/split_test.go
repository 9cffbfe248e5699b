//go:build unix

package clustertest

import (
	"strings"
	"testing"
	"time"
)

// While NATS is split in two sides, each side serves its own pages, and pages may join both.
// When it is whole again, the later holder of a page stays, and the other one is closed.
func TestLaterHolderStaysAfterASplit(t *testing.T) {
	needsAll(t)
	t.Parallel() // mostly waits
	d := newDeployment(t)
	d.limits = testLimits
	d.startNATS(3)
	all := d.natsURLs()
	var nodes [3]*process
	for i := range nodes {
		d.urls = all[i : i+1]
		nodes[i] = d.start()
	}
	alice := d.client("alice")
	moved, err := d.join(nodes[0].addr, "alice", "moved")
	if err != nil {
		t.Fatal(err)
	}
	stays, err := d.join(nodes[1].addr, "alice", "stays")
	if err != nil {
		t.Fatal(err)
	}
	movedURI, staysURI := moved.name+"+notes://a", stays.name+"+notes://a"
	for i, node := range nodes {
		for _, uri := range []string{movedURI, staysURI} {
			if got := alice.read(node, uri); !strings.Contains(got, "of alice") {
				t.Fatalf("node %d: %s", i, got)
			}
		}
	}

	seen := d.witness(newBalancer(nodes[:]...))
	seen.rules.Reads = false // pages of the other side are page-away
	seen.fault("NATS is split")
	d.splitOff(0, true)
	began := time.Now()
	if got := alice.read(nodes[0], movedURI); !strings.Contains(got, "of alice") {
		t.Errorf("an own page on the small side: %s", got)
	}
	if got := alice.read(nodes[2], staysURI); !strings.Contains(got, "of alice") {
		t.Errorf("a page of the large side, there: %s", got)
	}
	if got := alice.read(nodes[0], staysURI); !strings.Contains(got, "page-away") {
		t.Errorf("a page of the other side: %s", got)
	}
	t.Logf("away on the other side after %v", since(began))
	again, err := d.join(nodes[2].addr, "alice", "moved") // its browser has found another way
	if err != nil {
		t.Fatal(err)
	}
	if got := alice.read(nodes[1], movedURI); !strings.Contains(got, "of alice") {
		t.Errorf("the page on the large side: %s", got)
	}

	d.splitOff(0, false)
	began = time.Now()
	select {
	case <-moved.done:
	case <-time.After(testTime):
		t.Fatal("timeout: the older holder is closed")
	}
	if moved.code != 4409 {
		t.Errorf("the older holder is closed with %d", moved.code)
	}
	t.Logf("the older holder was closed %v after the split", since(began))
	for _, node := range nodes {
		for _, uri := range []string{movedURI, staysURI} {
			eventually(t, "each page is read at each node", func() bool { return strings.Contains(alice.read(node, uri), "of alice") })
		}
	}
	select {
	case <-again.done:
		t.Error("the later holder is closed, too")
	default:
	}
	seen.judge()
}
