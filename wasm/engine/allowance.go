package engine

import (
	"sync"
	"time"
)

// An allowance lets something happen at a rate, and a number of times at once
// after a while of rest. It may be used concurrently.
type allowance struct {
	rate, most float64 // a second; at once

	mu   sync.Mutex
	used float64
	last time.Time
}

// take reports whether it may happen now, some times at once, and counts it then.
func (a *allowance) take(some float64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	a.used = max(0, a.used-a.rate*now.Sub(a.last).Seconds())
	a.last = now
	if a.used+some > a.most {
		return false
	}
	a.used += some
	return true
}
