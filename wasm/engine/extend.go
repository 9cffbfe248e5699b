package engine

import (
	"context"
	"errors"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Extensions of the protocol, such as tasks, are opaque to the engine: it declares them
// in discover, and forwards methods that it does not know.

// extends reports whether a method that the engine does not know may be forwarded.
func (e *Engine) extends() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.options.Extend != nil && e.options.Extensions != nil
}

// extend answers a method of an extension.
func (e *Engine) extend(ctx context.Context, req *request) (sink.Result, error) {
	if !req.mayWait {
		return sink.Result{}, errMustWait
	}
	if !req.client.allowRate(&req.client.calls) {
		return sink.Result{}, ErrBusy
	}
	return e.resolveInput(ctx, req, func(ctx context.Context) (sink.Result, error) {
		answer, err := e.options.Extend(ctx, req.extension, req.params)
		if errors.Is(err, ErrNotFound) {
			return sink.Result{}, methodNotFound()
		}
		if err != nil {
			return sink.Result{}, begun(err)
		}
		o := e.begin(req.rev, jsonrpc.Member(answer, "_meta"), len(answer))
		if kind := jsonrpc.Member(answer, "resultType"); kind != nil && string(kind) != `"complete"` {
			o = append(emit.JSON(`{"resultType":`+string(kind)), o[len(`{"resultType":"complete"`):]...) // its own
		}
		o.Members(answer, func(name string) bool { return name != "_meta" && name != "resultType" })
		o.Text("}")
		return sink.Result{Document: &sink.Document{JSON: o}}, nil
	})
}
