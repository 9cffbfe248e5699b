package mcphttp_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A token without resources:read gets no URIs of subscriptions that another token of the same
// client has made: neither on the GET stream nor with the response of a POST. They wait for a
// token that suffices.
func TestNotificationsNeedTheScopeOfTheirReader(t *testing.T) {
	const narrow = aliceToken + " no-scopes"
	for name, read := range map[string]func(n *testProcess, session string) *gatewaytest.Stream{
		"GET": func(n *testProcess, session string) *gatewaytest.Stream {
			return n.stream("GET", "/mcp", narrow, session, "")
		},
		"POST": func(n *testProcess, session string) *gatewaytest.Stream {
			return n.stream("POST", "/mcp", narrow, session, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow"}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newTestOwners(t).process()
				session := n.begin()
				for _, uri := range []string{"notes://a", "notes://b"} {
					if status, body := n.request(session, "1", "resources/subscribe", fmt.Sprintf(`"uri":%q`, uri)); status != 200 {
						t.Fatalf("%d %s", status, body)
					}
				}
				n.table("alice").Changed("notes://a")
				stream := read(n, session)
				n.table("alice").Changed("notes://b")
				prompt, err := engine.Prompts.Parse([]byte(`{"name":"new"}`))
				if err == nil {
					err = errors.Join(n.table("alice").Put(engine.Entry{JSON: engine.Describe("uri", "notes://new", "name", "new")}), n.table("alice").Put(engine.Entry{Kind: engine.Prompts, JSON: prompt.JSON, Call: func(context.Context, []byte) ([]byte, error) { return nil, engine.ErrNotFound }}))
				}
				if err != nil {
					t.Fatal(err)
				}
				if got := stream.Take(); stream.Status != 200 || gatewaytest.Count(got, "notes://") != 0 || gatewaytest.Count(got, "resources/list_changed") != 0 || gatewaytest.Count(got, "prompts/list_changed") != 0 {
					t.Errorf("%d: without the scope: %v", stream.Status, got)
				}
				stream.Close()
				time.Sleep(time.Millisecond) // the interval of notifications
				if got := n.listen(session).Take(); gatewaytest.Count(got, engine.MethodUpdated) != 2 || gatewaytest.Count(got, "resources/list_changed") != 1 || gatewaytest.Count(got, "prompts/list_changed") != 1 {
					t.Errorf("with the scope: %v", got)
				}
			})
		})
	}
}
