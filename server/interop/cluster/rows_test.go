//go:build unix

package cluster

import (
	"flag"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	all      = flag.Bool("all", false, "run what takes minutes, too: make cluster")
	restarts = flag.Int("restarts", 0, "rolling restarts of TestRollingRestartsFailNoRequest; default: 1, or 20 with -all")
)

// three starts three nodes behind a balancer, and tabs of as many users.
func (d *deployment) three(users int) (b *balancer, nodes []*node, tabs []*tab) {
	d.t.Helper()
	nodes = []*node{d.start(), d.start(), d.start()}
	eventually(d.t, "all nodes know each other", func() bool {
		for _, n := range nodes {
			if _, metrics := n.probe("/metrics"); !strings.Contains(metrics, "\npagemcp_cluster_nodes 3\n") {
				return false
			}
		}
		return true
	})
	b = d.balance(nodes...)
	for i := range users {
		tabs = append(tabs, d.open(b.addr(), fmt.Sprint("user", i), nil))
	}
	return b, nodes, tabs
}

// With all nodes replaced one after the other, clients that keep their connections lose no
// request.
func TestRollingRestartsFailNoRequest(t *testing.T) {
	d := deploy(t, 3)
	b, nodes, tabs := d.three(24)
	rounds := max(1, *restarts)
	if *all && *restarts == 0 {
		rounds = 20
	}
	for round := range rounds {
		l := d.load(b.addr(), tabs)
		for i, old := range nodes {
			fresh := d.start()
			b.replace(old, fresh)
			nodes[i] = fresh
			old.signal(syscall.SIGTERM)
			select {
			case <-old.ended:
			case <-time.After(60 * time.Second):
				t.Fatal("a node does not end within 60 s")
			}
		}
		failures := l.end()
		if len(failures) > 0 {
			t.Errorf("round %d: %d of %d requests failed: %s", round, len(failures), l.count.Load(), failures[0])
		}
		t.Logf("round %d: %d requests, the longest %v", round, l.count.Load(), l.longest)
	}
}

// kill -9 of a node under load: each client loses at most the request that was in flight, and all
// pages are back within the goal of 3 s.
func TestPagesOutliveTheKillOfANode(t *testing.T) {
	users := 30
	if *all {
		users = 3_000
	}
	d := deploy(t, 3)
	b, nodes, tabs := d.three(users)
	busy := tabs[:30]
	l := d.load(b.addr(), busy)
	began := time.Now()
	time.Sleep(500 * time.Millisecond)
	killed := time.Now()
	nodes[0].kill()
	b.replace(nodes[0], nil)
	time.Sleep(3 * time.Second)
	late := 0
	for _, tab := range tabs {
		if !tab.isThere() {
			late++
		}
	}
	if late > users/100 {
		t.Errorf("%d of %d pages are not back after 3 s", late, users)
	}
	eventually(t, "all pages are back", func() bool {
		for _, tab := range tabs {
			if !tab.isThere() {
				return false
			}
		}
		return true
	})
	longest := time.Duration(0)
	for _, tab := range tabs {
		if _, at := tab.joined(); at.After(killed) {
			longest = max(longest, at.Sub(killed))
		}
	}
	failures := l.end()
	for _, got := range failures {
		if strings.Contains(got, "/user") {
			t.Errorf("a foreign answer: %s", got)
		}
	}
	t.Logf("%d requests in %v, %d of them failed, the longest %v; the last page was back after %v", l.count.Load(), time.Since(began).Round(time.Millisecond), len(failures), l.longest, longest)
	if len(failures) > len(busy)*2 {
		t.Errorf("%d requests of %d clients failed: %s", len(failures), len(busy), failures[len(failures)-1])
	}
	for _, tab := range tabs[:min(users, 100)] {
		if got := d.client(b.addr(), tab.user).read(tab); !strings.Contains(got, `"of `+tab.user+`"`) {
			t.Errorf("after the kill: %s", got)
		}
	}
}

// NATS is away: nothing changes for users, and no node goes.
func TestNATSMayBeAway(t *testing.T) {
	away := 12 * time.Second
	if *all {
		away = time.Minute
	}
	d := deploy(t, 3)
	b, nodes, tabs := d.three(12)
	l := d.load(b.addr(), tabs)
	d.killNATS()
	time.Sleep(away)
	for _, n := range nodes {
		if status, body := n.probe("/readyz"); status != 200 || !strings.Contains(body, "cluster store away") {
			t.Errorf("%d %s", status, body)
		}
	}
	d.startNATS()
	eventually(t, "the store is back", func() bool {
		for _, n := range nodes {
			if _, body := n.probe("/readyz"); body != "ready\n" {
				return false
			}
		}
		return true
	})
	if failures := l.end(); len(failures) > 0 {
		t.Errorf("%d of %d requests failed: %s", len(failures), l.count.Load(), failures[0])
	}
	d.start() // joins again
	t.Logf("%d requests, the longest %v", l.count.Load(), l.longest)
}
