package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/plain"
	"github.com/pagemcp/pagemcp/wasm/internal/schema"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Named is a prompt or a tool, as a list describes it.
type Named struct {
	Name string

	// Object is the whole description as the list of 2026-07-28 has it, a JSON
	// object, with its name. Fields that an older revision does not know are left
	// JSON there.
	Object []byte
}

// A Prompt describes a message pattern that people choose. Use [ParsePrompt].
type Prompt = Named

// A Tool describes a function that models call. Use [ParseTool].
type Tool = Named

// A Prompter is a Source that also has prompts. MCP 2026-07-28, server/prompts.
type Prompter interface {
	// Prompts returns all of them in a stable order.
	Prompts(ctx context.Context) ([]Prompt, error)

	// GetPrompt renders a prompt. arguments is a JSON object of strings. The
	// result is a JSON object: messages, and if need be description and _meta.
	// If there is no such prompt, the error wraps [ErrNotFound]. [InvocationOf]
	// returns the request; [Invocation.Need] asks the client for input.
	GetPrompt(ctx context.Context, name string, arguments []byte) ([]byte, error)
}

// A Tooler is a Source that also has tools. MCP 2026-07-28, server/tools.
type Tooler interface {
	// Tools returns all of them in a stable order.
	Tools(ctx context.Context) ([]Tool, error)

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

// listPrompts answers prompts/list.
func (e *Engine) listPrompts(ctx context.Context, req *request) (sink.Result, error) {
	return e.listNamed(ctx, req, listPromptsMethod, "prompt:", entriesOf)
}

// listTools answers tools/list.
func (e *Engine) listTools(ctx context.Context, req *request) (sink.Result, error) {
	return e.listNamed(ctx, req, listToolsMethod, "tool:", entriesOf)
}

func (e *Engine) listNamed(ctx context.Context, req *request, kind sink.Method, scheme string,
	all func(context.Context, *mount, sink.Method) ([]Named, error)) (sink.Result, error) {
	return e.listItems(ctx, req, kind, func(ctx context.Context, m *mount) ([]item, error) {
		named, err := all(ctx, m, kind)
		items := make([]item, 0, len(named))
		who := PrincipalOf(ctx)
		prefix := m.names
		named, shown := e.shown(prefix, named)
		for i, n := range named {
			if e.options.Allow(who, VerbList, scheme+prefix+n.Name) && (kind != listToolsMethod || !e.hides(who, n)) {
				items = append(items, item{n.Name, func(dst []byte) []byte {
					o := emit.JSON(dst)
					e.addShown(&o, n, shown[i], req.rev, kind == listToolsMethod)
					return o
				}})
			}
		}
		return items, err
	})
}

// entriesOf returns the prompts or tools of a mount.
func entriesOf(ctx context.Context, m *mount, kind sink.Method) ([]Named, error) {
	if source, ok := m.source.(Tooler); ok && kind == listToolsMethod {
		return source.Tools(ctx)
	}
	if source, ok := m.source.(Prompter); ok && kind == listPromptsMethod {
		return source.Prompts(ctx)
	}
	return nil, nil
}

// shown returns the entries of a source without repeated ones, and what clients call them.
func (e *Engine) shown(prefix string, named []Named) (entries []Named, names []string) {
	seen := make(map[string]bool, len(named))
	for _, n := range named {
		if !seen[n.Name] {
			seen[n.Name] = true
			entries, names = append(entries, n), append(names, prefix+n.Name)
		}
	}
	if e.options.Fit != nil {
		names = e.options.Fit.Names(names)
	}
	return entries, names
}

// mayBeUnknown reports whether an error may say that a source has no such prompt or tool: those of
// other engines have only the code.
func mayBeUnknown(err error) bool {
	var wire *jsonrpc.Error
	return err != nil && tryNextSource(err) || errors.As(err, &wire) && wire.Code == jsonrpc.CodeInvalidParams
}

// meant returns the entry of a mount that clients call by the prefix of the mount and rest, which
// is not the name that its source has for it.
func (e *Engine) meant(ctx context.Context, m *mount, rest string, kind sink.Method) (own string, err error) {
	if e.options.Fit == nil {
		return "", ErrNotFound
	}
	named, err := entriesOf(ctx, m, kind)
	if err != nil {
		return "", err
	}
	entries, names := e.shown(m.names, named)
	if at := slices.Index(names, m.names+rest); at >= 0 && entries[at].Name != rest {
		return entries[at].Name, nil
	}
	return "", ErrNotFound
}

// addShown adds the description of an entry that clients call name.
func (e *Engine) addShown(o *emit.JSON, n Named, name string, rev revision, isTool bool) {
	object := n.Object
	if isTool && e.options.Fit != nil {
		object = e.options.Fit.Tool(name, object)
	}
	if name == n.Name {
		name = ""
	}
	addNamed(o, object, name, rev, isTool)
}

// getPrompt answers prompts/get.
func (e *Engine) getPrompt(ctx context.Context, req *request) (sink.Result, error) {
	if !stringsOnly(req.arguments) {
		return sink.Result{}, BadParams("arguments must be an object of strings")
	}
	return e.callNamed(ctx, req, VerbRead, "prompt:", func(ctx context.Context, s Source, name string) ([]byte, error) {
		if source, ok := s.(Prompter); ok {
			return source.GetPrompt(ctx, name, req.arguments)
		}
		return nil, ErrNotFound
	})
}

// callTool answers tools/call.
func (e *Engine) callTool(ctx context.Context, req *request) (sink.Result, error) {
	return e.callNamed(ctx, req, VerbCall, "tool:", func(ctx context.Context, s Source, name string) ([]byte, error) {
		source, ok := s.(Tooler)
		if !ok {
			return nil, ErrNotFound
		}
		if err := e.mayRun(ctx, req, source, name); err != nil {
			return nil, err
		}
		pending := req.pending
		req.pending = nil
		return e.runTool(ctx, req, source, name, pending)
	})
}

// callNamed calls the sources that may have a name, longest prefix first, and returns the
// result of the first that has it.
func (e *Engine) callNamed(ctx context.Context, req *request, verb Verb, scheme string,
	one func(context.Context, Source, string) ([]byte, error)) (sink.Result, error) {
	kind := listPromptsMethod
	if verb == VerbCall {
		kind = listToolsMethod
	}
	switch {
	case req.name == "":
		return sink.Result{}, BadParams("name is missing")
	case req.arguments == nil:
		req.arguments = []byte("{}")
	case req.arguments[0] != '{':
		return sink.Result{}, BadParams("arguments must be an object")
	}
	if !req.mayWait {
		return sink.Result{}, errMustWait
	}
	// Before the policy: a denied request must cost as much as one for what does not exist.
	if !req.client.allowRate(&req.client.calls) {
		return sink.Result{}, ErrBusy
	}
	return e.resolveInput(ctx, req, func(ctx context.Context) (sink.Result, error) {
		failed := ErrNotFound
		for l := e.lookupName(req.name); l.next(); {
			m, own := l.mount, l.own
			call := func() ([]byte, error) {
				req.name = m.names + own
				if !e.options.Allow(req.who, verb, scheme+req.name) {
					return nil, errDenied
				}
				return one(ctx, m.source, own)
			}
			result, err := call()
			if mayBeUnknown(err) {
				if other, unknown := e.meant(ctx, m, own, kind); unknown == nil {
					own = other
					result, err = call()
				}
			}
			var created *taskCreated
			switch {
			case errors.As(err, &created):
				return e.createdResult(req, m, created)
			case err == nil:
				return e.namedResult(req.rev, m, result, kind == listToolsMethod)
			case !tryNextSource(err):
				return sink.Result{}, begun(jsonrpc.Wrap(scheme+jsonrpc.Brief(req.name), err))
			}
			failed = err
		}
		return sink.Result{}, failed
	})
}

// ToolDescription returns the description of a tool, by the name that clients
// use, as its source has it now, for the principal of ctx. The error wraps
// [ErrNotFound] if there is no such tool.
func (e *Engine) ToolDescription(ctx context.Context, name string) ([]byte, error) {
	who := PrincipalOf(ctx)
	for l := e.lookupName(name); l.next(); {
		m := l.mount
		named, err := entriesOf(ctx, m, listToolsMethod)
		if err != nil {
			return nil, err
		}
		entries, names := e.shown(m.names, named)
		at := slices.IndexFunc(entries, func(t Tool) bool { return t.Name == l.own })
		if at < 0 {
			at = slices.Index(names, m.names+l.own)
		}
		if at >= 0 && e.options.Allow(who, VerbList, "tool:"+m.names+entries[at].Name) && !e.hides(who, entries[at]) {
			var o emit.JSON
			e.addShown(&o, entries[at], names[at], modern, true)
			return o, nil
		}
	}
	return nil, ErrNotFound
}

// ParsePrompt reads a description as prompts/list has it. Titles and descriptions are
// cleaned and cut: see [PlainText]. The error names the member that is missing or wrong.
func ParsePrompt(object []byte) (Prompt, error) { return parseNamed(object, false) }

// ParseTool reads a description as tools/list has it.
func ParseTool(object []byte) (Tool, error) { return parseNamed(object, true) }

// parseNamed checks a description and keeps the members that clients may see.
func parseNamed(object []byte, isTool bool) (Named, error) {
	n, kept := Named{}, emit.JSON("{")
	hasSchema := !isTool
	refusal := jsonrpc.Members(object, func(name string, value []byte) *jsonrpc.Error {
		begins := byte('{')
		switch name {
		case "name":
			n.Name, _ = jsonrpc.Text(value)
			begins = '"'
		case "title", "description":
			begins = '"'
		case "_meta":
		case "icons":
			begins = '['
			if !schema.ValidIcons(value) {
				return malformed(schema.IconsRule)
			}
		case "arguments":
			if isTool {
				return nil
			}
			begins = '['
			if !validArguments(value) {
				return malformed("arguments must be objects, each with a name of its own, of at most 128 characters and none that are hidden")
			}
		case "inputSchema":
			if !isTool {
				return nil
			}
			kind, _ := jsonrpc.Text(jsonrpc.Member(value, "type"))
			if hasSchema = kind == "object"; !hasSchema {
				return malformed(`inputSchema must have "type": "object"`)
			}
		case "outputSchema", "annotations":
			if !isTool {
				return nil
			}
		default:
			return nil
		}
		if value[0] != begins {
			return malformed(name + " has the wrong type")
		}
		if name != "_meta" {
			clean, ok := plain.JSON(name, value)
			if name == "name" && plain.Text(n.Name, plain.MaxName) != n.Name {
				return malformed("name has more than 128 characters, or hidden ones")
			}
			if !ok {
				return malformed(name + plain.HiddenRule)
			}
			value = clean
		}
		kept.Member(name, value)
		return nil
	})
	kept.Text("}")
	n.Object = kept
	switch {
	case refusal != nil:
		return n, refusal
	case n.Name == "":
		return n, errors.New("name is missing")
	case !hasSchema:
		return n, errors.New("inputSchema is missing")
	}
	return n, nil
}

// validArguments: of a prompt.
func validArguments(value []byte) bool {
	elements, ok := jsonrpc.Elements(value)
	seen := map[string]bool{}
	for _, element := range elements {
		name, isText := jsonrpc.Text(jsonrpc.Member(element, "name"))
		ok = ok && isText && name != "" && !seen[name] && plain.Text(name, plain.MaxName) == name
		seen[name] = true
	}
	return ok
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
