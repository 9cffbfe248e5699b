package server

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest/history"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// The simulation runs whole gateways, pages and assistants in one process, under
// a fake clock, over a network that delays, stalls, breaks and swallows, and
// checks the observations of all parties against the promises of history.Violations.
//
//	make simulation SEEDS=1000    seeds 1 to 1000
//	make simulation SEED=17       one seed, with its history
//
// One seed fixes the parties, what they do and when, every fault and every
// delay. Goroutines that run at the same instant may still take turns in another
// order, so a failure may need -count to show again.
var (
	simSeeds = flag.Int("sim.seeds", 0, "how many seeds TestSimulation runs; 0: 50, or 3 with -short")
	simSeed  = flag.Uint64("sim.seed", 0, "the only seed that TestSimulation runs; 0: -sim.seeds")
	simFrom  = flag.Uint64("sim.from", 1, "the first seed")
	simTime  = flag.Duration("sim.time", time.Hour, "simulated time of one seed")
	simPrint = flag.Bool("sim.print", false, "print the history of failing seeds")
)

func TestSimulation(t *testing.T) {
	first, count := *simFrom, uint64(50)
	switch {
	case *simSeed != 0:
		first, count = *simSeed, 1
	case *simSeeds != 0:
		count = uint64(*simSeeds)
	case testing.Short():
		count = 3
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // takes a fifth less time
	for seed := first; seed < first+count; seed++ {
		t.Run(fmt.Sprintf("seed-%d", seed), func(t *testing.T) {
			t.Parallel()
			simulate(t, seed)
		})
	}
}

// simulate runs one seed.
func simulate(t *testing.T, seed uint64) {
	var events []history.Event
	synctest.Test(t, func(t *testing.T) {
		w := newSimWorld(seed)
		w.run(*simTime)
		events = w.history.All()
	})
	violations := history.Violations(events, simRules)
	if len(violations) == 0 {
		return
	}
	if *simPrint {
		for _, e := range events {
			t.Log(e)
		}
	}
	shown := map[string]int{}
	for _, v := range violations {
		if shown[v.Promise]++; shown[v.Promise] <= 3 {
			t.Error(v)
		}
	}
	t.Errorf("violations: %v", shown)
	t.Errorf("replay with: make simulation SEED=%d", seed)
}

const (
	simListLimit  = remoteSlowest + 2*time.Second // the 2 s of a silent page, and the slowest network
	remoteSlowest = 2 * time.Second
	simRecovery   = 60 * time.Second // after the last fault, for everything to work again
)

var simRules = history.Rules{Lists: simListLimit, Recovery: simRecovery, Prompt: 6 * time.Second, Patience: 2 * time.Minute, Lag: limits.PingTimeout + 5*time.Second}

var (
	simOrigins = []string{"https://app.example", "https://other.example"}
	simURIs    = []string{"notes:///0", "notes:///1", "notes:///2", "notes:///3", "notes:///4", "notes:///5", "notes:///6", "notes:///7", "notes:///8", "notes:///9"}
	simTimes   = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
)

// A simWorld is one run.
type simWorld struct {
	seed    uint64
	rand    *simRand // of the faults
	history *history.History
	network *simNetwork
	gateway *simGateway
	stores  []*simStore
	token   string
	pace    time.Duration // mean time between two acts of a party
	idle    atomic.Bool   // parties act rarely: a night
	still   atomic.Bool   // clients neither subscribe nor unsubscribe
	kinds   []int         // of faults, in this phase
	jumped  bool          // the clock was moved forward in this phase
	clients []*simClient

	ctx     context.Context
	end     context.CancelFunc
	parties sync.WaitGroup

	mu     sync.Mutex
	tabs   []*simTab
	count  int
	calm   bool
	calmed time.Time                // when it began
	names  []string                 // in the order in which they were given
	named  map[string]string        // the store behind each name
	live   map[string]history.Event // the last join of each name whose page is connected
	focus  string                   // the name that clients are interested in; "": any
}

// A simRand is the random numbers of one party, whose goroutines share it.
type simRand struct {
	mu sync.Mutex
	r  *rand.Rand
}

func (r *simRand) IntN(n int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.r.IntN(n)
}

// upTo returns a duration in [0, most).
func (r *simRand) upTo(most time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Duration(r.r.Int64N(int64(most)))
}

// around returns a duration, exponentially distributed around mean.
func (r *simRand) around(mean time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Duration(r.r.ExpFloat64() * float64(mean))
}

func (w *simWorld) party(name string) *simRand {
	return &simRand{r: rand.New(rand.NewPCG(w.seed, w.network.hash(name, 0)))}
}

func newSimWorld(seed uint64) *simWorld {
	w := &simWorld{seed: seed, history: &history.History{Began: time.Now()}, network: newSimNetwork(seed), named: map[string]string{}, live: map[string]history.Event{}}
	w.rand = w.party("faults")
	w.pace = time.Duration(10+w.rand.IntN(12)) * time.Second
	w.ctx, w.end = context.WithCancel(context.Background())
	w.gateway = &simGateway{w: w, disk: newMemDisk()}
	w.gateway.start(0)
	w.token = w.gateway.running().token.text()
	for i, app := range []string{"notes", "notes", "shop"}[:2+w.rand.IntN(2)] {
		w.stores = append(w.stores, &simStore{
			w: w, origin: simOrigins[i%2], app: app, uris: simURIs, versions: map[string]int{}, docs: map[*simDocument]struct{}{},
		})
	}
	return w
}

func (w *simWorld) since(t time.Time) time.Duration { return t.Sub(w.history.Began) }

// pause waits for a random time around mean, longer when the world is idle, and
// reports whether the run continues.
func (w *simWorld) pause(r *simRand, mean time.Duration) bool { return w.pauseUntil(r, mean, nil) }

// pauseUntil is pause, which ends with false when gone is closed.
func (w *simWorld) pauseUntil(r *simRand, mean time.Duration, gone <-chan struct{}) bool {
	wait := r.around(mean) + time.Millisecond
	if w.idle.Load() {
		wait += r.around(3 * time.Hour)
	}
	select {
	case <-time.After(wait):
		return w.ctx.Err() == nil
	case <-gone:
		return false
	case <-w.ctx.Done():
		return false
	}
}

// alarm notes what must never happen.
func (w *simWorld) alarm(text string) { w.history.Add(history.Event{Kind: history.Alarm, Text: text}) }

func (w *simWorld) isCalm() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calm
}

func (w *simWorld) newTab(store *simStore) *simTab {
	w.mu.Lock()
	w.count++
	t := &simTab{store: store, id: "tab" + strconv.Itoa(w.count)}
	t.rand = w.party(t.id)
	w.tabs = append(w.tabs, t)
	w.mu.Unlock()
	t.open()
	return t
}

func (w *simWorld) allTabs() []*simTab {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]*simTab(nil), w.tabs...)
}

// arrive notes that a document has joined, and depart that its connection ended.
func (w *simWorld) arrive(e history.Event) {
	w.history.Add(e)
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, known := w.named[e.Name]; !known {
		w.names = append(w.names, e.Name)
	}
	w.named[e.Name] = e.Text
	e.At = time.Since(w.history.Began)
	w.live[e.Name] = e
}

func (w *simWorld) depart(e history.Event) {
	w.history.Add(e)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.live[e.Name].ID == e.ID {
		delete(w.live, e.Name)
	}
}

// randomResource picks what a client may know: a page that has joined, mostly one
// that is there now.
func (w *simWorld) randomResource(r *simRand) (name, uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.names) == 0 {
		return "", ""
	}
	for range 4 {
		name = w.names[r.IntN(len(w.names))]
		if _, here := w.live[name]; here {
			break
		}
	}
	if w.focus != "" {
		name = w.focus
	}
	if r.IntN(10) == 0 {
		return name, simClockURI
	}
	return name, simURIs[r.IntN(len(simURIs))]
}

// turnTo makes clients choose resources of one tab; nil: of any.
func (w *simWorld) turnTo(t *simTab) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.focus = ""
	for name, join := range w.live {
		if t != nil && join.Who == t.id {
			w.focus = name
		}
	}
}

// isSteady tells whether the page called name has been there for a while.
func (w *simWorld) isSteady(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	join, here := w.live[name]
	return here && time.Since(w.history.Began)-join.At > 15*time.Second
}

// steadyNames returns the names of pages that have been there for a while.
func (w *simWorld) steadyNames() (names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.calmed) < simRecovery {
		return nil
	}
	for name, join := range w.live {
		if time.Since(w.history.Began)-join.At > simRecovery {
			names = append(names, name)
		}
	}
	return names
}

func (w *simWorld) storeOfName(name string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.named[name]
}

func (w *simWorld) storeOfTab(id string) string {
	for _, t := range w.allTabs() {
		if t.id == id {
			return t.store.name()
		}
	}
	return ""
}
