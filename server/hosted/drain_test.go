package hosted

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/wait"
)

// A drained is a drain with virtual time, and when each of its steps began.
type drained struct {
	begun time.Time
	steps []string
	moved []time.Duration
	took  time.Duration

	moving time.Duration // of owners to other nodes
}

func (d *drained) note(step string) {
	d.steps = append(d.steps, fmt.Sprintf("%s at %v", step, time.Since(d.begun).Round(time.Second)))
}

// page returns a page whose tool runs for a while.
func (d *drained) page(tool time.Duration) drainingPage {
	return drainingPage{
		calls: func() int {
			if time.Since(d.begun) < tool {
				return 1
			}
			return 0
		},
		move: func(time.Duration) { d.moved = append(d.moved, time.Since(d.begun)) },
	}
}

// run drains pages, and a node whose requests take requests.
func (d *drained) run(ctx context.Context, pages []drainingPage, requests time.Duration) {
	d.begun = time.Now()
	drain(ctx, drainSteps{
		announce:    func() { d.note("announce") },
		refuseJoins: func() { d.note("refuse") },
		pages:       func() []drainingPage { return pages },
		endStreams:  func() { d.note("streams") },
		move:        func(ctx context.Context) { wait.For(ctx, d.moving) },
		finish:      func(ctx context.Context) { d.note("finish"); wait.For(ctx, requests); d.note("end") },
	})
	d.took = time.Since(d.begun)
}

func TestDrainTakesItsSteps(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name            string
		pages           int
		tool, requests  time.Duration // of one page; of the node
		lastMove, total time.Duration
		steps           []string
	}{
		{"nothing", 0, 0, 0, 0, drainNotice, []string{"announce at 0s", "refuse at 5s", "streams at 5s", "finish at 5s", "end at 5s"}},
		{"three pages", 3, 0, 0, drainNotice, drainNotice, []string{"announce at 0s", "refuse at 5s", "streams at 5s", "finish at 5s", "end at 5s"}},
		{"many pages", 10_000, 0, 3 * time.Second, 25 * time.Second, 28 * time.Second, []string{"announce at 0s", "refuse at 5s", "streams at 25s", "finish at 25s", "end at 28s"}},
		{"a tool of 15 s", 3, 15 * time.Second, 0, 15 * time.Second, 15 * time.Second, []string{"announce at 0s", "refuse at 5s", "streams at 15s", "finish at 15s", "end at 15s"}},
		{"a tool without end", 3, time.Hour, 0, 25 * time.Second, 25 * time.Second, []string{"announce at 0s", "refuse at 5s", "streams at 25s", "finish at 25s", "end at 25s"}},
		{"requests without end", 1, 0, time.Hour, drainNotice, 43 * time.Second, []string{"announce at 0s", "refuse at 5s", "streams at 5s", "finish at 5s", "end at 43s"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := &drained{begun: time.Now()}
			var pages []drainingPage
			for i := range test.pages {
				if i == 0 {
					pages = append(pages, d.page(test.tool))
				} else {
					pages = append(pages, d.page(0))
				}
			}
			d.run(t.Context(), pages, test.requests)
			if !slices.Equal(d.steps, test.steps) || (d.took-test.total).Abs() > 2*drainTick {
				t.Errorf("%s: %q, and ended after %v", test.name, d.steps, d.took)
			}
			if len(d.moved) != test.pages {
				t.Fatalf("%s: %d pages have moved", test.name, len(d.moved))
			}
			if n := len(d.moved); n > 0 && (d.moved[n-1]-test.lastMove).Abs() > 2*drainTick {
				t.Errorf("%s: the last page has moved after %v", test.name, d.moved[n-1])
			}
		})
	}
}

// A second signal ends the drain: all pages learn that they must move, and no step is left
// out.
func TestADrainCanBeCutShort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, after := range []time.Duration{time.Second, 10 * time.Second} {
			ctx, cancel := context.WithTimeout(t.Context(), after)
			d := &drained{}
			d.run(ctx, []drainingPage{d.page(time.Hour), d.page(time.Hour)}, time.Hour)
			cancel()
			if d.took != after || len(d.steps) != 5 || len(d.moved) != 2 {
				t.Errorf("after %v: %v, %q, %d pages", after, d.took, d.steps, len(d.moved))
			}
		}
	})
}
