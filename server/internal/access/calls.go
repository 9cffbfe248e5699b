package access

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/plain"
)

// A callKey identifies a request: its Outbox, and its ID.Key.
type callKey struct {
	out *engine.Outbox
	id  string
}

// An openCall is a request whose response was not delivered yet.
type openCall struct {
	id          jsonrpc.ID
	out         *engine.Outbox
	method, uri string
	about       string // see aboutOf
	page        string // see PageConcerned
	trace       string
	started     time.Time
	note        string // why the client has cancelled it
	delayed     bool   // waits for the rate, or for others; the engine does not have it yet
	outcome     string // of one that the gateway has refused, for the audit log
	reason      string // likewise
	release     func() // see end; guarded by the lock while the request is in calls
}

// open registers a request. If a request with this id is registered already, open
// returns that one.
func (d *Direct) open(x engine.Examination, to *engine.Outbox) (call *openCall, isNew bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := callKey{to, x.ID.Key()}
	if call := d.calls[key]; call != nil {
		return call, false
	}
	call = d.begin(x, to)
	d.calls[key] = call
	return call, true
}

// begin returns the call of a request, which is not registered.
func (d *Direct) begin(x engine.Examination, to *engine.Outbox) *openCall {
	return &openCall{id: x.ID, out: to, method: x.Method, uri: x.Name, about: aboutOf(x), page: PageConcerned(d.client.Path(), x), trace: d.gate.TraceOf(x), started: time.Now()}
}

// delay records that the engine does not have a request yet. The context ends with the request.
func (d *Direct) delay(call *openCall) context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	call.delayed, call.release = true, cancel
	return ctx
}

// claim reports whether the engine gets a request now. Its end calls release.
func (d *Direct) claim(call *openCall, release func()) bool {
	if d.claimed(call, release) {
		return true
	}
	release()
	return false
}

func (d *Direct) claimed(call *openCall, release func()) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.isWaiting(call) {
		return false
	}
	call.delayed, call.release = false, release
	return true
}

// end is called when a request is no longer in calls: it does not count any more.
func (call *openCall) end() {
	if call.release != nil {
		call.release()
	}
}

// isWaiting reports whether a request was neither answered, cancelled nor refused. The caller holds the
// lock.
func (d *Direct) isWaiting(call *openCall) bool {
	return d.calls[callKey{call.out, call.id.Key()}] == call && call.outcome == ""
}

// isOpen reports whether a request with this id of the client's Outbox has no response yet.
func (d *Direct) isOpen(id jsonrpc.ID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls[callKey{d.Outbox(), id.Key()}] != nil
}

func (d *Direct) isDelayed(call *openCall) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return call.delayed
}

// takeCall removes a request and returns it.
func (d *Direct) takeCall(id jsonrpc.ID, from *engine.Outbox) (*openCall, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := callKey{from, id.Key()}
	call, found := d.calls[key]
	delete(d.calls, key)
	return call, found
}

// takeNewest is takeCall for the newest request with an id.
func (d *Direct) takeNewest(id jsonrpc.ID) *openCall {
	d.mu.Lock()
	defer d.mu.Unlock()
	call := d.calls[callKey{d.Outbox(), id.Key()}]
	for _, other := range d.calls {
		if other.out != d.Outbox() && other.id.Key() == id.Key() && (call == nil || other.started.After(call.started)) {
			call = other
		}
	}
	if call != nil {
		delete(d.calls, callKey{call.out, id.Key()})
	}
	return call
}

// recordAnswered records the outcome of a request that has its response, with head h.
func (d *Direct) recordAnswered(call *openCall, h message.Head, response []byte) {
	switch {
	case call.outcome != "":
		d.audit(call, call.outcome, call.reason, len(response))
	case h.Failed:
		err := message.ErrorOf(response)
		d.auditEnd(call, OutcomeOf(err), err, len(response))
	case call.method == engine.MethodListen: // its result is its end
		d.auditEnd(call, "ok", nil, len(response))
	default:
		d.audit(call, "ok", "", len(response))
	}
}

// maxNote is how much of a client's reason for a cancel is recorded.
const maxNote = 200 // characters

// recordCancelled records the outcome of a request that the client has cancelled.
func (d *Direct) recordCancelled(x engine.Examination) {
	call := d.takeNewest(jsonrpc.ID(jsonrpc.Member(x.Params, "requestId")))
	if call == nil {
		return
	}
	call.end()
	call.note, _ = jsonrpc.Text(jsonrpc.Member(x.Params, "reason"))
	d.auditEnd(call, "cancelled", nil, 0)
	if call.delayed && call.out != d.Outbox() {
		call.out.End() // the engine does not have it
	}
}

// recordAbandoned records the outcome of all open requests when the client disconnects, or is
// disconnected since its access has ended.
func (d *Direct) recordAbandoned() {
	d.mu.Lock()
	calls := d.calls
	d.calls = map[callKey]*openCall{}
	d.mu.Unlock()
	for _, call := range calls {
		call.end()
		call.out.End()
		d.auditEnd(call, "cancelled", nil, 0)
	}
}

// auditEnd records a request that has ended without a result, with the reason. err is its
// error, or nil.
func (d *Direct) auditEnd(call *openCall, outcome string, err *jsonrpc.Error, bytes int) {
	d.audit(call, outcome, d.reasonOf(call, err), bytes)
}

func (d *Direct) audit(call *openCall, outcome, reason string, bytes int) {
	client := d.clientInfo()
	d.gate.Audit.Record(Entry{
		Principal: client.Principal, Owner: client.Owner, Client: client.Name, Endpoint: client.Endpoint,
		Verb: cmp.Or(call.method, "malformed"), URI: nameOf(call.method, call.about), App: call.page, Right: d.gate.RightOf(d.engine, call.method, call.uri),
		Outcome: outcome, Reason: reason, Note: plain.Text(call.note, maxNote), Bytes: bytes, Trace: call.trace,
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
	return plain.Text(name, 128) // characters
}
