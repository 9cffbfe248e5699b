package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
)

// What an assistant declares about itself and the engine does not know uses memory as long as
// its initialize is served. It measures the heap, and runs beside no other test.
func TestLargeCapabilitiesAreNotKept(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	c := caller(t, startGateway(t, Options{}))
	begin := func(size int) {
		text := strings.Repeat("x", size)
		answer, body := c.Do(t.Context(), "POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"experimental":{"x":%q}},"clientInfo":{"name":%[1]q,"title":"test"}}}`, text),
			gatewaytest.Streams)
		if answer.StatusCode != 200 {
			t.Fatalf("%s: %s", answer.Status, body)
		}
	}
	begin(10)
	before := memory()
	const sessions = 20
	for range sessions {
		begin(400 << 10)
	}
	if kept := (memory() - before) / sessions; kept > 150<<10 {
		t.Errorf("a session keeps %.0f KB of 800", kept/1024)
	}
}
