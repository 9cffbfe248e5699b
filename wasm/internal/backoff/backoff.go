// Package backoff computes delays between a failed attempt and the next one: of a watch that
// ended by an error or a panic, of a Remote's listen that was refused or has ended, and of a list
// that another engine did not answer.
package backoff

import (
	"math/rand/v2"
	"time"
)

const (
	first = 500 * time.Millisecond // doubled after each failure
	most  = 15 * time.Second
	calm  = 2 * most // without a failure for so long, delays begin anew
)

// Next returns the delay after a failure: the double of the last one, or the
// first one if the last failure was long ago; and the delay with up to a quarter
// of jitter added, so that many do not retry at the same moment.
func Next(last time.Duration, failed time.Time) (next, jittered time.Duration) {
	next = min(max(2*last, first), most)
	if time.Since(failed) > calm {
		next = first
	}
	return next, next + time.Duration(rand.Uint64()%uint64(next/4)) // rand.N is 1 KB of code
}
