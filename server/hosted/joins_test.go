package hosted

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestJoinsBeginInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &joinQueue{most: 2}
		var mu sync.Mutex
		var order []int
		for i := range 20 {
			go func() {
				release, err := q.acquire(t.Context())
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
		q := &joinQueue{most: 1}
		release, err := q.acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = q.acquire(t.Context())
		reached := (*exceededError)(nil)
		if !errors.As(err, &reached) || reached.Error() != "the limit joins of 1 is reached; retry in 10 s" || time.Since(began) != maxJoinWait {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := q.acquire(ctx); err != context.DeadlineExceeded {
			t.Errorf("the page is gone: %v", err)
		}
		release()
		if q.underway != 0 || q.waiting.Len() != 0 {
			t.Errorf("%d under way, %d waiting", q.underway, q.waiting.Len())
		}
		if _, err := q.acquire(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestTheQueueOfJoinsIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &joinQueue{most: 1}
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := q.acquire(ctx); err != nil {
			t.Fatal(err)
		}
		for range maxWaitingJoins {
			go q.acquire(ctx)
		}
		synctest.Wait()
		began := time.Now()
		if _, err := q.acquire(ctx); err == nil || time.Since(began) != 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		cancel()
		synctest.Wait()
		if q.waiting.Len() != 0 {
			t.Errorf("%d are waiting", q.waiting.Len())
		}
	})
}

// A join whose turn comes at the moment when it gives up either begins or leaves its place
// to the next one.
func TestNoPlaceIsLostWhenAWaitingJoinEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &joinQueue{most: 1}
		for range 200 {
			release, err := q.acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				if release, err := q.acquire(ctx); err == nil {
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

func TestATurnIsNotGivenBack(t *testing.T) {
	q := &joinQueue{most: 1}
	q.enter()
	_, second := q.enter()
	q.finish()
	if q.leave(second) || q.underway != 1 {
		t.Errorf("the second join has left, %d under way", q.underway)
	}
}

func TestMoreJoinsBeginAfterAReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &joinQueue{most: 1}
		var mu sync.Mutex
		var releases []func()
		for range 5 {
			go func() {
				if release, err := q.acquire(t.Context()); err == nil {
					mu.Lock()
					defer mu.Unlock()
					releases = append(releases, release)
				}
			}()
			synctest.Wait()
		}
		q.setMost(4)
		synctest.Wait()
		if len(releases) != 4 || q.waiting.Len() != 1 {
			t.Errorf("%d under way, %d waiting", len(releases), q.waiting.Len())
		}
		q.setMost(2)
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
