// Package clock is the wall clock that the nodes of a hosted gateway compare with times of
// others: issuers, other nodes, certificates.
package clock

import (
	"sync/atomic"
	"time"
)

var offset atomic.Int64 // ns

// Now returns the time of the wall clock.
func Now() time.Time { return time.Now().Add(time.Duration(offset.Load())) }

// Until returns the time until t.
func Until(t time.Time) time.Duration { return t.Sub(Now()) }

// Shift makes the clock wrong, for tests of nodes as processes: the clock of one process
// cannot be set. A rule of cmd/pagemcp forbids calls outside tests.
func Shift(by time.Duration) { offset.Store(int64(by)) }
