// Package access decides what a client may do: where it may connect from, who it is, how
// much it may request. It records the outcome in the audit log.
package access

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Client is one assistant at one endpoint.
type Client struct {
	Principal string
	Owner     Owner
	Tenant    string // of the owner, for Limiter.Acquire; "" without tenants
	Endpoint  string // path, or "stdio"
	Origin    string // of its page, for clients that connect as pages do; otherwise empty
	Name      string // clientInfo.name
	Page      string // that the request is for, for Limiter.Acquire; "" if it is not for one page
	Repeats   bool   // it repeats requests whose connection breaks; see gateway.HopHeader
	Internal  bool   // a generated tool that acts for an assistant; hidden from monitors
}

// A Gate holds what all clients of a gateway share, whatever transport they use.
type Gate struct {
	Auth    Authenticator
	Limits  Limiter
	Audit   Audit
	Monitor Monitor
	Traces  bool // audit entries have the trace ids of requests
}

// A Monitor receives the messages between clients and engines. Its methods never block.
type Monitor interface {
	Active() bool // false: the other methods need not be called

	// Message reports a message to the page or the assistant, as to says. name is the
	// URI, prompt or tool that it is about, if known.
	Message(client Client, to, name string, msg []byte)

	// Answered reports a result of size bytes; errors are not reported.
	Answered(client Client, method, uri string, size int)
}

// A clientPort is the port between one client and the engine. It counts requests against
// the allowance of the principal and records outcomes in the audit log.
type clientPort struct {
	jsonrpc.Port // the engine reads requests from it and writes responses to it
	gate         *Gate
	engine       *engine.Engine

	mu     sync.Mutex
	client Client
	calls  map[string]*openCall // requests without response, by ID.Key

	delayed *delayQueue // nil until a request has to wait; used by Read only
	broken  int         // invalid messages in a row; used by Read only
}

// MaxBroken is the number of invalid messages in a row after which a WebSocket is
// closed. Each of them gets an error response.
const MaxBroken = 100

// With returns a context in which requests of client are served: engines and tools find
// its principal there.
func (c Client) With(ctx context.Context) context.Context {
	return engine.WithPrincipal(ctx, engine.Principal(c.Principal))
}

// Serve serves client by e on p, until p closes or ctx ends, with rate limits, audit log
// and monitoring.
func (g *Gate) Serve(ctx context.Context, p jsonrpc.Port, e *engine.Engine, client Client) error {
	return e.Serve(client.With(ctx), g.Port(p, e, client))
}

// Port returns p with rate limits, audit log and monitoring for client.
func (g *Gate) Port(p jsonrpc.Port, e *engine.Engine, client Client) *clientPort {
	return &clientPort{Port: p, gate: g, engine: e, client: client, calls: map[string]*openCall{}}
}

// Read returns the next message that is within the allowance. A request far over the
// rate gets an error response; one slightly over it is returned later, without delaying
// others.
func (p *clientPort) Read(ctx context.Context) ([]byte, error) {
	for {
		msg, waited, err := p.next(ctx)
		if p.sendsOnlyBroken(msg, err) {
			if s, ok := p.Port.(interface{ Reject(reason string) }); ok {
				s.Reject("too many invalid messages in a row")
			} else {
				p.Port.Close()
			}
			p.recordAbandoned()
			return nil, io.EOF
		}
		if large := (*message.TooLargeError)(nil); errors.As(err, &large) && large.ID != "" && !p.isOpen(large.ID) {
			p.Port.Write(ctx, large.Refusal()) // if that fails, the next Read fails
			continue
		}
		if errors.Is(err, jsonrpc.ErrTooLarge) {
			return nil, err // the port stays usable
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
			admitted = p.admit(ctx, p.engine.Examine(msg), msg, p.delayUntil)
		}
		if admitted {
			return msg, nil
		}
	}
}

// sendsOnlyBroken counts invalid messages in a row, and reports whether a WebSocket has
// sent too many. On standard streams there is no limit: closing would end the process.
func (p *clientPort) sendsOnlyBroken(msg []byte, err error) bool {
	if endpoint := p.clientInfo().Endpoint; endpoint == SocketPath || endpoint == MonitorPath {
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

// admit reports whether the engine gets a message now. later is called for one that it gets
// later, after wait, unless due returns false then.
func (p *clientPort) admit(ctx context.Context, x engine.Examination, msg []byte, later func(ctx context.Context, wait time.Duration, msg []byte, due func() bool)) bool {
	if x.Kind == jsonrpc.Request && x.Malformed == nil {
		p.learnName(x)
	}
	p.monitor("page", x.Name, msg)
	if x.Kind == jsonrpc.Notification && x.Method == engine.MethodCancelled {
		p.recordCancelled(x)
	}
	if x.Malformed != nil {
		p.audit(&openCall{method: cmp.Or(x.Method, "malformed"), uri: x.Name, trace: p.gate.TraceOf(x), started: time.Now()}, OutcomeOf(x.Malformed), 0)
	}
	if x.Malformed != nil || x.Kind != jsonrpc.Request {
		return true // the engine responds to an invalid message
	}
	call, isNew := p.open(x, msg)
	if !isNew {
		p.audit(&openCall{method: x.Method, uri: x.Name, trace: p.gate.TraceOf(x), started: time.Now()}, OutcomeOf(message.InvalidRequest("")), 0)
	}
	switch {
	case !isNew && p.isDelayed(call): // a response with this id would complete the first request
		p.refuse(ctx, engine.Examination{}, message.InvalidRequest("This id still waits for its answer"))
		return false
	case !isNew:
		return true // the engine has the first request, and rejects this one
	}
	wait, over := time.Duration(0), p.overShare(call)
	if over == nil && x.Method != engine.MethodInitialize { // sessions count it, and this one may only wake
		wait, over = p.gate.Limits.Delay(p.clientInfo(), x.Method)
	}
	if over != nil {
		p.TakeCall(x.ID)
		p.refuse(ctx, x, message.Busy(over.Text))
		p.audit(call, "busy", 0)
		return false
	}
	if wait == 0 {
		return true
	}
	p.markDelayed(call)
	later(ctx, wait, msg, func() bool { return p.takeDelayed(x.ID, call) })
	return false
}

// refuse sends an error response to a request that the engine does not get.
func (p *clientPort) refuse(ctx context.Context, x engine.Examination, reason *jsonrpc.Error) {
	refusal := jsonrpc.AppendError(nil, x.ID, reason)
	p.monitor("assistant", x.Name, refusal)
	p.Port.Write(ctx, refusal) // if that fails, the next Read fails
}

// admitBatch counts each element of a batch of 2025-03-26. The batch is delayed as a
// whole, by the longest delay of its elements.
func (p *clientPort) admitBatch(ctx context.Context, msg []byte, elements [][]byte) bool {
	var longest time.Duration
	var full *Exceeded
	var calls []engine.Examination
	for _, element := range elements {
		x := p.engine.Examine(element)
		if x.Kind != jsonrpc.Request || x.Malformed != nil {
			continue
		}
		if call, isNew := p.open(x, element); isNew {
			calls = append(calls, x)
			full = cmp.Or(full, p.overShare(call))
		}
		wait, over := p.gate.Limits.Delay(p.clientInfo(), x.Method)
		longest, full = max(longest, wait), cmp.Or(full, over)
	}
	if full != nil {
		for _, x := range calls {
			if call, found := p.TakeCall(x.ID); found {
				p.audit(call, "busy", 0)
			}
		}
		p.refuse(ctx, engine.Examination{}, message.Busy(full.Text))
		return false
	}
	p.monitor("page", "", msg)
	if longest > 0 {
		p.delayUntil(ctx, longest, msg, func() bool { return true })
	}
	return longest == 0
}

// learnName stores the clientInfo.name of a request.
func (p *clientPort) learnName(x engine.Examination) {
	if name := ClientName(x); name != "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.client.Name = name
	}
}

// monitor reports a message to the monitors.
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

// Write sends a message of the engine to the client. A response completes its request.
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
	if len(msg) > 0 && msg[0] == '[' { // the responses of a batch
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
