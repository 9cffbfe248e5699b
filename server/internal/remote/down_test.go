package remote_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A page whose engine has ended for good joins all the same: each request is answered by
// its error, at once. With another error it does not join.
func TestRemoteOfEngineThatIsDownPassesItsErrorOn(t *testing.T) {
	for _, x := range []struct {
		reason string
		joins  bool
	}{{"down", true}, {"restarted", false}} {
		synctest.Test(t, func(t *testing.T) {
			ctx := t.Context()
			near, far := jsonrpc.Pipe()
			go func() { // ends with near
				for {
					msg, err := far.Read(context.Background())
					if err != nil {
						return
					}
					if m, _ := jsonrpc.Parse(msg); m.ID != "" {
						far.Write(ctx, []byte(`{"jsonrpc":"2.0","id":`+string(m.ID)+`,"error":{"code":-32603,"message":"The engine has ended","data":{"origin":"engine","reason":"`+x.reason+`","retry":false}}}`))
					}
				}
			}()
			r := remote.New()
			defer r.Close()
			if err := r.Reattach(ctx, near); (err == nil) != x.joins {
				t.Fatalf("%s: %v", x.reason, err)
			}
			if !x.joins {
				return
			}
			if _, err := r.Read(ctx, "notes://cart"); err == nil || !strings.Contains(err.Error(), "has ended") {
				t.Errorf("a read: %v", err)
			}
		})
	}
}
