package server

import (
	"cmp"
	"context"
	"errors"
	"io"
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

// A gate is what all clients of a gateway have in common, whatever way they come in.
type gate struct {
	auth    authenticator
	limits  *limits
	audit   auditor
	monitor monitor
}

// A monitor sees the messages between clients and engines. Its methods never block.
type monitor interface {
	active() bool // false: the others need not be called
	message(v visit, to, name string, msg []byte)
	answered(v visit, method, uri string, size int) // a request, without error
}

// A watched port stands between one client and the engine: it counts what the
// client asks for against its principal's allowance, and notes in the audit log
// what became of it.
type watchedPort struct {
	jsonrpc.Port // the engine's end is served on us, so Read is what the client says
	gate         *gate
	engine       *engine.Engine

	mu    sync.Mutex
	visit visit
	calls map[string]*openCall // by the id's key

	slow   *slowLane // nil until a request has to wait; used by Read alone
	broken int       // messages in a row that were none; likewise
}

// maxBroken is how many messages in a row may be broken before a socket is closed: each
// is answered. security.md §5.
const maxBroken = 100

type openCall struct {
	method, uri string
	begun       time.Time
	waits       bool // for its principal's rate; the engine has not seen it
}

// port returns p with what its client asks for limited, audited and monitored.
func (g *gate) port(p jsonrpc.Port, e *engine.Engine, v visit) *watchedPort {
	return &watchedPort{Port: p, gate: g, engine: e, visit: v, calls: map[string]*openCall{}}
}

// Read returns the next message that is within the allowance. One that is far over it
// is answered here; one that is a little over it comes later, and holds up no other.
func (p *watchedPort) Read(ctx context.Context) ([]byte, error) {
	for {
		msg, waited, err := p.next(ctx)
		if p.isHopeless(msg, err) {
			p.Port.Close()
			p.abandon()
			return nil, io.EOF
		}
		if large := (*tooLargeError)(nil); errors.As(err, &large) && large.id != "" && !p.isOpen(large.id) {
			p.Port.Write(ctx, large.refusal()) // if that fails, Read will say so
			continue
		}
		if errors.Is(err, jsonrpc.ErrTooLarge) {
			return nil, err // the port goes on
		}
		if err != nil {
			p.abandon()
			return nil, err
		}
		if waited {
			return msg, nil
		}
		var pass bool
		if elements, isArray := jsonrpc.Elements(msg); isArray {
			pass = p.admitBatch(ctx, msg, elements)
		} else {
			pass = p.admit(ctx, msg)
		}
		if pass {
			return msg, nil
		}
	}
}

// isHopeless counts broken messages of an assistant's socket. Over standard streams they
// cost nothing but their answers, and the end would be the process's.
func (p *watchedPort) isHopeless(msg []byte, err error) bool {
	if door := p.who().door; door == socketDoor || door == watchDoor {
		_, refusal := jsonrpc.Parse(msg)
		batch, _ := jsonrpc.Elements(msg)
		if errors.Is(err, jsonrpc.ErrTooLarge) || err == nil && refusal != nil && len(batch) == 0 {
			p.broken++
		} else {
			p.broken = 0
		}
	}
	return p.broken >= maxBroken
}

// admit tells whether a message goes to the engine now.
func (p *watchedPort) admit(ctx context.Context, msg []byte) bool {
	x := p.engine.Examine(msg)
	if x.Kind == jsonrpc.Request && x.Malformed == nil {
		p.introduce(x, msg)
	}
	p.tap("page", x.Name, msg)
	if x.Kind == jsonrpc.Notification && x.Method == "notifications/cancelled" {
		p.cancelled(msg)
	}
	if x.Malformed != nil {
		p.note(&openCall{method: cmp.Or(x.Method, "malformed"), uri: x.Name, begun: time.Now()}, outcomeOf(x.Malformed), 0)
	}
	if x.Malformed != nil || x.Kind != jsonrpc.Request {
		return true // the engine says what is wrong
	}
	call, isNew := p.open(x)
	if !isNew {
		p.note(&openCall{method: x.Method, uri: x.Name, begun: time.Now()}, outcomeOf(invalidRequest("")), 0)
	}
	switch {
	case !isNew && p.waits(call): // an answer with this id would settle the first
		p.refuse(ctx, engine.Examination{}, invalidRequest("This id still waits for its answer"))
		return false
	case !isNew:
		return true // the engine has the first, and refuses this one
	}
	wait, ok := p.gate.limits.delay(p.visit.who, x.Method)
	if !ok {
		p.settle(x.ID)
		p.refuse(ctx, x, busy("Too many requests a second"))
		p.note(call, "busy", 0)
		return false
	}
	if wait == 0 {
		return true
	}
	p.delay(call)
	p.later(ctx, wait, msg, func() bool { return p.due(x.ID, call) })
	return false
}

func (p *watchedPort) refuse(ctx context.Context, x engine.Examination, why *jsonrpc.Error) {
	refusal := jsonrpc.AppendError(nil, x.ID, why)
	p.tap("assistant", x.Name, refusal)
	p.Port.Write(ctx, refusal) // if that fails, Read will say so
}

// admitBatch counts each element of a batch of 2025-03-26. It waits as a whole.
func (p *watchedPort) admitBatch(ctx context.Context, msg []byte, elements [][]byte) bool {
	longest, full := time.Duration(0), false
	var calls []engine.Examination
	for _, element := range elements {
		x := p.engine.Examine(element)
		if x.Kind != jsonrpc.Request || x.Malformed != nil {
			continue
		}
		if _, isNew := p.open(x); isNew {
			calls = append(calls, x)
		}
		wait, ok := p.gate.limits.delay(p.visit.who, x.Method)
		longest, full = max(longest, wait), full || !ok
	}
	if full {
		for _, x := range calls {
			if call, found := p.settle(x.ID); found {
				p.note(call, "busy", 0)
			}
		}
		p.refuse(ctx, engine.Examination{}, busy("Too many requests a second"))
		return false
	}
	p.tap("page", "", msg)
	if longest > 0 {
		p.later(ctx, longest, msg, func() bool { return true })
	}
	return longest == 0
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
	if p.gate.monitor.active() {
		p.gate.monitor.message(p.who(), to, name, msg)
	}
}

func (p *watchedPort) who() visit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.visit
}

// open takes note of a request. If one with this id is open already it returns that.
func (p *watchedPort) open(x engine.Examination) (call *openCall, isNew bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if call := p.calls[x.ID.Key()]; call != nil {
		return call, false
	}
	call = &openCall{method: x.Method, uri: x.Name, begun: time.Now()}
	p.calls[x.ID.Key()] = call
	return call, true
}

// isOpen tells whether a request with this id has no answer yet.
func (p *watchedPort) isOpen(id jsonrpc.ID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[id.Key()] != nil
}

func (p *watchedPort) delay(call *openCall) {
	p.mu.Lock()
	defer p.mu.Unlock()
	call.waits = true
}

func (p *watchedPort) waits(call *openCall) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return call.waits
}

// due tells whether a request that has waited is still wanted.
func (p *watchedPort) due(id jsonrpc.ID, call *openCall) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls[id.Key()] != call {
		return false // cancelled
	}
	call.waits = false
	return true
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
				p.gate.monitor.answered(p.who(), call.method, call.uri, len(msg))
			}
			return p.Port.Write(ctx, msg)
		}
	}
	if len(msg) > 0 && msg[0] == '[' { // to a batch
		responses, _ := jsonrpc.Elements(msg)
		for _, response := range responses {
			h := headOf(response)
			if call, found := p.settle(h.id); found {
				outcome := "ok"
				if h.failed {
					outcome = outcomeOf(errorOf(response))
				}
				p.note(call, outcome, len(response))
			}
		}
	}
	p.tap("assistant", "", msg)
	return p.Port.Write(ctx, msg)
}

// settle takes a request out.
func (p *watchedPort) settle(id jsonrpc.ID) (*openCall, bool) {
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
	p.calls = map[string]*openCall{}
	p.mu.Unlock()
	for _, call := range calls {
		p.note(call, "cancelled", 0)
	}
}

func (p *watchedPort) note(call *openCall, outcome string, bytes int) {
	v := p.who()
	p.gate.audit.note(entry{
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
	return engine.PlainText(name, 128) // characters; security.md §8
}
