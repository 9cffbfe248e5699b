package server

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gateway"
)

// Each side may be older than the other: several messages are sent only to a page that
// has declared to read them.
func TestOlderPagesGetOneMessageInAFrame(t *testing.T) {
	t.Parallel()
	for _, declares := range []bool{false, true} {
		t.Run(fmt.Sprint(declares), func(t *testing.T) {
			inMemory(t, func(t *testing.T, g *Gateway, client *http.Client) {
				conn, done := joinInMemory(t, g, client, reply{Hello: &gateway.Hello{Page: "tab", Name: "notes"}, Sequences: declares})
				defer conn.CloseNow()
				if done.Sequences != declares {
					t.Errorf("the gateway answers %v to a page that says %v", done.Sequences, declares)
				}
			})
		})
	}
}
