//go:build unix

package cluster

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// quantile returns a quantile of times, which it sorts.
func quantile(times []time.Duration, q float64) time.Duration {
	slices.Sort(times)
	return times[min(len(times)-1, int(q*float64(len(times))))]
}

// timed returns how long reads of a page take, by clients that each send one after the other.
func (d *deployment) timed(addr string, t *tab, clients, reads int) (times []time.Duration, perSecond float64) {
	d.t.Helper()
	var mu sync.Mutex
	var running sync.WaitGroup
	began := time.Now()
	for range clients {
		running.Go(func() {
			c := d.client(addr, t.user, nil)
			for range reads / clients {
				sent := time.Now()
				got := c.read(t)
				took := time.Since(sent)
				mu.Lock()
				if times = append(times, took); got[:3] != "200" {
					d.t.Error(got)
				}
				mu.Unlock()
			}
		})
	}
	running.Wait()
	return times, float64(len(times)) / time.Since(began).Seconds()
}

// What the hop to another node adds to a read, at one client and at 16.
func TestFiguresOfTheHop(t *testing.T) {
	reads := 300
	if *all {
		reads = 4_000
	}
	d := deploy(t, 1)
	d.limits += ", requestsPerOwner: 1000"
	a, b := d.start(), d.start()
	var local, distant *tab // by the home of their user, a or b
	for i := 0; local == nil || distant == nil; i++ {
		switch user := fmt.Sprint("user", i); {
		case a.isHome(user) && local == nil:
			local = d.open(a.addr, user, "1", nil)
		case b.isHome(user) && distant == nil:
			distant = d.open(b.addr, user, "1", nil)
		}
	}
	for _, clients := range []int{1, 16} {
		var here, there []time.Duration
		var ratios []float64
		for range 3 {
			times, localRate := d.timed(a.addr, local, clients, reads)
			here = append(here, times...)
			times, rate := d.timed(a.addr, distant, clients, reads)
			there = append(there, times...)
			ratios = append(ratios, rate/localRate)
		}
		slices.Sort(ratios)
		t.Logf("%d clients: local p50 %v p99 %v, over the hop p50 %v p99 %v; it adds %v and %v; %.2f of the reads per second",
			clients, quantile(here, 0.5), quantile(here, 0.99), quantile(there, 0.5), quantile(there, 0.99),
			quantile(there, 0.5)-quantile(here, 0.5), quantile(there, 0.99)-quantile(here, 0.99), ratios[1])
	}
}

// memory returns the bytes that a node's process has in use.
func (n *node) memory() float64 {
	_, body := n.probe("/metrics")
	total := 0.0
	for _, name := range []string{"go_memstats_heap_inuse_bytes", "go_memstats_stack_inuse_bytes"} {
		if m := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(body); m != nil {
			value, err := strconv.ParseFloat(m[1], 64)
			if err == nil {
				total += value
			}
		}
	}
	return total
}

// settled returns the memory after garbage collections, which a profile of the heap makes.
func (n *node) settled() float64 {
	for range 3 {
		n.probe("/debug/pprof/heap?gc=1&debug=0")
	}
	return n.memory()
}

// Memory of an idle page, at its home and passed on, and the rate of joins.
func TestFiguresOfPages(t *testing.T) {
	pages := 200
	if *all {
		pages = 2_000
	}
	d := deploy(t, 1)
	d.limits += ", joins: 1000"
	a, b := d.start(), d.start()
	measure := func(addr func(user string) string) (bytes float64, joins float64) {
		before := a.settled() + b.settled()
		began := time.Now()
		tabs := make([]*tab, pages)
		var opening sync.WaitGroup
		for worker := range 32 {
			opening.Go(func() {
				for i := worker; i < pages; i += 32 {
					user := fmt.Sprint("user", i)
					tabs[i] = d.open(addr(user), user, "1", nil)
				}
			})
		}
		opening.Wait()
		joins = float64(pages) / time.Since(began).Seconds()
		time.Sleep(time.Second) // until they are attached
		bytes = (a.settled() + b.settled() - before) / float64(pages)
		for _, tab := range tabs {
			tab.close()
		}
		eventually(t, "all pages have left", func() bool {
			_, first := a.probe("/metrics")
			_, second := b.probe("/metrics")
			gone := regexp.MustCompile(`pagemcp_pages\{state="connected"\} 0\n`)
			return gone.MatchString(first) && gone.MatchString(second)
		})
		return bytes, joins
	}
	homes := map[string]*node{}
	for i := range pages {
		user := fmt.Sprint("user", i)
		homes[user] = b
		if a.isHome(user) {
			homes[user] = a
		}
	}
	other := map[*node]*node{a: b, b: a}
	local, localJoins := measure(func(user string) string { return homes[user].addr })
	passed, passedJoins := measure(func(user string) string { return other[homes[user]].addr })
	t.Logf("an idle page: %.0f KB at its home, %.0f KB on both nodes if it is passed on; %.0f and %.0f joins per second with the pages on the same machine",
		local/1024, passed/1024, localJoins, passedJoins)
}
