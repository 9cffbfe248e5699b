//go:build unix

package clustertest

import (
	"testing"
	"time"
)

// faultTime is hosted.md's goal, section 7, for the reads through a kill -9 of one of three
// nodes with 1,000 pages each, and for its pages to join others: 99 of 100.
const faultTime = 3 * time.Second

// With 1,000 pages per node, reads go on through the loss of one, and its pages are soon at
// the others.
func TestReadsGoOnThroughAKillWithManyPages(t *testing.T) {
	needsAll(t)
	const pages = 3_000
	d := newDeployment(t)
	d.limits = "pages: 4000, streams: 1000, joinsPerTenantPerSecond: 100000, readsPerSecond: 100000"
	d.startNATS(3)
	nodes := []*process{d.start(), d.start(), d.start()}
	b := newBalancer(nodes...)
	tabs := d.openMany(b, pages)
	lost := map[*tab]bool{}
	for _, tab := range tabs {
		if tab.at() == nodes[0] {
			lost[tab] = true
		}
	}
	seen := d.witness(b)
	l := d.newLoad(b, tabs, 16)
	eventually(t, "the load has begun", func() bool { return l.count.Load() > pages })
	seen.fault("a node with 1,000 pages is killed")
	l.cut()
	began := time.Now()
	nodes[0].kill()
	back := make([]time.Duration, 0, len(lost))
	within(t, testTime, "all pages are joined again", func() bool {
		for tab := range lost {
			if at := tab.at(); at != nil && at != nodes[0] {
				delete(lost, tab)
				back = append(back, time.Since(began))
			}
		}
		return len(lost) == 0
	})
	within(t, testTime, "the load goes on for as long as the goal", func() bool { return time.Since(began) > faultTime })
	if failures := l.end(); len(failures) > 0 {
		t.Errorf("%d failures: %s", len(failures), failures[0])
	}
	reads := l.sorted()
	readsP99, backP99 := quantile(reads, 0.99), quantile(back, 0.99)
	t.Logf("%d reads within %v of the kill: p50 %v, p99 %v, the longest %v; %d pages back: p50 %v, p99 %v", len(reads), since(began),
		quantile(reads, 0.5), readsP99, reads[len(reads)-1], len(back), quantile(back, 0.5), backP99)
	if readsP99 > faultTime || backP99 > faultTime {
		t.Errorf("99 of 100 reads took up to %v, and pages %v; the goal is %v", readsP99, backP99, faultTime)
	}
	seen.judge()
}
