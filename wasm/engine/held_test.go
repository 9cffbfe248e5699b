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
	waits := func(h *held) time.Duration {
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
		{"small answers do not count", []int{heldFrom - 1, maxHeld / 8, maxHeld / 8}, time.Hour, 0},
		{"a large one, until its caller ends", []int{maxHeld}, time.Second, time.Second},
		{"several, until there is room", []int{maxHeld - 1, maxHeld - 1}, time.Second, time.Second},
		{"a caller that does not end", []int{maxHeld}, time.Hour, heldWait},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHeld()
				ctx, cancel := context.WithTimeout(context.Background(), test.ends)
				defer cancel()
				for _, size := range test.sizes {
					h.add(ctx, size)
				}
				if got := waits(h); got != test.want {
					t.Errorf("waits %v, want %v", got, test.want)
				}
				if again := waits(h); test.want == heldWait && again != 0 {
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
			h := newHeld()
			h.add(call, maxHeld)
			answered()
			time.AfterFunc(time.Second, delivered)
			if got := waits(h); got != time.Second {
				t.Errorf("waits %v", got)
			}
		})
	})
}
