package server

import (
	"context"
	"time"
)

// firstTime is how long changes are collected for a report after a pause.
const firstTime = 20 * time.Millisecond

// A pace decides when changes are reported: the first one after a pause as soon as Every allows,
// later ones when nothing has changed for Settle.
type pace struct {
	every, settle time.Duration
	wake          <-chan struct{} // receives when something has changed

	reported time.Time // the last report
	changed  time.Time // the last change
}

// next waits for a change, or for late, and then until what has changed may be reported; false:
// ctx has ended.
func (p *pace) next(ctx context.Context, late <-chan struct{}) bool {
	isFirst := true
	select {
	case <-p.wake:
		isFirst = p.note()
	case <-late:
	case <-ctx.Done():
		return false
	}
	least := time.Until(p.reported.Add(p.every))
	if isFirst || least <= 0 {
		return p.wait(ctx, max(least, min(p.settle, firstTime)), 0)
	}
	return p.wait(ctx, least, p.settle)
}

// note records a change, and reports whether it is the first one after a pause.
func (p *pace) note() bool {
	before := p.changed
	p.changed = time.Now()
	return p.changed.Sub(before) >= p.settle
}

// wait waits for least, and until nothing has changed for settle, but not longer than Every after
// that; false: ctx has ended.
func (p *pace) wait(ctx context.Context, least, settle time.Duration) bool {
	earliest := time.Now().Add(least)
	longest := time.NewTimer(least + p.every)
	defer longest.Stop()
	quiet := time.NewTimer(max(least, settle))
	defer quiet.Stop()
	for {
		select {
		case <-p.wake:
			p.note()
			quiet.Reset(max(settle, time.Until(earliest)))
		case <-quiet.C:
			return true
		case <-longest.C:
			return true
		case <-ctx.Done():
			return false
		}
	}
}
