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

func TestJoinsBeginInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewJoinQueue(2)
		var mu sync.Mutex
		var order []int
		for i := range 20 {
			go func() {
				release, err := q.Acquire(t.Context(), "alice")
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
		if q.all != 0 || len(q.owners) != 0 {
			t.Errorf("%d joins of %d owners are left", q.all, len(q.owners))
		}
	})
}

func TestJoinsWaitTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewJoinQueue(1)
		release, err := q.Acquire(t.Context(), "alice")
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = q.Acquire(t.Context(), "alice")
		reached := (*access.Exceeded)(nil)
		if !errors.As(err, &reached) || reached.Error() != "the limit joins of 1 is reached; retry in 10 s" || time.Since(began) != MaxJoinWait {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := q.Acquire(ctx, "alice"); err != context.DeadlineExceeded {
			t.Errorf("the page is gone: %v", err)
		}
		release()
		if _, err := q.Acquire(t.Context(), "alice"); err != nil {
			t.Error(err)
		}
	})
}

// The queue is bounded, and an owner has a share of what is under way, and of what waits.
func TestJoinsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewJoinQueue(2 * maxOwnerUnderway)
		ctx, cancel := context.WithCancel(t.Context())
		refused := 0
		var mu sync.Mutex
		join := func(owner access.Owner, times int) {
			t.Helper()
			for range times {
				go func() {
					if _, err := q.Acquire(ctx, owner); errors.As(err, new(*access.Exceeded)) {
						mu.Lock()
						defer mu.Unlock()
						refused++
					}
				}()
			}
		}
		join("alice", maxOwnerJoins+10)
		synctest.Wait()
		if underway, waiting := q.Counts(); underway != maxOwnerUnderway || waiting != maxOwnerJoins-maxOwnerUnderway || refused != 10 {
			t.Errorf("%d under way, %d wait, %d are refused", underway, waiting, refused)
		}
		join("bob", maxOwnerUnderway)
		synctest.Wait()
		if underway, _ := q.Counts(); underway != 2*maxOwnerUnderway {
			t.Errorf("%d under way with another owner", underway)
		}
		for i := range MaxWaitingJoins {
			join(access.Owner(strconv.Itoa(i)), 1)
		}
		synctest.Wait()
		if q.Full() == nil {
			t.Error("the queue is not full")
		}
		cancel()
		synctest.Wait()
		if q.all != 2*maxOwnerUnderway || len(q.owners) != 2 {
			t.Errorf("%d joins of %d owners are left", q.all, len(q.owners))
		}
	})
}
