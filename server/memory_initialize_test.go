package server

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// What an assistant declares about itself and the engine does not know uses memory as long as
// its initialize is served.
func TestLargeCapabilitiesAreNotKept(t *testing.T) {
	c := testCaller{t, startGateway(t, Options{})}
	begin := func(size int) {
		text := strings.Repeat("x", size)
		answer, body := c.do(t.Context(), "POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"experimental":{"x":%q}},"clientInfo":{"name":"test","title":%[1]q}}}`, text),
			"Accept: application/json, text/event-stream")
		if answer.StatusCode != 200 {
			t.Fatalf("%s: %s", answer.Status, body)
		}
	}
	live := func() int64 {
		runtime.GC()
		runtime.GC() // what finalizers have released
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		return int64(now.HeapAlloc)
	}
	begin(10)
	before := live()
	const sessions = 20
	for range sessions {
		begin(400 << 10)
	}
	if kept := (live() - before) / sessions; kept > 150<<10 {
		t.Errorf("a session keeps %d KB of 800", kept>>10)
	}
}
