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

// A Pause is the user's switch for all assistants of a gateway, and for single ones: while it
// is on, they read and do nothing, whatever they have begun before. The zero value is off; nil
// is always off.
type Pause struct {
	until   atomic.Pointer[time.Time]            // of the wall clock, which restarts and the user see; nil: off
	stopped atomic.Pointer[map[string]time.Time] // likewise, of single assistants, by principal; replaced as a whole

	mu      sync.Mutex
	timer   *time.Timer
	clients map[*Direct]struct{} // that are open
}

// MaxStopped is how many assistants can be stopped one by one.
const MaxStopped = 256 // a token or the word after --as has a name of its own

// Set pauses all until then, in place of an earlier time; a time that has passed ends that
// pause. What assistants have begun gets an error at once. After the pause they get the
// notifications of what has changed meanwhile.
func (p *Pause) Set(until time.Time) {
	p.change(func(all *time.Time, _ map[string]time.Time) { *all = until.Round(0) })
}

// Stop pauses one assistant until then, as Set does all. It pauses all where too many are
// stopped already: the user's click must not be without effect.
func (p *Pause) Stop(principal string, until time.Time) {
	p.change(func(all *time.Time, stopped map[string]time.Time) {
		_, known := stopped[principal]
		switch {
		case known || len(stopped) < MaxStopped:
			stopped[principal] = until.Round(0)
		case until.After(*all):
			*all = until.Round(0)
		}
	})
}

// Resume ends every pause.
func (p *Pause) Resume() {
	p.change(func(all *time.Time, stopped map[string]time.Time) {
		*all = time.Time{}
		clear(stopped)
	})
}

// change applies f to the times, removes those that have passed, and applies the result to all
// clients.
func (p *Pause) change(f func(all *time.Time, stopped map[string]time.Time)) {
	for _, d := range p.arm(f) {
		d.pauseChanged()
	}
}

func (p *Pause) arm(f func(all *time.Time, stopped map[string]time.Time)) []*Direct {
	p.mu.Lock()
	defer p.mu.Unlock()
	all, stopped := p.Until(), p.Stopped()
	f(&all, stopped)
	now := time.Now()
	maps.DeleteFunc(stopped, func(_ string, until time.Time) bool { return !now.Before(until) })
	ends := slices.Collect(maps.Values(stopped))
	var until *time.Time
	if now.Before(all) {
		until = &all
		ends = append(ends, all)
	}
	p.stopped.Store(&stopped)
	p.until.Store(until) // once: a pause that goes on is not off in between
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	if len(ends) > 0 {
		p.timer = time.AfterFunc(time.Until(slices.MinFunc(ends, time.Time.Compare)), p.check)
	}
	return slices.Collect(maps.Keys(p.clients))
}

// check ends the pauses whose time is over: the clock may have been set.
func (p *Pause) check() { p.change(func(*time.Time, map[string]time.Time) {}) }

// Stopped returns until when single assistants are stopped, by principal.
func (p *Pause) Stopped() map[string]time.Time {
	if p != nil {
		if stopped := p.stopped.Load(); stopped != nil {
			return maps.Clone(*stopped)
		}
	}
	return map[string]time.Time{}
}

// UntilOf returns the end of the pause for one assistant, or zero.
func (p *Pause) UntilOf(principal string) time.Time {
	until := p.Until()
	if p != nil {
		if stopped := p.stopped.Load(); stopped != nil && (*stopped)[principal].After(until) {
			return (*stopped)[principal]
		}
	}
	return until
}

// Until returns the end of the pause of all assistants, or zero.
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
	p.insert(d)
	if !d.pausedUntil().IsZero() {
		d.pauseChanged()
	}
}

func (p *Pause) insert(d *Direct) {
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

// withholds returns the error for a request of this method while there is a pause for the
// client.
func (d *Direct) withholds(method string) *jsonrpc.Error {
	known := MethodOf(method)
	if known.Right == engine.RightConnect && known.Lists == nil || method == engine.MethodUnsubscribe {
		return nil // nothing of a page
	}
	if until := d.pausedUntil(); !until.IsZero() {
		return message.Paused(until)
	}
	return nil
}

func (d *Direct) pausedUntil() time.Time { return d.gate.Pause.UntilOf(d.principal) }

// drops reports whether a message of the engine that is no response, with head h, is dropped because
// of a pause. The engine keeps notifications of changes until its end.
func (d *Direct) drops(h message.Head) bool {
	isOfCall := h.Kind == jsonrpc.Request || h.Method == engine.MethodProgress || h.Method == engine.MethodMessage
	return isOfCall && !d.pausedUntil().IsZero()
}

// pauseChanged answers what is open when a pause begins, and lets notifications pass again when it
// ends.
func (d *Direct) pauseChanged() {
	d.pausing.Lock()
	defer d.pausing.Unlock()
	isPaused := !d.pausedUntil().IsZero()
	d.served.Hold(isPaused)
	if !isPaused {
		return
	}
	for _, call := range d.withheld() {
		switch err := d.withholds(call.method); {
		case err == nil: // the pause is over already
		case d.isDelayed(call):
			d.refuse(call, "paused", ReasonPaused, err)
		default:
			d.served.Fail(call.id, call.out, err)
		}
	}
}

// withheld returns the requests that a pause ends. Subscriptions stay, without notifications.
func (d *Direct) withheld() (calls []*openCall) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, call := range d.calls {
		if call.method != engine.MethodListen && d.withholds(call.method) != nil {
			calls = append(calls, call)
		}
	}
	return calls
}
