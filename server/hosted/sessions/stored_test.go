package sessions

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted/sessions/sessionstest"
	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

// What the sessions of one owner have in the store is bounded: the changes that were saved
// first are deleted, unless another node has later ones.
func TestStoredChangesOfAnOwnerAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring, values := testRing(t, keys.New()), &sessionstest.Values{Stored: map[string][]byte{}}
		a, b := New(ring, values), New(ring, values)
		expires := time.Now().Add(time.Hour)
		long := func(i int) []string {
			var uris []string
			for n := range 25 {
				uris = append(uris, fmt.Sprintf("notes://%d/%d/%s", i, n, strings.Repeat("x", 8_000)))
			}
			return uris
		}
		a.Save("0", mcphttp.Changes{Owner: "o", Subscriptions: subscribed(long(0)...), Expires: expires})
		time.Sleep(time.Millisecond)
		b.Save("0", mcphttp.Changes{Owner: "o", Subscriptions: subscribed("notes://later"), Expires: expires})
		a.Save("modest", mcphttp.Changes{Owner: "p", Subscriptions: subscribed("notes://1"), Expires: expires})
		for i := range 100 {
			a.Save(fmt.Sprint(i+1), mcphttp.Changes{Owner: "o", Subscriptions: subscribed(long(i)...), Expires: expires})
		}
		size := 0
		for _, value := range values.Stored {
			size += len(value)
		}
		if size > 3<<19 || values.Stored["100"] == nil || values.Stored["1"] != nil {
			t.Errorf("%d values, %d bytes", len(values.Stored), size)
		}
		if values.Stored["0"] == nil || values.Stored["modest"] == nil {
			t.Error("the later change of another node, or that of another owner, is deleted")
		}
	})
}

// A session has subscriptions of 256 KiB: a further one is rejected, since it would be lost
