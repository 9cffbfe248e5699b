package server

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
)

// A page that has sent many frames of 8 MiB uses nothing after it stops; what it uses before
// is bounded by package socket (TestUnreadFramesAreBounded). Memory is measured while all
// goroutines are blocked.
func TestLargeFramesOfAPageAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	frame := []byte(`{"jsonrpc":"2.0","method":"x","params":{"x":"` + strings.Repeat("x", 8<<20) + `"}}`)
	inMemory(t, func(t *testing.T, g *Gateway, client *http.Client) {
		conn, _ := joinInMemory(t, g, client, reply{Hello: &gateway.Hello{Page: "tab", Name: "notes"}})
		synctest.Wait()
		before := memory()
		for range 20 {
			if err := conn.Write(t.Context(), websocket.MessageText, frame); err != nil {
				t.Fatalf("the page is refused: %v", err)
			}
		}
		synctest.Wait()
		if grown := memory() - before; grown > 1<<20 {
			t.Errorf("afterwards %.0f KiB more are in use", grown/1024)
		}
		conn.CloseNow()
		synctest.Wait()
	})
}
