package remote

import (
	"math/rand/v2"
	"time"
)

// Delays between a failed attempt and the next one: of a listen that was refused or has ended, and of a
// list that the other engine did not answer.
const (
	firstDelay = 500 * time.Millisecond // doubled after each failure
	mostDelay  = 15 * time.Second
	calm       = 2 * mostDelay // without a failure for so long, delays begin anew
)

// nextDelay returns the delay after a failure: the double of the last one, or the
// first one if the last failure was long ago; and the delay with up to a quarter
// of jitter added, so that many do not retry at the same moment.
func nextDelay(last time.Duration, failed time.Time) (next, jittered time.Duration) {
	next = min(max(2*last, firstDelay), mostDelay)
	if time.Since(failed) > calm {
		next = firstDelay
	}
	return next, next + time.Duration(rand.Uint64()%uint64(next/4)) // rand.N is 1 KB of code
}
