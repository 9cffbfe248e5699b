// Package access decides what a client may do: who it is, from where it may connect,
// how much it may ask for; and it records what became of that.
package access

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Client is one assistant at one door.
type Client struct {
	Principal string // principal
	Endpoint  string // path, or "stdio"
	Name      string // what it says of itself
	Internal  bool   // a generated tool, which asks for an assistant
}

// A Gate is what all clients of a gateway have in common, whatever way they come in.
type Gate struct {
	Auth    Authenticator
	Limits  *Allowances
	Audit   Audit
	Monitor Monitor
}

// A Monitor sees the messages between clients and engines. Its methods never block.
type Monitor interface {
	Active() bool // false: the others need not be called
	Message(v Client, to, name string, msg []byte)
	Answered(v Client, method, uri string, size int) // a request, without error
}

// A watched port stands between one client and the engine: it counts what the
// client asks for against its principal's allowance, and notes in the audit log
// what became of it.
type clientPort struct {
	jsonrpc.Port // the engine's end is served on us, so Read is what the client says
	gate         *Gate
	engine       *engine.Engine

	mu     sync.Mutex
	client Client
	calls  map[string]*openCall // by the id's key

	delayed *delayQueue // nil until a request has to wait; used by Read alone
	broken  int         // messages in a row that were none; likewise
}

// MaxBroken is how many messages in a row may be broken before a socket is closed: each
// is answered. security.md §5.
const MaxBroken = 100

type openCall struct {
	method, uri string
	begun       time.Time
	delayed     bool // for its principal's rate; the engine has not seen it
}

// Port returns p with what its client asks for limited, audited and monitored.
func (g *Gate) Port(p jsonrpc.Port, e *engine.Engine, client Client) *clientPort {
	return &clientPort{Port: p, gate: g, engine: e, client: client, calls: map[string]*openCall{}}
}

// Read returns the next message that is within the allowance. One that is far over it
// is answered here; one that is a little over it comes later, and holds up no other.
func (p *clientPort) Read(ctx context.Context) ([]byte, error) {
	for {
		msg, waited, err := p.next(ctx)
		if p.sendsOnlyBroken(msg, err) {
			p.Port.Close()
			p.recordAbandoned()
			return nil, io.EOF
		}
		if large := (*message.TooLargeError)(nil); errors.As(err, &large) && large.ID != "" && !p.isOpen(large.ID) {
			p.Port.Write(ctx, large.Refusal()) // if that fails, Read will say so
			continue
		}
		if errors.Is(err, jsonrpc.ErrTooLarge) {
			return nil, err // the port goes on
		}
		if err != nil {
			p.recordAbandoned()
			return nil, err
		}
		if waited {
			return msg, nil
		}
		var admitted bool
		if elements, isArray := jsonrpc.Elements(msg); isArray {
			admitted = p.admitBatch(ctx, msg, elements)
		} else {
			admitted = p.admit(ctx, msg)
		}
		if admitted {
			return msg, nil
		}
	}
}

// isHopeless counts broken messages of an assistant's socket. Over standard streams they
// cost nothing but their answers, and the end would be the process's.
func (p *clientPort) sendsOnlyBroken(msg []byte, err error) bool {
	if door := p.clientInfo().Endpoint; door == SocketPath || door == MonitorPath {
		_, refusal := jsonrpc.Parse(msg)
		batch, _ := jsonrpc.Elements(msg)
		if errors.Is(err, jsonrpc.ErrTooLarge) || err == nil && refusal != nil && len(batch) == 0 {
			p.broken++
		} else {
			p.broken = 0
		}
	}
	return p.broken >= MaxBroken
}

// admit tells whether a message goes to the engine now.
func (p *clientPort) admit(ctx context.Context, msg []byte) bool {
	x := p.engine.Examine(msg)
	if x.Kind == jsonrpc.Request && x.Malformed == nil {
		p.learnName(x, msg)
	}
	p.monitor("page", x.Name, msg)
	if x.Kind == jsonrpc.Notification && x.Method == "notifications/cancelled" {
		p.recordCancelled(msg)
	}
	if x.Malformed != nil {
		p.audit(&openCall{method: cmp.Or(x.Method, "malformed"), uri: x.Name, begun: time.Now()}, OutcomeOf(x.Malformed), 0)
	}
	if x.Malformed != nil || x.Kind != jsonrpc.Request {
		return true // the engine says what is wrong
	}
	call, isNew := p.open(x)
	if !isNew {
		p.audit(&openCall{method: x.Method, uri: x.Name, begun: time.Now()}, OutcomeOf(message.InvalidRequest("")), 0)
	}
	switch {
	case !isNew && p.isDelayed(call): // an answer with this id would settle the first
		p.refuse(ctx, engine.Examination{}, message.InvalidRequest("This id still waits for its answer"))
		return false
	case !isNew:
		return true // the engine has the first, and refuses this one
	}
	wait, ok := p.gate.Limits.delay(p.client.Principal, x.Method)
	if !ok {
		p.TakeCall(x.ID)
		p.refuse(ctx, x, message.Busy("Too many requests a second"))
		p.audit(call, "busy", 0)
		return false
	}
	if wait == 0 {
		return true
	}
	p.markDelayed(call)
	p.delayUntil(ctx, wait, msg, func() bool { return p.takeDelayed(x.ID, call) })
	return false
}

func (p *clientPort) refuse(ctx context.Context, x engine.Examination, reason *jsonrpc.Error) {
	refusal := jsonrpc.AppendError(nil, x.ID, reason)
	p.monitor("assistant", x.Name, refusal)
	p.Port.Write(ctx, refusal) // if that fails, Read will say so
}

// admitBatch counts each element of a batch of 2025-03-26. It waits as a whole.
func (p *clientPort) admitBatch(ctx context.Context, msg []byte, elements [][]byte) bool {
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
		wait, ok := p.gate.Limits.delay(p.client.Principal, x.Method)
		longest, full = max(longest, wait), full || !ok
	}
	if full {
		for _, x := range calls {
			if call, found := p.TakeCall(x.ID); found {
				p.audit(call, "busy", 0)
			}
		}
		p.refuse(ctx, engine.Examination{}, message.Busy("Too many requests a second"))
		return false
	}
	p.monitor("page", "", msg)
	if longest > 0 {
		p.delayUntil(ctx, longest, msg, func() bool { return true })
	}
	return longest == 0
}

// learnName takes note of who sends a request, by what it says of itself.
func (p *clientPort) learnName(x engine.Examination, msg []byte) {
	if name := ClientName(x.Method, msg); name != "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.client.Name = name
	}
}

// show shows a message to those who look on.
func (p *clientPort) monitor(to, name string, msg []byte) {
	if p.gate.Monitor.Active() {
		p.gate.Monitor.Message(p.clientInfo(), to, name, msg)
	}
}

func (p *clientPort) clientInfo() Client {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.client
}

// open takes note of a request. If one with this id is open already it returns that.
func (p *clientPort) open(x engine.Examination) (call *openCall, isNew bool) {
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
func (p *clientPort) isOpen(id jsonrpc.ID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[id.Key()] != nil
}

func (p *clientPort) markDelayed(call *openCall) {
	p.mu.Lock()
	defer p.mu.Unlock()
	call.delayed = true
}

func (p *clientPort) isDelayed(call *openCall) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return call.delayed
}

// due tells whether a request that has waited is still wanted.
func (p *clientPort) takeDelayed(id jsonrpc.ID, call *openCall) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls[id.Key()] != call {
		return false // cancelled
	}
	call.delayed = false
	return true
}

// Write passes on what the engine says. An answer settles its request.
func (p *clientPort) Write(ctx context.Context, msg []byte) error {
	if h := message.HeadOf(msg); h.Kind == jsonrpc.Response && h.ID != "" {
		if call, found := p.TakeCall(h.ID); found {
			outcome := "ok"
			if h.Failed {
				outcome = OutcomeOf(message.ErrorOf(msg))
			}
			p.audit(call, outcome, len(msg))
			p.monitor("assistant", call.uri, msg)
			if !h.Failed {
				p.gate.Monitor.Answered(p.clientInfo(), call.method, call.uri, len(msg))
			}
			return p.Port.Write(ctx, msg)
		}
	}
	if len(msg) > 0 && msg[0] == '[' { // to a batch
		responses, _ := jsonrpc.Elements(msg)
		for _, response := range responses {
			h := message.HeadOf(response)
			if call, found := p.TakeCall(h.ID); found {
				outcome := "ok"
				if h.Failed {
					outcome = OutcomeOf(message.ErrorOf(response))
				}
				p.audit(call, outcome, len(response))
			}
		}
	}
	p.monitor("assistant", "", msg)
	return p.Port.Write(ctx, msg)
}

// Complete takes a request out.
func (p *clientPort) TakeCall(id jsonrpc.ID) (*openCall, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	call, found := p.calls[id.Key()]
	delete(p.calls, id.Key())
	return call, found
}

// cancelled notes what will not be answered, at the client's wish.
func (p *clientPort) recordCancelled(msg []byte) {
	m, _ := jsonrpc.Parse(msg)
	if call, found := p.TakeCall(jsonrpc.ID(jsonrpc.Member(m.Params, "requestId"))); found {
		p.audit(call, "cancelled", 0)
	}
}

// recordAbandoned notes what the client will not hear any more.
func (p *clientPort) recordAbandoned() {
	p.mu.Lock()
	calls := p.calls
	p.calls = map[string]*openCall{}
	p.mu.Unlock()
	for _, call := range calls {
		p.audit(call, "cancelled", 0)
	}
}

func (p *clientPort) audit(call *openCall, outcome string, bytes int) {
	client := p.clientInfo()
	p.gate.Audit.Record(Entry{
		Principal: client.Principal, Client: client.Name, Endpoint: client.Endpoint,
		Verb: call.method, URI: call.uri, Outcome: outcome, Bytes: bytes,
		Ms: float64(time.Since(call.begun).Microseconds()) / 1000,
	})
}

func OutcomeOf(err *jsonrpc.Error) string {
	if err == nil {
		return "error"
	}
	if message.IsBusy(err) {
		return "busy"
	}
	return strconv.FormatInt(err.Code, 10)
}

// ClientName returns what the sender of msg calls itself in initialize, or in
// the envelope. It decides nothing.
func ClientName(method string, msg []byte) string {
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
