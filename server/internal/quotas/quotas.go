// Package quotas limits what the tenants, owners and clients of a gateway use.
package quotas

import (
	"container/list"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"golang.org/x/time/rate"
)

const (
	maxClients = 64 // of one owner whose rates are remembered: an owner can register any number

	// How long a client that exceeds a limit is asked to wait where no time is known.
	retryRequest = 1 * time.Second

	// RetryPage is the same for a page.
	RetryPage = 15 * time.Second
)

// An Identity is the sender of a request or a page, by its credentials. Tenant is "" if there
// are no tenants: their limits do not apply then.
type Identity struct {
	Tenant string
	Owner  access.Owner
	Client string // the principal of an assistant; "" for pages
}

// A kind is what is used.
type kind uint8

const (
	requests kind = iota // in flight
	bodies               // large ones, that are read or served
	streams              // listens and GET streams
	listens
	pages // that have joined
	joins // a second
	rates // the first of those by engine.Rate
)

// A place is where uses of a kind are counted, or their rate is: the gateway, a tenant, an owner, a client of
// an owner, or a client of an owner at one page.
type place struct {
	kind   kind
	scope  scope
	tenant string
	owner  access.Owner
	client string
	caller string // tells clients with the same credentials apart; "" unless Limits.Callers
	page   string // as in access.Client
}

type scope uint8

const (
	ofGateway scope = iota
	ofTenant
	ofOwner
	ofClient
	ofPage
)

func (who Identity) tenant(k kind) place { return place{kind: k, scope: ofTenant, tenant: who.Tenant} }
func (who Identity) owner(k kind) place  { return place{kind: k, scope: ofOwner, owner: who.Owner} }
func (who Identity) client(k kind) place {
	return place{kind: k, scope: ofClient, owner: who.Owner, client: who.Client}
}

// at returns a place of a client at one page.
func (p place) at(page string) place {
	p.scope, p.page = ofPage, page
	return p
}

// A count is one more use at a place, with its limit.
type count struct {
	place
	limit string // its key; "" for one without limit
	most  int    // 0 is no limit
	kept  int    // of most, for others
}

// Quotas counts what owners, tenants and the gateway use, and rejects what is over Limits. Each
// place is counted apart from the others, so one that is at its limit takes nothing from them.
// What uses nothing is not remembered, a token bucket until it is full again. Its methods may be called
// concurrently, do not block but for Acquire, and cost the same however many owners there are.
//
// It implements [access.Limiter].
type Quotas struct {
	onExceed func(limit string)

	mu      sync.Mutex
	limits  Limits
	counts  map[place]int
	lines   map[access.Owner]*line // of owners with requests that wait
	buckets map[place]*bucket
	recent  list.List     // of *bucket, the one that was used least recently first
	idle    time.Duration // after which every bucket is full
	armed   bool          // a timer will call expire
}

// A line has the requests of an owner that wait, each for what is closed once.
type line struct {
	all map[place][]chan struct{} // by the place of a page, the oldest first
	n   int
}

// New returns Quotas without any use. onExceed, which may be nil, is called with the key of
// each limit by which Delay and Acquire reject a use.
func New(l Limits, onExceed func(limit string)) *Quotas {
	if onExceed == nil {
		onExceed = func(string) {}
	}
	return &Quotas{
		onExceed: onExceed, limits: l, idle: l.fillTime(),
		counts: map[place]int{}, lines: map[access.Owner]*line{}, buckets: map[place]*bucket{},
	}
}

// Exceeded returns the rejection of a use over a limit, by its key and value. The text says
// nothing of others.
func Exceeded(limit string, most any, retry time.Duration) *access.Exceeded {
	over := &access.Exceeded{Limit: limit, Retry: retry}
	over.Text = fmt.Sprintf("the limit %s of %v is reached; retry in %d s", limit, most, max(1, over.Seconds()))
	return over
}

// Limits returns the limits that hold now.
func (q *Quotas) Limits() Limits {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.limits
}

// SetLimits replaces the limits, as a reload of the configuration does. What is in use
// over a new limit stays in use.
func (q *Quotas) SetLimits(l Limits) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.limits, q.idle = l, l.fillTime()
	for at, b := range q.buckets {
		s := l.size(at)
		b.SetLimit(s.perSecond)
		b.SetBurst(s.burst())
	}
}

// InUse returns the numbers of requests in flight, of large bodies and of open streams.
func (q *Quotas) InUse() (inFlight, large, open int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.counts[place{kind: requests}], q.counts[place{kind: bodies}], q.counts[place{kind: streams}]
}

// RequestsOf returns the number of requests of an owner in flight.
func (q *Quotas) RequestsOf(owner access.Owner) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.counts[Identity{Owner: owner}.owner(requests)]
}

// Acquire implements [access.Limiter]. Further calls of release do nothing, here and below.
func (q *Quotas) Acquire(ctx context.Context, c access.Client, caller string, use access.Use) (release func(), over *access.Exceeded) {
	who := Identity{c.Tenant, c.Owner, c.Principal}
	switch use {
	case access.UseRequest:
		if release, over = q.request(who, caller, c.Page); over != nil {
			release, over = q.await(ctx, who, caller, c.Page)
		}
	case access.UseBody: // the limits of requests, which count once their bodies are read
		release, over = q.take(retryRequest, who, func(l *Limits) []count {
			return []count{
				{who.owner(bodies), "requestsPerOwner", l.RequestsPerOwner, 0},
				{who.tenant(bodies), "requestsPerTenant", l.RequestsPerTenant, 0},
				{place{kind: bodies}, "", 0, 0},
			}
		})
	default: // a client has one GET stream for each of its sessions, whose number is limited
		release, over = q.take(retryRequest, who, func(l *Limits) []count {
			counts := []count{
				{who.owner(streams), "streamsPerOwner", l.StreamsPerOwner, 0},
				{who.tenant(streams), "streamsPerTenant", l.StreamsPerTenant, 0},
				{place{kind: streams}, "streams", l.Streams, 0},
			}
			if use == access.UseListen {
				counts = append(counts, count{l.caller(who.client(listens), caller), "streamsPerClient", l.StreamsPerClient, 0})
			}
			return counts
		})
	}
	if over != nil {
		q.onExceed(over.Limit)
		over.Text = "Too many requests in flight: " + over.Text
	}
	return release, over
}

// caller returns a place of a client that says so of itself.
func (l *Limits) caller(at place, caller string) place {
	if l.Callers {
		at.caller = caller
	}
	return at
}

// Page counts a joined page until release is called.
func (q *Quotas) Page(who Identity) (release func(), over *access.Exceeded) {
	return q.take(RetryPage, who, func(l *Limits) []count {
		return []count{
			{who.owner(pages), "pagesPerOwner", l.PagesPerOwner, 0},
			{who.tenant(pages), "pagesPerTenant", l.PagesPerTenant, 0},
			{place{kind: pages}, "pages", l.Pages, 0},
		}
	})
}

// request counts a request in flight for a page, of which a client has its [access.PageShare].
// A quarter of an owner's requests is kept for clients that have few for a page: a page that
// does not answer costs itself, and no other page or client.
func (q *Quotas) request(who Identity, caller, page string) (release func(), over *access.Exceeded) {
	return q.take(retryRequest, who, func(l *Limits) []count {
		client := l.caller(who.client(requests), caller)
		kept := 0
		if q.counts[client.at(page)] >= limits.MinInFlight {
			kept = l.RequestsPerOwner / 4
		}
		return []count{
			{client.at(page), "requestsPerPage", access.PageShare(l.RequestsPerPage, q.counts[client]), 0},
			{client, "", 0, 0},
			{who.owner(requests), "requestsPerOwner", l.RequestsPerOwner, kept},
			{who.tenant(requests), "requestsPerTenant", l.RequestsPerTenant, 0},
			{place{kind: requests}, "", 0, 0},
		}
	})
}

// take counts one more use at each place, or at none if one of them is at its limit. counts is called with the
// lock held.
func (q *Quotas) take(retry time.Duration, who Identity, counts func(*Limits) []count) (release func(), over *access.Exceeded) {
	q.mu.Lock()
	defer q.mu.Unlock()
	held := counts(&q.limits)
	for _, one := range held {
		isLimited := one.most > 0 && (one.scope != ofTenant || who.Tenant != "")
		if isLimited && q.counts[one.place]+one.kept >= one.most {
			return nil, Exceeded(one.limit, one.most, retry)
		}
	}
	for _, one := range held {
		q.counts[one.place]++
	}
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if held == nil {
			return
		}
		for _, one := range held {
			q.less(one.place)
		}
		q.wake(who.Owner, held[0].place)
		held = nil
	}, nil
}

// less counts one use less. The caller holds the lock, here and below.
func (q *Quotas) less(at place) {
	if left := q.counts[at] - 1; left > 0 {
		q.counts[at] = left
	} else {
		delete(q.counts, at)
	}
}

// await is request once others have ended.
func (q *Quotas) await(ctx context.Context, who Identity, caller, page string) (release func(), over *access.Exceeded) {
	late := time.NewTimer(limits.QueueTime)
	defer late.Stop()
	for {
		freed, leave := q.enqueue(who, caller, page)
		release, over = q.request(who, caller, page) // after enqueue: a release in between is not lost
		if over == nil || freed == nil {
			leave()
			return release, over
		}
		select {
		case <-freed:
			continue
		case <-late.C:
		case <-ctx.Done():
		}
		leave()
		return nil, over
	}
}

// enqueue returns what is closed when a request for which one has waited longest may be
// counted; nil if too many wait. leave removes it.
func (q *Quotas) enqueue(who Identity, caller, page string) (freed chan struct{}, leave func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := q.limits.caller(who.client(requests), caller).at(page)
	l := q.lines[who.Owner]
	if l == nil {
		l = &line{all: map[place][]chan struct{}{}}
	}
	if len(l.all[at]) >= limits.SharesInFlight*q.limits.RequestsPerPage || l.n >= q.limits.RequestsPerOwner {
		return nil, func() {}
	}
	freed = make(chan struct{})
	l.all[at] = append(l.all[at], freed)
	l.n++
	q.lines[who.Owner] = l
	return freed, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if i := slices.Index(l.all[at], freed); i >= 0 {
			q.dequeue(who.Owner, at, i)
		} else {
			q.wake(who.Owner, at) // it was woken, and does not take its turn
		}
	}
}

// dequeue removes a request that waits.
func (q *Quotas) dequeue(owner access.Owner, at place, i int) (freed chan struct{}) {
	l := q.lines[owner]
	freed = l.all[at][i]
	if l.all[at] = slices.Delete(l.all[at], i, i+1); len(l.all[at]) == 0 {
		delete(l.all, at)
	}
	if l.n--; l.n == 0 {
		delete(q.lines, owner)
	}
	return freed
}

// wake lets the request that has waited longest at a place try again, or one of another place.
func (q *Quotas) wake(owner access.Owner, at place) {
	l := q.lines[owner]
	if l == nil {
		return
	}
	if len(l.all[at]) == 0 {
		for at = range l.all {
			break
		}
	}
	close(q.dequeue(owner, at, 0))
}

// A bucket has the tokens of a place.
type bucket struct {
	*rate.Limiter
	at      place
	used    time.Time
	element *list.Element // of Quotas.recent
}

// Delay implements [access.Limiter]. The longest wait is limits.MaxDelay.
func (q *Quotas) Delay(c access.Client, method string) (wait time.Duration, over *access.Exceeded) {
	of := engine.MethodOf(method).Rate
	if of >= engine.RateNone {
		return 0, nil
	}
	wait, over = q.reserve(Identity{c.Tenant, c.Owner, c.Principal}.client(rates+kind(of)), limits.MaxDelay)
	if over != nil {
		q.onExceed(over.Limit)
		over.Text = "Too many requests per second: " + over.Text
	}
	return wait, over
}

// Join counts one more join of an owner and its tenant, and rejects it over the rate of one
// of them.
func (q *Quotas) Join(who Identity) *access.Exceeded {
	if who.Tenant == "" {
		return nil
	}
	if _, over := q.reserve(who.owner(joins), 0); over != nil {
		return over
	}
	_, over := q.reserve(who.tenant(joins), 0)
	return over
}

// reserve takes one token of a place, which may be there only after wait.
func (q *Quotas) reserve(at place, most time.Duration) (wait time.Duration, over *access.Exceeded) {
	q.mu.Lock()
	defer q.mu.Unlock()
	b, over := q.bucket(at)
	if over != nil {
		return 0, over
	}
	now := time.Now()
	reserved := b.ReserveN(now, 1)
	if wait = reserved.DelayFrom(now); wait > most {
		reserved.CancelAt(now)
		return 0, Exceeded(q.limits.size(at).limit, b.Limit(), wait-most+time.Millisecond) // the bucket rounds
	}
	return wait, nil
}

// bucket returns that of a place, which is new after a while without uses, and makes it the most recent one.
func (q *Quotas) bucket(at place) (*bucket, *access.Exceeded) {
	b := q.buckets[at]
	if b == nil {
		all := place{kind: at.kind, scope: ofOwner, owner: at.owner}
		if at.scope == ofClient && q.counts[all] >= maxClients {
			return nil, Exceeded("clients", maxClients, q.idle)
		}
		s := q.limits.size(at)
		b = &bucket{Limiter: rate.NewLimiter(s.perSecond, s.burst()), at: at}
		b.element = q.recent.PushBack(b)
		q.buckets[at] = b
		q.counts[all]++
	}
	b.used = time.Now()
	q.recent.MoveToBack(b.element)
	q.arm()
	return b, nil
}

// arm starts a timer for the oldest bucket, unless one runs.
func (q *Quotas) arm() {
	oldest := q.recent.Front()
	if q.armed || oldest == nil {
		return
	}
	q.armed = true
	time.AfterFunc(q.idle-time.Since(oldest.Value.(*bucket).used), q.expire)
}

// expire removes the buckets that were not used for the idle time: they are as full as new ones.
func (q *Quotas) expire() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.armed = false
	for {
		oldest := q.recent.Front()
		if oldest == nil || time.Since(oldest.Value.(*bucket).used) < q.idle {
			break
		}
		at := q.recent.Remove(oldest).(*bucket).at
		delete(q.buckets, at)
		q.less(place{kind: at.kind, scope: ofOwner, owner: at.owner})
	}
	q.arm()
}
