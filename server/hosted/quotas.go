package hosted

import (
	"fmt"
	"maps"
	"math"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"golang.org/x/time/rate"
)

const (
	maxClients = 64 // of one owner that are remembered: an owner can register any number

	// How long a client that exceeds a limit is asked to wait where no time is known.
	retryRequest = 1 * time.Second
	retryPage    = 15 * time.Second
)

// An identity is the sender of a request or a page, by its verified token. Tenant is ""
// if tokens have no tenants: limits of tenants do not apply then.
type identity struct {
	tenant string
	owner  access.Owner
	client string // client_id of an assistant; "" for pages
}

// quotas counts what owners, tenants and the node use, and rejects what is over Limits.
// Each tenant and owner is counted apart from the others, so one that is at its limit
// takes nothing from them. Owners and tenants that use nothing are not remembered: an
// owner's clients are, until their token buckets are full again. Its methods may be called
// concurrently, do not block, and cost the same however many owners there are.
type quotas struct {
	limits Limits
	idle   time.Duration // after which all token buckets of a client are full

	mu                       sync.Mutex
	owners                   map[access.Owner]*ownerUse
	tenants                  map[string]*tenantUse
	requests, pages, streams int // of the node
	recent                   recency
}

// An ownerUse is in quotas.owners while one of its counts is above zero.
type ownerUse struct {
	pages, requests, bodies, streams int
	clients                          map[string]*clientUse
	shares                           map[share]*int // of requests
	joins                            *joinRate      // nil without a recent join
}

// A share is the requests in flight of one client for one page; page is as in
// access.Client.
type share struct{ client, page string }

func (u *ownerUse) share(client, page string) *int {
	of := share{client, page}
	if u.shares[of] == nil {
		if u.shares == nil {
			u.shares = map[share]*int{}
		}
		u.shares[of] = new(int)
	}
	return u.shares[of]
}

func (u *ownerUse) isIdle() bool {
	return u.pages+u.requests+u.bodies+u.streams+len(u.clients) == 0 && u.joins == nil
}

type tenantUse struct {
	pages, requests, bodies, streams int
	joins                            *joinRate // nil without a recent join
}

func (u *tenantUse) isIdle() bool {
	return u.pages+u.requests+u.bodies+u.streams == 0 && u.joins == nil
}

// A clientUse has the token buckets of one client of one owner.
type clientUse struct {
	recentEntry
	reads, completions, calls *rate.Limiter
}

type joinRate struct {
	recentEntry
	limiter *rate.Limiter
}

// newQuotas returns quotas without any use.
func newQuotas(l Limits) *quotas {
	return &quotas{
		limits: l.withDefaults(), idle: max(limits.BurstSeconds, limits.CallBurstSeconds)*time.Second + limits.MaxDelay,
		owners: map[access.Owner]*ownerUse{}, tenants: map[string]*tenantUse{},
	}
}

// An exceededError is the error of a use over a limit: 429 with Retry-After over HTTP, 4429
// with milliseconds to a page.
type exceededError struct {
	limit string        // its key in the configuration
	most  int           // its value
	retry time.Duration // after which there may be room
}

// Error implements error. The text is for the client, and says nothing of others.
func (e *exceededError) Error() string {
	return fmt.Sprintf("the limit %s of %d is reached; retry in %d s", e.limit, e.most, e.seconds())
}

// seconds returns the value of Retry-After (RFC 9110, section 10.2.3), which is at least 1.
func (e *exceededError) seconds() int { return max(1, int((e.retry+time.Second-1)/time.Second)) }

// A count is one number with its limit.
type count struct {
	value *int
	limit string
	most  int
	taken int // besides value: of the same owner on other nodes, or kept for others
}

// take increments all counts, or none if one of them is at its limit. The caller holds
// the lock.
func take(retry time.Duration, counts ...count) error {
	for _, one := range counts {
		if *one.value+one.taken >= one.most {
			return &exceededError{one.limit, one.most, retry}
		}
	}
	for _, one := range counts {
		*one.value++
	}
	return nil
}

// request counts a request in flight for a page until release is called. Further calls of
// release do nothing, here and below. The error is an *exceededError. A quarter of an owner's
// requests is kept for clients that have few for a page: a page that does not answer costs
// itself, and no other page or client.
func (q *quotas) request(who identity, page string) (release func(), err error) {
	return q.acquire(who, retryRequest, func(owner *ownerUse, tenant *tenantUse) []count {
		most, kept := q.limits.RequestsPerOwner, 0
		ofPage := owner.share(who.client, page)
		if *ofPage >= limits.MinInFlight {
			kept = most / 4
		}
		return []count{
			{ofPage, "", math.MaxInt, 0},
			{&owner.requests, "requestsPerOwner", most, kept},
			{&tenant.requests, "requestsPerTenant", tenantLimit(who, q.limits.RequestsPerTenant), 0},
			{&q.requests, "", math.MaxInt, 0},
		}
	})
}

// body counts a large body that is read or served, until release is called. Its limits are
// those of requests, which count once their bodies are read.
func (q *quotas) body(who identity) (release func(), err error) {
	return q.acquire(who, retryRequest, func(owner *ownerUse, tenant *tenantUse) []count {
		return []count{
			{&owner.bodies, "requestsPerOwner", q.limits.RequestsPerOwner, 0},
			{&tenant.bodies, "requestsPerTenant", tenantLimit(who, q.limits.RequestsPerTenant), 0},
		}
	})
}

// stream counts an open listen or GET stream until release is called.
func (q *quotas) stream(who identity) (release func(), err error) {
	return q.acquire(who, retryRequest, func(owner *ownerUse, tenant *tenantUse) []count {
		return []count{
			{&owner.streams, "streamsPerOwner", q.limits.StreamsPerOwner, 0},
			{&tenant.streams, "streamsPerTenant", tenantLimit(who, q.limits.StreamsPerTenant), 0},
			{&q.streams, "streams", q.limits.Streams, 0},
		}
	})
}

// page counts a joined page until release is called. elsewhere is the number of the owner's
// pages on other nodes.
func (q *quotas) page(who identity, elsewhere int) (release func(), err error) {
	return q.acquire(who, retryPage, func(owner *ownerUse, tenant *tenantUse) []count {
		return []count{
			{&owner.pages, "pagesPerOwner", q.limits.PagesPerOwner, elsewhere},
			{&tenant.pages, "pagesPerTenant", tenantLimit(who, q.limits.PagesPerTenant), 0},
			{&q.pages, "pages", q.limits.Pages, 0},
		}
	})
}

// inUse returns the numbers of requests in flight and of open streams.
func (q *quotas) inUse() (requests, streams int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.requests, q.streams
}

// pagesPerOwner returns the limit of all nodes together.
func (q *quotas) pagesPerOwner() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.limits.PagesPerOwner
}

// tenantLimit returns most, or no limit without tenants.
func tenantLimit(who identity, most int) int {
	if who.tenant == "" {
		return int(^uint(0) >> 1)
	}
	return most
}

func (q *quotas) acquire(who identity, retry time.Duration, counts func(*ownerUse, *tenantUse) []count) (release func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	owner, tenant := q.owner(who.owner), q.tenant(who.tenant)
	defer q.forget(who)
	held := counts(owner, tenant)
	if err := take(retry, held...); err != nil {
		return nil, err
	}
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		for _, one := range held {
			*one.value--
		}
		held = nil
		q.forget(who)
	}, nil
}

func (q *quotas) owner(key access.Owner) *ownerUse {
	use := q.owners[key]
	if use == nil {
		use = &ownerUse{}
		q.owners[key] = use
	}
	return use
}

func (q *quotas) tenant(key string) *tenantUse {
	use := q.tenants[key]
	if use == nil {
		use = &tenantUse{}
		q.tenants[key] = use
	}
	return use
}

// forget removes the owner and the tenant of who if they use nothing. While a release is
// outstanding they do, so that it decrements the counts that it has incremented.
func (q *quotas) forget(who identity) {
	if use := q.owners[who.owner]; use != nil {
		maps.DeleteFunc(use.shares, func(_ share, requests *int) bool { return *requests == 0 })
		if use.isIdle() {
			delete(q.owners, who.owner)
		}
	}
	if use := q.tenants[who.tenant]; use != nil && use.isIdle() {
		delete(q.tenants, who.tenant)
	}
}
