package engine_test

import (
	"context"
	"strings"
	"testing"

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
