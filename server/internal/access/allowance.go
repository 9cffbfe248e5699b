package access

import (
	"cmp"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"golang.org/x/time/rate"
)

// allowance is what one principal may do in a second.
type principalUse struct {
	reads       *rate.Limiter
	completions *rate.Limiter
	calls       *rate.Limiter
	inFlight                         // of all assistants together
	byCaller    map[string]*inFlight // only callers with requests under way
}

// underWay is what is under way over HTTP.
type inFlight struct {
	requests, streams int // streams are open listens
}

func (u *inFlight) add(listen bool, n int) {
	if listen {
		u.streams += n
	} else {
		u.requests += n
	}
}

func (u *inFlight) isFull(listen bool, requests, streams int) bool {
	if listen {
		return u.streams >= streams
	}
	return u.requests >= requests
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
	byPrincipal map[string]*principalUse
}

// NewAllowances returns the counts of a gateway that has just begun.
func NewAllowances(rates Rates) *Allowances {
	rates.Reads = cmp.Or(rates.Reads, limits.ReadRate)
	rates.Completions = cmp.Or(rates.Completions, limits.CompletionRate)
	rates.Calls = cmp.Or(rates.Calls, limits.CallRate)
	rates.Requests = cmp.Or(rates.Requests, limits.MaxInFlight)
	rates.Streams = cmp.Or(rates.Streams, limits.MaxStreams)
	return &Allowances{rates: rates, byPrincipal: map[string]*principalUse{}}
}

func (a *Allowances) of(principal string) *principalUse {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.byPrincipal[principal]
	if p == nil {
		limiter := func(limit rate.Limit, seconds rate.Limit) *rate.Limiter {
			return rate.NewLimiter(limit, max(1, int(seconds*limit)))
		}
		p = &principalUse{
			reads:       limiter(a.rates.Reads, limits.BurstSeconds),
			completions: limiter(a.rates.Completions, 1),
			calls:       limiter(a.rates.Calls, limits.CallBurstSeconds),
			byCaller:    map[string]*inFlight{},
		}
		a.byPrincipal[principal] = p
	}
	return p
}

// delay counts one more request of this method by principal, and returns how long it
// has to wait until it is within the rate: a client that is a little too fast is
// slowed down. ok is false, and nothing is counted, if that were too long. Only what
// makes pages work is limited by rate.
func (a *Allowances) delay(principal, method string) (wait time.Duration, ok bool) {
	var limiter *rate.Limiter
	switch p := a.of(principal); method {
	case "resources/read":
		limiter = p.reads
	case "completion/complete":
		limiter = p.completions
	case "tools/call", "prompts/get":
		limiter = p.calls
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
func (a *Allowances) Acquire(principal, caller string, listen bool) (release func(), ok bool) {
	p := a.of(principal)
	a.mu.Lock()
	defer a.mu.Unlock()
	assistant := p.byCaller[caller]
	if assistant == nil {
		assistant = &inFlight{}
	}
	if assistant.isFull(listen, a.rates.Requests, a.rates.Streams) ||
		p.isFull(listen, max(a.rates.Requests, limits.MaxAllInFlight), max(a.rates.Streams, limits.MaxAllStreams)) {
		return nil, false
	}
	p.byCaller[caller] = assistant
	assistant.add(listen, 1)
	p.add(listen, 1)
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		assistant.add(listen, -1)
		p.add(listen, -1)
		if *assistant == (inFlight{}) {
			delete(p.byCaller, caller)
		}
	}, true
}
