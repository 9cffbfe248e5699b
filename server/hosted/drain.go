package hosted

import (
	"context"
	"slices"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/wait"
)

// Times of a drain, 45 s in all. A grace period of the process that is shorter interrupts
// tools.
const (
	drainNotice = 5 * time.Second  // for the balancer to send new connections elsewhere
	drainPages  = 20 * time.Second // in which the pages move
	drainTime   = 45 * time.Second // from the signal to the exit
	drainLast   = 2 * time.Second  // of drainTime, to leave the cluster and write logs

	drainTick     = 100 * time.Millisecond
	drainMinBatch = 5 // pages per tick: a few pages do not take 20 s
)

// pageRedial is sent to pages with 4412: they join another node after a random part of it.
// They move one after the other already, and must be back within the grace time of reads.
const pageRedial = time.Second

// A drainingPage is a page that is joined at this node.
type drainingPage struct {
	calls func() int                 // of tools, without a result; they fail if the page moves
	move  func(redial time.Duration) // closes its socket with 4412
}

// drainSteps are what a drain does, in this order. No step blocks unless it has a context.
type drainSteps struct {
	announce    func()                // readiness ends, and answers close their connections
	move        func(context.Context) // owners have another home, if there are other nodes
	refuseJoins func()                // from now on, see joinDraining
	pages       func() []drainingPage // all that are joined
	endStreams  func()                // listens get their result, GET streams end
	finish      func(context.Context) // returns when no request is in flight, and accepts no others
}

// drain moves everything that a node has to other nodes, and returns when that is done, at
// the latest after 45 s or when ctx ends: then steps that have not begun are begun without
// a wait.
func drain(ctx context.Context, s drainSteps) {
	ctx, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	s.announce()
	noticed := time.After(drainNotice)
	s.move(ctx)
	select {
	case <-noticed:
	case <-ctx.Done():
	}
	s.refuseJoins()
	movePages(ctx, drainPages, drainPages, s.pages())
	s.endStreams()
	finishing, stop := context.WithTimeout(ctx, time.Until(deadlineOf(ctx))-drainLast)
	defer stop()
	s.finish(finishing)
}

func deadlineOf(ctx context.Context) time.Time {
	deadline, _ := ctx.Deadline()
	return deadline
}

// movePages closes the sockets of pages evenly within spread, so that other nodes do not get
// all of them at once. Those that run a tool are last, and are closed in any case after
// patience.
func movePages(ctx context.Context, spread, patience time.Duration, pages []drainingPage) {
	if len(pages) == 0 {
		return
	}
	ticks := int(spread / drainTick)
	batch := max(drainMinBatch, (len(pages)+ticks-1)/ticks)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for len(pages) > 0 && ctx.Err() == nil {
		pages = moveIdle(pages, batch)
		if len(pages) > 0 {
			wait.For(ctx, drainTick)
		}
	}
	for _, page := range pages {
		page.move(pageRedial)
	}
}

// moveIdle moves at most most pages that run no tool, and returns the others.
func moveIdle(pages []drainingPage, most int) []drainingPage {
	return slices.DeleteFunc(pages, func(page drainingPage) bool {
		if most == 0 || page.calls() > 0 {
			return false
		}
		most--
		page.move(pageRedial)
		return true
	})
}
