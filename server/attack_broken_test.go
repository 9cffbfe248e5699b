package server

import (
	"context"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/access"
)

// A page, or an assistant on a WebSocket, is disconnected after 100 invalid messages in
// a row. Valid messages reset the count.
func TestBrokenMessagesCloseTheSocket(t *testing.T) {
	const flood = 206_000
	for name, broken := range map[string]string{
		"half a message": `{"jsonrpc":`, "no JSON-RPC": `{"hello":1}`, "too deep": strings.Repeat("[", 1_000), "a number": "7", "an empty array": "[]",
	} {
		t.Run(name, func(t *testing.T) {
			g := startGateway(t, Options{})
			send := func(conn *websocket.Conn, text string) error {
				ctx, cancel := context.WithTimeout(t.Context(), testTime)
				defer cancel()
				return conn.Write(ctx, websocket.MessageText, []byte(text))
			}
			page := joinHostile(t, g, silent)
			w := openWire(t, g)
			answers := make(chan int, 1)
			go func() { // ends with the connection
				count := 0
				for {
					_, data, err := w.conn.Read(context.Background())
					if err != nil {
						answers <- count
						return
					}
					if strings.Contains(string(data), `"error"`) {
						count++
					}
				}
			}()
			for _, conn := range []*websocket.Conn{page.conn, w.conn} {
				for range 3 {
					for range 99 {
						if err := send(conn, broken); err != nil {
							t.Fatalf("closed too early: %v", err)
						}
					}
					if err := send(conn, `{"jsonrpc":"2.0","method":"notifications/x"}`); err != nil {
						t.Fatalf("closed too early: %v", err)
					}
				}
				sent := 0
				for sent < flood && send(conn, broken) == nil {
					sent++
				}
				if sent == flood {
					t.Errorf("still open after %d broken messages", flood)
				}
			}
			<-page.gone
			if count := <-answers; count > 3*99+access.MaxBroken {
				t.Errorf("%d broken messages of an assistant were answered", count)
			}
			eventually(t, "the audit log has the page's end after its joining, and nothing else", func() bool {
				lines := served(t, g)
				return len(lines) == 2 && strings.Contains(lines[1], `"verb":"leave"`)
			})
		})
	}
}
