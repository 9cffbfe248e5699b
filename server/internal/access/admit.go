package access

import (
	"time"

	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// admit reports whether the engine gets a message now. A request far over the rate gets an
// error response; one slightly over it is passed to the engine later, without delaying
// others. The number of those is bounded by the rate times limits.MaxDelay.
func (d *Direct) admit(x engine.Examination, msg []byte) bool {
	if x.Kind == jsonrpc.Request && x.Malformed == nil {
		d.learnName(x)
	}
	d.monitor("page", x.Name, msg)
	if x.Kind == jsonrpc.Notification && x.Method == engine.MethodCancelled {
		d.recordCancelled(x)
	}
	if x.Malformed != nil {
		d.audit(d.begin(x), OutcomeOf(x.Malformed), "", 0)
	}
	if x.Malformed != nil || x.Kind != jsonrpc.Request {
		return true // the engine responds to an invalid message
	}
	call, isNew := d.open(x)
	if !isNew {
		d.audit(d.begin(x), OutcomeOf(message.InvalidRequest("")), "", 0)
	}
	switch {
	case !isNew && d.isDelayed(call): // a response with this id would complete the first request
		d.refuse(engine.Examination{}, message.InvalidRequest("This id still waits for its answer"))
		return false
	case !isNew:
		return true // the engine has the first request, and rejects this one
	}
	if paused := d.withholds(x.Method); paused != nil {
		if _, found := d.takeCall(x.ID); found { // else pauseChanged has just answered it
			d.refuse(x, paused)
			d.audit(call, "paused", ReasonPaused, 0)
		}
		return false
	}
	if call.page != "" && d.gate.Await != nil {
		d.gate.Await(d.client.Owner, call.page)
	}
	wait, over := time.Duration(0), (*Exceeded)(nil)
	if x.Method != engine.MethodInitialize { // sessions count it, and this one may only wake
		wait, over = d.gate.Limits.Delay(d.clientInfo(), x.Method)
	}
	if over != nil {
		d.rejectBusy(x, call, over.Text)
		return false
	}
	switch {
	case d.overShare(call) != nil:
		if !d.enqueue(x, call) {
			d.rejectBusy(x, call, "Too many requests in flight")
		}
	case wait > 0:
		d.sendLater(x, call, wait)
	default:
		return true
	}
	return false
}

// rejectBusy rejects a registered request that is over a limit.
func (d *Direct) rejectBusy(x engine.Examination, call *openCall, text string) {
	d.takeCall(x.ID)
	d.refuse(x, message.Busy(text))
	d.audit(call, "busy", ReasonRate, 0)
}

// sendLater passes a request to the engine after wait, unless it was cancelled then.
func (d *Direct) sendLater(x engine.Examination, call *openCall, wait time.Duration) {
	d.markDelayed(call)
	time.AfterFunc(wait, func() {
		if d.takeDelayed(x.ID, call) {
			d.direct.Send(x)
		}
	})
}

// refuse sends an error response to a request that the engine does not get.
func (d *Direct) refuse(x engine.Examination, reason *jsonrpc.Error) {
	refusal := jsonrpc.AppendError(nil, x.ID, reason)
	d.monitor("assistant", x.Name, refusal)
	d.write(refusal) // if that fails, so does what comes next
}

// learnName stores the clientInfo.name of a request.
func (d *Direct) learnName(x engine.Examination) {
	if name := ClientName(x); name != "" {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.client.Name = name
	}
}

// monitor reports a message to the monitors.
func (d *Direct) monitor(to, name string, msg []byte) {
	if d.gate.Monitor.Active() {
		d.gate.Monitor.Message(d.clientInfo(), to, name, msg)
	}
}

func (d *Direct) clientInfo() Client {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.client
}

// deliver sends a message of the engine to the client. A response completes its request.
func (d *Direct) deliver(msg []byte) error {
	h := message.HeadOf(msg)
	if d.holds(h, msg) {
		return nil
	}
	if h.Kind != jsonrpc.Response || h.ID == "" {
		d.monitor("assistant", "", msg)
		return d.write(msg)
	}
	call, found := d.takeCall(h.ID)
	d.sendQueued()
	switch {
	case !found && !d.pausedUntil().IsZero():
		return nil // a pause has answered it
	case !found:
		d.monitor("assistant", "", msg)
		return d.write(msg)
	}
	if paused := d.withholds(call.method); paused != nil {
		msg, h.Failed = jsonrpc.AppendError(nil, h.ID, paused), true
	}
	d.recordAnswered(call, h, msg)
	d.monitor("assistant", call.uri, msg)
	if !h.Failed {
		d.gate.Monitor.Answered(d.clientInfo(), call.method, call.uri, len(msg))
	}
	return d.write(msg)
}
