package quotas

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

var alice = user("", "alice", "")

func TestJoinsBeginInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &JoinQueue{most: 2}
		var mu sync.Mutex
		var order []int
		for i := range 20 {
			go func() {
				release, err := q.Acquire(t.Context(), alice)
				if err != nil {
					t.Error(err)
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
		if len(order) != 20 || !slices.IsSorted(order) {
			t.Errorf("the order is %v", order)
		}
		if q.underway != 0 || q.waiting != 0 {
			t.Errorf("%d under way, %d waiting", q.underway, q.waiting)
		}
	})
}

func TestJoinsWaitTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &JoinQueue{most: 1}
		release, err := q.Acquire(t.Context(), alice)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = q.Acquire(t.Context(), alice)
		reached := (*access.Exceeded)(nil)
		if !errors.As(err, &reached) || reached.Error() != "the limit joins of 1 is reached; retry in 10 s" || time.Since(began) != MaxJoinWait {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := q.Acquire(ctx, alice); err != context.DeadlineExceeded {
			t.Errorf("the page is gone: %v", err)
		}
		release()
		if q.underway != 0 || q.waiting != 0 {
			t.Errorf("%d under way, %d waiting", q.underway, q.waiting)
		}
		if _, err := q.Acquire(t.Context(), alice); err != nil {
			t.Error(err)
		}
	})
}

func TestTheQueueOfJoinsIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &JoinQueue{most: 1}
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := q.Acquire(ctx, alice); err != nil {
			t.Fatal(err)
		}
		for i := range MaxWaitingJoins {
			go q.Acquire(ctx, user("", strconv.Itoa(i), ""))
		}
		synctest.Wait()
		if q.Full() == nil {
			t.Error("the queue is not full")
		}
		began := time.Now()
		if _, err := q.Acquire(ctx, alice); err == nil || time.Since(began) != 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		cancel()
		synctest.Wait()
		if q.waiting != 0 || len(q.owners) != 1 || len(q.tenants) != 1 { // the one under way
			t.Errorf("%d are waiting, of %d owners in %d tenants", q.waiting, len(q.owners), len(q.tenants))
		}
	})
}

// joinAll begins the joins of these users, one after the other, each of which takes a second.
// The result is the order in which they begin, once done returns.
func joinAll(t *testing.T, q *JoinQueue, all []Identity) (begun func() []access.Owner) {
	var mu sync.Mutex
	var order []access.Owner
	var joins sync.WaitGroup
	for _, who := range all {
		joins.Go(func() {
			release, err := q.Acquire(t.Context(), who)
			if err != nil {
				return
			}
			mu.Lock()
			order = append(order, who.Owner)
			mu.Unlock()
			time.Sleep(time.Second)
			release()
		})
		synctest.Wait()
	}
	return func() []access.Owner { joins.Wait(); return order }
}

// However many joins of one tenant wait, those of another tenant come in turn, and so do
// those of another owner of the same tenant.
func TestTenantsAndOwnersTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &JoinQueue{most: 1}
		greedy, modest, other := user("a", "greedy", ""), user("a", "modest", ""), user("b", "other", "")
		order := joinAll(t, q, slices.Concat(slices.Repeat([]Identity{greedy}, 6), []Identity{modest, other, other}))()
		want := []access.Owner{greedy.Owner, greedy.Owner, other.Owner, modest.Owner, other.Owner, greedy.Owner, greedy.Owner, greedy.Owner, greedy.Owner}
		if !slices.Equal(order, want) {
			t.Errorf("the order is %v, want %v", order, want)
		}
		if len(q.owners)+len(q.tenants)+q.underway+q.waiting+q.ready.Len() != 0 {
			t.Errorf("%+v is left", q)
		}
	})
}

// An owner has a share of what is under way, and of what waits; and so has a tenant.
func TestAnOwnerHasAShareOfTheJoins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &JoinQueue{most: 2 * maxOwnerJoins}
		ctx, cancel := context.WithCancel(t.Context())
		results := make(chan error, 100_000)
		join := func(who Identity) {
			_, err := q.Acquire(ctx, who)
			results <- err
		}
		for range maxOwnerJoins + maxOwnerWaiting + 10 {
			go join(user("a", "alice", ""))
		}
		synctest.Wait()
		if q.underway != maxOwnerJoins || q.waiting != maxOwnerWaiting || len(results) != maxOwnerJoins+10 {
			t.Errorf("%d under way, %d wait, %d results", q.underway, q.waiting, len(results))
		}
		for range maxOwnerJoins {
			go join(user("b", "bob", ""))
		}
		synctest.Wait()
		if q.underway != 2*maxOwnerJoins {
			t.Errorf("%d under way with another owner", q.underway)
		}
		for i := range 2 * maxTenantWaiting {
			go join(user("a", strconv.Itoa(i), ""))
		}
		synctest.Wait()
		if q.waiting != maxTenantWaiting || q.Full() != nil {
			t.Errorf("%d of a tenant wait", q.waiting)
		}
		cancel()
		synctest.Wait()
	})
}

// A turn that is free goes to an owner with all its joins under way only when one of these
// ends.
func TestAnOwnerWithItsShareUnderWayWaitsForItself(t *testing.T) {
	q := &JoinQueue{most: 2 * maxOwnerJoins}
	var own joinPlace
	for range maxOwnerJoins + 2 {
		_, own = q.enter(alice)
	}
	_, other := q.enter(user("", "bob", ""))
	want := func(when string, underway, waiting int) {
		t.Helper()
		if q.underway != underway || q.waiting != waiting {
			t.Errorf("%s: %d under way, %d wait; want %d and %d", when, q.underway, q.waiting, underway, waiting)
		}
	}
	want("all have come", maxOwnerJoins+1, 2)
	q.finish(other.owner)
	want("another owner's has ended", maxOwnerJoins, 2)
	q.finish(own.owner)
	want("one of its own has ended", maxOwnerJoins, 1)
}

// A join whose turn comes at the moment when it gives up either begins or leaves its place
// to the next one.
func TestNoPlaceIsLostWhenAWaitingJoinEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &JoinQueue{most: 1}
		for range 200 {
			release, err := q.Acquire(t.Context(), alice)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				if release, err := q.Acquire(ctx, alice); err == nil {
					release()
				}
			}()
			synctest.Wait()
			cancel()
			release()
			synctest.Wait()
			if q.underway != 0 || q.waiting != 0 {
				t.Fatalf("%d under way, %d waiting", q.underway, q.waiting)
			}
		}
	})
}

func TestATurnIsNotGivenBack(t *testing.T) {
	q := &JoinQueue{most: 1}
	_, first := q.enter(alice)
	_, second := q.enter(alice)
	q.finish(first.owner)
	if q.leave(second) || q.underway != 1 {
		t.Errorf("the second join has left, %d under way", q.underway)
	}
}

func TestMoreJoinsBeginAfterAReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &JoinQueue{most: 1}
		var mu sync.Mutex
		var releases []func()
		for range 5 {
			go func() {
				if release, err := q.Acquire(t.Context(), alice); err == nil {
					mu.Lock()
					defer mu.Unlock()
					releases = append(releases, release)
				}
			}()
			synctest.Wait()
		}
		q.SetMost(4)
		synctest.Wait()
		if len(releases) != 4 || q.waiting != 1 {
			t.Errorf("%d under way, %d waiting", len(releases), q.waiting)
		}
		q.SetMost(2)
		for _, release := range slices.Clone(releases[:2]) { // 2 are left, and no place
			release()
		}
		synctest.Wait()
		if len(releases) != 4 {
			t.Errorf("%d have begun", len(releases))
		}
		releases[2]()
		synctest.Wait()
		if len(releases) != 5 || q.underway != 2 {
			t.Errorf("%d have begun, %d under way", len(releases), q.underway)
		}
	})
}
