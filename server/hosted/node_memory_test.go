package hosted

import (
	"runtime"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/hosted/config"
)

// liveHeap returns the bytes of live objects.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC() // what finalizers have released
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return int64(now.HeapAlloc)
}

// initialize begins a session with capabilities and a clientInfo of size bytes each.
func (n *liveNode) initialize(token string, size int) httpAnswer {
	n.t.Helper()
	text := strings.Repeat("x", size)
	return n.send("POST", "/mcp", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"experimental":{"x":"`+text+
		`"}},"clientInfo":{"name":"`+text+`","title":"test"}}}`, "Authorization: Bearer "+token)
}

// What a client declares about itself and the engine does not know uses memory as long as its
// initialize is served.
func TestLargeCapabilitiesAreNotKept(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	t.Parallel()
	n := startNode(t, nil)
	token := n.token("alice", nil)
	n.initialize(token, 10)
	before := liveHeap()
	const sessions = 20
	for range sessions {
		if got := n.initialize(token, 400<<10); got.status != 200 {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	if kept := (liveHeap() - before) / sessions; kept > 150<<10 {
		t.Errorf("a session keeps %d KB of 800", kept>>10)
	}
}

// When memory is short, idle sessions let go of what they use, and stay valid.
func TestIdleSessionsEndWhenMemoryIsShort(t *testing.T) {
	t.Parallel()
	n := startNode(t, nil)
	token := n.token("alice", nil)
	session := n.initialize(token, 10).header.Get("Mcp-Session-Id")
	eventually(t, "the session is idle, and makes room", func() bool { n.core.RelieveMemory(); return n.core.Sessions.Count() == 0 })
	if got := n.send("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Authorization: Bearer "+token, "Mcp-Session-Id: "+session); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// What one owner's sessions keep that begin with 1 MB of capabilities and clientInfo each:
// run it with -benchtime 10000x.
func BenchmarkLargeCapabilities(b *testing.B) {
	n := startNode(b, func(c *config.Config) { c.Limits.CallsPerSecond = 1_000_000 })
	token := n.token("alice", nil)
	n.initialize(token, 10)
	before := liveHeap()
	for b.Loop() {
		if got := n.initialize(token, 500<<10); got.status != 200 {
			b.Fatalf("%d %s", got.status, got.body)
		}
	}
	b.ReportMetric(float64(liveHeap()-before)/(1<<20), "kept-MiB")
}
