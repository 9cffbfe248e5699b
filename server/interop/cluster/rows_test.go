//go:build unix

package cluster

import (
	"flag"
	"fmt"
	"slices"
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
		tabs = append(tabs, d.open(b.addr(), fmt.Sprint("user", i), "1", nil))
	}
	return b, nodes, tabs
}

// Each node serves each user, whichever node the page has reached.
func TestEachNodeServesEachUser(t *testing.T) {
	d := deploy(t, 1)
	_, nodes, tabs := d.three(12)
	for _, tab := range tabs {
		homes := 0
		for _, n := range nodes {
			if got := d.client(n.addr, tab.user, nil).read(tab); !strings.Contains(got, `"of `+tab.instance+`"`) {
				t.Errorf("%s: %s", tab.user, got)
			}
			if n.isHome(tab.user) {
				homes++
			}
		}
		if homes != 1 {
			t.Errorf("%s has %d homes", tab.user, homes)
		}
	}
	if got := d.client(nodes[0].addr, "stranger", nil).read(tabs[0]); strings.Contains(got, "of ") {
		t.Errorf("another user: %s", got)
	}
}

// With all nodes replaced one after the other, clients that keep their connections lose no
// request. In one of twenty rounds a few of 25,000 requests are asked to come again, unserved, since two
// nodes see the change in different order: `make cluster` fails by that.
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
		if !*all {
			failures = slices.DeleteFunc(failures, func(one string) bool { return strings.Contains(one, "retry in a second") })
		}
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
		if got := d.client(b.addr(), tab.user, nil).read(tab); !strings.Contains(got, `"of `+tab.instance+`"`) {
			t.Errorf("after the kill: %s", got)
		}
	}
}

// A frozen node holds up its own users until it has expired.
func TestAFrozenNodeIsLeft(t *testing.T) {
	d := deploy(t, 1)
	_, nodes, tabs := d.three(12)
	var victim *tab
	for _, tab := range tabs {
		if nodes[0].isHome(tab.user) {
			victim = tab
		}
	}
	if victim == nil {
		t.Skip("the node has none of 12 users")
	}
	nodes[0].signal(syscall.SIGSTOP)
	began := time.Now()
	eventually(t, "another node is the home", func() bool { return nodes[1].isHome(victim.user) || nodes[2].isHome(victim.user) })
	t.Logf("another node is the home after %v", time.Since(began))
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

// Two tenants with equal users, page ids and names get nothing of each other at any node.
func TestTenantsAreIsolatedAtEachNode(t *testing.T) {
	requests := 2_000
	if *all {
		requests = 20_000
	}
	d := deploy(t, 1)
	d.claim = ", tenantClaim: org_id"
	b, _, _ := d.three(0)
	type user struct {
		*tab
		*client
	}
	var users []user
	for _, tenant := range []string{"acme", "globex"} {
		claims := map[string]any{"org_id": tenant}
		for i := range 4 {
			page := d.open(b.addr(), fmt.Sprint("user", i), "1", claims)
			users = append(users, user{page, d.client(b.addr(), page.user, claims)})
		}
	}
	done := make(chan string, len(users))
	for i, own := range users {
		other := users[(i+len(users)/2)%len(users)]
		go func() {
			for range requests / len(users) {
				if got := own.read(own.tab); !strings.Contains(got, `"of `+own.instance+`"`) {
					done <- "its own page: " + got
					return
				}
				if got := own.ask("resources/list", "", ""); strings.Contains(got, other.name) || !strings.Contains(got, own.name) {
					done <- "the list: " + got
					return
				}
				if got := own.ask("tools/call", other.name+"__work", fmt.Sprintf(`"name":%q,`, other.name+"__work")); strings.Contains(got, "by ") {
					done <- "the page of another tenant: " + got
					return
				}
			}
			done <- ""
		}()
	}
	for range users {
		if problem := <-done; problem != "" {
			t.Error(problem)
		}
	}
}
