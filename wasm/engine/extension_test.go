package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
)

// An extension is declared in 2026-07-28, and its methods are served there, if it is in the options; without it they do
// not exist. A client that lacks it gets an error that names it. R-365 R-366 R-367.
func TestExtensionsAreOffUnlessNamed(t *testing.T) {
	acme := &engine.Extension{ID: "com.acme/x", Methods: []engine.Method{{
		Name: "acme/x", Named: "who", Unknown: "Nobody has this name", Waits: true,
		Answer: func(e *engine.Engine, ctx context.Context, req *engine.Request) (sink.Result, error) {
			if !engine.Declares(engine.InvocationOf(e.Invoke(ctx, req)).Capabilities(), "com.acme/x") {
				return sink.Result{}, engine.MissingExtension("com.acme/x")
			}
			if req.Name() == "nobody" {
				return sink.Result{}, engine.ErrNotFound
			}
			return e.Result("acme", []byte(`"greets":"`+req.Name()+`"`), false), nil
		},
	}}}
	const has = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"com.acme/x":{}}}},`
	for _, x := range []struct{ method, params, with, without string }{
		{"server/discover", enginetest.ModernMeta, `"extensions":{"com.acme/x":{}}`, `"capabilities":{"resources":{"subscribe":true,"listChanged":true}}`},
		{"acme/x", has + `"who":"you"`, `"resultType":"acme"`, "-32601"},
		{"acme/x", has + `"who":"you"`, `"greets":"you"`, "-32601"},
		{"acme/x", has + `"who":"nobody"`, `"code":-32602,"message":"Nobody has this name"`, "-32601"},
		{"acme/x", has + `"who":7`, "who must be a string", "-32601"},
		{"acme/x", enginetest.ModernMeta + `,"who":"you"`, `"code":-32021`, "-32601"},
		{"acme/x", `"who":"you"`, "-32602", "-32602"}, // neither era
	} {
		for want, options := range map[string]*engine.Options{x.with: {Extensions: []*engine.Extension{acme}}, x.without: nil} {
			d := enginetest.NewDialogue(t, engine.New(engine.Info{Name: "e", Version: "1"}, options))
			if got := d.Request(x.method, x.params); !strings.Contains(got, want) {
				t.Errorf("%s {%s}: %s, want %s", x.method, x.params, got, want)
			}
			d.Port.Close()
		}
	}
}

// A state reaches a listener once, though it is sent when the listen begins, and announced at the same moment.
func TestStatesAreSentOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var state atomic.Int32
		topics := &engine.Topics{
			Member: "acmeIds", Key: func(id string) string { return "\nacme:" + id },
			IsKey: func(key string) bool { return strings.HasPrefix(key, "\nacme:") },
			May:   func(*engine.Engine, *engine.Request, string) bool { return true },
			State: func(*engine.Engine, engine.Principal, string) (string, []byte) {
				return "notifications/acme", fmt.Appendf(nil, `"state":%d`, state.Load())
			},
		}
		e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{Extensions: []*engine.Extension{{ID: "com.acme/x", Topics: topics}}})
		defer e.Close()
		c := enginetest.DialogueOf(t, e, "claude")
		c.Send("subscriptions/listen", `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"com.acme/x":{}}}},"notifications":{"acmeIds":["a"]}`)
		c.Next("the acknowledgement")
		for i, next := range []int32{0, 1, 0} {
			if state.Store(next); i > 0 {
				e.Announce("\nacme:a")
			}
			want := fmt.Sprintf(`"state":%d`, next)
			if got := c.Next(want); !strings.Contains(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
			e.Announce("\nacme:a")
			time.Sleep(time.Second)
		}
	})
}
