package hosted

import (
	"context"
	"math"
	"runtime"
	runtimemetrics "runtime/metrics"
	"sync/atomic"
	"time"
)

const (
	memoryInterval = time.Second
	collectPause   = 5 * time.Second // between collections that the watch starts

	// Shares of GOMEMLIMIT. Between them nothing changes, so that joins are not accepted and
	// refused in turn.
	memoryHigh = 0.85
	memoryLow  = 0.75
)

// A memorySample is the memory of the process at one moment, in bytes.
type memorySample struct {
	limit uint64 // GOMEMLIMIT; math.MaxInt64 without one
	total uint64 // what the limit applies to: objects, live and not, and everything else
	live  uint64 // the same without objects that were garbage at the last collection
}

// A memoryWatch refuses joins and closes views when memory runs out, before the collector
// takes all processor time. Without GOMEMLIMIT it does nothing.
type memoryWatch struct {
	read    func() memorySample
	collect func()
	relieve func() // closes some of the views that are idle for longest

	high      atomic.Bool
	collected time.Time // used by Run alone
}

// newMemoryWatch returns a watch of this process. relieve is called by Run, at most every 5
// seconds, while memory is short although joins are refused.
func newMemoryWatch(relieve func()) *memoryWatch {
	return &memoryWatch{read: readMemory, collect: runtime.GC, relieve: relieve}
}

// underPressure reports whether joins are to be refused.
func (m *memoryWatch) underPressure() bool { return m.high.Load() }

// Run samples until ctx ends.
func (m *memoryWatch) Run(ctx context.Context) {
	tick := time.NewTicker(memoryInterval)
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
// normal operation, so only what is left after a collection counts. The collector reports
// that for its last run; when the space is nearly full, a further run shows the present.
func (m *memoryWatch) sample() {
	now := m.read()
	if now.limit == 0 || now.limit >= math.MaxInt64 {
		m.high.Store(false)
		return
	}
	high, low := uint64(memoryHigh*float64(now.limit)), uint64(memoryLow*float64(now.limit))
	collected := now.total > high && time.Since(m.collected) >= collectPause
	if collected {
		m.collect()
		m.collected = time.Now()
		now = m.read()
	}
	switch {
	case now.live < low:
		m.high.Store(false)
	case now.live <= high:
	case !m.high.Load():
		m.high.Store(true)
	case collected: // refusing joins was not enough, and what was closed before is gone
		m.relieve()
	}
}

// readMemory samples this process.
func readMemory() memorySample {
	samples := []runtimemetrics.Sample{
		{Name: "/gc/gomemlimit:bytes"},
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
	}
	runtimemetrics.Read(samples)
	value := func(i int) uint64 {
		if samples[i].Value.Kind() != runtimemetrics.KindUint64 { // not in this version of Go
			return 0
		}
		return samples[i].Value.Uint64()
	}
	total := value(2) - value(3)
	rest := total - min(total, value(4)+value(5)+value(6)) // stacks and the runtime's own
	return memorySample{limit: value(0), total: total, live: value(1) + rest}
}
