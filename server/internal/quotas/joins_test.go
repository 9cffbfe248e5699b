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
		if q.underway != 0 || q.waiting.Len() != 0 {
			t.Errorf("%d under way, %d waiting", q.underway, q.waiting.Len())
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
		if q.underway != 0 || q.waiting.Len() != 0 {
			t.Errorf("%d under way, %d waiting", q.underway, q.waiting.Len())
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
		if q.waiting.Len() != 0 || len(q.owners) != 1 || len(q.tenants) != 0 { // the one under way
			t.Errorf("%d are waiting, of %d owners in %d tenants", q.waiting.Len(), len(q.owners), len(q.tenants))
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
		if q.underway != maxOwnerJoins || q.waiting.Len() != maxOwnerWaiting || len(results) != maxOwnerJoins+10 {
			t.Errorf("%d under way, %d wait, %d results", q.underway, q.waiting.Len(), len(results))
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
		if q.waiting.Len() != maxTenantWaiting || q.Full() != nil {
			t.Errorf("%d of a tenant wait", q.waiting.Len())
		}
		cancel()
		synctest.Wait()
	})
}

// A place that is free goes to an owner with all its joins under way only when one of these
// ends; others go before it.
func TestAnOwnerWithItsShareUnderWayWaitsForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &JoinQueue{most: maxOwnerJoins + 1}
		var own []func()
		for range maxOwnerJoins {
			release, err := q.Acquire(t.Context(), alice)
			if err != nil {
				t.Fatal(err)
			}
			own = append(own, release)
		}
		begun := false
		go func() {
			_, err := q.Acquire(t.Context(), alice)
			begun = err == nil
		}()
		synctest.Wait()
		release, err := q.Acquire(t.Context(), user("", "bob", ""))
		if err != nil || begun {
			t.Fatalf("%v, or the owner has more than its share: %v", err, begun)
		}
		release()
		if synctest.Wait(); begun {
			t.Error("the place of another owner is taken")
		}
		own[0]()
		if synctest.Wait(); !begun {
			t.Error("no place is free although one of its own has ended")
		}
	})
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
			if q.underway != 0 || q.waiting.Len() != 0 {
				t.Fatalf("%d under way, %d waiting", q.underway, q.waiting.Len())
			}
		}
	})
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
		if len(releases) != 4 || q.waiting.Len() != 1 {
			t.Errorf("%d under way, %d waiting", len(releases), q.waiting.Len())
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
