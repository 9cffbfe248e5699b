package server

import (
	"fmt"
	"github.com/pagemcp/pagemcp/server/internal/testlimit"
	"net/http"
	"runtime"
	"strings"
	"testing"
)

// liveHeap returns the bytes of live objects.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC() // what finalizers have released
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return int64(now.HeapAlloc)
}

// What an assistant declares about itself and the engine does not know uses memory as long as
// its initialize is served.
func TestLargeCapabilitiesAreNotKept(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	t.Parallel()
	c := testCaller{t, startGateway(t, Options{})}
	begin := func(size int) {
		text := strings.Repeat("x", size)
		answer, body := c.do(t.Context(), "POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"experimental":{"x":%q}},"clientInfo":{"name":%[1]q,"title":"test"}}}`, text),
			"Accept: application/json, text/event-stream")
		if answer.StatusCode != 200 {
			t.Fatalf("%s: %s", answer.Status, body)
		}
	}
	begin(10)
	before := liveHeap()
	const sessions = 20
	for range sessions {
		begin(400 << 10)
	}
	if kept := (liveHeap() - before) / sessions; kept > 150<<10 {
		t.Errorf("a session keeps %d KB of 800", kept>>10)
	}
}

// What the sessions of an assistant keep that begin with 1 MB of capabilities and clientInfo
// each: run it with -benchtime 10000x.
func BenchmarkLargeCapabilities(b *testing.B) {
	g := startGateway(b, Options{Limits: Limits{CallsPerSecond: 1_000_000}})
	text := strings.Repeat("x", 500<<10)
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"experimental":{"x":%q}},"clientInfo":{"name":"test","title":%[1]q}}}`, text)
	before := liveHeap()
	for b.Loop() {
		r, err := http.NewRequestWithContext(b.Context(), "POST", g.URL(), strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		r.Header = http.Header{"Authorization": {"Bearer " + g.testToken()}, "Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
		answer, err := testlimit.Client.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != 200 {
			b.Fatal(answer.Status)
		}
	}
	b.ReportMetric(float64(liveHeap()-before)/(1<<20), "kept-MiB")
}
