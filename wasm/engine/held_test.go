package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// While large answers of another engine are being passed on, nothing more is read from
// it: until their callers have ended, or for two seconds.
func TestLargeAnswersPaceTheirEngine(t *testing.T) {
	waits := func(h *backlog) time.Duration {
		begun := time.Now()
		h.wait(context.Background())
		return time.Since(begun)
	}
	for _, test := range []struct {
		name  string
		sizes []int
		ends  time.Duration // of the callers
		want  time.Duration
	}{
		{"nothing", nil, 0, 0},
		{"small answers do not count", []int{minCounted - 1, maxBacklog / 8, maxBacklog / 8}, time.Hour, 0},
		{"a large one, until its caller ends", []int{maxBacklog}, time.Second, time.Second},
		{"several, until there is room", []int{maxBacklog - 1, maxBacklog - 1}, time.Second, time.Second},
		{"a caller that does not end", []int{maxBacklog}, time.Hour, maxBacklogWait},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newBacklog()
				ctx, cancel := context.WithTimeout(context.Background(), test.ends)
				defer cancel()
				for _, size := range test.sizes {
					h.add(ctx, size)
				}
				if got := waits(h); got != test.want {
					t.Errorf("waits %v, want %v", got, test.want)
				}
				if again := waits(h); test.want == maxBacklogWait && again != 0 {
					t.Errorf("the same caller delays another message by %v", again)
				}
				cancel()
				synctest.Wait()
				if h.bytes != 0 || len(h.answers) != 0 {
					t.Errorf("%d bytes count for ever", h.bytes)
				}
			})
		})
	}
	t.Run("until the delivery ends, not the caller", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			delivery, delivered := context.WithCancel(context.Background())
			call, answered := context.WithCancel(WithDelivery(delivery))
			h := newBacklog()
			h.add(call, maxBacklog)
			answered()
			time.AfterFunc(time.Second, delivered)
			if got := waits(h); got != time.Second {
				t.Errorf("waits %v", got)
			}
		})
	})
}
