package pressure

import (
	"context"
	"math"
	"runtime/debug"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// testMemory is a process whose collector finds garbage.
type testMemory struct {
	limit, live, garbage uint64 // percent
	lastLive             uint64 // at the last collection
	collections          int
}

func (m *testMemory) read() sample {
	const unit = 1 << 20
	return sample{limit: m.limit * unit, total: (m.live + m.garbage) * unit, live: m.lastLive * unit}
}

func (m *testMemory) collect() {
	m.collections++
	m.lastLive, m.garbage = m.live, 0
}

func TestJoinsAreRefusedBeforeViewsAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := &testMemory{limit: 100, live: 50}
		var relieved []time.Duration
		begun := time.Now()
		w := &Watch{read: memory.read, collect: memory.collect, relieve: func() { relieved = append(relieved, time.Since(begun)) }}
		for _, step := range []struct {
			name          string
			live, garbage uint64
			seconds       int
			pressure      bool
			relieved      int // during the step
		}{
			{"plenty", 50, 20, 10, false, 0},
			{"full of garbage", 50, 50, 10, false, 0},
			{"more, under the limit", 84, 0, 10, false, 0},
			{"over the limit", 90, 0, 1, true, 0},
			{"still over", 90, 0, 4, true, 0},
			{"closed after 5 s, and then every 5 s", 90, 0, 10, true, 2},
			{"between the limits", 80, 0, 20, true, 0},
			{"under both", 70, 0, 10, false, 0},
			{"between the limits, from below", 80, 10, 20, false, 0},
		} {
			relieved = nil
			memory.live, memory.garbage = step.live, step.garbage
			if step.live+step.garbage <= 85 { // the collector runs by itself now and then
				memory.lastLive = step.live
			}
			for range step.seconds {
				time.Sleep(interval)
				w.sample()
			}
			if w.UnderPressure() != step.pressure || len(relieved) != step.relieved {
				t.Errorf("%s: pressure %v, relieved at %v", step.name, w.UnderPressure(), relieved)
			}
		}
		if memory.collections > 20 {
			t.Errorf("%d collections", memory.collections)
		}
	})
}

func TestMemoryIsSampledUntilTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*interval+interval/2)
		defer cancel()
		samples := 0
		w := &Watch{read: func() sample { samples++; return sample{} }}
		if w.Run(ctx); samples != 10 {
			t.Errorf("%d samples", samples)
		}
	})
}

// Limits that are not set, or are removed, are no pressure.
func TestNoMemoryLimitIsNoPressure(t *testing.T) {
	full := sample{limit: 100, total: 99, live: 99}
	now := full
	w := &Watch{read: func() sample { return now }, collect: func() {}, relieve: func() {}}
	for _, without := range []uint64{0, math.MaxInt64} {
		now = full
		if w.sample(); !w.UnderPressure() {
			t.Error("no pressure at the limit")
		}
		now.limit = without
		if w.sample(); w.UnderPressure() {
			t.Errorf("pressure with the limit %d", without)
		}
	}
}

// What the runtime reports has the names that are read here.
func TestMemoryOfThisProcess(t *testing.T) {
	const limit = 1 << 40
	old := debug.SetMemoryLimit(limit)
	defer debug.SetMemoryLimit(old)
	held := slices.Repeat([]byte{1}, 64<<20)
	w := New(func() {})
	w.collect()
	now := w.read()
	if now.limit != limit || now.live < 64<<20 || now.live > now.total || now.total > limit {
		t.Errorf("%+v", now)
	}
	if w.sample(); w.UnderPressure() {
		t.Error("pressure far below the limit")
	}
	if held[0] != 1 { // in use until here
		t.Error(held[0])
	}
}
