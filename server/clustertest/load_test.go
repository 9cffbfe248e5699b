//go:build unix

package clustertest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A load reads the pages of some users all the time, at nodes that the balancer picks, and
// checks each answer.
type load struct {
	stop  chan struct{}
	done  sync.WaitGroup
	count atomic.Int64
	slow  atomic.Int64 // the longest read, in ns

	mu       sync.Mutex
	failures []string
	times    []time.Duration // of reads that were answered, with their repetitions
}

// newLoad reads tabs with workers at the same time. Failed connections are repeated at
// another node, as clients do; any other answer than the page's own is a failure.
func (d *deployment) newLoad(b *balancer, tabs []*tab, workers int) *load {
	l := &load{stop: make(chan struct{})}
	clients := map[string]*client{}
	for _, t := range tabs {
		clients[t.user] = d.client(t.user)
	}
	for worker := range workers {
		l.done.Go(func() {
			for i := worker; ; i++ {
				select {
				case <-l.stop:
					return
				default:
				}
				t := tabs[i%len(tabs)]
				l.read(b, clients[t.user], t)
			}
		})
	}
	return l
}

func (l *load) read(b *balancer, c *client, t *tab) {
	uri, began := t.uri(), time.Now()
	for time.Since(began) < testTime {
		node, connections := b.pick()
		if node == nil {
			time.Sleep(leastRedial)
			continue
		}
		got := c.readOn(connections, node, uri)
		l.count.Add(1)
		if strings.Contains(got, `"of `+t.user+` `) {
			took := int64(time.Since(began))
			l.took(time.Duration(took))
			for before := l.slow.Load(); took > before && !l.slow.CompareAndSwap(before, took); before = l.slow.Load() {
			}
			return
		}
		if strings.HasPrefix(got, "200 ") || strings.HasPrefix(got, "4") {
			l.fail(fmt.Sprintf("%s: %s", uri, got))
			return
		}
		time.Sleep(leastRedial) // the connection, or 503
	}
	l.fail(uri + ": no answer in time")
}

func (l *load) took(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.times = append(l.times, d)
}

// cut forgets the times so far.
func (l *load) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.times = nil
}

// sorted returns the times since cut. Call it after end.
func (l *load) sorted() []time.Duration {
	slices.Sort(l.times)
	return l.times
}

func (l *load) fail(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures = append(l.failures, text)
}

// end ends the load, and returns what failed.
func (l *load) end() []string {
	close(l.stop)
	l.done.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failures
}

func (l *load) longest() time.Duration { return time.Duration(l.slow.Load()).Round(time.Millisecond) }
