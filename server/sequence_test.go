package server

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
)

// Each side may be older than the other: several messages are sent only to a page that
// has declared to read them.
func TestOlderPagesGetOneMessageInAFrame(t *testing.T) {
	t.Parallel()
	for _, declares := range []bool{false, true} {
		t.Run(fmt.Sprint(declares), func(t *testing.T) {
			inMemory(t, func(t *testing.T, g *Gateway, client *http.Client) {
				first, key := invited(t, g)
				conn, _, err := websocket.Dial(t.Context(), first.Address, &websocket.DialOptions{
					HTTPClient: client, HTTPHeader: http.Header{"Origin": {testOrigin}}, Subprotocols: []string{gateway.PageProtocol},
				})
				if err != nil {
					t.Fatal(err)
				}
				defer conn.CloseNow()
				answer := reply{Hello: &gateway.Hello{Page: "tab", Name: "notes"}, Sequences: declares}
				done, err := proveFor(t.Context(), conn, first, testOrigin, key, answer)
				if err != nil {
					t.Fatal(err)
				}
				if done.Sequences != declares {
					t.Errorf("the gateway answers %v to a page that says %v", done.Sequences, declares)
				}
			})
		})
	}
}
