package access

import (
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"golang.org/x/time/rate"
)

// allowance is what one principal may do in a second.
type allowance struct {
	reads       *rate.Limiter
	completions *rate.Limiter
	calls       *rate.Limiter
	underWay                         // of all assistants together
	byCaller    map[string]*underWay // only callers with requests under way
}

// underWay is what is under way over HTTP.
type underWay struct {
	requests, streams int // streams are open listens
}

func (l *underWay) add(listen bool, n int) {
	if listen {
		l.streams += n
	} else {
		l.requests += n
	}
}

func (l *underWay) isFull(listen bool, requests, streams int) bool {
	if listen {
		return l.streams >= streams
	}
	return l.requests >= requests
}

// Allowances counts what principals do.
type Allowances struct {
	reads       rate.Limit // 0: the default
	mu          sync.Mutex
	byPrincipal map[string]*allowance
}

func NewAllowances(reads rate.Limit) *Allowances {
	if reads == 0 {
		reads = limits.ReadRate
	}
	return &Allowances{reads: reads, byPrincipal: map[string]*allowance{}}
}

func (l *Allowances) of(principal string) *allowance {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.byPrincipal[principal]
	if a == nil {
		a = &allowance{
			reads:       rate.NewLimiter(l.reads, max(1, int(limits.BurstSeconds*l.reads))),
			completions: rate.NewLimiter(limits.CompleteRate, int(limits.CompleteRate)),
			calls:       rate.NewLimiter(limits.CallRate, limits.CallBurst),
			byCaller:    map[string]*underWay{},
		}
		l.byPrincipal[principal] = a
	}
	return a
}

// delay counts one more request of this method by principal, and returns how long it
// has to wait until it is within the rate: a client that is a little too fast is
// slowed down. ok is false, and nothing is counted, if that were too long. Only what
// makes pages work is limited by rate.
func (l *Allowances) delay(principal, method string) (wait time.Duration, ok bool) {
	var limiter *rate.Limiter
	switch a := l.of(principal); method {
	case "resources/read":
		limiter = a.reads
	case "completion/complete":
		limiter = a.completions
	case "tools/call", "prompts/get":
		limiter = a.calls
	default:
		return 0, true
	}
	now := time.Now()
	reserved := limiter.ReserveN(now, 1)
	wait = reserved.DelayFrom(now)
	if wait > limits.MaxDelay {
		reserved.CancelAt(now)
		return 0, false
	}
	return wait, true
}

// Enter counts one more HTTP request of an assistant, and leave takes it off. ok is
// false if there are too many under way. All assistants have one token, so caller
// tells them apart: the session of the classic revisions, or what a client of
// 2026-07-28 calls itself. It may lie, and then shares what all have together.
func (l *Allowances) Enter(principal, caller string, listen bool) (leave func(), ok bool) {
	a := l.of(principal)
	l.mu.Lock()
	defer l.mu.Unlock()
	own := a.byCaller[caller]
	if own == nil {
		own = &underWay{}
	}
	if own.isFull(listen, limits.MaxInFlight, limits.MaxStreams) || a.isFull(listen, limits.MaxAllInFlight, limits.MaxAllStreams) {
		return nil, false
	}
	a.byCaller[caller] = own
	own.add(listen, 1)
	a.add(listen, 1)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		own.add(listen, -1)
		a.add(listen, -1)
		if *own == (underWay{}) {
			delete(a.byCaller, caller)
		}
	}, true
}
