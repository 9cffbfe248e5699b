package server

import (
	"context"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

const (
	soakSessions = 100
	soakURIs     = 1_000 // of the page; each session subscribes to soakShare of them
	soakShare    = 100
	soakRate     = 500 // updates a second
	soakTime     = 10 * time.Minute
	soakSlow     = 10              // one session in so many reads slowly
	soakAbandon  = time.Second / 2 // between sessions whose clients forget them at once
)

// A soakReader reads the stream of one session and stores which URIs were updated, and
// when.
type soakReader struct {
	mu   sync.Mutex
	last map[string]time.Time
}

func (r *soakReader) add(uri string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last[uri] = time.Now()
}

func (r *soakReader) missed(uri string, since time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last[uri].Before(since)
}

// measureSessions10Minutes holds 100 sessions with 100 subscriptions each under 500
// updates a second for 10 minutes of a fake clock. What the gateway, the page and
// the clients hold must not grow, and each subscription must get the last change.
func measureSessions10Minutes(t *testing.T) (table []figure) {
	synctest.Test(t, func(t *testing.T) {
		w := newSimWorld(1)
		w.stores = w.stores[:1]
		store := w.stores[0]
		uris := make([]string, soakURIs)
		for i := range uris {
			uris[i] = "notes:///" + strconv.Itoa(i)
		}
		store.uris = uris
		tab := w.newTab(store)
		waitFor(t, "the page has joined", func() bool { return w.storeOfName("notes") != "" })

		readers := make([]*soakReader, soakSessions)
		ctx, stop := context.WithCancel(w.ctx)
		defer w.tearDown(stop, tab)
		for i := range readers {
			readers[i] = &soakReader{last: map[string]time.Time{}}
			c := &classicClient{simClient: simClient{w: w, name: "client" + strconv.Itoa(i), rand: w.party("client" + strconv.Itoa(i))}, subs: map[string]string{}}
			if !c.initialize() {
				t.Error("no session")
				return
			}
			for j := range soakShare {
				uri := "notes+" + uris[(i*soakShare/4+j)%soakURIs]
				params := string(jsonrpc.AppendString([]byte(`"uri":`), uri))
				if m, _, _, err := c.post(gatewaytest.Classic(strconv.Itoa(c.next()), "resources/subscribe", params)); err != nil || m.Error != nil {
					t.Errorf("subscribe: %v %v", err, m.Error)
					return
				}
			}
			w.parties.Go(func() { c.read(ctx, readers[i], i%soakSlow == 0) })
		}
		abandoned := atomic.Int64{}
		w.parties.Go(func() {
			for i := 0; sleepFor(ctx, soakAbandon); i++ {
				c := &classicClient{simClient: simClient{w: w, name: "guest" + strconv.Itoa(i), rand: w.party("guest")}, subs: map[string]string{}}
				if !c.initialize() {
					return
				}
				abandoned.Add(1)
			}
		})
		changed := make([]time.Time, soakURIs)
		r := w.party("updates")
		update := func(d time.Duration) {
			for until := time.Now().Add(d); time.Now().Before(until); time.Sleep(time.Second / soakRate) {
				i := r.IntN(soakURIs)
				changed[i] = time.Now()
				tab.document().table.Changed(uris[i])
			}
		}
		update(2 * time.Minute)
		before, beforeSessions := heapInUse(), abandoned.Load()
		update(soakTime)
		growth, sessions := heapInUse()-before, abandoned.Load()-beforeSessions
		if sessions < int64(soakTime/soakAbandon)*9/10 {
			t.Errorf("%d sessions were abandoned", sessions)
		}
		growth -= float64(sessions) * 1_000 // bytes, the goal for an abandoned session
		time.Sleep(30 * time.Second)
		missed := 0
		for i, reader := range readers {
			for j := range soakShare {
				at := (i*soakShare/4 + j) % soakURIs
				if reader.missed(uris[at], changed[at]) {
					missed++
				}
			}
		}
		table = append(table,
			figure{"100 sessions x 100 subscriptions, 500 updates/s, 2 sessions/s that are abandoned: heap growth in 10 min besides 1 kB for each of those", 1, growth / (1 << 20), "MB"},
			figure{"the same: subscriptions that missed a last change", 0, float64(missed), ""},
		)
	})
	return table
}

// tearDown ends everything: the bubble fails if a goroutine stays.
func (w *simWorld) tearDown(stop func(), tab *simTab) {
	stop()
	w.end()
	tab.close(true)
	w.network.reset("")
	w.parties.Wait()
	w.gateway.stop()
	w.gateway.ending.Wait()
}

// read takes what comes on the session's stream. A slow reader rests between two
// messages, so that the gateway has to merge what waits.
func (c *classicClient) read(ctx context.Context, to *soakReader, slow bool) {
	answer, conn, err := c.request(ctx, http.MethodGet, "", "Mcp-Session-Id: "+c.session, "Accept: text/event-stream")
	if err != nil {
		return
	}
	defer conn.Close()
	simEvents(answer.Body, func(m jsonrpc.Message) bool {
		uri, _ := jsonrpc.Text(jsonrpc.Member(m.Params, "uri"))
		to.add(strings.TrimPrefix(uri, "notes+"))
		if slow {
			time.Sleep(50 * time.Millisecond)
		}
		return ctx.Err() == nil
	})
}

// sleepFor returns false if ctx ends first.
func sleepFor(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// heapInUse returns the bytes of live objects.
func heapInUse() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// waitFor waits under a fake clock.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 600 {
		if ok() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("waited a minute and still not: %s", what)
}
