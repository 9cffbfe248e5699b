package pressure

import (
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestJoinsAreRefusedBeforeViewsAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now sample
		relieved := 0
		w := &Watch{read: func() sample { return now }, relieve: func() { relieved++ }}
		for _, step := range []struct {
			name        string
			limit, live uint64
			seconds     int
			pressure    bool
			relieved    int // during the step
		}{
			{"plenty", 100, 50, 10, false, 0},
			{"more, under the limit", 100, 84, 10, false, 0},
			{"over the limit", 100, 90, 1, true, 0},
			{"still over", 100, 90, 4, true, 0},
			{"closed after 5 s, and then every 5 s", 100, 90, 10, true, 2},
			{"between the limits", 100, 80, 20, true, 0},
			{"under both", 100, 70, 10, false, 0},
			{"between the limits, from below", 100, 80, 20, false, 0},
			{"over the limit again", 100, 99, 1, true, 0},
			{"no limit", math.MaxInt64, 99, 10, false, 0},
			{"none that this version of Go knows", 0, 99, 10, false, 0},
		} {
			relieved, now = 0, sample{step.limit, step.live}
			for range step.seconds {
				time.Sleep(interval)
				w.sample()
			}
			if w.UnderPressure() != step.pressure || relieved != step.relieved {
				t.Errorf("%s: pressure %v, relieved %d times", step.name, w.UnderPressure(), relieved)
			}
		}
	})
}

// What the runtime reports has the names that are read here.
func TestMemoryOfThisProcess(t *testing.T) {
	const limit = 1 << 40
	old := debug.SetMemoryLimit(limit)
	defer debug.SetMemoryLimit(old)
	held := slices.Repeat([]byte{1}, 64<<20)
	runtime.GC()
	if now := read(); now.limit != limit || now.live < 64<<20 || now.live > 4<<30 {
		t.Errorf("%+v", now)
	}
	if held[0] != 1 { // in use until here
		t.Error(held[0])
	}
}
