// Package quotas limits what the tenants, owners and clients of a gateway use.
package quotas

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
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

// Quotas counts what owners, tenants and the gateway use, and rejects what is over Limits.
// Each tenant and owner is counted apart from the others, so one that is at its limit
// takes nothing from them. Owners and tenants that use nothing are not remembered: an
// owner's clients are, until their token buckets are full again. Its methods may be called
// concurrently, do not block but for Acquire, and cost the same however many owners there are.
//
// It implements [access.Limiter].
type Quotas struct {
	onExceed func(limit string)

	mu                               sync.Mutex
	limits                           Limits
	idle                             time.Duration // after which all token buckets of a client are full
	owners                           map[access.Owner]*ownerUse
	tenants                          map[string]*tenantUse
	requests, bodies, streams, pages int // of the gateway
	recent                           recency
}

// An ownerUse is in Quotas.owners while one of its counts is above zero.
type ownerUse struct {
	pages, requests, bodies, streams int
	assistants                       map[assistant]*assistantUse // with requests or listens
	ofPage                           map[share]*int              // requests
	waiting                          map[share][]chan struct{}   // requests that wait; each is closed once
	waits                            int                         // their number
	clients                          map[string]*clientUse
	joins                            *joinRate // nil without a recent join
}

// An assistant is who shares of requests belong to; caller is "" unless Limits.Callers.
type assistant struct{ client, caller string }

type assistantUse struct{ requests, listens int }

// A share is the requests of an assistant for one page; page is as in access.Client.
type share struct {
	assistant
	page string
}

func (u *ownerUse) isIdle() bool {
	return u.pages+u.requests+u.bodies+u.streams+len(u.clients)+u.waits == 0 && u.joins == nil
}

type tenantUse struct {
	pages, requests, bodies, streams int
	joins                            *joinRate // nil without a recent join
}

func (u *tenantUse) isIdle() bool {
	return u.pages+u.requests+u.bodies+u.streams == 0 && u.joins == nil
}

// New returns Quotas without any use. onExceed, which may be nil, is called with the key of
// each limit by which Delay and Acquire reject a use.
func New(l Limits, onExceed func(limit string)) *Quotas {
	if onExceed == nil {
		onExceed = func(string) {}
	}
	return &Quotas{onExceed: onExceed, limits: l, idle: l.fillTime(), owners: map[access.Owner]*ownerUse{}, tenants: map[string]*tenantUse{}}
}

// Exceeded returns the rejection of a use over a limit, by its key and value. The text says
// nothing of others.
func Exceeded(limit string, most any, retry time.Duration) *access.Exceeded {
	over := &access.Exceeded{Limit: limit, Retry: retry}
	over.Text = fmt.Sprintf("the limit %s of %v is reached; retry in %d s", limit, most, max(1, over.Seconds()))
	return over
}

// A count is one number with its limit.
type count struct {
	value *int
	limit string // "" for one without limit
	most  int    // 0 is no limit
	taken int    // besides value: of the same owner on other nodes, or kept for others
}

// take increments all counts, or none if one of them is at its limit. The caller holds
// the lock.
func take(retry time.Duration, counts []count) *access.Exceeded {
	for _, one := range counts {
		if one.most > 0 && *one.value+one.taken >= one.most {
			return Exceeded(one.limit, one.most, retry)
		}
	}
	for _, one := range counts {
		*one.value++
	}
	return nil
}

// Acquire implements [access.Limiter]. Further calls of release do nothing, here and below.
func (q *Quotas) Acquire(ctx context.Context, c access.Client, caller string, use access.Use) (release func(), over *access.Exceeded) {
	who := Identity{c.Tenant, c.Owner, c.Principal}
	switch use {
	case access.UseRequest:
		if release, over = q.request(who, caller, c.Page); over != nil {
			release, over = q.await(ctx, who, caller, c.Page)
		}
	case access.UseBody:
		release, over = q.body(who)
	default:
		release, over = q.stream(who, caller, use == access.UseListen)
	}
	if over != nil {
		q.onExceed(over.Limit)
		over.Text = "Too many requests in flight: " + over.Text
	}
	return release, over
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
	of, owner := q.shareOf(who, caller, page), q.owner(who.Owner)
	if len(owner.waiting[of]) >= limits.SharesInFlight*q.limits.RequestsPerPage || owner.waits >= q.limits.RequestsPerOwner {
		q.forget(who, of)
		return nil, func() {}
	}
	if owner.waiting == nil {
		owner.waiting = map[share][]chan struct{}{}
	}
	freed = make(chan struct{})
	owner.waiting[of] = append(owner.waiting[of], freed)
	owner.waits++
	return freed, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if at := slices.Index(owner.waiting[of], freed); at >= 0 {
			owner.dequeue(of, at)
		} else {
			owner.wake(of) // it was woken, and does not take its turn
		}
		q.forget(who, of)
	}
}

// dequeue removes a waiting request.
func (u *ownerUse) dequeue(of share, at int) (freed chan struct{}) {
	freed = u.waiting[of][at]
	if u.waiting[of] = slices.Delete(u.waiting[of], at, at+1); len(u.waiting[of]) == 0 {
		delete(u.waiting, of)
	}
	u.waits--
	return freed
}

// wake lets the request that has waited longest for a share try again, or one of another share.
func (u *ownerUse) wake(of share) {
	if len(u.waiting[of]) == 0 {
		for of = range u.waiting {
			break
		}
	}
	if len(u.waiting[of]) > 0 {
		close(u.dequeue(of, 0))
	}
}

// request counts a request in flight for a page, of which a client has its [access.PageShare].
// A quarter of an owner's requests is kept for clients that have few for a page: a page that
// does not answer costs itself, and no other page or client.
func (q *Quotas) request(who Identity, caller, page string) (release func(), over *access.Exceeded) {
	return q.acquire(who, caller, page, retryRequest, func(owner *ownerUse, tenant *tenantUse, client *assistantUse, ofPage *int) []count {
		kept := 0
		if *ofPage >= limits.MinInFlight {
			kept = q.limits.RequestsPerOwner / 4
		}
		return []count{
			{ofPage, "requestsPerPage", access.PageShare(q.limits.RequestsPerPage, client.requests), 0},
			{&client.requests, "", 0, 0},
			{&owner.requests, "requestsPerOwner", q.limits.RequestsPerOwner, kept},
			{&tenant.requests, "requestsPerTenant", tenantLimit(who, q.limits.RequestsPerTenant), 0},
			{&q.requests, "", 0, 0},
		}
	})
}

// body counts a large body that is read or served. Its limits are those of requests, which
// count once their bodies are read.
func (q *Quotas) body(who Identity) (release func(), over *access.Exceeded) {
	return q.acquire(who, "", "", retryRequest, func(owner *ownerUse, tenant *tenantUse, _ *assistantUse, _ *int) []count {
		return []count{
			{&owner.bodies, "requestsPerOwner", q.limits.RequestsPerOwner, 0},
			{&tenant.bodies, "requestsPerTenant", tenantLimit(who, q.limits.RequestsPerTenant), 0},
			{&q.bodies, "", 0, 0},
		}
	})
}

// stream counts an open listen or GET stream. A client has one GET stream for each of its
// sessions, whose number is limited.
func (q *Quotas) stream(who Identity, caller string, listen bool) (release func(), over *access.Exceeded) {
	return q.acquire(who, caller, "", retryRequest, func(owner *ownerUse, tenant *tenantUse, client *assistantUse, _ *int) []count {
		counts := []count{
			{&owner.streams, "streamsPerOwner", q.limits.StreamsPerOwner, 0},
			{&tenant.streams, "streamsPerTenant", tenantLimit(who, q.limits.StreamsPerTenant), 0},
			{&q.streams, "streams", q.limits.Streams, 0},
		}
		if listen {
			counts = append(counts, count{&client.listens, "streamsPerClient", q.limits.StreamsPerClient, 0})
		}
		return counts
	})
}

// Page counts a joined page until release is called. elsewhere is the number of the owner's
// pages on other nodes.
func (q *Quotas) Page(who Identity, elsewhere int) (release func(), over *access.Exceeded) {
	return q.acquire(who, "", "", RetryPage, func(owner *ownerUse, tenant *tenantUse, _ *assistantUse, _ *int) []count {
		return []count{
			{&owner.pages, "pagesPerOwner", q.limits.PagesPerOwner, elsewhere},
			{&tenant.pages, "pagesPerTenant", tenantLimit(who, q.limits.PagesPerTenant), 0},
			{&q.pages, "pages", q.limits.Pages, 0},
		}
	})
}

// InUse returns the numbers of requests in flight, of large bodies and of open streams.
func (q *Quotas) InUse() (requests, bodies, streams int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.requests, q.bodies, q.streams
}

// Limits returns the limits that hold now.
func (q *Quotas) Limits() Limits {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.limits
}

// tenantLimit returns most, or no limit without tenants.
func tenantLimit(who Identity, most int) int {
	if who.Tenant == "" {
		return 0
	}
	return most
}

func (q *Quotas) acquire(who Identity, caller, page string, retry time.Duration, counts func(*ownerUse, *tenantUse, *assistantUse, *int) []count) (release func(), over *access.Exceeded) {
	q.mu.Lock()
	defer q.mu.Unlock()
	of := q.shareOf(who, caller, page)
	owner, tenant := q.owner(who.Owner), q.tenant(who.Tenant)
	client, ofPage := owner.share(of)
	held := counts(owner, tenant, client, ofPage)
	over = take(retry, held)
	if over != nil {
		q.forget(who, of)
		return nil, over
	}
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		for _, one := range held {
			*one.value--
		}
		held = nil
		owner.wake(of)
		q.forget(who, of)
	}, nil
}

func (q *Quotas) shareOf(who Identity, caller, page string) share {
	of := share{assistant{who.Client, ""}, page}
	if q.limits.Callers {
		of.caller = caller
	}
	return of
}

func (q *Quotas) owner(key access.Owner) *ownerUse {
	use := q.owners[key]
	if use == nil {
		use = &ownerUse{}
		q.owners[key] = use
	}
	return use
}

func (q *Quotas) tenant(key string) *tenantUse {
	use := q.tenants[key]
	if use == nil {
		use = &tenantUse{}
		q.tenants[key] = use
	}
	return use
}

func (u *ownerUse) share(of share) (client *assistantUse, ofPage *int) {
	if u.assistants == nil {
		u.assistants, u.ofPage = map[assistant]*assistantUse{}, map[share]*int{}
	}
	if client = u.assistants[of.assistant]; client == nil {
		client = &assistantUse{}
		u.assistants[of.assistant] = client
	}
	if ofPage = u.ofPage[of]; ofPage == nil {
		ofPage = new(int)
		u.ofPage[of] = ofPage
	}
	return client, ofPage
}

// forget removes the owner and the tenant of who if they use nothing. While a release is
// outstanding they do, so that it decrements the counts that it has incremented. The same holds
// for an assistant and for a page of it, whose name is the client's.
func (q *Quotas) forget(who Identity, of share) {
	if owner := q.owners[who.Owner]; owner != nil {
		if requests := owner.ofPage[of]; requests != nil && *requests == 0 {
			delete(owner.ofPage, of)
		}
		if use := owner.assistants[of.assistant]; use != nil && *use == (assistantUse{}) {
			delete(owner.assistants, of.assistant)
		}
		if owner.isIdle() {
			delete(q.owners, who.Owner)
		}
	}
	if use := q.tenants[who.Tenant]; use != nil && use.isIdle() {
		delete(q.tenants, who.Tenant)
	}
}
