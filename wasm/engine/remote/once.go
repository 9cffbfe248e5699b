package remote

import (
	"context"
	"errors"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Requests that must not be sent twice: calls of tools, and methods of extensions. They are
// interrupted when the port breaks under them, so they must not be sent where that is about to
// happen, and must not wait in another node's hub: when that link ends, this side could not
// know whether they have reached the page. A hub therefore says at once that it has not sent
// such a request, and the Remote at its far end waits for the page and sends it again.

const (
	minResend  = 20 * time.Millisecond // before a request that a hub has not sent is sent again
	maxResend  = 200 * time.Millisecond
	retireTime = time.Second // requests that are in flight over a link that was replaced have this long to end
)

// errNotBegun is the error of a request over a port that has ended before: nothing was written.
var errNotBegun = jsonrpc.Wrap("not begun", jsonrpc.ErrClosed)

// WithHub returns a context under which [engine.Engine.Serve] serves a [Remote] that was attached by
// [Remote.ReattachHub]: requests that must not be sent twice do not wait for a page that is
// away, but are answered with an error that lets that Remote send them again.
func WithHub(ctx context.Context) context.Context {
	return context.WithValue(engine.WithSpeakForOthers(ctx), hop.FromHub{}, true)
}

// ReattachHub is [Remote.Reattach] for a port that another node serves under [WithHub].
func (r *Remote) ReattachHub(ctx context.Context, p jsonrpc.Port) error {
	return r.reattach(ctx, p, true)
}

// LeaveHub stops using the port of [Remote.ReattachHub], if the Remote has it, and closes it
// when calls in flight over it have ended, after 1 s at the latest.
func (r *Remote) LeaveHub() {
	if l := r.leaveHub(); l != nil {
		go r.retire(l) // ends after retireTime
	}
}

func (r *Remote) leaveHub() *link {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.link
	if l == nil || !l.hub {
		return nil
	}
	r.setAway()
	return l
}

// StopCalls lets calls wait for the next port, unless some are in flight over the present
// one. It returns the number of calls that have no result yet; if it is 0, none will be sent
// over this port.
func (r *Remote) StopCalls() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.link == nil {
		return 0
	}
	if r.link.calls == 0 {
		r.link.resting = true
	}
	return r.link.calls
}

// retire closes a link that was replaced.
func (r *Remote) retire(l *link) {
	defer l.conn.Close()
	timer := time.NewTimer(retireTime)
	defer timer.Stop()
	for r.callsOver(l) > 0 {
		select {
		case <-l.idle:
		case <-l.down:
			return
		case <-timer.C:
			return
		}
	}
}

func (r *Remote) callsOver(l *link) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return l.calls
}

// sendOnce exchanges a request that must not be sent twice for its result. It is sent again
// only when it is certain that the page did not get it.
func (r *Remote) sendOnce(ctx context.Context, exchange func(*link, <-chan struct{}) ([]byte, error)) ([]byte, error) {
	var grace graceTime
	for resend := minResend; ; resend = min(2*resend, maxResend) {
		l, err := r.linkForCall(ctx, &grace)
		if err != nil {
			return nil, engine.NotSent(err)
		}
		result, err := r.exchangeOver(l, exchange)
		switch {
		case errors.Is(err, errNotBegun): // the Conn notices a moment before the Remote
		case l.hub && isNotSent(err):
		case errors.Is(err, jsonrpc.ErrClosed):
			return nil, engine.ErrInterrupted
		default:
			if grace != (graceTime{}) {
				engine.InvocationOf(ctx).Returned()
			}
			return result, cleanError(withoutNotSent(err))
		}
		if !grace.wait(ctx, l.down, resend) {
			return nil, engine.NotSent(engine.ErrAway)
		}
	}
}

// exchangeOver calls exchange, and counts the call as done.
func (r *Remote) exchangeOver(l *link, exchange func(*link, <-chan struct{}) ([]byte, error)) ([]byte, error) {
	defer r.endCall(l)
	return exchange(l, nil)
}

func (r *Remote) endCall(l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.calls--
	if l.calls == 0 {
		select {
		case l.idle <- struct{}{}:
		default:
		}
	}
}

// linkForCall returns the link for a request, which counts as in flight over it until endCall.
// It waits for one in the grace time, unless that is for the other node to do.
func (r *Remote) linkForCall(ctx context.Context, grace *graceTime) (*link, error) {
	fromHub := ctx.Value(hop.FromHub{}) != nil
	for {
		l, next, err := r.tryLink(fromHub)
		if l != nil || err != nil {
			return l, err
		}
		if !grace.wait(ctx, next, hop.Grace) {
			return nil, engine.ErrAway
		}
	}
}

// tryLink returns the link, or what is closed when there may be another one. A call from a
// hub waits for a page only while it joins here, and is not passed to a third node: the page
// moves again meanwhile, or two nodes pass a call to each other.
func (r *Remote) tryLink(fromHub bool) (l *link, next <-chan struct{}, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	usable := r.link != nil && !r.link.resting
	switch {
	case fromHub && (r.closed || r.link != nil && r.link.hub || !usable && r.arrivals == 0):
		return nil, nil, hop.ErrNotSent
	case r.closed:
		return nil, nil, engine.ErrAway
	case usable && !r.link.asleep.IsZero():
		return nil, nil, engine.ErrAsleep
	case usable:
		r.link.calls++
		return r.link, nil, nil
	case r.link != nil:
		return nil, r.link.down, nil
	case r.forgotten && r.arrivals == 0:
		return nil, nil, engine.ErrAway
	}
	return nil, r.back, nil
}

// A graceTime is how long one request waits for the page, from the first wait on.
type graceTime struct{ end time.Time } // zero before that

// wait waits until next is closed, or for d. It returns false when the time is over.
func (g *graceTime) wait(ctx context.Context, next <-chan struct{}, d time.Duration) bool {
	if g.end.IsZero() {
		g.end = engine.InvocationOf(ctx).WaitUntil()
	}
	left := time.Until(g.end)
	timer := time.NewTimer(min(d, left))
	defer timer.Stop()
	select {
	case <-next:
		return true
	case <-timer.C:
		return d < left
	case <-ctx.Done():
		return false
	}
}

// withoutNotSent returns err as other nodes may see it: a page does not speak as a hub.
func withoutNotSent(err error) error {
	if !isNotSent(err) {
		return err
	}
	return engine.ErrAway
}

// isNotSent reports whether err is the answer of a hub that has not sent a request.
func isNotSent(err error) bool {
	if err == nil {
		return false
	}
	var wire *jsonrpc.Error
	return errors.As(err, &wire) && string(jsonrpc.Member(wire.Data, hop.MemberNotSent)) == "true"
}
