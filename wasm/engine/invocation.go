package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"sync"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/plain"
	"github.com/pagemcp/pagemcp/wasm/schema"
)

// An Invocation is the request on whose behalf a source is called, and sends progress and
// log messages before the answer. It must not be used after the answer. All methods may
// be called concurrently.
type Invocation struct {
	rev  revision
	who  Principal
	what []byte // method, name or URI, and arguments

	info         []byte // clientInfo of a modern request, or nil
	capabilities []byte // JSON object
	meta         []byte // members of _meta that the engine does not use, or nil

	held *held // the call of a modern client, which may wait between two requests; or nil

	mu          sync.Mutex
	at          turn      // the request that waits for the answer
	detached    *Detached // nil: there is a request, or was
	progress    float64
	hasProgress bool      // progress was sent
	rateLimit   allowance // of progress and log messages
}

// maxUpdate is how large the params of progress and log messages may be.
const maxUpdate = 64 << 10 // bytes

type invocationKey struct{}

// noRequest stands for the request when there is none.
var noRequest = &Invocation{capabilities: []byte("{}"), rev: modern}

// InvocationOf returns the invocation of the request on whose behalf a source is called.
// It is never nil: outside of a request it is empty, and sends nothing.
func InvocationOf(ctx context.Context) *Invocation {
	if i, ok := ctx.Value(invocationKey{}).(*Invocation); ok {
		return i
	}
	return noRequest
}

// invocation makes one of req. It shares memory with its params only if they last.
func (e *Engine) invocation(ctx context.Context, req *Request) (context.Context, *Invocation) {
	keep := bytes.Clone
	if req.mayWait { // its params last as long as it runs
		keep = func(text []byte) []byte { return text }
	}
	i := &Invocation{
		rev: req.rev, who: req.who,
		at:           turn{client: req.client, call: req.call, inputs: keep(req.inputs), state: keep(req.state), level: req.level},
		capabilities: keep(req.capabilities),
		info:         keep(req.info),
		what:         whatOf(byte(req.method), req.name, req.uri, req.arguments),
	}
	i.rateLimit.rate, i.rateLimit.most = 50, 50
	if token := jsonrpc.Member(req.meta, "progressToken"); !isNull(token) {
		i.at.token = keep(token)
	}
	meta := emit.JSON("{")
	meta.Members(req.meta, func(name string) bool {
		switch name {
		case "progressToken", hop.KeyVersion, hop.KeyCapabilities, hop.KeyClientInfo, hop.KeyLogLevel, hop.KeyPrincipal:
			return false
		}
		return true
	})
	if len(meta) > 1 {
		meta.Text("}")
		i.meta = meta
	}
	if req.rev != modern {
		i.capabilities = req.client.declared()
	}
	if i.capabilities == nil {
		i.capabilities = []byte("{}")
	}
	return context.WithValue(ctx, invocationKey{}, i), i
}

// whatOf returns what is requested. Each part but the last begins with its length, so that different tuples of parts are
// different bytes.
func whatOf(method byte, name, uri string, arguments []byte) []byte {
	what := make([]byte, 0, 4*binary.MaxVarintLen16+len(name)+len(uri)+len(arguments))
	what = append(what, method)
	for _, part := range [...]string{name, uri} {
		what = append(binary.AppendUvarint(what, uint64(len(part))), part...)
	}
	return append(what, arguments...)
}

// declaredName returns the name in the clientInfo of the session.
func (c *Client) declaredName() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name
}

// declared returns the capabilities of the session's client.
func (c *Client) declared() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.capabilities
}

// now returns the request that waits for the answer.
func (i *Invocation) now() turn {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.at
}

// Modern reports whether the request is one of 2026-07-28.
func (i *Invocation) Modern() bool { return i.rev == modern }

// Capabilities returns what the client declares that it can do: a JSON object.
func (i *Invocation) Capabilities() []byte { return i.capabilities }

// ClientName returns the name in clientInfo, cleaned by [plain.Text]: a statement of the client,
// which is not verified. "": there is none.
func (i *Invocation) ClientName() string {
	if c := i.now().client; i.rev != modern && c != nil {
		return c.declaredName()
	}
	return nameIn(i.info)
}

// Meta returns the members of the request's _meta that the engine does not use,
// such as traceparent: a JSON object, or nil.
func (i *Invocation) Meta() []byte { return i.meta }

// Progress sends how far the work is: params is a JSON object of progress, a number
// that increases, total and message. It also restarts the request's timeout, also for
// clients that did not request progress. The message is cleaned by [plain.Text]. Messages that come too fast, are too large, or
// do not increase, are not sent.
// MCP 2026-07-28, basic/patterns/progress.
func (i *Invocation) Progress(params []byte) {
	at := i.now()
	c := at.client
	if c == nil {
		return
	}
	if d := i.Detached(); d != nil {
		d.Progress(params)
		return
	}
	c.extendTimeout(at.call)
	progress, ok := schema.Number(jsonrpc.Member(params, "progress"))
	if at.token == nil || !ok || len(params) > maxUpdate {
		return
	}
	c.ifPending(at.call, func() { // which is one at a time
		if i.acceptProgress(progress) {
			c.sink.Notify(i.progressUpdate(at.token, params), at.call, sink.Plain)
		}
	})
}

// progressUpdate returns the notification of a report.
func (i *Invocation) progressUpdate(token, params []byte) *sink.Document {
	text := emit.JSON("{")
	text.Member("progressToken", token)
	text.Members(params, func(name string) bool { return name == "progress" })
	if total := jsonrpc.Member(params, "total"); total != nil {
		if _, ok := schema.Number(total); ok {
			text.Member("total", total)
		}
	}
	if message, ok := jsonrpc.Text(jsonrpc.Member(params, "message")); ok && i.rev.hasProgressMessages() {
		text.Name("message")
		text.Quote(plain.Text(message, plain.MaxDescription))
	}
	text.Text("}")
	return &sink.Document{JSON: jsonrpc.AppendNotification(nil, MethodProgress, text), Optional: true}
}

// acceptProgress reports whether progress may be sent, and records it.
func (i *Invocation) acceptProgress(progress float64) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.hasProgress && progress <= i.progress || !i.rateLimit.take(1) {
		return false
	}
	i.hasProgress, i.progress = true, progress
	return true
}

// LogLevel returns the lowest level of messages that the client requested, "debug" to
// "emergency", or "" if it wants none.
func (i *Invocation) LogLevel() string {
	if l := i.wanted(i.now()); l != 0 {
		return levels[l-1]
	}
	return ""
}

func (i *Invocation) wanted(at turn) level {
	c := at.client
	if c == nil || !c.engine.options.Logging {
		return 0
	}
	if i.rev == modern {
		return at.level
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.level
}

// Log sends a log message with the request: params is a JSON object of level,
// logger and data. Its texts are cleaned by [plain.Lines]. What is below the level that the client wants, or too large, is
// dropped.
// MCP 2026-07-28, server/utilities/logging.
func (i *Invocation) Log(params []byte) {
	at := i.now()
	wanted := i.wanted(at)
	l, ok := levelOf(jsonrpc.Member(params, "level"))
	if wanted == 0 || at.call == 0 || !ok || l < wanted || jsonrpc.Member(params, "data") == nil || len(params) > maxUpdate {
		return
	}
	if !i.rateLimit.take(1) {
		return
	}
	text := emit.JSON(`{"_meta":{}`)
	text.Members(plainTexts(params), func(name string) bool { return name == "level" || name == "logger" || name == "data" })
	text.Text("}")
	doc := &sink.Document{JSON: jsonrpc.AppendNotification(nil, MethodMessage, text), Optional: true}
	c := at.client
	c.ifPending(at.call, func() { c.sink.Notify(doc, at.call, sink.OfRequest) })
}

// A level of log messages; 0: none.
type level uint8

// levels are the syslog severities of RFC 5424, least first.
var levels = [...]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

const levelInfo level = 2 // of classic clients that have not set one

func levelOf(value []byte) (level, bool) {
	text, ok := jsonrpc.Text(value)
	for i, name := range levels {
		if ok && name == text {
			return level(i + 1), true
		}
	}
	return 0, false
}
