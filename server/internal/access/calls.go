package access

import (
	"strconv"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// An openCall is a request that has no response yet.
type openCall struct {
	method, uri string
	page        string // see PageConcerned
	trace       string
	started     time.Time
	delayed     bool // waits for the rate; the engine does not have it yet
}

// open registers a request. If a request with this id is registered already, open
// returns that one. msg is the message that x is about.
func (p *clientPort) open(x engine.Examination, msg []byte) (call *openCall, isNew bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if call := p.calls[x.ID.Key()]; call != nil {
		return call, false
	}
	call = &openCall{method: x.Method, uri: x.Name, page: PageConcerned(p.client.Endpoint, x), trace: p.gate.TraceOf(x), started: time.Now()}
	p.calls[x.ID.Key()] = call
	return call, true
}

// overShare returns an error if a registered request exceeds what its page may have in
// flight on this connection. Only requests that name something are for one page; the
// engine limits the others. The number of calls is bounded by that, so they are counted here.
func (p *clientPort) overShare(call *openCall) *Exceeded {
	if call.uri == "" {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	ofPage, total := 0, 0
	for _, other := range p.calls {
		if other == call || other.uri == "" {
			continue
		}
		total++
		if other.page == call.page {
			ofPage++
		}
	}
	if ofPage < PageShare(limits.MaxInFlight, total) {
		return nil
	}
	return &Exceeded{Text: "Too many requests in flight"}
}

// isOpen reports whether a request with this id has no response yet.
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

// takeDelayed reports whether a request whose delay has passed is still registered; it
// may have been cancelled.
func (p *clientPort) takeDelayed(id jsonrpc.ID, call *openCall) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls[id.Key()] != call {
		return false
	}
	call.delayed = false
	return true
}

// TakeCall removes a request and returns it.
func (p *clientPort) TakeCall(id jsonrpc.ID) (*openCall, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	call, found := p.calls[id.Key()]
	delete(p.calls, id.Key())
	return call, found
}

// recordCancelled records the outcome of a request that the client has cancelled.
func (p *clientPort) recordCancelled(x engine.Examination) {
	if call, found := p.TakeCall(jsonrpc.ID(jsonrpc.Member(x.Params, "requestId"))); found {
		p.audit(call, "cancelled", 0)
	}
}

// recordAbandoned records the outcome of all open requests when the client disconnects.
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
		Principal: client.Principal, Owner: client.Owner, Client: client.Name, Endpoint: client.Endpoint,
		Verb: call.method, URI: call.uri, Outcome: outcome, Bytes: bytes, Trace: call.trace,
		Ms: float64(time.Since(call.started).Microseconds()) / 1000,
	})
}

// OutcomeOf returns the outcome of an error response for the audit log.
func OutcomeOf(err *jsonrpc.Error) string {
	if err == nil {
		return "error"
	}
	if message.IsBusy(err) {
		return "busy"
	}
	return strconv.FormatInt(err.Code, 10)
}

// ClientName returns clientInfo.name from initialize or from the envelope of a request,
// cleaned. It grants nothing.
func ClientName(x engine.Examination) string {
	object := x.Params
	if x.Method != engine.MethodInitialize {
		object = jsonrpc.Member(object, "_meta")
	}
	info := jsonrpc.Member(object, "clientInfo")
	if info == nil {
		info = jsonrpc.Member(object, "io.modelcontextprotocol/clientInfo")
	}
	name, _ := jsonrpc.Text(jsonrpc.Member(info, "name"))
	return engine.PlainText(name, 128) // characters
}
