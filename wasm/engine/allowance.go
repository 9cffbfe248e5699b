package engine

import "time"

// An allowance lets something happen at a rate, and a number of times at once
// after a while of rest. The zero value of rate allows all. It is not safe for
// concurrent use.
type allowance struct {
	rate, most float64 // a second; at once
	used       float64
	last       time.Time
}

// take tells whether it may happen now, and counts it if so.
func (a *allowance) take() bool {
	if a.rate == 0 {
		return true
	}
	now := time.Now()
	a.used = max(0, a.used-a.rate*now.Sub(a.last).Seconds())
	a.last = now
	if a.used+1 > a.most {
		return false
	}
	a.used++
	return true
}
