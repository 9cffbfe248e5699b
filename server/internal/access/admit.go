package access

import (
	"bytes"
	"cmp"
	"slices"
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

// admitBatch counts each element of a batch of 2025-03-26. The batch is delayed as a
// whole, by the longest delay of its elements.
func (d *Direct) admitBatch(batch []engine.Examination, msg []byte) bool {
	if d.refusePausedBatch(batch) {
		return false
	}
	var longest time.Duration
	var full *Exceeded
	var calls []engine.Examination
	for _, x := range batch {
		if x.Kind != jsonrpc.Request || x.Malformed != nil {
			continue
		}
		if call, isNew := d.open(x); isNew {
			calls = append(calls, x)
			full = cmp.Or(full, d.overShare(call))
		}
		wait, over := d.gate.Limits.Delay(d.clientInfo(), x.Method)
		longest, full = max(longest, wait), cmp.Or(full, over)
	}
	if full != nil {
		d.refuseBatch(calls, message.Busy(full.Text))
		return false
	}
	d.monitor("page", "", msg)
	if longest > 0 {
		time.AfterFunc(longest, func() { d.direct.PostBatch(batch) })
	}
	return longest == 0
}

// refusePausedBatch rejects a batch with a request that a pause withholds, and reports that. Its
// requests are not registered: pauseChanged would answer each of them.
func (d *Direct) refusePausedBatch(batch []engine.Examination) bool {
	isRequest := func(x engine.Examination) bool { return x.Kind == jsonrpc.Request && x.Malformed == nil }
	var paused *jsonrpc.Error
	for _, x := range batch {
		if isRequest(x) {
			paused = cmp.Or(paused, d.withholds(x.Method))
		}
	}
	if paused == nil {
		return false
	}
	for _, x := range batch {
		if isRequest(x) {
			d.audit(d.begin(x), "paused", ReasonPaused, 0)
		}
	}
	d.refuse(engine.Examination{}, paused)
	return true
}

// refuseBatch sends one error response for a batch over a limit, which the engine does not get.
func (d *Direct) refuseBatch(calls []engine.Examination, err *jsonrpc.Error) {
	for _, x := range calls {
		if call, found := d.takeCall(x.ID); found {
			d.audit(call, "busy", ReasonRate, 0)
		}
	}
	d.refuse(engine.Examination{}, err)
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
	switch {
	case h.Kind == jsonrpc.Response && h.ID != "":
		call, found := d.takeCall(h.ID)
		d.sendQueued()
		if !found {
			if !d.pausedUntil().IsZero() {
				return nil // a pause has answered it
			}
			break
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
	case len(msg) > 0 && msg[0] == '[':
		msg = d.batchAnswered(msg)
	}
	d.monitor("assistant", "", msg)
	return d.write(msg)
}

// batchAnswered records the responses of a batch, and returns what the client gets.
func (d *Direct) batchAnswered(msg []byte) []byte {
	responses, _ := jsonrpc.Elements(msg)
	for i, response := range responses {
		h := message.HeadOf(response)
		call, found := d.takeCall(h.ID)
		if !found {
			continue
		}
		if paused := d.withholds(call.method); paused != nil {
			response, h.Failed = jsonrpc.AppendError(nil, h.ID, paused), true
			responses[i] = response
		}
		d.recordAnswered(call, h, response)
	}
	return slices.Concat([]byte("["), bytes.Join(responses, []byte(",")), []byte("]"))
}
