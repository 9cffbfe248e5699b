package ring_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted/ring"
	"github.com/pagemcp/pagemcp/server/hosted/ring/ringtest"
	"github.com/pagemcp/pagemcp/server/internal/access"
)

const owners = 6_000

func ownerOf(i int) access.Owner { return access.Owner(fmt.Sprint("owner-", i)) }

// A member is a node in a bubble of synctest.
type member struct {
	*ring.Nodes
	ready atomic.Bool
	stop  context.CancelFunc // leaves
}

// start starts a node and returns when the others know it.
func start(t *testing.T, bucket ring.Bucket) *member {
	m := begin(t, bucket)
	m.ready.Store(true)
	time.Sleep(2 * time.Second)
	synctest.Wait()
	return m
}

func begin(t *testing.T, bucket ring.Bucket) *member {
	m := &member{}
	m.Nodes = ring.New(ring.Options{Bucket: bucket, URL: "http://127.0.0.1:1", Release: "1", Log: slog.New(slog.DiscardHandler), Ready: m.ready.Load})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { m.Run(ctx); close(ended) }()
	m.stop = func() { cancel(); <-ended; synctest.Wait() }
	t.Cleanup(m.stop)
	return m
}

// homes returns the home of each owner, about which all members have to agree.
func homes(t *testing.T, members ...*member) (all []string) {
	t.Helper()
	for i := range owners {
		home, _ := members[0].HomeURL(ownerOf(i))
		for _, other := range members[1:] {
			if got, _ := other.HomeURL(ownerOf(i)); got != home {
				t.Fatalf("the home of %s is %s and %s", ownerOf(i), home, got)
			}
		}
		all = append(all, home)
	}
	return all
}

func differing(a, b []string) (n int) {
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// Whatever the number of nodes: all agree about each home, each has its share, and a node that
// comes or goes moves its share alone.
func TestANodeMovesItsShareOfTheOwners(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bucket := ringtest.NewBucket(ring.Expiry)
		members := []*member{start(t, bucket)}
		for n := 2; n <= 7; n++ {
			before := homes(t, members...)
			joined := start(t, bucket)
			members = append(members, joined)
			after := homes(t, members...)
			moved, share := differing(before, after), owners/n
			if moved < share*8/10 || moved > share*12/10 {
				t.Errorf("node %d moves %d owners, want about %d", n, moved, share)
			}
			for i, home := range after {
				if before[i] != home && home != joined.ID() {
					t.Fatalf("%s moves between two nodes that were there", ownerOf(i))
				}
			}
			count := map[string]int{}
			for _, home := range after {
				count[home]++
			}
			for id, have := range count {
				if len(count) != n || have < share*8/10 || have > share*12/10 {
					t.Errorf("of %d nodes %s has %d owners, want about %d", n, id, have, share)
				}
			}
		}
		before := homes(t, members...)
		members[3].stop()
		left := append(members[:3:3], members[4:]...)
		after := homes(t, left...)
		for i, home := range before {
			if (home == members[3].ID()) != (after[i] != home) {
				t.Fatalf("%s was at %s and is at %s, after the end of %s", ownerOf(i), home, after[i], members[3].ID())
			}
		}
	})
}

// A node that drains lets its owners go in steps, and all others agree with it after each one.
func TestADrainMovesOwnersInSteps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bucket := ringtest.NewBucket(ring.Expiry)
		a, b, c := start(t, bucket), start(t, bucket), start(t, bucket)
		before := homes(t, a, b, c)
		left := []int{}
		go a.Move(t.Context(), 4, time.Second)
		time.Sleep(500 * time.Millisecond)
		for range 4 {
			synctest.Wait()
			after, here := homes(t, a, b, c), 0
			for i, home := range after {
				if home == a.ID() {
					here++
				}
				if home != before[i] && before[i] != a.ID() {
					t.Fatalf("%s moves, and was not at the node that drains", ownerOf(i))
				}
			}
			left = append(left, here)
			time.Sleep(time.Second)
		}
		if left[0] <= left[1] || left[1] <= left[2] || left[2] == 0 || left[3] != 0 || !b.IsDraining(a.ID()) {
			t.Errorf("owners that are left after each step: %v", left)
		}
	})
}

// A silent node is gone after Expiry, one that has left at once. While the store is away nobody
// goes, and afterwards each one has time to be heard.
func TestSilentNodesExpireUnlessTheStoreIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bucket := ringtest.NewBucket(ring.Expiry)
		a := start(t, bucket)
		b := start(t, bucket)
		silent := ringtest.Silent(bucket)
		c := start(t, silent)
		if n := a.Count(); n != 3 {
			t.Fatalf("%d nodes", n)
		}
		bucket.SetAway(true)
		time.Sleep(time.Minute)
		if a.Count() != 3 || b.Count() != 3 || !a.Away() {
			t.Errorf("%d nodes while the store is away", a.Count())
		}
		bucket.SetAway(false)
		time.Sleep(ring.Expiry)
		if a.Count() != 3 || a.Away() {
			t.Errorf("%d nodes when the store is back", a.Count())
		}
		silent.SetSilent(true)
		time.Sleep(ring.Expiry - 2*time.Second)
		if n := a.Count(); n != 3 {
			t.Errorf("%d nodes before the silent one expires", n)
		}
		time.Sleep(4 * time.Second)
		if n := a.Count(); n != 2 || !a.Unsettled() {
			t.Errorf("%d nodes after the silent one has expired", n)
		}
		silent.SetSilent(false)
		time.Sleep(2 * time.Second)
		homes(t, a, b, c)
		c.stop()
		if n := a.Count(); n != 2 {
			t.Errorf("%d nodes after one has left", n)
		}
		time.Sleep(time.Minute)
		if a.Unsettled() {
			t.Error("a change that is long ago counts")
		}
	})
}

// A node that refuses a connection is out until its next heartbeat.
func TestANodeThatRefusesIsLeftOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bucket := ringtest.NewBucket(ring.Expiry)
		a, b := start(t, bucket), start(t, bucket)
		a.Refused(b.ID())
		if n := a.Count(); n != 1 {
			t.Errorf("%d nodes", n)
		}
		time.Sleep(1500 * time.Millisecond)
		if n := a.Count(); n != 2 {
			t.Errorf("%d nodes after a heartbeat", n)
		}
	})
}

// Others hear of a node once it has read the list of nodes and can serve.
func TestANodeIsAnnouncedWhenItIsReady(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bucket := ringtest.NewBucket(ring.Expiry)
		a := start(t, bucket)
		b := begin(t, bucket)
		time.Sleep(time.Minute)
		if a.Count() != 1 || b.Announced() || b.Away() {
			t.Errorf("%d nodes, of which one is not ready", a.Count())
		}
		bucket.SetAway(true)
		b.ready.Store(true)
		time.Sleep(time.Minute)
		if b.Announced() {
			t.Error("a node is announced without the store")
		}
		bucket.SetAway(false)
		time.Sleep(5 * time.Second)
		if a.Count() != 2 || !b.Announced() {
			t.Errorf("%d nodes", a.Count())
		}
	})
}

// An unheard bucket stores what is written, but its answers do not arrive.
type unheard struct{ ring.Bucket }

// Put implements [ring.Bucket].
func (u unheard) Put(ctx context.Context, key string, data []byte, last uint64) (uint64, error) {
	u.Bucket.Put(ctx, key, data, last)
	return 0, context.DeadlineExceeded
}

// What a node has written is true for it when others can read it, not when it hears so: a request that
// they pass on to it finds its home.
func TestANodeBelievesWhatOthersReadOfIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bucket := ringtest.NewBucket(ring.Expiry)
		a := start(t, bucket)
		b := start(t, unheard{bucket})
		if a.Count() != 2 || !b.Announced() {
			t.Fatalf("%d nodes; announced: %t", a.Count(), b.Announced())
		}
		homes(t, a, b)
		go b.Move(t.Context(), 1, time.Second)
		synctest.Wait()
		for _, home := range homes(t, a, b) {
			if home != a.ID() {
				t.Fatal("an owner is still at the node that drains")
			}
		}
	})
}

// What is in the bucket is not believed: other programs may write there.
func TestValuesThatAreNoNodesAreIgnored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bucket := ringtest.NewBucket(ring.Expiry)
		a := start(t, bucket)
		for i, text := range []string{"", "x", "{}", `{"url":""}`, `{"url":"file:///etc"}`, `{"url":"http://user@host"}`, `{"url":"//host"}`, fmt.Sprintf(`{"url":"http://a/%05000d"}`, 1)} {
			if _, err := bucket.Put(t.Context(), fmt.Sprint("x", i), []byte(text), ring.AnyRevision); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 300 {
			if _, err := bucket.Put(t.Context(), fmt.Sprint("y", i), []byte(`{"url":"http://127.0.0.1:1"}`), ring.AnyRevision); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if n := a.Count(); n != 257 {
			t.Errorf("%d nodes, want this one and 256", n)
		}
	})
}
