package server

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/wait"
)

// Times of changes, and those of the reports about them, in ms: a change after a pause is reported
// at once, or as soon as a second has passed since the last report, and others when they settle.
func TestPaceOfReports(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		changes []int
		reports string
	}{
		"clicks every 1.5 s":                {[]int{0, 1500, 3000, 4500}, "[20 1520 3020 4520]"},
		"clicks every second":               {[]int{0, 1000, 2000, 3000}, "[20 1020 2020 3020]"},
		"a click too soon":                  {[]int{0, 700}, "[20 1020]"},
		"changes at the same time":          {[]int{0, 5, 15}, "[20]"},
		"a change that follows at once":     {[]int{0, 250}, "[20 1020]"},
		"typing, each of its letters saved": {[]int{0, 200, 400, 600, 800, 1000, 1200}, "[20 1700]"},
		"changes that never end":            {steps(0, 300, 20), "[20 2020 4020 6020]"},
		"again after they have ended":       {append(steps(0, 300, 5), 5000), "[20 1700 5020]"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wake := wait.NewSignal()
				p := pace{every: time.Second, settle: 500 * time.Millisecond, wake: wake}
				ctx, cancel := context.WithCancel(t.Context())
				began := time.Now()
				var reports []int64
				done := make(chan struct{})
				go func() { // ends with ctx
					defer close(done)
					for p.next(ctx, nil) {
						p.reported = time.Now()
						reports = append(reports, time.Since(began).Milliseconds())
					}
				}()
				for _, at := range row.changes {
					wait.For(t.Context(), time.Until(began.Add(time.Duration(at)*time.Millisecond)))
					wait.Wake(wake)
				}
				wait.For(t.Context(), 3*time.Second)
				cancel()
				<-done
				if got := fmt.Sprint(reports); got != row.reports {
					t.Errorf("reports at %s, want %s", got, row.reports)
				}
			})
		})
	}
}

func steps(from, step, n int) (all []int) {
	for i := range n {
		all = append(all, from+i*step)
	}
	return all
}
