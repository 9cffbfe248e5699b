package access

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Pause is the user's switch for all assistants of a gateway: while it is on, they read and
// do nothing, whatever they have begun before. The zero value is off; nil is always off.
type Pause struct {
	until atomic.Pointer[time.Time] // of the wall clock, which restarts and the user see; nil: off

	mu      sync.Mutex
	timer   *time.Timer
	clients map[*Direct]struct{} // that are open
}

// Set pauses until then, in place of an earlier time; a time that has passed ends the pause.
// What assistants have begun gets an error at once. After the pause they get the
// notifications of what has changed meanwhile.
func (p *Pause) Set(until time.Time) {
	for _, d := range p.arm(until.Round(0)) {
		go d.pauseChanged() // a client may be slow to read
	}
}

// arm sets the time and returns the clients, which have to follow.
func (p *Pause) arm(until time.Time) []*Direct {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	p.until.Store(nil)
	if left := time.Until(until); left > 0 {
		p.until.Store(&until)
		p.timer = time.AfterFunc(left, p.check)
	}
	return slices.Collect(maps.Keys(p.clients))
}

// check ends the pause if its time is over: the clock may have been set.
func (p *Pause) check() { p.Set(p.Until()) }

// Until returns the end of the pause, or zero.
func (p *Pause) Until() time.Time {
	if p != nil {
		if until := p.until.Load(); until != nil {
			return *until
		}
	}
	return time.Time{}
}

func (p *Pause) add(d *Direct) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clients == nil {
		p.clients = map[*Direct]struct{}{}
	}
	p.clients[d] = struct{}{}
}

func (p *Pause) remove(d *Direct) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.clients, d)
}

// withholds returns the error for a request of this method while there is a pause.
func (p *Pause) withholds(method string) *jsonrpc.Error {
	known := engine.MethodOf(method)
	if known.Right == engine.RightConnect && known.List == "" || method == engine.MethodUnsubscribe {
		return nil // nothing of a page
	}
	if until := p.Until(); !until.IsZero() {
		return message.Paused(until)
	}
	return nil
}

// A held is what a client gets after a pause: notifications that came during it, each once.
// Their number is bounded by that of the client's subscriptions.
type held struct {
	messages [][]byte
	known    map[string]bool
}

// holds reports whether a message of the engine, with head h, stays here because of a pause.
// Notifications of changes are kept until its end, others dropped, and so are requests for
// input.
func (d *Direct) holds(h message.Head, msg []byte) bool {
	if h.Kind == jsonrpc.Response || d.gate.Pause.Until().IsZero() {
		return false
	}
	switch h.Method {
	case engine.MethodUpdated, engine.MethodResourcesChanged, engine.MethodPromptsChanged, engine.MethodToolsChanged, engine.MethodEventsChanged:
		d.keep(msg)
		return true
	case engine.MethodProgress, engine.MethodMessage:
		return true
	case engine.MethodEventsActive, engine.MethodEvent, engine.MethodEventsError, engine.MethodEventsHeartbeat, engine.MethodEventsTerminated:
		return true // the pause ends the stream, whose client goes on by its cursor
	}
	return h.Kind == jsonrpc.Request
}

func (d *Direct) keep(msg []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.held.known[string(msg)] {
		return
	}
	if d.held.known == nil {
		d.held.known = map[string]bool{}
	}
	d.held.known[string(msg)] = true
	d.held.messages = append(d.held.messages, msg)
}

// pauseChanged answers what is open when a pause begins, and sends what was kept when it
// ends.
func (d *Direct) pauseChanged() {
	if d.gate.Pause.Until().IsZero() {
		for _, msg := range d.takeHeld() {
			d.write(msg) // if that fails, the client is gone
		}
		return
	}
	for id, call := range d.withheld() {
		d.audit(call, "paused", ReasonPaused, 0)
		d.refuse(engine.Examination{ID: id, Name: call.uri}, d.gate.Pause.withholds(call.method))
		params := append(append([]byte(`{"requestId":`), id...), '}')
		d.Post(jsonrpc.AppendNotification(nil, engine.MethodCancelled, params))
	}
}

func (d *Direct) takeHeld() [][]byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	messages := d.held.messages
	d.held = held{}
	return messages
}

// withheld removes the requests that a pause ends, and returns them. Subscriptions stay,
// without notifications.
func (d *Direct) withheld() map[jsonrpc.ID]*openCall {
	d.mu.Lock()
	defer d.mu.Unlock()
	calls := map[jsonrpc.ID]*openCall{}
	for key, call := range d.calls {
		if call.method != engine.MethodListen && d.gate.Pause.withholds(call.method) != nil {
			calls[call.id] = call
			delete(d.calls, key)
		}
	}
	return calls
}
