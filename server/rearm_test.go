package server

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// After a restart sessions subscribe again to all of their URIs. Requests of clients are
// answered meanwhile, and none is rejected because of it.
func TestReadsWhileSessionsSubscribeAgain(t *testing.T) {
	t.Parallel()
	const clients, subscriptions = 20, 50
	synctest.Test(t, func(t *testing.T) {
		table := engine.NewTable()
		for i := range subscriptions {
			if err := table.Put(engine.Entry{
				JSON: engine.Describe("uri", fmt.Sprintf("notes://%d", i), "name", "n", "mimeType", "text/plain"),
				Read: func(_ context.Context, uri string) ([]engine.Contents, error) {
					return []engine.Contents{{URI: uri, MIMEType: "text/plain", Text: "text of " + uri}}, nil
				},
			}); err != nil {
				t.Fatal(err)
			}
		}
		d := newMemDisk()
		g, client, kill := startInMemory(t, d)
		tabInMemory(t, g, client, "tab", table)
		var sessions [clients]string
		for i := range sessions {
			sessions[i] = beginInMemory(t, g, client)
			for n := range subscriptions {
				if status, body := inSession(t, g, client, sessions[i]).Request(fmt.Sprint(n), "resources/subscribe", fmt.Sprintf(`"uri":"notes+notes://%d"`, n)); status != 200 {
					t.Fatalf("subscribe: %d %s", status, body)
				}
			}
		}
		synctest.Wait()
		kill()
		for name, returns := range map[string]time.Duration{"page first": 0, "clients first": 3 * time.Second} {
			g, client, kill = startInMemory(t, d)
			if returns == 0 {
				tabInMemory(t, g, client, "tab", table)
			}
			var readers sync.WaitGroup
			for i, session := range sessions {
				readers.Go(func() {
					for n := range 10 { // each waits for its response, like a client that has got `updated`
						status, body := inSession(t, g, client, session).Request(fmt.Sprint(1_000+n), "resources/read", fmt.Sprintf(`"uri":"notes+notes://%d"`, n))
						if status != 200 || !strings.Contains(body, "text of notes://") {
							t.Errorf("%s: read %d of client %d: %d %s", name, n, i, status, body)
						}
					}
				})
			}
			if returns > 0 {
				time.Sleep(returns)
				tabInMemory(t, g, client, "tab", table)
			}
			readers.Wait()
			time.Sleep(10 * time.Second)
			synctest.Wait()
			var streams []*gatewaytest.Stream
			for _, session := range sessions {
				stream := inSession(t, g, client, session).Listen(t.Context())
				stream.Take()
				streams = append(streams, stream)
			}
			for n := range subscriptions {
				table.Changed(fmt.Sprintf("notes://%d", n))
			}
			time.Sleep(10 * time.Second)
			for i, stream := range streams { // and all of them are subscribed again
				if got := gatewaytest.Count(stream.Take(), engine.MethodUpdated); got != subscriptions {
					t.Errorf("%s: client %d is subscribed to %d", name, i, got)
				}
			}
			kill()
		}
	})
}
