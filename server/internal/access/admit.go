package access

import (
	"context"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// admit reports whether the engine gets a message now. A request far over the rate gets an
// error response; one slightly over it is passed to the engine later, without delaying
// others. The number of those is bounded by the rate times limits.MaxDelay.
func (d *Direct) admit(x engine.Examination, msg []byte, to *engine.Outbox) bool {
	if x.Kind == jsonrpc.Request && x.Malformed == nil {
		d.learnName(x)
	}
	d.monitor("page", x.Name, msg)
	if x.Kind == jsonrpc.Notification && x.Method == engine.MethodCancelled {
		d.recordCancelled(x)
	}
	if x.Malformed != nil {
		d.audit(d.begin(x, to), OutcomeOf(x.Malformed), "", 0)
	}
	if x.Malformed != nil || x.Kind != jsonrpc.Request {
		return true // the engine responds to an invalid message
	}
	call, isNew := d.open(x, to)
	if !isNew {
		d.audit(d.begin(x, to), OutcomeOf(message.InvalidRequest("")), "", 0)
	}
	switch {
	case !isNew && d.isDelayed(call): // a response with this id would complete the first request
		to.Put(jsonrpc.AppendError(nil, "", message.InvalidRequest("This id still waits for its answer")))
		return false
	case !isNew:
		return true // the engine has the first request, and rejects this one
	}
	if paused := d.withholds(x.Method); paused != nil {
		d.refuse(call, "paused", ReasonPaused, paused)
		return false
	}
	if call.page != "" && d.gate.Await != nil {
		d.gate.Await(d.client.Owner, call.page)
	}
	late := time.Duration(0)
	if x.Method != engine.MethodInitialize { // sessions count it, and this one may only wake
		delay, over := d.gate.Delay(d.clientInfo(), x.Method)
		if over != nil {
			d.refuse(call, "busy", ReasonRate, message.Busy(over.Text))
			return false
		}
		late = delay
	}
	if late == 0 {
		if release, ok := d.try(call); ok {
			return d.claim(call, release)
		}
	}
	ctx := d.delay(call)
	go func() { // ends after limits.MaxDelay and limits.QueueTime, or with the call
		if wait.For(ctx, late) {
			d.sendLater(ctx, x, call)
		}
	}()
	return false
}

// user returns for whom a request counts while it is in flight. ok is false for one that does not: what the
// gateway requests for a tool counts with the call of that, and a subscription as a stream.
func (d *Direct) user(call *openCall) (who limits.User, ok bool) {
	client := d.clientInfo()
	who = client.User()
	if call.method != engine.MethodPing { // which is no work for a page
		who.Page = call.page
	}
	return who, !client.Internal && call.method != engine.MethodListen
}

// try counts a request in flight, if there is room for it now.
func (d *Direct) try(call *openCall) (release func(), ok bool) {
	who, counts := d.user(call)
	if !counts {
		return func() {}, true
	}
	return d.gate.Limits.Try(who, limits.Requests)
}

// sendLater passes a request to the engine when there is room, unless it was cancelled or refused then.
func (d *Direct) sendLater(ctx context.Context, x engine.Examination, call *openCall) {
	release, over := func() {}, (*limits.Exceeded)(nil)
	if who, counts := d.user(call); counts {
		release, over = d.gate.Limits.Take(ctx, who, limits.Requests)
	}
	switch {
	case over != nil:
		d.refuse(call, "busy", ReasonRate, message.Busy(over.Text))
	case d.claim(call, release):
		d.served.Post(x, call.out)
	}
}

// refuse sends an error response to a request that the engine does not have, once.
func (d *Direct) refuse(call *openCall, outcome, reason string, err *jsonrpc.Error) {
	if d.markRefused(call, outcome, reason) {
		call.out.Put(jsonrpc.AppendError(nil, call.id, err))
		if call.out != d.Outbox() {
			call.out.End()
		}
	}
}

func (d *Direct) markRefused(call *openCall, outcome, reason string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.isWaiting(call) {
		return false
	}
	call.delayed, call.outcome, call.reason = true, outcome, reason
	return true
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
