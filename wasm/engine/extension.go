package engine

import (
	"context"
	"iter"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// An Extension of the protocol, of Options.Extensions, is declared in server/discover. Its methods are served in
// 2026-07-28 alone. Packages task and skill have ours.
type Extension struct {
	ID      string // in capabilities.extensions
	Methods []Method
	Topics  *Topics // may be nil

	// Run calls a tool for a client of 2026-07-28: it returns what CallTool of the source does. May be nil.
	Run func(ctx context.Context, c *ToolCall) ([]byte, error)

	// Decided is called after decisions of the user. It does not block. May be nil.
	Decided func()
}

// A ToolCall is a call of a tool that its source has not begun.
type ToolCall struct {
	Mounted
	Source    Tooler
	Arguments []byte // JSON object

	// Admit asks whether the user allows the call, which may take long.
	Admit func(ctx context.Context) error
}

// Topics are what clients listen to besides resources and lists, by ids. In the registry of subscriptions each has a
// key that is no URI, but begins with the prefix of a mount where the id does.
type Topics struct {
	Member string // of the filter of a listen: an array of ids
	Key    func(id string) string
	IsKey  func(key string) bool

	// May reports whether a client may listen to an id. It does not block.
	May func(e *Engine, req *Request, id string) bool

	// State returns the notification about a key now, and the members of its params; nil: there is none. It does not
	// block.
	State func(e *Engine, who Principal, key string) (method string, members []byte)
}

// topicsOf returns the Topics that a key is of, or nil.
func (e *Engine) topicsOf(key string) *Topics {
	for _, x := range e.options.Extensions {
		if x.Topics != nil && x.Topics.IsKey(key) {
			return x.Topics
		}
	}
	return nil
}

// decidedAnew calls Decided of the extensions.
func (e *Engine) decidedAnew() {
	for _, x := range e.options.Extensions {
		if x.Decided != nil {
			e.safely("an extension", x.Decided)
		}
	}
}

// Declares reports whether capabilities of a client have an extension.
func Declares(capabilities []byte, extension string) bool {
	return jsonrpc.Member(jsonrpc.Member(capabilities, "extensions"), extension) != nil
}

// MissingExtension is the error for a client without an extension.
func MissingExtension(extension string) error {
	return &jsonrpc.Error{
		Code: codeMissingCapability, Message: "The client lacks the extension " + extension + ", which is required",
		Data: []byte(`{"requiredCapabilities":{"extensions":{"` + extension + `":{}}}}`),
	}
}

// A TypedResult is the error of a source whose answer to a call is a result of another type than complete.
type TypedResult struct {
	Type    string
	Members func(prefix string) []byte // the members of a JSON object; prefix is that of ids of the mount
}

func (*TypedResult) Error() string { return "the result has a type of its own" }

// A Mounted is a source that may have what a client requests.
type Mounted struct {
	Own   string // the URI, name or id, without the prefix of the mount
	mount *mount
}

// Having returns the sources that may have a URI, or, if isID, an id, whose prefix ends in a dot.
func (e *Engine) Having(key string, isID bool) iter.Seq2[Source, Mounted] {
	prefix := (*mount).ofURIs
	if isID {
		prefix = (*mount).ofIDs
	}
	return func(yield func(Source, Mounted) bool) {
		for l := e.lookupBy(key, prefix); l.next(); {
			if !yield(l.mount.source, Mounted{l.own, l.mount}) {
				return
			}
		}
	}
}

// ID returns an id of the source as clients have it.
func (m *Mounted) ID(own string) string { return m.mount.dotted + own }

// Item returns an entry of the source, as clients of 2026-07-28 get it. The error wraps [ErrNotFound] if there is none.
func (m *Mounted) Item(ctx context.Context, k Kind) ([]byte, error) {
	item, err := itemNamed(ctx, m.mount.source, k, m.Own)
	if err != nil {
		return nil, err
	}
	return k.appendItem(nil, &item, m.mount.prefix, m.mount.prefix+item.Key, modern), nil
}

// ToolResult returns the result of a tool of the source, as clients of 2026-07-28 get it.
func (m *Mounted) ToolResult(e *Engine, result []byte) ([]byte, error) {
	shaped, err := e.namedResult(modern, m.mount, result, true)
	if err != nil {
		return nil, err
	}
	return shaped.Document.JSON, nil
}

// Result returns a result of 2026-07-28. members are those of a JSON object, or nil; cached adds the hints of Options.Cache.
func (e *Engine) Result(kind string, members []byte, cached bool) sink.Result {
	o := emit.JSON(`{"resultType":"` + kind + `",` + string(e.fixed.Load().meta))
	if cached {
		o = appendCache(o, e.private(e.options.Cache))
	}
	if len(members) > 0 {
		o.Text(",")
		o.Raw(members)
	}
	return sink.Result{Document: &sink.Document{JSON: append(o, '}')}}
}

// Announce announces a topic of an extension by its key.
func (e *Engine) Announce(key string) { e.registry.subscribed(key, (*subscription).enqueue) }

// Engine returns the engine that answers.
func (i *Invocation) Engine() *Engine { return i.now().client.engine }

// A Detached is a call of a tool that goes on without a request.
type Detached struct {
	ID       string
	Prepared []byte // for the tool, or nil
	Progress func(params []byte)
	Ask      func(ctx context.Context, requests []byte) (answers []byte, err error) // see [Invocation.Ask]
}

// Detach answers the request of a call of a client of 2026-07-28, and lets the call go on without one. It returns false
// if the request has ended.
func (i *Invocation) Detach(d *Detached, answer sink.Result) bool {
	at := i.now()
	if at.leave == nil || !at.leave() {
		return false
	}
	i.detach(at, d)
	at.answer(answer)
	return true
}

func (i *Invocation) detach(at turn, d *Detached) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.at, i.detached = turn{client: at.client}, d
}

// Detached returns how a call goes on without a request; nil: it has one.
func (i *Invocation) Detached() *Detached {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.detached
}

// End ends the context of a call of a client of 2026-07-28.
func (i *Invocation) End(cause error) { i.held.cancel(cause) }

// Denied returns why a call may not go on after a decision of the user, or, unless it is running, why its result is
// withheld: the grant that had allowed it is over.
func (i *Invocation) Denied(isRunning bool) error {
	g := i.Engine().grants.Load()
	err := i.held.denied(g)
	if err == nil && !isRunning && i.held.isOver(g) {
		err = denial(reasonNoAnswer, "")
	}
	return err
}

// ToolError returns the error that a client gets whose tool has begun.
func (e *Engine) ToolError(err error) *jsonrpc.Error {
	return (&Request{engine: e, method: callToolMethod, rev: modern}).wireError(begun(err))
}

// Invoke returns the context in which a source answers a request.
func (e *Engine) Invoke(ctx context.Context, req *Request) context.Context {
	ctx, _ = e.invocation(ctx, req)
	return ctx
}

// Who returns the principal of a request.
func (req *Request) Who() Principal { return req.who }

// May reports whether Options.Allow lets the client do something with a URI.
func (req *Request) May(verb Verb, uri string) bool {
	return req.engine.options.Allow(req.who, verb, uri)
}

// Name returns the text of the member that names what the request is about, besides a URI.
func (req *Request) Name() string { return req.name }
