package engine

import (
	"math/rand/v2"
	"time"
)

// Delays between a failed attempt and the next one: of a watch that ended by an
// error or a panic, of a Remote's listen that was not acknowledged, and of a list that
// another engine did not answer.
const (
	retryFirst = 500 * time.Millisecond // doubled after each failure
	retryMost  = 15 * time.Second
	retryCalm  = 2 * retryMost // without a failure for so long, delays begin anew
)

// backOff returns the delay after a failure: the double of the last one, or the
// first one if the last failure was long ago; and the delay with up to a quarter
// of jitter added, so that many do not retry at the same moment.
func backOff(last time.Duration, failed time.Time) (next, jittered time.Duration) {
	next = min(max(2*last, retryFirst), retryMost)
	if time.Since(failed) > retryCalm {
		next = retryFirst
	}
	return next, next + time.Duration(rand.Uint64()%uint64(next/4)) // rand.N is 1 KB of code
}
