package mcphttp_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

// A session that is awake ends when the key that has sealed its id is removed; one with a key
// that stays does not.
func TestAwakeSessionsEndWithTheirKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := newTestCluster(t)
		old, next := keys.New(), keys.New()
		cluster.keys = mcphttp.RingOf(t, old, next)
		node := cluster.node()
		gone := node.begin()
		stream := node.listen(gone)
		node.sessions.SetKeys(mcphttp.RingOf(t, next, old))
		kept := node.begin()
		for _, keys := range [][]string{{next, old}, {next}} {
			node.sessions.SetKeys(mcphttp.RingOf(t, keys...))
			want := 404
			if len(keys) == 2 {
				want = 200
			}
			if status, _ := node.request(gone, `"`+strings.Repeat("x", len(keys))+`"`, "ping", ""); status != want {
				t.Errorf("with %d keys: %d, want %d", len(keys), status, want)
			}
			if stream.HasEnded() != (want == 404) {
				t.Errorf("with %d keys: the stream has ended: %t", len(keys), stream.HasEnded())
			}
			if status, _ := node.request(kept, `"`+strings.Repeat("y", len(keys))+`"`, "ping", ""); status != 200 {
				t.Errorf("with %d keys, a session of the new one: %d", len(keys), status)
			}
		}
	})
}
