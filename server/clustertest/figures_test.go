//go:build unix

package clustertest

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// Benchmarks of hosted.md, section 7. Nodes, NATS servers, pages and assistants share the
// machine.

// quantile returns the share q of sorted durations.
func quantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// measure sends count requests with workers at a time, and returns their durations, sorted,
// and the rate.
func measure(b *testing.B, count, workers int, send func(worker int) error) (sorted []time.Duration, perSecond float64) {
	b.Helper()
	sorted = make([]time.Duration, count)
	var next atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	for worker := range workers {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(count); i = next.Add(1) - 1 {
				at := time.Now()
				if err := send(worker); err != nil {
					b.Error(err)
					return
				}
				sorted[i] = time.Since(at)
			}
		})
	}
	all.Wait()
	perSecond = float64(count) / time.Since(began).Seconds()
	slices.Sort(sorted)
	return sorted, perSecond
}

// BenchmarkHop reads a page by HTTP at its own node and at another one, in turn: what the
// hop adds with one client, and the share of the rate that is left with 16. floor is a bare
// exchange through the NATS server in the same rounds: x-floor is what the hop adds,
// relative to that.
func BenchmarkHop(b *testing.B) {
	d := newDeployment(b)
	d.limits = "pages: 1000, streams: 1000, readsPerSecond: 1000000"
	d.startNATS(1)
	nodes := [2]*process{d.start(), d.start()}
	page, err := d.join(nodes[0].addr, "alice", "tab")
	if err != nil {
		b.Fatal(err)
	}
	clients := make([]*client, 16)
	for i := range clients {
		clients[i] = d.client("alice")
	}
	read := func(node *process) func(int) error {
		return func(worker int) error {
			if got := clients[worker].read(node, page.name+"+notes://a"); !strings.Contains(got, "of alice") {
				return fmt.Errorf("%s", got)
			}
			return nil
		}
	}
	exchange := d.floor()
	ways := []func(int) error{read(nodes[0]), read(nodes[1]), func(int) error { return exchange() }}
	for _, way := range ways[:2] {
		measure(b, 200, 16, way)
	}
	b.ResetTimer()
	var times [3][]time.Duration // local, far, floor
	const rounds = 20
	for range rounds {
		for i, way := range ways {
			part, _ := measure(b, max(1, b.N/rounds), 1, way)
			times[i] = append(times[i], part...)
		}
	}
	_, localRate := measure(b, 4*b.N, 16, ways[0])
	_, farRate := measure(b, 4*b.N, 16, ways[1])
	b.ReportMetric(0, "ns/op")
	at := func(way int, q float64) float64 {
		slices.Sort(times[way])
		return quantile(times[way], q).Seconds() * 1e3
	}
	b.ReportMetric(at(0, 0.5), "local-p50-ms")
	b.ReportMetric(at(1, 0.5)-at(0, 0.5), "added-p50-ms")
	b.ReportMetric(at(1, 0.99)-at(0, 0.99), "added-p99-ms")
	b.ReportMetric(at(2, 0.5), "floor-p50-ms")
	b.ReportMetric((at(1, 0.5)-at(0, 0.5))/at(2, 0.5), "x-floor")
	b.ReportMetric(farRate, "hop-reads/s")
	b.ReportMetric(farRate/localRate, "of-local")
}

// BenchmarkFirstRequest measures the first list of owners with 8 pages on another node.
func BenchmarkFirstRequest(b *testing.B) {
	d := newDeployment(b)
	d.limits = fmt.Sprintf("pages: %d, streams: 100, joinsPerTenantPerSecond: 100000", 8*b.N+100)
	d.startNATS(1)
	holder, other := d.start(), d.start()
	for i := range b.N {
		for page := range 8 {
			if _, err := d.join(holder.addr, fmt.Sprint("user", i), fmt.Sprint("tab", page)); err != nil {
				b.Fatal(err)
			}
		}
	}
	clients := make([]*client, b.N)
	for i := range clients {
		clients[i] = d.client(fmt.Sprint("user", i))
	}
	var next atomic.Int64
	b.ResetTimer()
	times, _ := measure(b, b.N, 1, func(int) error {
		if got := clients[next.Add(1)-1].list(other); strings.Count(got, `"uri"`) != 8 {
			return fmt.Errorf("%s", got)
		}
		return nil
	})
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(quantile(times, 0.5))/1e6, "p50-ms")
	b.ReportMetric(float64(quantile(times, 0.99))/1e6, "p99-ms")
}

// BenchmarkUpdates changes resources b.N times, which 1,000 assistants at another node
// watch: deliveries per second, their delay, and how many were lost. A change is made when
// all have heard of the one before it. Resources take turns, because a gateway announces
// each of them at most once in 250 ms (engine.Options.UpdateInterval): with one, the
// benchmark would measure that.
func BenchmarkUpdates(b *testing.B) {
	const listeners, resources = 1_000, 64
	d := newDeployment(b)
	d.limits = "pages: 100, streams: 5000, streamsPerOwner: 5000"
	d.startNATS(1)
	holder, other := d.start(), d.start()
	page := d.joinEngine(holder, "alice", "tab")
	uris := make([]string, resources)
	for i := range uris {
		own := fmt.Sprint("notes://", i)
		page.put(b, own)
		uris[i] = page.name + "+" + own
	}
	c := d.client("alice")
	var round, changed atomic.Int64 // the present one, from 1, and when it began, in ns
	heard := make(chan time.Duration, listeners)
	newListener := func() func(string) {
		last := int64(0) // round that it has heard of: each counts once
		return func(line string) {
			if now := round.Load(); now > last && strings.Contains(line, `"`+uris[now%resources]+`"`) {
				last = now
				heard <- time.Duration(time.Now().UnixNano() - changed.Load())
			}
		}
	}
	for range listeners {
		ready := make(chan error)
		go listen(c, other, uris, ready, newListener())
		if err := <-ready; err != nil {
			b.Fatal(err)
		}
	}
	var delays []time.Duration
	lost := 0
	b.ResetTimer()
	began := time.Now()
	for i := range int64(b.N) {
		changed.Store(time.Now().UnixNano())
		round.Store(i + 1)
		page.table.Changed(fmt.Sprint("notes://", (i+1)%resources))
		late := time.NewTimer(testTime)
		for count := 0; count < listeners; count++ {
			select {
			case delay := <-heard:
				delays = append(delays, delay)
				continue
			case <-late.C:
				lost += listeners - count
			}
			break
		}
		late.Stop()
	}
	took := time.Since(began)
	slices.Sort(delays)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(len(delays))/took.Seconds(), "deliveries/s")
	b.ReportMetric(float64(quantile(delays, 0.5))/1e6, "p50-ms")
	b.ReportMetric(float64(quantile(delays, 0.99))/1e6, "p99-ms")
	b.ReportMetric(float64(lost), "lost")
}

// put adds a resource.
func (p *enginePage) put(b *testing.B, uri string) {
	b.Helper()
	err := p.table.Put(engine.Entry{
		JSON: engine.Describe("uri", uri, "name", uri),
		Read: func(_ context.Context, uri string) ([]engine.Contents, error) {
			return []engine.Contents{{URI: uri, Text: "text"}}, nil
		},
	})
	if err != nil {
		b.Fatal(err)
	}
}

// listen opens a subscription, and calls heard for the line of each update.
func listen(c *client, node *process, uris []string, ready chan<- error, heard func(line string)) {
	ctx, cancel := context.WithCancel(context.Background())
	c.d.t.Cleanup(cancel)
	answer, err := c.post(ctx, node, "/mcp", "1", "subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["`+strings.Join(uris, `","`)+`"]}`)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("listen: %s", answer.Status)
	}
	if err != nil {
		ready <- err
		return
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		switch line := lines.Text(); {
		case strings.Contains(line, "subscriptions/acknowledged"):
			ready <- nil
		case strings.Contains(line, "resources/updated"):
			heard(line)
		}
	}
}

// openMany opens tabs of as many users, 32 at a time.
func (d *deployment) openMany(b *balancer, count int) []*tab {
	tabs := make([]*tab, count)
	var opening sync.WaitGroup
	var next atomic.Int64
	for range 32 {
		opening.Go(func() {
			for i := next.Add(1) - 1; i < int64(count); i = next.Add(1) - 1 {
				tabs[i] = d.open(b, fmt.Sprint("user", i), "tab")
			}
		})
	}
	opening.Wait()
	return tabs
}

// BenchmarkRejoin lets b.N pages join three nodes, kills two of them, and measures until all
// pages are joined at the third.
func BenchmarkRejoin(b *testing.B) {
	d := newDeployment(b)
	d.limits = fmt.Sprintf("pages: %d, streams: 100, joinsPerTenantPerSecond: 100000", b.N+100)
	d.startNATS(1)
	nodes := []*process{d.start(), d.start(), d.start()}
	balanced := newBalancer(nodes...)
	tabs := d.openMany(balanced, b.N)
	var moved []time.Duration
	b.ResetTimer()
	began := time.Now()
	nodes[0].kill()
	nodes[1].kill()
	for deadline := time.Now().Add(2 * time.Minute); len(moved) < b.N; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.Fatalf("timeout: %d of %d pages are joined", len(moved), b.N)
		}
		count := 0
		for _, t := range tabs {
			if t.at() == nodes[2] {
				count++
			}
		}
		for len(moved) < count {
			moved = append(moved, time.Since(began))
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(quantile(moved, 0.5).Seconds(), "p50-s")
	b.ReportMetric(quantile(moved, 0.99).Seconds(), "p99-s")
	b.ReportMetric(moved[len(moved)-1].Seconds(), "all-s")
}
