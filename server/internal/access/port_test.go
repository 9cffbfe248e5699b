package access_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// noMonitor sees nothing.
type noMonitor struct{}

func (noMonitor) Active() bool                                  { return false }
func (noMonitor) Message(access.Client, string, string, []byte) {}
func (noMonitor) Answered(access.Client, string, string, int)   {}

// A recorder is an Audit that keeps all entries.
type recorder struct {
	mu      sync.Mutex
	entries []access.Entry
}

func (r *recorder) Record(e access.Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = append(r.entries, e)
}

func (r *recorder) RecordRefusal(e access.Entry) { r.Record(e) }

func (r *recorder) all() []access.Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.entries)
}

// outcomes returns the verbs and outcomes of all entries, in their order.
func (r *recorder) outcomes() (all []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.entries {
		all = append(all, e.Verb+" "+e.Outcome)
	}
	return all
}

// newGate returns a gate with one of the limits of a local gateway changed, unless that is "".
func newGate(limit string, most float64) (*access.Gate, *recorder) {
	audit, l := &recorder{}, limits.Local()
	l.Set(limit, most)
	return &access.Gate{Limits: limits.New(l, nil), Audit: audit, Monitor: noMonitor{}}, audit
}

func newEngine() *engine.Engine {
	return engine.New(engine.Info{Name: "gateway", Version: "1"}, &engine.Options{Tools: true, Prompts: true, Completions: true, MaxInFlight: limits.MaxAllInFlight})
}

// modern returns a request of 2026-07-28.
func modern(id, method, params string) string {
	if params != "" {
		params = "," + params
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}` + params + `}}`
}

// rateFixture serves an engine on two pipes to one principal, under a fake clock.
func rateFixture(t *testing.T, reads float64, do func(t *testing.T, far, other jsonrpc.Port, audit *recorder)) {
	synctest.Test(t, func(t *testing.T) {
		gate, audit := newGate("readsPerSecond", reads)
		e := newEngine()
		var ended sync.WaitGroup
		serve := func() jsonrpc.Port {
			near, far := jsonrpc.Pipe()
			ended.Go(func() {
				gate.Serve(t.Context(), near, e, access.Client{Principal: "someone", Endpoint: "/ws"})
			})
			return far
		}
		far, other := serve(), serve()
		do(t, far, other, audit)
		far.Close()
		other.Close()
		ended.Wait()
		time.Sleep(time.Minute) // in which the limits forget the principal
	})
}

func readRequest(id int) []byte {
	return []byte(modern(fmt.Sprint(id), "resources/read", `"uri":"none:1"`))
}

// A flood is rejected except for what is delayed up to 2 s. Delayed requests delay
// neither pings nor cancellations, and get no response if they are cancelled.
func TestFloodIsRejectedAndDelaysNoOthers(t *testing.T) {
	rateFixture(t, 1, func(t *testing.T, far, _ jsonrpc.Port, audit *recorder) { // 5 at once, then 1 a second
		send := func(text string) {
			t.Helper()
			if err := far.Write(t.Context(), []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		got := map[string]string{}
		collect := func() {
			synctest.Wait()
			for {
				ctx, cancel := contextNow(t)
				msg, err := far.Read(ctx)
				cancel()
				if err != nil {
					return
				}
				m, _ := jsonrpc.Parse(msg)
				got[string(m.ID)] += string(msg)
			}
		}
		for i := 1; i <= 10; i++ {
			send(string(readRequest(i)))
		}
		send(string(readRequest(7))) // an id that waits
		send(modern(`"alive"`, "server/discover", ""))
		send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
		collect()
		for i := 1; i <= 5; i++ {
			if !strings.Contains(got[fmt.Sprint(i)], "-32602") {
				t.Errorf("read %d: %s", i, got[fmt.Sprint(i)])
			}
		}
		for i := 8; i <= 10; i++ {
			if !strings.Contains(got[fmt.Sprint(i)], `"reason":"busy"`) {
				t.Errorf("read %d: %s", i, got[fmt.Sprint(i)])
			}
		}
		if got[`"alive"`] == "" || !strings.Contains(got["null"]+got[""], "-32600") || got["6"] != "" {
			t.Errorf("while two wait: %q", got)
		}
		time.Sleep(limits.MaxDelay)
		collect()
		if !strings.Contains(got["6"], "-32602") || got["7"] != "" {
			t.Errorf("those that waited: %q and, cancelled, %q", got["6"], got["7"])
		}
		count := map[string]int{}
		for _, outcome := range audit.outcomes() {
			count[outcome]++
		}
		if want := map[string]int{"resources/read -32602": 6, "resources/read busy": 3, "resources/read -32600": 1, "resources/read cancelled": 1, "server/discover ok": 1}; !maps.Equal(count, want) {
			t.Errorf("the audit log has %v, want %v", count, want)
		}
	})
}

// An oversized message gets an error, and does not affect pending requests.
func TestOversizedMessageForgetsNoRequest(t *testing.T) {
	gate, audit := newGate("", 0)
	e := newEngine()
	release := make(chan struct{})
	e.Mount("held+", heldSource{release})
	in, out := io.Pipe()
	answers, written := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- gate.Serve(t.Context(), jsonrpc.Lines(in, written), e, access.Client{Principal: "someone", Endpoint: "stdio"})
	}()
	go io.WriteString(out, modern("1", "resources/read", `"uri":"held+held://a"`)+"\n"+strings.Repeat("x", limits.MaxAnswer)+"\n")
	lines := bufio.NewScanner(answers)
	if !lines.Scan() || !strings.Contains(lines.Text(), "too large") {
		t.Errorf("the long line got %s %v", lines.Text(), lines.Err())
	}
	close(release)
	if !lines.Scan() || !strings.Contains(lines.Text(), `"id":1,"result"`) {
		t.Errorf("the request before it got %s %v", lines.Text(), lines.Err())
	}
	out.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got, want := audit.outcomes(), []string{"resources/read ok"}; !slices.Equal(got, want) {
		t.Errorf("the audit log has %q, want %q", got, want)
	}
}

// A heldSource answers reads when its channel is closed.
type heldSource struct{ release chan struct{} }

func (heldSource) List(context.Context, engine.Kind, string) (engine.Listing, error) {
	return engine.Listing{}, nil
}

func (s heldSource) Read(ctx context.Context, uri string) ([]engine.Contents, error) {
	select {
	case <-s.release:
		return []engine.Contents{{URI: uri, Text: "a"}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Requests without response when the client disconnects are in the audit log.
func TestAbandonedRequestsAreRecorded(t *testing.T) {
	gate, audit := newGate("", 0)
	e := newEngine()
	e.Mount("slow+", slowSource{})
	near, far := jsonrpc.Pipe()
	for id := range 2 {
		if err := far.Write(t.Context(), []byte(modern(strconv.Itoa(id), "resources/read", `"uri":"slow+slow://a"`))); err != nil {
			t.Fatal(err)
		}
	}
	far.Close()
	if err := gate.Serve(t.Context(), near, e, access.Client{Principal: "someone", Endpoint: "/ws"}); err != nil {
		t.Error(err)
	}
	if got, want := audit.outcomes(), []string{"resources/read cancelled", "resources/read cancelled"}; !slices.Equal(got, want) {
		t.Errorf("the audit log has %q, want %q", got, want)
	}
}

// An array in a session without batches is an invalid message: it opens no requests, and
// counts as one of those in a row.
func TestArrayWithoutBatchesIsInvalid(t *testing.T) {
	gate, audit := newGate("", 0)
	near, far := jsonrpc.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- gate.Serve(t.Context(), near, newEngine(), access.Client{Principal: "someone", Endpoint: access.SocketPath})
	}()
	array := "[" + modern("1", "resources/list", "") + "]"
	for i := range access.MaxBroken {
		if err := far.Write(t.Context(), []byte(array)); err != nil {
			t.Fatal(err)
		}
		msg, err := far.Read(t.Context())
		if last := i == access.MaxBroken-1; last != (err == io.EOF) || !last && !strings.Contains(string(msg), "-32600") {
			t.Fatalf("array %d: %s %v", i, msg, err)
		}
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	got := audit.outcomes()
	if want := slices.Repeat([]string{"malformed -32600"}, access.MaxBroken-1); !slices.Equal(got, want) {
		t.Errorf("the audit log has %q, want %q", got, want)
	}
}

// contextNow ends as soon as nothing else happens.
func contextNow(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), time.Nanosecond)
}

// A slowSource never answers reads.
type slowSource struct{}

func (slowSource) List(_ context.Context, k engine.Kind, _ string) (listing engine.Listing, err error) {
	if k == engine.Resources {
		listing.Items = []engine.Item{{Key: "slow://a", JSON: engine.Describe("uri", "slow://a", "name", "a")}}
	}
	return listing, nil
}

func (slowSource) Read(ctx context.Context, _ string) ([]engine.Contents, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
