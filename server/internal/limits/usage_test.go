package limits

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// hosted returns the usage of a node with some limits, in pairs of key and value.
func hosted(pairs ...any) *Usage { return New(table(Hosted(), pairs...), nil) }

func table(l Limits, pairs ...any) Limits {
	for i := 0; i < len(pairs); i += 2 {
		l.Set(pairs[i].(string), float64(pairs[i+1].(int)))
	}
	return l
}

func user(tenant, subject, client string) User {
	return User{Tenant: tenant, Owner: tenant + "/" + subject, Client: client}
}

// atOnce is the context of a use that does not wait.
var atOnce = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// fill takes until a limit is reached, and returns how often that was possible.
func fill(t testing.TB, u *Usage, who User, what What) (releases []func(), reached *Exceeded) {
	t.Helper()
	for range 100_000 {
		release, over := u.Take(atOnce, who, what)
		if over != nil {
			return releases, over
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

// isEmpty reports whether nothing is remembered, once the buckets are full.
func (u *Usage) isEmpty() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.counts)+len(u.lines)+len(u.buckets)+u.recent.Len() == 0
}

// remembered returns of how many places of a scope something is remembered.
func (u *Usage) remembered(s Scope) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := map[User]bool{}
	for at := range u.counts {
		if at.scope == s {
			all[at.user] = true
		}
	}
	return len(all)
}

func TestCountsAreLimitedByOwnerTenantAndNode(t *testing.T) {
	l := table(Hosted(), "pagesPerOwner", 2, "pagesPerTenant", 3, "pages", 5, "requestsPerOwner", 2, "requestsPerTenant", 3, "streamsPerOwner", 2, "streamsPerTenant", 3, "streams", 5)
	for _, kind := range []struct {
		what  What
		limit string
		retry int
	}{{Requests, "requests", 1}, {Bodies, "requests", 1}, {Streams, "streams", 1}, {Pages, "pages", 15}} {
		var refused []string
		u := New(l, func(limit string) { refused = append(refused, limit) })
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
			releases, reached := fill(t, u, user(step.tenant, step.subject, "client"), kind.what)
			all = append(all, releases...)
			if len(releases) != step.want || reached.Limit != kind.limit+step.limit || reached.Seconds() != kind.retry || refused[len(refused)-1] != reached.Limit {
				t.Errorf("%s of %s in %s: %d, then %v", kind.limit, step.subject, step.tenant, len(releases), reached)
			}
		}
		if kind.limit != "requests" { // of which a node has no limit
			if releases, reached := fill(t, u, user("c", "dave", ""), kind.what); len(releases) != 0 || reached.Limit != kind.limit {
				t.Errorf("%s of the node: %d, then %v", kind.limit, len(releases), reached)
			}
		}
		releaseAll(all)
		if !u.isEmpty() {
			t.Errorf("%s: %d counts are remembered", kind.limit, len(u.counts))
		}
	}
}

// Requests that one page does not answer leave room for the other pages of the owner, also
// for those of the same client.
func TestAQuarterOfRequestsIsKeptForOtherPages(t *testing.T) {
	u := hosted()
	all := func(client, page string) ([]func(), *Exceeded) {
		who := user("a", "alice", client)
		who.Page = page
		return fill(t, u, who, Requests)
	}
	held, reached := all("client", "slow")
	if len(held) != 48 || reached.Text != "The limit requestsPerOwner of 64 is reached; retry in 1 s" {
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
	releaseAll(held)
	if !u.isEmpty() {
		t.Error("the owner is remembered")
	}
}

// A page whose requests stay unanswered uses up its own share; an assistant with many such
// pages has some requests left for each other page.
func TestSharesArePerPage(t *testing.T) {
	u := New(table(Local(), "requestsPerPage", 8), nil)
	all := func(page string) (n int, release func()) {
		releases, _ := fill(t, u, User{Client: "token", Caller: "a", Page: page}, Requests)
		return len(releases), func() { releases[0]() }
	}
	for _, x := range []struct {
		page string
		want int
	}{{"one", 8}, {"two", 8}, {"", 8}, {"three", 8}, {"four", 4}, {"five", 4}, {"one", 0}} {
		if n, _ := all(x.page); n != x.want {
			t.Errorf("page %q: %d requests in flight, want %d", x.page, n, x.want)
		}
	}
	_, release := all("six")
	release()
	if n, _ := all("six"); n != 1 {
		t.Errorf("after the end of one: %d more", n)
	}
	for i := range 100 { // names of pages are the client's
		release, over := u.Take(atOnce, User{Client: "token", Caller: "a", Page: fmt.Sprint("invented", i)}, Requests)
		if over != nil {
			t.Fatal(over)
		}
		release()
		release()
	}
	if left := u.remembered(OfPage); left != 7 {
		t.Errorf("%d pages are remembered", left)
	}
}

// Requests of one assistant do not use up the limit of others, although all share a
// token; and the total is limited, whatever they say of themselves.
func TestLimitsArePerAssistant(t *testing.T) {
	u := New(Local(), nil)
	for _, row := range []struct {
		what      What
		most, all int
	}{{Requests, MaxInFlight, MaxAllInFlight}, {Listens, MaxStreams, 0}} {
		first, _ := fill(t, u, User{Client: "token", Caller: "a"}, row.what)
		second, _ := fill(t, u, User{Client: "token", Caller: "b"}, row.what)
		if len(first) != row.most || len(second) != row.most {
			t.Errorf("%d and %d, want %d of each", len(first), len(second), row.most)
		}
		held := append(first, second...)
		for i := 0; len(held) < row.all; i++ {
			more, over := fill(t, u, User{Client: "token", Caller: fmt.Sprint(i)}, row.what)
			if held = append(held, more...); len(more) == 0 {
				if held := len(held); held < row.all*3/4 || over.Limit != "requestsPerOwner" {
					t.Errorf("all have only %d: %v", held, over)
				}
				break
			}
		}
		releaseAll(held)
	}
	if !u.isEmpty() {
		t.Error("assistants are remembered")
	}
}

// Without tenants in tokens all owners have the tenant "", which is no tenant.
func TestLimitsOfTenantsNeedTenants(t *testing.T) {
	u := hosted("requestsPerTenant", 1, "pagesPerTenant", 1, "streamsPerTenant", 1, "joinsPerTenantPerSecond", 1)
	for i := range 10 {
		who := user("", strconv.Itoa(i), "client")
		for _, what := range []What{Requests, Streams, Pages} {
			if _, over := u.Take(atOnce, who, what); over != nil {
				t.Error(over)
			}
		}
		if _, over := u.Reserve(who, Joins, 0); over != nil {
			t.Error(over)
		}
	}
}

// Each node has its share of the limits of tenants, and those of owners are whole.
func TestNodesShareTheLimitsOfTenants(t *testing.T) {
	l := table(Hosted(), "pagesPerTenant", 101, "pagesPerOwner", 7).Share(2)
	if tenant, owner, node := l.Of(Pages, OfTenant), l.Of(Pages, OfOwner), l.Of(Pages, OfNode); tenant != 51 || owner != 7 || node != 20_000 {
		t.Errorf("%d pages of a tenant, %d of an owner, %d of a node", tenant, owner, node)
	}
}

// Requests over a limit wait for others to end, in the order in which they came, and for a
// limited time; their number is limited.
func TestRequestsWaitForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := New(table(Local(), "requestsPerPage", 8), nil)
		who := User{Client: "token", Caller: "a", Page: "notes"}
		var running, most, served, refused, first atomic.Int32
		for i := range 8*SharesInFlight + 8 + 5 {
			go func() {
				release, over := u.Take(t.Context(), who, Requests)
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
		time.Sleep(QueueTime)
		if served.Load() != 40 || refused.Load() != 5 || most.Load() != 8 || first.Load() >= 16 || running.Load() != 0 {
			t.Errorf("%d served, %d refused, %d at a time, the first that waited after %d", served.Load(), refused.Load(), most.Load(), first.Load())
		}
		held, _ := fill(t, u, who, Requests) // which never end
		began := time.Now()
		if _, over := u.Take(t.Context(), who, Requests); over == nil || time.Since(began) != QueueTime {
			t.Errorf("%v after %v", over, time.Since(began))
		}
		gone, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, over := u.Take(gone, who, Requests); over == nil || gone.Err() == nil {
			t.Error("a request whose client is gone is served")
		}
		releaseAll(held)
		if !u.isEmpty() {
			t.Errorf("%d queues are left", len(u.lines))
		}
	})
}

func TestJoinsBeginInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := hosted("joins", 2)
		var mu sync.Mutex
		var order []int
		for i := range 20 {
			go func() {
				release, over := u.Take(t.Context(), user("", fmt.Sprint("owner", i%3), ""), Joining)
				if over != nil {
					t.Error(over)
					return
				}
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				time.Sleep(time.Second + time.Duration(i%2)*time.Millisecond) // no two end at the same time
				release()
				release()
			}()
			synctest.Wait()
		}
		time.Sleep(15 * time.Second)
		synctest.Wait()
		if len(order) != 20 || !slices.IsSorted(order) || !u.isEmpty() {
			t.Errorf("the order is %v", order)
		}
	})
}

// The queue is bounded, and an owner has a share of what is under way, and of what waits.
func TestJoinsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := hosted("joins", 16)
		ctx, cancel := context.WithCancel(t.Context())
		var refused atomic.Int32
		join := func(owner string, times int) {
			t.Helper()
			for range times {
				go func() {
					if _, over := u.Take(ctx, user("", owner, ""), Joining); over != nil && ctx.Err() == nil {
						refused.Add(1)
					}
				}()
			}
			synctest.Wait()
		}
		join("alice", 64+10)
		if underway, waiting := u.InUse(Joining, OfNode, User{}); underway != 8 || waiting != 56 || refused.Load() != 10 {
			t.Errorf("%d under way, %d wait, %d are refused", underway, waiting, refused.Load())
		}
		join("bob", 8)
		if underway, _ := u.InUse(Joining, OfNode, User{}); underway != 16 || u.Full() != nil {
			t.Errorf("%d under way with another owner", underway)
		}
		for i := range MaxQueued/56 + 1 {
			join(strconv.Itoa(i), 56)
		}
		if u.Full() == nil {
			t.Error("the queue is not full")
		}
		cancel()
		synctest.Wait()
		if underway, waiting := u.InUse(Joining, OfNode, User{}); underway != 16 || waiting != 0 {
			t.Errorf("%d under way, %d wait after all have gone", underway, waiting)
		}
	})
}

// The total is right whatever runs at the same time; with -race also its accesses.
func TestCountsHoldWhenUsedConcurrently(t *testing.T) {
	u := hosted("requestsPerOwner", 3, "requestsPerTenant", 5)
	var most, now [4]int
	var mu sync.Mutex
	var all sync.WaitGroup
	for worker := range 16 {
		all.Go(func() {
			for i := range 500 {
				n := (worker + i) % 4
				release, over := u.Take(t.Context(), user(fmt.Sprint(n/2), fmt.Sprint(n), "client"), Requests)
				if over != nil {
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
	if !u.isEmpty() {
		t.Error("owners are remembered")
	}
}

func TestLimitsAreReplacedWhileInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := hosted("requestsPerOwner", 4, "readsPerSecond", 20, "joinsPerTenantPerSecond", 10)
		who := user("a", "alice", "client")
		releases, _ := fill(t, u, who, Requests)
		for range 100 {
			u.Reserve(who, Reads, MaxDelay)
		}
		for i := range 10 {
			u.Reserve(user("a", strconv.Itoa(i), ""), Joins, 0)
		}
		u.SetLimits(table(Hosted(), "requestsPerOwner", 2, "readsPerSecond", 100, "joinsPerTenantPerSecond", 100))
		if _, over := u.Take(atOnce, who, Requests); over == nil {
			t.Error("the old number of requests is allowed")
		}
		releaseAll(releases[1:])
		if _, over := u.Take(atOnce, who, Requests); over != nil {
			t.Error(over)
		}
		time.Sleep(100 * time.Millisecond)
		if wait, over := u.Reserve(who, Reads, MaxDelay); wait != 0 || over != nil {
			t.Errorf("a read at the new rate: %v, %v", wait, over)
		}
		for i := range 10 {
			if _, over := u.Reserve(user("a", strconv.Itoa(i), ""), Joins, 0); over != nil {
				t.Error(over)
			}
		}
	})
}

func TestRatesAreThoseOfOneClientOfOneOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := hosted()
		for _, row := range []struct {
			what        What
			limit       string
			rate, burst int
		}{
			{Reads, "readsPerSecond", 20, 100},
			{Completions, "completionsPerSecond", 10, 10},
			{Calls, "callsPerSecond", 50, 200},
		} {
			who := user("a", "alice", "client of "+row.limit)
			atOnce, late := 0, 0
			var last time.Duration
			var reached *Exceeded
			for reached == nil {
				wait, over := u.Reserve(who, row.what, MaxDelay)
				switch reached = over; {
				case over != nil:
				case wait == 0:
					atOnce++
				default:
					late, last = late+1, wait
				}
			}
			if atOnce != row.burst || late != 2*row.rate || last != 2*time.Second || reached.Limit != row.limit || reached.Seconds() != 1 {
				t.Errorf("%s: %d at once, %d up to %v later, then %v", row.limit, atOnce, late, last, reached)
			}
			for _, other := range []User{user("a", "alice", "another client"), user("a", "bob", "client"), user("b", "alice", "client")} {
				if wait, over := u.Reserve(other, row.what, MaxDelay); wait != 0 || over != nil {
					t.Errorf("%s of %v: %v, %v", row.limit, other, wait, over)
				}
			}
			time.Sleep(reached.Retry)
			if _, over := u.Reserve(who, row.what, MaxDelay); over != nil {
				t.Errorf("%s after Retry-After: %v", row.limit, over)
			}
		}
	})
}

// After the time in which a bucket fills up a client is forgotten by the next use of another one; one that is
// used all the time is not, which would fill its bucket.
func TestIdleClientsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := hosted()
		busy := user("0", "busy", "client")
		accepted := 0
		const seconds = 60
		for i := range seconds * 100 {
			if _, over := u.Reserve(busy, Reads, MaxDelay); over == nil {
				accepted++
			}
			u.Reserve(user(strconv.Itoa(i%10), strconv.Itoa(i), "client"), Calls, MaxDelay)
			time.Sleep(10 * time.Millisecond)
		}
		if want := 100 + 2*20 + seconds*20; accepted < want-2 || accepted > want+2 {
			t.Errorf("%d reads in %d s, want %d", accepted, seconds, want)
		}
		if most := int(u.idle/(10*time.Millisecond)) + 3; len(u.buckets) > most || u.recent.Len() != len(u.buckets) {
			t.Errorf("%d buckets are remembered, want %d at most", len(u.buckets), most)
		}
		time.Sleep(time.Minute)
		u.Reserve(busy, Reads, MaxDelay)
		if len(u.buckets) != 1 || len(u.counts) != 1 {
			t.Errorf("%d buckets and %d counts are left", len(u.buckets), len(u.counts))
		}
	})
}

// An owner can register any number of clients, and gets neither memory nor rates for them.
func TestClientsOfAnOwnerAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := hosted()
		refused := 0
		for i := range 1_000 {
			if _, over := u.Reserve(user("a", "alice", strconv.Itoa(i)), Calls, MaxDelay); over != nil {
				refused++
			}
		}
		if refused != 1_000-maxClients || len(u.buckets) != maxClients {
			t.Errorf("%d are refused, %d are remembered", refused, len(u.buckets))
		}
		for _, who := range []User{user("a", "alice", "0"), user("a", "bob", "new")} {
			if _, over := u.Reserve(who, Calls, MaxDelay); over != nil {
				t.Errorf("%v: %v", who, over)
			}
		}
		time.Sleep(time.Minute)
		if _, over := u.Reserve(user("a", "alice", "new"), Calls, MaxDelay); over != nil {
			t.Errorf("a minute later: %v", over)
		}
	})
}

// Joins of a tenant are limited, and an owner whose pages join all the time takes a part of that.
func TestJoinsOfATenantAreLimitedPerSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := hosted()
		joins := func(owner func(i int) string) (accepted int, last *Exceeded) {
			for i := range 1_000 {
				if _, over := u.Reserve(user("a", owner(i), ""), Joins, 0); over == nil {
					accepted++
				} else {
					last = over
				}
			}
			return accepted, last
		}
		greedy := func(int) string { return "greedy" }
		if accepted, _ := joins(greedy); accepted != 60 {
			t.Errorf("%d of one owner at once", accepted)
		}
		accepted, reached := joins(strconv.Itoa)
		if accepted != 140 || reached.Limit != "joinsPerTenantPerSecond" || reached.Seconds() != 1 {
			t.Errorf("%d of others, then %v", accepted, reached)
		}
		time.Sleep(time.Second)
		if accepted, _ := joins(greedy); accepted != 12 {
			t.Errorf("%d of one owner a second later", accepted)
		}
		if accepted, _ := joins(strconv.Itoa); accepted != 188 {
			t.Errorf("%d of others a second later", accepted)
		}
	})
}
