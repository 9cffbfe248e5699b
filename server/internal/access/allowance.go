package access

import (
	"cmp"
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

// Rates are what principals may do. A zero field means the default of package limits.
type Rates struct {
	Reads, Completions, Calls rate.Limit // a second, of one principal; calls are those of tools and prompts
	Requests, Streams         int        // under way over HTTP, of one assistant; streams are open listens
}

// Allowances counts what principals do.
type Allowances struct {
	rates       Rates
	mu          sync.Mutex
	byPrincipal map[string]*allowance
}

// NewAllowances returns the counts of a gateway that has just begun.
func NewAllowances(rates Rates) *Allowances {
	rates.Reads = cmp.Or(rates.Reads, limits.ReadRate)
	rates.Completions = cmp.Or(rates.Completions, limits.CompleteRate)
	rates.Calls = cmp.Or(rates.Calls, limits.CallRate)
	rates.Requests = cmp.Or(rates.Requests, limits.MaxInFlight)
	rates.Streams = cmp.Or(rates.Streams, limits.MaxStreams)
	return &Allowances{rates: rates, byPrincipal: map[string]*allowance{}}
}

func (l *Allowances) of(principal string) *allowance {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.byPrincipal[principal]
	if a == nil {
		limiter := func(limit rate.Limit, seconds rate.Limit) *rate.Limiter {
			return rate.NewLimiter(limit, max(1, int(seconds*limit)))
		}
		a = &allowance{
			reads:       limiter(l.rates.Reads, limits.BurstSeconds),
			completions: limiter(l.rates.Completions, 1),
			calls:       limiter(l.rates.Calls, limits.CallBurstSeconds),
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
	if own.isFull(listen, l.rates.Requests, l.rates.Streams) ||
		a.isFull(listen, max(l.rates.Requests, limits.MaxAllInFlight), max(l.rates.Streams, limits.MaxAllStreams)) {
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
