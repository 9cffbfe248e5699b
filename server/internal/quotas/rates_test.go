package quotas

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

func TestRatesAreThoseOfOneClientOfOneOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuotas(Limits{})
		for _, row := range []struct {
			method, limit string
			rate, burst   int
		}{
			{"resources/read", "readsPerSecond", 20, 100},
			{"completion/complete", "completionsPerSecond", 10, 10},
			{"tools/call", "callsPerSecond", 50, 200},
			{"method/of-an-extension", "callsPerSecond", 50, 200},
		} {
			who := user("a", "alice", "client of "+row.method)
			atOnce, late := 0, 0
			var last time.Duration
			var reached *access.Exceeded
			for reached == nil {
				wait, err := delay(q, who, row.method)
				switch {
				case errors.As(err, &reached):
				case wait == 0:
					atOnce++
				default:
					late, last = late+1, wait
				}
			}
			if atOnce != row.burst || late != 2*row.rate || last != 2*time.Second || reached.Limit != row.limit || !strings.Contains(reached.Text, fmt.Sprintf(" of %d is reached", row.rate)) || reached.Seconds() != 1 {
				t.Errorf("%s: %d at once, %d up to %v later, then %v", row.method, atOnce, late, last, reached)
			}
			for _, other := range []Identity{user("a", "alice", "another client"), user("a", "bob", "client"), user("b", "alice", "client")} {
				if wait, err := delay(q, other, row.method); wait != 0 || err != nil {
					t.Errorf("%s of %v: %v, %v", row.method, other, wait, err)
				}
			}
			time.Sleep(reached.Retry)
			if _, err := delay(q, who, row.method); err != nil {
				t.Errorf("%s after Retry-After: %v", row.method, err)
			}
		}
		for _, free := range []string{"tools/list", "resources/list", "ping"} {
			for range 10_000 {
				if wait, err := delay(q, user("a", "alice", "client"), free); wait != 0 || err != nil {
					t.Fatal(free, wait, err)
				}
			}
		}
		if _, err := delay(q, user("a", "carol", "client"), "prompts/get"); err != nil {
			t.Error(err)
		}
	})
}

// After the time in which a bucket fills up nothing is remembered, also without further
// requests; and a client that comes back has no more than a full bucket.
func TestIdleClientsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuotas(Limits{})
		for i := range 1_000 {
			who := user(strconv.Itoa(i%10), strconv.Itoa(i), "client")
			if _, err := delay(q, who, "resources/read"); err != nil {
				t.Fatal(err)
			}
			if err := join(q, who); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		busy := user("0", "busy", "client")
		for _, err := delay(q, busy, "resources/read"); err == nil; {
			_, err = delay(q, busy, "resources/read")
		}
		time.Sleep(q.idle - 100*time.Millisecond)
		synctest.Wait()
		owners := remembered(q, ofOwner)
		q.mu.Lock()
		client := q.buckets[busy.client(rates+kind(engine.RateReads))]
		q.mu.Unlock()
		if owners > 101+1 || owners < 90 {
			t.Errorf("%d owners are remembered", owners)
		}
		if tokens := client.Tokens(); tokens < 96 || tokens > 100 {
			t.Errorf("%v tokens before it is forgotten", tokens)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if !q.isEmpty() || q.armed {
			t.Errorf("%d counts are remembered", len(q.counts))
		}
	})
}

// One that is used all the time is not forgotten, which would fill its bucket.
func TestABusyClientKeepsItsBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuotas(Limits{})
		who := user("a", "alice", "client")
		accepted := 0
		const seconds = 60
		for range seconds * 100 {
			if _, err := delay(q, who, "resources/read"); err == nil {
				accepted++
			}
			time.Sleep(10 * time.Millisecond)
		}
		if want := 100 + 2*20 + seconds*20; accepted < want-2 || accepted > want+2 {
			t.Errorf("%d reads in %d s, want %d", accepted, seconds, want)
		}
		time.Sleep(time.Minute)
	})
}

// An owner can register any number of clients, and gets neither memory nor rates for them.
func TestClientsOfAnOwnerAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuotas(Limits{})
		refused := 0
		for i := range 1_000 {
			if _, err := delay(q, user("a", "alice", strconv.Itoa(i)), "tools/call"); err != nil {
				refused++
			}
		}
		if owners := remembered(q, ofOwner); refused != 1_000-maxClients || owners != 1 {
			t.Errorf("%d are refused, %d owners", refused, owners)
		}
		if _, err := delay(q, user("a", "alice", "0"), "tools/call"); err != nil {
			t.Errorf("a known client: %v", err)
		}
		if _, err := delay(q, user("a", "bob", "new"), "tools/call"); err != nil {
			t.Errorf("another owner: %v", err)
		}
		time.Sleep(time.Minute)
		if _, err := delay(q, user("a", "alice", "new"), "tools/call"); err != nil {
			t.Errorf("a minute later: %v", err)
		}
		time.Sleep(time.Minute)
	})
}

func TestJoinsOfATenantAreLimitedPerSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuotas(Limits{JoinsPerTenantPerSecond: 200})
		joins := func(tenant string) (accepted int, last *access.Exceeded) {
			for i := range 1_000 {
				if err := join(q, user(tenant, strconv.Itoa(i), "")); err == nil {
					accepted++
				} else if !errors.As(err, &last) {
					t.Fatal(err)
				}
			}
			return accepted, last
		}
		accepted, reached := joins("a")
		if accepted != 200 || reached.Limit != "joinsPerTenantPerSecond" || reached.Retry != 6*time.Millisecond || reached.Seconds() != 1 {
			t.Errorf("%d, then %v after %v", accepted, reached, reached.Retry)
		}
		if accepted, _ := joins("b"); accepted != 200 {
			t.Errorf("%d of another tenant", accepted)
		}
		time.Sleep(500 * time.Millisecond)
		if accepted, _ := joins("a"); accepted != 100 {
			t.Errorf("%d half a second later", accepted)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if !q.isEmpty() {
			t.Error("tenants are remembered")
		}
	})
}

// An owner whose pages join all the time takes a part of the rate of its tenant.
func TestAnOwnerHasAShareOfTheJoinsOfItsTenant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuotas(Limits{})
		greedy := user("a", "greedy", "")
		joins := func() (accepted int) {
			for range 1_000 {
				if join(q, greedy) == nil {
					accepted++
				}
			}
			return accepted
		}
		if got := joins(); got != 60 {
			t.Errorf("%d of one owner at once", got)
		}
		if release, err := page(q, greedy); err != nil {
			t.Error(err)
		} else {
			release()
		}
		if got := joins(); got != 0 {
			t.Errorf("%d after a page of it has left", got)
		}
		for i := range 140 {
			if err := join(q, user("a", strconv.Itoa(i), "")); err != nil {
				t.Fatalf("owner %d of the tenant: %v", i, err)
			}
		}
		time.Sleep(time.Second)
		if got := joins(); got != 12 {
			t.Errorf("%d a second later", got)
		}
		q.SetLimits(byDefault(Limits{JoinsPerTenantPerSecond: 1_600}))
		time.Sleep(time.Second)
		if got := joins(); got != 100 {
			t.Errorf("%d a second after a reload", got)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if !q.isEmpty() {
			t.Error("owners or tenants are remembered")
		}
	})
}
