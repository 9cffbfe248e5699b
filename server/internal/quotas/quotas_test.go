package quotas

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

func user(tenant, subject, client string) Identity {
	return Identity{tenant, access.Owner(tenant + "/" + subject), client}
}

// newQuotas returns Quotas with these limits, and those of a node by default.
func newQuotas(l Limits) *Quotas { return New(byDefault(l), nil) }

func byDefault(l Limits) Limits {
	for _, field := range []struct {
		value    *int
		standard int
	}{
		{&l.PagesPerOwner, 32}, {&l.PagesPerTenant, 5_000}, {&l.Pages, 20_000}, {&l.RequestsPerOwner, 64}, {&l.RequestsPerTenant, 512},
		{&l.StreamsPerOwner, 64}, {&l.StreamsPerTenant, 5_000}, {&l.Streams, 20_000}, {&l.JoinsPerTenantPerSecond, 200},
	} {
		*field.value = cmp.Or(*field.value, field.standard)
	}
	l.ReadsPerSecond, l.CompletionsPerSecond, l.CallsPerSecond = cmp.Or(l.ReadsPerSecond, 20), cmp.Or(l.CompletionsPerSecond, 10), cmp.Or(l.CallsPerSecond, 50)
	return l
}

func clientOf(who Identity, page string) access.Client {
	return access.Client{Tenant: who.Tenant, Owner: who.Owner, Principal: who.Client, Page: page}
}

func request(q *Quotas, who Identity) (func(), error) { return acquire(q, who, "", access.UseRequest) }
func body(q *Quotas, who Identity) (func(), error)    { return acquire(q, who, "", access.UseBody) }
func stream(q *Quotas, who Identity) (func(), error)  { return acquire(q, who, "", access.UseStream) }

// atOnce is the context of a request that does not wait.
var atOnce = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

func acquire(q *Quotas, who Identity, page string, use access.Use) (func(), error) {
	release, over := q.Acquire(atOnce, clientOf(who, page), "ignored", use)
	return release, asError(over)
}

// Requests over a limit wait for others to end, in the order in which they came, and for a
// limited time; their number is limited.
func TestRequestsWaitForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Local(Limits{RequestsPerPage: 8}), nil)
		client := access.Client{Principal: "token", Page: "notes"}
		var running, most, served, refused atomic.Int32
		var first atomic.Int32
		for i := range 8*limits.SharesInFlight + 8 + 5 {
			go func() {
				release, over := q.Acquire(t.Context(), client, "a", access.UseRequest)
				if over != nil {
					refused.Add(1)
					return
				}
				defer release()
				if i == 8 {
					first.Store(served.Load())
				}
				served.Add(1)
				most.Store(max(most.Load(), running.Add(1)))
				defer running.Add(-1)
				time.Sleep(time.Second)
			}()
			synctest.Wait()
		}
		time.Sleep(limits.QueueTime)
		if served.Load() != 40 || refused.Load() != 5 || most.Load() != 8 || first.Load() >= 16 || running.Load() != 0 {
			t.Errorf("%d served, %d refused, %d at a time, the first that waited after %d", served.Load(), refused.Load(), most.Load(), first.Load())
		}
		for range 8 { // which never end
			q.Acquire(t.Context(), client, "a", access.UseRequest)
		}
		if _, over := q.Acquire(atOnce, client, "a", access.UseRequest); over == nil {
			t.Error("a request whose client is gone is served")
		}
		began := time.Now()
		if _, over := q.Acquire(t.Context(), client, "a", access.UseRequest); over == nil || time.Since(began) != limits.QueueTime {
			t.Errorf("%v after %v", over, time.Since(began))
		}
		if left := len(q.lines); left != 0 {
			t.Errorf("%d queues are left", left)
		}
	})
}

func page(q *Quotas, who Identity) (func(), error) {
	release, over := q.Page(who)
	return release, asError(over)
}

// remembered returns how many tenants, owners, clients or pages of clients something is remembered of.
func remembered(q *Quotas, s scope) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := map[place]bool{}
	note := func(at place) {
		if at.kind = 0; at.scope == s {
			all[at] = true
		}
	}
	for at := range q.counts {
		note(at)
	}
	for at := range q.buckets {
		note(at)
	}
	return len(all)
}

func delay(q *Quotas, who Identity, method string) (time.Duration, error) {
	wait, over := q.Delay(clientOf(who, ""), method)
	return wait, asError(over)
}

func join(q *Quotas, who Identity) error { return asError(q.Join(who)) }

func asError(over *access.Exceeded) error {
	if over == nil {
		return nil
	}
	return over
}

// fill acquires until a limit is reached, and returns how often that was possible.
func fill(t testing.TB, acquire func() (func(), error)) (releases []func(), reached *access.Exceeded) {
	t.Helper()
	for range 100_000 {
		release, err := acquire()
		if errors.As(err, &reached) {
			return releases, reached
		}
		releases = append(releases, release)
	}
	t.Fatal("there is no limit")
	return nil, nil
}

func releaseAll(releases []func()) {
	for _, release := range releases {
		release()
	}
}

// isEmpty reports whether quotas remember nothing.
func (q *Quotas) isEmpty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.counts)+len(q.lines)+len(q.buckets)+q.recent.Len() == 0
}

func TestCountsAreLimitedByOwnerTenantAndNode(t *testing.T) {
	limits := Limits{
		PagesPerOwner: 2, PagesPerTenant: 3, Pages: 5, RequestsPerOwner: 2, RequestsPerTenant: 3, StreamsPerOwner: 2, StreamsPerTenant: 3, Streams: 5,
	}
	kinds := map[string]func(*Quotas, Identity) (func(), error){
		"requests": request,
		"bodies":   body,
		"streams":  stream,
		"pages":    page,
	}
	for kind, acquire := range kinds {
		q := newQuotas(limits)
		take := func(tenant, subject string) ([]func(), *access.Exceeded) {
			return fill(t, func() (func(), error) { return acquire(q, user(tenant, subject, "client")) })
		}
		retry := map[string]int{"requests": 1, "bodies": 1, "streams": 1, "pages": 15}[kind]
		limit := strings.Replace(kind, "bodies", "requests", 1) // those of requests
		var all []func()
		for _, step := range []struct {
			tenant, subject string
			want            int
			limit           string
		}{
			{"a", "alice", 2, "PerOwner"},
			{"a", "alice", 0, "PerOwner"},
			{"a", "bob", 1, "PerTenant"},
			{"a", "carol", 0, "PerTenant"},
			{"b", "alice", 2, "PerOwner"}, // another tenant has the same user names
		} {
			releases, reached := take(step.tenant, step.subject)
			all = append(all, releases...)
			if len(releases) != step.want || reached.Limit != limit+step.limit || reached.Seconds() != retry {
				t.Errorf("%s of %s in %s: %d, then %v", kind, step.subject, step.tenant, len(releases), reached)
			}
		}
		if limit != "requests" { // of which a node has no limit
			if releases, reached := take("c", "dave"); len(releases) != 0 || reached.Limit != kind {
				t.Errorf("%s of the node: %d, then %v", kind, len(releases), reached)
			}
		}
		releaseAll(all)
		if !q.isEmpty() {
			t.Errorf("%s: %d counts are remembered", kind, len(q.counts))
		}
	}
}

// Requests that one page does not answer leave room for the other pages of the owner, also
// for those of the same client.
func TestAQuarterOfRequestsIsKeptForOtherPages(t *testing.T) {
	q := newQuotas(Limits{RequestsPerOwner: 64, RequestsPerTenant: 100})
	all := func(client, page string) ([]func(), *access.Exceeded) {
		return fill(t, func() (func(), error) { return acquire(q, user("a", "alice", client), page, access.UseRequest) })
	}
	held, reached := all("client", "slow")
	if len(held) != 48 || reached.Text != "Too many requests in flight: the limit requestsPerOwner of 64 is reached; retry in 1 s" {
		t.Errorf("%d requests for one page, then %v", len(held), reached)
	}
	for _, other := range []struct {
		client, page string
		want         int
	}{{"client", "slow", 0}, {"client", "mail", 4}, {"other", "slow", 4}, {"client", "", 4}, {"client", "a", 4}, {"client", "b", 0}} {
		more, _ := all(other.client, other.page)
		if held = append(held, more...); len(more) != other.want {
			t.Errorf("%d requests of %s for %q, want %d", len(more), other.client, other.page, other.want)
		}
	}
	for _, release := range held[1:] {
		release()
	}
	if got := remembered(q, ofPage); got != 1 {
		t.Errorf("%d shares are remembered, want that of the request that is left", got)
	}
	held[0]()
	if !q.isEmpty() {
		t.Error("the owner is remembered")
	}
}

// Without tenants in tokens all owners have the tenant "", which is no tenant.
func TestLimitsOfTenantsNeedTenants(t *testing.T) {
	q := newQuotas(Limits{RequestsPerTenant: 1, PagesPerTenant: 1, StreamsPerTenant: 1, JoinsPerTenantPerSecond: 1})
	for i := range 10 {
		who := user("", strconv.Itoa(i), "client")
		_, request := request(q, who)
		_, stream := stream(q, who)
		_, page := page(q, who)
		if err := errors.Join(request, stream, page, join(q, who)); err != nil {
			t.Error(err)
		}
	}
}

func TestLimitsAreReplacedWhileInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuotas(Limits{RequestsPerOwner: 4, ReadsPerSecond: 20, JoinsPerTenantPerSecond: 10})
		who := user("a", "alice", "client")
		releases, _ := fill(t, func() (func(), error) { return request(q, who) })
		for range 100 {
			delay(q, who, "resources/read")
		}
		for i := range 10 {
			join(q, user("a", strconv.Itoa(i), ""))
		}
		q.SetLimits(byDefault(Limits{RequestsPerOwner: 2, ReadsPerSecond: 100, JoinsPerTenantPerSecond: 100}))
		if _, err := request(q, who); err == nil {
			t.Error("the old number of requests is allowed")
		}
		releaseAll(releases[1:])
		if _, err := request(q, who); err != nil {
			t.Error(err)
		}
		time.Sleep(100 * time.Millisecond)
		if wait, err := delay(q, who, "resources/read"); wait != 0 || err != nil {
			t.Errorf("a read at the new rate: %v, %v", wait, err)
		}
		for i := range 10 {
			if err := join(q, user("a", strconv.Itoa(i), "")); err != nil {
				t.Error(err)
			}
		}
		time.Sleep(time.Minute)
	})
}

// The total is right whatever runs at the same time; with -race also its accesses.
func TestCountsHoldWhenUsedConcurrently(t *testing.T) {
	q := newQuotas(Limits{RequestsPerOwner: 3, RequestsPerTenant: 5})
	var most, now [4]int
	var mu sync.Mutex
	var all sync.WaitGroup
	for worker := range 16 {
		all.Go(func() {
			for i := range 2_000 {
				n := (worker + i) % 4
				who := user(fmt.Sprint(n/2), fmt.Sprint(n), "client")
				release, err := request(q, who)
				if err != nil {
					continue
				}
				mu.Lock()
				now[n]++
				most[n] = max(most[n], now[n])
				mu.Unlock()
				runtime.Gosched()
				mu.Lock()
				now[n]-- // before the release
				mu.Unlock()
				release()
				release()
			}
		})
	}
	all.Wait()
	for n, most := range most {
		if most > 3 {
			t.Errorf("owner %d has %d", n, most)
		}
	}
	if !q.isEmpty() {
		t.Error("owners are remembered")
	}
}
