package remote

import (
	"context"
	"time"
)

// An engine arrives from the call of Reattach to its first answer. Its page knows by then
// that it is connected, so requests that come meanwhile wait, also those for lists, unless
// there is a list from before.

// Arrives says that there will be a call of Reattach soon: requests wait until done is called,
// also if the engine was forgotten, as they do during Reattach.
func (r *Remote) Arrives() (done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.arrivals++
	return r.arrived
}

// Expect undoes Forget for an engine that will come back, but is not there yet.
func (r *Remote) Expect() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgotten = false
}

// arrived ends what Arrives began. What waits for an engine that has not come and is not
// expected any longer fails now.
func (r *Remote) arrived() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.arrivals--
	if r.arrivals == 0 && r.forgotten && r.link == nil && !r.closed {
		r.wakeWaiting()
	}
}

// wakeWaiting lets those that wait for the engine check again. The caller holds the lock.
func (r *Remote) wakeWaiting() {
	close(r.back)
	r.back = make(chan struct{})
}

// awaitArrival waits for an engine that is about to answer for the first time, since it has
// no lists from before. It returns after listTimeout at the latest, and says how long it
// has waited.
func (r *Remote) awaitArrival(ctx context.Context, key listKey) time.Duration {
	back, patience := r.arrival(key)
	if back == nil {
		return 0
	}
	began := time.Now()
	timer := time.NewTimer(min(patience, timeLeft(ctx)))
	defer timer.Stop()
	for back != nil {
		select {
		case <-back: // it has come, or was forgotten, or others wait for it, too
			back, _ = r.arrival(key)
		case <-timer.C:
			r.noteSlow()
			return time.Since(began)
		case <-ctx.Done():
			return time.Since(began)
		}
	}
	return time.Since(began)
}

// arrival returns what is closed when the engine has arrived, and how long to wait for that;
// nil if it is there, is not arriving, or has left a list.
func (r *Remote) arrival(key listKey) (back <-chan struct{}, patience time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.link != nil || r.arrivals == 0 || r.closed || r.lists.kept[key] != nil {
		return nil, 0
	}
	return r.back, r.lists.patience()
}

func (r *Remote) noteSlow() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lists.slow = true
}
