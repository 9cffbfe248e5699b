package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Prompter is a Source that also has prompts. MCP 2026-07-28, server/prompts.
type Prompter interface {
	// GetPrompt renders a prompt. arguments is a JSON object of strings. The
	// result is a JSON object: messages, and if need be description and _meta.
	// If there is no such prompt, the error wraps [ErrNotFound]. [InvocationOf]
	// returns the request; [Invocation.Ask] asks the client for input.
	GetPrompt(ctx context.Context, name string, arguments []byte) ([]byte, error)
}

// A Tooler is a Source that also has tools. MCP 2026-07-28, server/tools.
type Tooler interface {
	Source

	// CallTool runs a tool. arguments is a JSON object; the source
	// checks that it fits the inputSchema. The result is a JSON object: content,
	// structuredContent, isError, _meta. If there is no such tool, the error
	// wraps [ErrNotFound]; a tool that fails returns isError. Otherwise as
	// GetPrompt.
	CallTool(ctx context.Context, name string, arguments []byte) ([]byte, error)
}

// A Fitter shows prompts and tools as the clients of an engine need them, whatever sources call them.
type Fitter interface {
	// Names returns what clients call the entries of one source, in their order. names are
	// those that the source has, with the prefix of its mount. No two results are equal.
	Names(names []string) []string

	// Tool returns the description of a tool, which clients call name, with schemas that they accept.
	Tool(name string, object []byte) []byte
}

// mayBeUnknown reports whether an error may say that a source has no such prompt or tool: those of
// other engines have only the code.
func mayBeUnknown(err error) bool {
	var wire *jsonrpc.Error
	return err != nil && tryNextSource(err) || errors.As(err, &wire) && wire.Code == jsonrpc.CodeInvalidParams
}

// meant returns the entry of a mount that clients call by the prefix of the mount and rest, which
// is not the name that its source has for it.
func (e *Engine) meant(ctx context.Context, m *mount, rest string, k Kind) (own string, err error) {
	if e.options.Fit == nil {
		return "", ErrNotFound
	}
	listing, err := m.source.List(ctx, k, "")
	if err != nil {
		return "", err
	}
	items, names := e.shown(m, k, listing.Items)
	if at := slices.Index(names, m.names+rest); at >= 0 && items[at].Key != rest {
		return items[at].Key, nil
	}
	return "", ErrNotFound
}

// getPrompt answers prompts/get.
func (e *Engine) getPrompt(ctx context.Context, req *Request) (sink.Result, error) {
	if !stringsOnly(req.arguments) {
		return sink.Result{}, BadParams("arguments must be an object of strings")
	}
	return e.callNamed(ctx, req, Prompts, VerbRead, func(ctx context.Context, m Mounted) ([]byte, error) {
		if source, ok := m.mount.source.(Prompter); ok {
			return source.GetPrompt(ctx, m.Own, req.arguments)
		}
		return nil, ErrNotFound
	})
}

// callTool answers tools/call.
func (e *Engine) callTool(ctx context.Context, req *Request) (sink.Result, error) {
	return e.callNamed(ctx, req, Tools, VerbCall, func(ctx context.Context, m Mounted) ([]byte, error) {
		source, ok := m.mount.source.(Tooler)
		if !ok {
			return nil, ErrNotFound
		}
		admit := func(ctx context.Context) error { return e.mayRun(ctx, req, source, m.Own) }
		for _, x := range e.options.Extensions {
			if x.Run != nil && req.rev == modern {
				return x.Run(ctx, &ToolCall{m, source, req.arguments, admit})
			}
		}
		if err := admit(ctx); err != nil {
			return nil, err
		}
		return source.CallTool(ctx, m.Own, req.arguments)
	})
}

// callNamed calls the sources that may have a name, longest prefix first, and returns the
// result of the first that has it.
func (e *Engine) callNamed(ctx context.Context, req *Request, kind Kind, verb Verb,
	one func(context.Context, Mounted) ([]byte, error)) (sink.Result, error) {
	scheme := kind.scheme
	switch {
	case req.name == "":
		return sink.Result{}, BadParams("name is missing")
	case req.arguments == nil:
		req.arguments = []byte("{}")
	case req.arguments[0] != '{':
		return sink.Result{}, BadParams("arguments must be an object")
	}
	// Before the policy: a denied request must cost as much as one for what does not exist.
	if !req.client.allowRate(&req.client.calls) {
		return sink.Result{}, ErrBusy
	}
	ask := func(ctx context.Context) (sink.Result, error) {
		failed := ErrNotFound
		for l := e.lookupName(req.name); l.next(); {
			m, own := l.mount, l.own
			if req.state != nil && m.guard == nil { // a call of its own would have waited here
				failed = BadParams("requestState is not valid for this request, or what it belongs to has ended; call again without it")
				continue
			}
			call := func() ([]byte, error) {
				req.name = m.names + own
				if !e.options.Allow(req.who, verb, scheme+req.name) {
					return nil, errDenied
				}
				return one(ctx, Mounted{own, m})
			}
			result, err := call()
			if mayBeUnknown(err) {
				if other, unknown := e.meant(ctx, m, own, kind); unknown == nil {
					own = other
					result, err = call()
				}
			}
			var typed *TypedResult
			switch {
			case errors.Is(err, ErrSent):
				return sink.Result{}, ErrSent
			case errors.As(err, &typed) && req.rev == modern:
				return e.Result(typed.Type, typed.Members(m.dotted), false), nil
			case err == nil:
				return e.namedResult(req.rev, m, result, kind == Tools)
			case !tryNextSource(err):
				return sink.Result{}, begun(jsonrpc.Wrap(scheme+jsonrpc.Brief(req.name), err))
			}
			failed = err
		}
		return sink.Result{}, failed
	}
	if req.rev == modern {
		return e.inRounds(ctx, req, ask)
	}
	return e.resolveInput(ctx, req, ask)
}

// ToolDescription returns the description of a tool, by the name that clients
// use, as its source has it now, for the principal of ctx. The error wraps
// [ErrNotFound] if there is no such tool.
func (e *Engine) ToolDescription(ctx context.Context, name string) ([]byte, error) {
	who := PrincipalOf(ctx)
	for l := e.lookupName(name); l.next(); {
		m := l.mount
		listing, err := m.source.List(ctx, Tools, "")
		if err != nil {
			return nil, err
		}
		items, names := e.shown(m, Tools, listing.Items)
		at := slices.IndexFunc(items, func(item Item) bool { return item.Key == l.own })
		if at < 0 {
			at = slices.Index(names, m.names+l.own)
		}
		if at >= 0 && e.mayShow(who, m, Tools, &items[at]) {
			return e.appendShown(nil, m, Tools, &items[at], names[at], modern), nil
		}
	}
	return nil, ErrNotFound
}

// stringsOnly reports whether object, a JSON object or nil, has no other members.
func stringsOnly(object []byte) bool {
	if object == nil {
		return true
	}
	s := jsonrpc.Scan(object)
	for s.Next() {
		if s.Value[0] != '"' {
			return false
		}
	}
	return s.Err() == nil
}
