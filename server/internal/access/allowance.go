package access

import (
	"cmp"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"golang.org/x/time/rate"
)

// principalUse counts the requests of one principal.
type principalUse struct {
	reads       *rate.Limiter
	completions *rate.Limiter
	calls       *rate.Limiter
	inFlight                         // requests of all assistants of the principal
	byCaller    map[string]*inFlight // callers with requests in flight
}

// inFlight counts the HTTP requests that are not answered yet.
type inFlight struct {
	requests, streams int            // streams are open subscriptions/listen
	byPage            map[string]int // requests by Client.Page; of one caller
}

func (i *inFlight) add(listen bool, n int) {
	if listen {
		i.streams += n
	} else {
		i.requests += n
	}
}

// addTo counts a request for a page, or n = -1 that it has ended.
func (i *inFlight) addTo(page string, n int) {
	if i.byPage == nil {
		i.byPage = map[string]int{}
	}
	i.byPage[page] += n
	if i.byPage[page] == 0 {
		delete(i.byPage, page)
	}
}

// hasRoom reports whether an assistant may have one more request in flight for a page, if
// it has ofPage for this one and total for all. A page whose requests stay unanswered
// uses up its own share; limits.MinInFlight are left for each other page.
func hasRoom(share, ofPage, total int) bool {
	return ofPage < share && (total < limits.SharesInFlight*share || ofPage < limits.MinInFlight)
}

func (i *inFlight) isFull(listen bool, requests, streams int) bool {
	if listen {
		return i.streams >= streams
	}
	return i.requests >= requests
}

// Rates limit what one principal may do. A zero field means the default of package
// limits.
type Rates struct {
	Reads, Completions, Calls rate.Limit // per second; Calls are of methods with engine.RateCalls
	Requests, Streams         int        // of one assistant, in flight over HTTP; Requests for one page, Streams are open subscriptions/listen
}

// Allowances enforces Rates for all principals of a gateway.
type Allowances struct {
	rates       Rates
	mu          sync.Mutex
	byPrincipal map[string]*principalUse
}

// NewAllowances returns Allowances without any request counted.
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

// Delay implements [Limiter]. The longest wait is limits.MaxDelay.
func (a *Allowances) Delay(c Client, method string) (wait time.Duration, over *Exceeded) {
	var limiter *rate.Limiter
	switch p := a.of(c.Principal); engine.MethodOf(method).Rate {
	case engine.RateNone:
		return 0, nil
	case engine.RateReads:
		limiter = p.reads
	case engine.RateCompletions:
		limiter = p.completions
	default:
		limiter = p.calls
	}
	now := time.Now()
	reserved := limiter.ReserveN(now, 1)
	wait = reserved.DelayFrom(now)
	if wait > limits.MaxDelay {
		reserved.CancelAt(now)
		return 0, &Exceeded{Text: "Too many requests per second"}
	}
	return wait, nil
}

// Acquire implements [Limiter]. A client may send a false clientInfo; the limits of all
// assistants together still hold. GET streams are not counted: each belongs to a session,
// and the number of those is limited. Nor are bodies: all assistants are those of one user.
func (a *Allowances) Acquire(c Client, caller string, use Use) (release func(), over *Exceeded) {
	if use == UseStream || use == UseBody {
		return func() {}, nil
	}
	listen := use == UseListen
	p := a.of(c.Principal)
	a.mu.Lock()
	defer a.mu.Unlock()
	assistant := p.byCaller[caller]
	if assistant == nil {
		assistant = &inFlight{}
	}
	if listen && assistant.streams >= a.rates.Streams ||
		!listen && !hasRoom(a.rates.Requests, assistant.byPage[c.Page], assistant.requests) ||
		p.isFull(listen, max(a.rates.Requests, limits.MaxAllInFlight), max(a.rates.Streams, limits.MaxAllStreams)) {
		return nil, &Exceeded{Text: "Too many requests in flight"}
	}
	p.byCaller[caller] = assistant
	add := func(n int) {
		assistant.add(listen, n)
		p.add(listen, n)
		if !listen {
			assistant.addTo(c.Page, n)
		}
	}
	add(1)
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		add(-1)
		if assistant.requests == 0 && assistant.streams == 0 {
			delete(p.byCaller, caller)
		}
	}, nil
}
