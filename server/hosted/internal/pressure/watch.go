// Package pressure watches the memory of the process.
package pressure

import (
	"context"
	"math"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

const (
	interval    = time.Second
	reliefPause = 5 * time.Second

	// Shares of GOMEMLIMIT. Between them nothing changes, so that joins are not accepted and
	// refused in turn.
	highShare = 0.85
	lowShare  = 0.75
)

// A sample is the memory of the process at one moment, in bytes.
type sample struct {
	limit uint64 // GOMEMLIMIT; math.MaxInt64 without one
	live  uint64 // what the limit applies to, without objects that were garbage at the last collection
}

// A Watch refuses joins and closes views when memory runs out, before the collector
// takes all processor time. Without GOMEMLIMIT it does nothing.
type Watch struct {
	read    func() sample
	relieve func() // closes some of the views that are idle for longest

	high  atomic.Bool
	since time.Time // of high, or of the last relief; used by Run alone
}

// New returns a watch of this process. relieve is called by Run, at most every 5
// seconds, while memory is short although joins are refused.
func New(relieve func()) *Watch { return &Watch{read: read, relieve: relieve} }

// UnderPressure reports whether joins are to be refused.
func (m *Watch) UnderPressure() bool { return m.high.Load() }

// Run samples until ctx ends.
func (m *Watch) Run(ctx context.Context) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			m.sample()
		}
	}
}

// sample compares the memory with the limit. Garbage fills the space up to the limit in
// normal operation, so only what is left after a collection counts, and the collector runs
// often when that is near the limit.
func (m *Watch) sample() {
	now := m.read()
	high, low := uint64(highShare*float64(now.limit)), uint64(lowShare*float64(now.limit))
	switch {
	case now.limit == 0, now.limit >= math.MaxInt64, now.live < low:
		m.high.Store(false)
	case now.live <= high:
	case !m.high.Swap(true):
		m.since = time.Now()
	case time.Since(m.since) >= reliefPause: // refusing joins was not enough, and what was closed before is gone
		m.since = time.Now()
		m.relieve()
	}
}

// read samples this process.
func read() sample {
	samples := []metrics.Sample{
		{Name: "/gc/gomemlimit:bytes"},
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
	}
	metrics.Read(samples)
	value := func(i int) uint64 {
		if samples[i].Value.Kind() != metrics.KindUint64 { // not in this version of Go
			return 0
		}
		return samples[i].Value.Uint64()
	}
	heap := value(3) + value(4) + value(5) + value(6)
	return sample{limit: value(0), live: value(1) + value(2) - min(value(2), heap)} // stacks and the runtime's own come on top
}
