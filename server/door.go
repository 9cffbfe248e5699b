package server

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A visit is one assistant at one door.
type visit struct {
	who    string // principal
	door   string // path, or "stdio"
	client string // what it says of itself
	inner  bool   // a generated tool, which asks for an assistant
}

// A watched port stands between one client and the engine: it counts what the
// client asks for against its principal's allowance, and notes in the audit log
// what became of it.
type watchedPort struct {
	jsonrpc.Port // the engine's end is served on us, so Read is what the client says
	gateway      *Gateway
	engine       *engine.Engine

	mu    sync.Mutex
	visit visit
	calls map[string]openCall // by the id's key
}

type openCall struct {
	method, uri string
	begun       time.Time
}

func (g *Gateway) watch(p jsonrpc.Port, e *engine.Engine, v visit) *watchedPort {
	return &watchedPort{Port: p, gateway: g, engine: e, visit: v, calls: map[string]openCall{}}
}

// Read returns the next message that is within the allowance. One that is not is
// answered here.
func (p *watchedPort) Read(ctx context.Context) ([]byte, error) {
	for {
		msg, err := p.Port.Read(ctx)
		if err != nil {
			p.abandon()
			return nil, err
		}
		if elements, isArray := jsonrpc.Elements(msg); isArray {
			if p.allowAll(elements) {
				p.tap("page", "", msg)
				return msg, nil
			}
			p.Port.Write(ctx, jsonrpc.AppendError(nil, "", busy("Too many requests a second"))) // if that fails, Read will say so
			continue
		}
		x := p.engine.Examine(msg)
		if x.Kind == jsonrpc.Request && x.Malformed == nil {
			p.introduce(x, msg)
		}
		p.tap("page", x.Name, msg)
		if x.Kind == jsonrpc.Notification && x.Method == "notifications/cancelled" {
			p.cancelled(msg)
		}
		if x.Malformed != nil || x.Kind != jsonrpc.Request {
			return msg, nil // the engine says what is wrong
		}
		if !p.gateway.limits.allow(p.visit.who, x.Method) {
			refusal := jsonrpc.AppendError(nil, x.ID, busy("Too many requests a second"))
			p.tap("assistant", x.Name, refusal)
			p.Port.Write(ctx, refusal)
			p.note(openCall{method: x.Method, uri: x.Name, begun: time.Now()}, "busy", 0)
			continue
		}
		p.open(x)
		return msg, nil
	}
}

// allowAll asks for each element of a batch of 2025-03-26.
func (p *watchedPort) allowAll(elements [][]byte) bool {
	for _, element := range elements {
		if x := p.engine.Examine(element); x.Kind == jsonrpc.Request && !p.gateway.limits.allow(p.visit.who, x.Method) {
			return false
		}
	}
	return true
}

// introduce takes note of who sends a request, by what it says of itself.
func (p *watchedPort) introduce(x engine.Examination, msg []byte) {
	if name := clientName(x.Method, msg); name != "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.visit.client = name
	}
}

// tap shows a message to those who look on.
func (p *watchedPort) tap(to, name string, msg []byte) {
	if p.gateway.watchers.count.Load() == 0 {
		return
	}
	p.gateway.watchers.tap(p.who(), to, name, msg)
}

func (p *watchedPort) who() visit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.visit
}

func (p *watchedPort) open(x engine.Examination) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, waits := p.calls[x.ID.Key()]; !waits { // a second one with this id is refused by the engine
		p.calls[x.ID.Key()] = openCall{method: x.Method, uri: x.Name, begun: time.Now()}
	}
}

// Write passes on what the engine says. An answer settles its request.
func (p *watchedPort) Write(ctx context.Context, msg []byte) error {
	if h := headOf(msg); h.kind == jsonrpc.Response && h.id != "" {
		if call, found := p.settle(h.id); found {
			outcome := "ok"
			if h.failed {
				outcome = outcomeOf(errorOf(msg))
			}
			p.note(call, outcome, len(msg))
			p.tap("assistant", call.uri, msg)
			if !h.failed {
				p.gateway.watchers.read(p.who(), call, len(msg))
			}
			return p.Port.Write(ctx, msg)
		}
	}
	p.tap("assistant", "", msg)
	return p.Port.Write(ctx, msg)
}

// settle takes a request out.
func (p *watchedPort) settle(id jsonrpc.ID) (openCall, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	call, found := p.calls[id.Key()]
	delete(p.calls, id.Key())
	return call, found
}

// cancelled notes what will not be answered, at the client's wish.
func (p *watchedPort) cancelled(msg []byte) {
	m, _ := jsonrpc.Parse(msg)
	if call, found := p.settle(jsonrpc.ID(jsonrpc.Member(m.Params, "requestId"))); found {
		p.note(call, "cancelled", 0)
	}
}

// abandon notes what the client will not hear any more.
func (p *watchedPort) abandon() {
	p.mu.Lock()
	calls := p.calls
	p.calls = map[string]openCall{}
	p.mu.Unlock()
	for _, call := range calls {
		p.note(call, "cancelled", 0)
	}
}

func (p *watchedPort) note(call openCall, outcome string, bytes int) {
	v := p.who()
	p.gateway.audit.note(entry{
		Who: v.who, Client: v.client, Door: v.door,
		Verb: call.method, URI: call.uri, Outcome: outcome, Bytes: bytes,
		Ms: float64(time.Since(call.begun).Microseconds()) / 1000,
	})
}

func outcomeOf(err *jsonrpc.Error) string {
	if err == nil {
		return "error"
	}
	if isBusy(err) {
		return "busy"
	}
	return strconv.FormatInt(err.Code, 10)
}

// clientName returns what the sender of msg calls itself in initialize, or in
// the envelope. It decides nothing.
func clientName(method string, msg []byte) string {
	m, err := jsonrpc.Parse(msg)
	if err != nil {
		return ""
	}
	object := m.Params
	if method != "initialize" {
		object = jsonrpc.Member(object, "_meta")
	}
	info := jsonrpc.Member(object, "clientInfo")
	if info == nil {
		info = jsonrpc.Member(object, "io.modelcontextprotocol/clientInfo")
	}
	name, _ := jsonrpc.Text(jsonrpc.Member(info, "name"))
	return plain(name, 128) // characters; security.md §8
}

// plain returns text without control characters and what else could deceive in
// a terminal or a log: bidirectional marks, zero-width characters; at most so
// many characters of it.
func plain(text string, most int) string {
	out := make([]rune, 0, len(text))
	for _, r := range text {
		switch {
		case len(out) == most:
			return string(out)
		case r < ' ', r >= 0x7f && r < 0xa0, r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e,
			r >= 0x2060 && r <= 0x206f, r == 0xfeff, r == 0xfffd:
		default:
			out = append(out, r)
		}
	}
	return string(out)
}
