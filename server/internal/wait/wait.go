// Package wait lets goroutines wait for a time or for each other.
package wait

import (
	"context"
	"time"
)

// For waits for d. It returns false if ctx ends first.
func For(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// NewSignal returns a channel for Wake.
func NewSignal() chan struct{} { return make(chan struct{}, 1) }

// Wake lets a goroutine that receives from signal go on, now or when it receives next.
func Wake(signal chan<- struct{}) {
	select {
	case signal <- struct{}{}:
	default: // it is about to
	}
}
