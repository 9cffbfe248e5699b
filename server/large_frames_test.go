package server

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
)

// A page that sends frames of 8 MiB in a loop uses at most 16 MiB and the current frame
// while they are not read fast enough, and nothing after it stops. Memory is measured
// while all goroutines are blocked, since a garbage collection also counts what is freed
// meanwhile.
func TestLargeFramesOfAPageAreBounded(t *testing.T) {
	const most = 16<<20 + limits.MaxAnswer
	frame := []byte(`{"jsonrpc":"2.0","method":"x","params":{"x":"` + strings.Repeat("x", 8<<20) + `"}}`)
	inMemory(t, func(t *testing.T, g *Gateway, client *http.Client) {
		first, key := invited(t, g)
		conn, _, err := websocket.Dial(t.Context(), first.Address, &websocket.DialOptions{
			HTTPClient: client, HTTPHeader: http.Header{"Origin": {testOrigin}}, Subprotocols: []string{gateway.PageProtocol},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := prove(t.Context(), conn, first, testOrigin, key, &gateway.Hello{Page: "tab", Name: "notes"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		before := heapInUse()
		for range 20 {
			if err := conn.Write(t.Context(), websocket.MessageText, frame); err != nil {
				t.Fatalf("the page is refused: %v", err)
			}
		}
		synctest.Wait()
		if grown := heapInUse() - before; grown > 1<<20 {
			t.Errorf("afterwards %.0f KiB more are in use", grown/1024)
		}
		conn.CloseNow()
		synctest.Wait()
	})
	synctest.Test(t, func(t *testing.T) {
		near, far := websocketPipe(t)
		s := socket.New(far, limits.MaxAnswer, true)
		before := heapInUse()
		go func() { // ends with the connection
			for near.Write(t.Context(), websocket.MessageText, frame) == nil {
			}
		}()
		synctest.Wait()
		if grown := heapInUse() - before; grown > most {
			t.Errorf("while nothing reads the heap grows by %.0f MiB", grown/(1<<20))
		}
		s.Abort()
		near.CloseNow()
		synctest.Wait()
	})
}

// websocketPipe returns both ends of a WebSocket in memory.
func websocketPipe(t *testing.T) (near, far *websocket.Conn) {
	t.Helper()
	wires := &memoryNet{conns: make(chan net.Conn), done: make(chan struct{})}
	accepted := make(chan *websocket.Conn, 1)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := socket.Accept(w, r)
		if err != nil {
			t.Error(err)
		}
		accepted <- conn
	})}
	go server.Serve(wires) // ends with Close
	t.Cleanup(func() { server.Close() })
	near, _, err := websocket.Dial(t.Context(), "ws://memory/", &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: &http.Transport{DialContext: wires.dial}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return near, <-accepted
}
