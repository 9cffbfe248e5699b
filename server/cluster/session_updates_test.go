package cluster

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
)

// An owner writes 64 KiB a second on average, and at most 1 MiB at once; small values count
// 4 KiB each. Others write meanwhile.
func TestWritesOfAnOwnerAreLimited(t *testing.T) {
	for size, want := range map[int]int{200 << 10: 60*ownerBytes/(200<<10) + 6, 10: 60*16 + 256} {
		synctest.Test(t, func(t *testing.T) {
			v := &sessionValues{waiting: map[string]*ownUpdates{}, changed: make(chan struct{}, 1)}
			written := 0
			for range 60 * 10 {
				for i := range 100 {
					v.enqueue("greedy", strconv.Itoa(i), put(""), true)
				}
				v.enqueue("modest", "0", put(""), true)
				taken := v.take(time.Now())
				if len(taken["modest"]) != 1 {
					t.Fatal("an owner that writes little waits")
				}
				v.spend("modest", 10)
				for range taken["greedy"] {
					if v.ownMayWrite("greedy") {
						v.spend("greedy", size)
						written++
					}
				}
				time.Sleep(100 * time.Millisecond)
			}
			if written < want-want/10 || written > want+want/10 {
				t.Errorf("%d values of %d bytes were written in a minute, want about %d", written, size, want)
			}
			v.takeAll()
			time.Sleep(10 * time.Minute)
			if v.take(time.Now()); len(v.waiting) != 0 || v.count != 0 {
				t.Errorf("%d owners and %d updates are remembered", len(v.waiting), v.count)
			}
		})
	}
}

// The queue of an owner is bounded, and that of others is not shorter for it.
func TestAnOwnerFillsItsOwnQueueOnly(t *testing.T) {
	v := &sessionValues{waiting: map[string]*ownUpdates{}, changed: make(chan struct{}, 1)}
	for i := range maxWaiting {
		v.enqueue("greedy", strconv.Itoa(i), put(""), true)
	}
	for i := range maxOwnerWaiting {
		v.enqueue("modest", strconv.Itoa(i), put(""), true)
	}
	if v.count != 2*maxOwnerWaiting || v.refused != maxWaiting-maxOwnerWaiting || len(v.waiting["modest"].updates) != maxOwnerWaiting {
		t.Errorf("%d wait, %d are refused", v.count, v.refused)
	}
}

// What an owner has written too much of is written later; changes of others are not delayed.
func TestAnOwnerThatWritesALotDelaysNoOther(t *testing.T) {
	n := joined(t, Options{URLs: []string{startNATS(t, server.Options{JetStream: true, StoreDir: t.TempDir()}).ClientURL()}, KV: true})
	large := strings.Repeat("x", 300<<10)
	for i := range 40 {
		n.SessionValues().Update("greedy", "g"+strconv.Itoa(i), put(large))
	}
	n.SessionValues().Update("modest", "m", put("value"))
	n.awaitValue("m", "value")
	for deadline := time.After(testTime); n.values.waitingUpdates() == 0; {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-deadline:
			t.Fatal("timeout: the rest of the owner's updates waits")
		}
	}
	status, err := n.values.values.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if status.Bytes() > 4<<20 || status.Bytes() < 1<<20 {
		t.Errorf("%d bytes are stored", status.Bytes())
	}
}

// An update that could not be written does not replace a later one of the same value.
func TestLaterUpdatesStay(t *testing.T) {
	v := &sessionValues{waiting: map[string]*ownUpdates{}}
	v.enqueue("o", "key", put("earlier"), true)
	v.enqueue("o", "key", put("later"), true)
	v.enqueue("o", "key", put("earlier"), false)
	if got := v.takeAll()["o"]; len(got) != 1 || string(got["key"](nil)) != "later" || v.count != 0 {
		t.Errorf("%d updates, %d wait", len(got), v.count)
	}
}

// absentStore does not answer.
type absentStore struct{ jetstream.KeyValue }

func (absentStore) Get(ctx context.Context, _ string) (jetstream.KeyValueEntry, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// That updates are not written is known after the first one, however many wait.
func TestTheFirstUpdateThatFailsIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &sessionValues{values: absentStore{}, waiting: map[string]*ownUpdates{}}
		for i := range 1_000 {
			v.enqueue(strconv.Itoa(i), "key", put("value"), true)
		}
		ctx, cancel := context.WithCancel(t.Context())
		written := make(chan int, 1)
		go func() { written <- v.writeAll(ctx, v.take(time.Now()), false) }()
		time.Sleep(writeTime)
		synctest.Wait()
		if !v.isFailing() {
			t.Errorf("%d of 1,000 updates have failed", v.count)
		}
		cancel()
		if failed := <-written; failed != 1_000 || v.count != 1_000 {
			t.Errorf("%d have failed, %d wait", failed, v.count)
		}
	})
}

// An owner changes 20 sessions of 240 KB all the time: how long it takes until another one's
// change is stored, and what the owner writes.
func BenchmarkNeighbourOfWrites(b *testing.B) {
	n := joined(b, Options{URLs: []string{startNATS(b, server.Options{JetStream: true, StoreDir: b.TempDir()}).ClientURL()}, KV: true})
	large := []byte(strings.Repeat("x", 240<<10))
	var bytes atomic.Int64
	stop := make(chan struct{})
	var greedy sync.WaitGroup
	greedy.Go(func() {
		for i := 0; ; i++ {
			n.SessionValues().Update("greedy", "g"+strconv.Itoa(i%20), func([]byte) []byte {
				bytes.Add(int64(len(large)))
				return large
			})
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	})
	var took []time.Duration
	began := time.Now()
	for i := range b.N {
		from := time.Now()
		n.SessionValues().Update("modest", "m"+strconv.Itoa(i), put("value"))
		n.awaitValue("m"+strconv.Itoa(i), "value")
		took = append(took, time.Since(from))
	}
	close(stop)
	greedy.Wait()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Milliseconds()), "p99-ms")
	b.ReportMetric(float64(bytes.Load())/time.Since(began).Seconds()/(1<<20), "MiB/s")
	b.ReportMetric(0, "ns/op")
}
