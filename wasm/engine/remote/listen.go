package remote

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Which URIs are wanted of the other engine, over all engines that mount the
// Remote, and which listens a link has for them. One goroutine for
// each link, keepListening, brings the listens in step with what is wanted. Each
// change of what is wanted has a number, the Remote's generation; the goroutine
// works until it has settled the newest one.
//
//   - A listen is cancelled only after those that replace it are acknowledged.
//   - One that is refused, ended, or not acknowledged in time is sent again, with
//     back-off, until it is acknowledged or no longer wanted.
//   - URIs that were without a listen meanwhile are announced as changed when they
//     have one again.

// An upstreamListen is a listen of a Remote on its link. A listen's filter cannot
// change: further URIs take a further listen, and when these are many, one takes
// the place of all.
type upstreamListen struct {
	pending *jsonrpc.Pending
	uris    map[string]struct{} // requested; after the acknowledgement: acknowledged
	lists   bool                // requests changes of the lists
	acked   chan struct{}       // closed by the acknowledgement
	isAcked bool
}

const (
	maxHopListens = 8                // listens of a link before they are joined
	hopAckTimeout = 30 * time.Second // for the other engine to acknowledge a listen
)

// keepListening brings the listens of a link in step with what is wanted, until
// the link is down.
func (r *Remote) keepListening(l *link) {
	defer r.releaseWaiters(l)
	for {
		retry := r.reconcile(l)
		select {
		case <-l.wake:
		case <-retry:
			r.allowRefused(l)
		case <-l.down:
			return
		}
	}
}

// replan makes keepListening compare what is wanted with the listens again. It does not block.
func (l *link) replan() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// A plan is what is to be done to bring a link in step.
type plan struct {
	generation uint64
	open       [][]string        // a listen for each
	lists      bool              // the first of them requests the lists
	old        []*upstreamListen // to be cancelled when all of open are acknowledged
	retry      time.Duration     // after which there is more to do; 0: nothing
}

// reconcile carries out plans until none is left, and returns a channel that gets a value
// when to try again; nil: there is no need.
func (r *Remote) reconcile(l *link) (retry <-chan time.Time) {
	for {
		p := r.plan(l)
		opened, failure := r.openAll(l, p)
		switch failure {
		case nil:
			r.cancel(l, p.old)
			if p.open != nil {
				continue // is there more to do by now?
			}
			r.settled(l, p.generation)
			if p.retry > 0 {
				return time.After(p.retry)
			}
			return nil
		case errRefused: // clients need not wait any longer
			r.settled(l, p.generation)
		}
		if p.old != nil {
			r.cancel(l, opened) // the old ones stay, and all is requested again
		}
		return time.After(r.retryDelay(l))
	}
}

// openAll opens the listens of a plan, until one fails.
func (r *Remote) openAll(l *link, p plan) (opened []*upstreamListen, failure error) {
	for i, part := range p.open {
		h, err := r.open(l, part, p.lists && i == 0)
		if err != nil {
			for _, rest := range p.open[i+1:] {
				r.markUncovered(l, rest, false)
			}
			return opened, err
		}
		opened = append(opened, h)
	}
	return opened, nil
}

// plan compares what is wanted with the listens of a link.
func (r *Remote) plan(l *link) plan {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := plan{generation: r.generation}
	wanted, followed := map[string]struct{}{}, false
	for f := range r.follows {
		followed = followed || f.uris != nil
		for uri := range f.uris {
			wanted[uri] = struct{}{}
		}
	}
	maps.DeleteFunc(l.uncovered, func(uri string, _ time.Time) bool { _, still := wanted[uri]; return !still })
	maps.DeleteFunc(l.refused, func(uri string, _ struct{}) bool { _, still := wanted[uri]; return !still })
	all := make([]*upstreamListen, 0, len(l.listens))
	covered := map[string]struct{}{}
	for _, h := range l.listens {
		all = append(all, h)
		for uri := range h.uris {
			covered[uri] = struct{}{}
		}
	}
	if !followed {
		p.old = all
		return p
	}
	var missing, kept []string
	for uri := range wanted {
		_, has := covered[uri]
		_, refused := l.refused[uri]
		switch {
		case has:
			kept = append(kept, uri)
		case !refused:
			missing = append(missing, uri)
		}
	}
	if (len(l.refused) > 0 || l.listsRefused) && l.delay > 0 {
		p.retry = max(time.Until(l.retryAt), time.Millisecond)
	}
	p.lists = !l.coversLists() && !l.listsRefused
	if stale := len(covered) - len(kept); stale > hop.MaxStreamURIs/2+len(wanted) ||
		len(all) >= maxHopListens && (len(missing) > 0 || p.lists) {
		p.old, p.lists = all, !l.listsRefused
		missing = append(missing, kept...)
	}
	for len(missing) > 0 || p.lists && p.open == nil || p.old != nil && p.open == nil {
		part := missing[:min(len(missing), hop.MaxStreamURIs)]
		missing = missing[len(part):]
		p.open = append(p.open, part)
	}
	return p
}

var (
	errSilent  = errors.New("a listen was not acknowledged in time")
	errRefused = errors.New("a listen was refused")
)

// open opens a listen and waits for its acknowledgement. The error is errRefused
// if the other engine has answered, and errSilent if it has not.
func (r *Remote) open(l *link, uris []string, lists bool) (*upstreamListen, error) {
	ctx, cancel := context.WithTimeout(context.Background(), hopAckTimeout)
	defer cancel()
	h := &upstreamListen{uris: make(map[string]struct{}, len(uris)), lists: lists, acked: make(chan struct{})}
	for _, uri := range uris {
		h.uris[uri] = struct{}{}
	}
	pending, err := l.conn.Begin(ctx, engine.MethodListen, listenParams(uris, lists), func(p *jsonrpc.Pending) {
		r.expect(l, h, p)
	})
	if err != nil {
		r.listenEnded(l, h)
		r.markUncovered(l, uris, lists)
		r.startBackOff(l)
		return nil, errSilent
	}
	woken := false
	defer func() {
		if woken {
			l.replan()
		}
	}()
	for {
		select {
		case <-h.acked:
			go func() { // ends with the listen or the link
				<-pending.Done()
				r.listenEnded(l, h)
			}()
			r.listenAcknowledged(l, h, uris, lists)
			return h, nil
		case <-pending.Done():
			r.listenEnded(l, h)
			if _, err := pending.Answer(); !errors.Is(err, jsonrpc.ErrClosed) {
				r.listenRefused(l, uris, lists)
			}
			return nil, errRefused
		case <-l.wake:
			woken = true
			if r.isFollowed() {
				continue
			}
			l.conn.Cancel(pending)
			r.listenEnded(l, h)
			return nil, errRefused
		case <-ctx.Done():
			l.conn.Cancel(pending)
			r.listenEnded(l, h)
			r.markUncovered(l, uris, lists)
			r.startBackOff(l)
			return nil, errSilent
		}
	}
}

// listenParams returns the params of a listen; tasks are among uris: see [engine.TaskURI].
func listenParams(uris []string, lists bool) []byte {
	member, tasks := []byte(`"notifications":{"resourceSubscriptions":[`), []byte(nil)
	for _, uri := range uris {
		if id := engine.TaskOfURI(uri); id != "" {
			tasks = jsonrpc.AppendString(append(tasks, ','), id)
			continue
		}
		if member[len(member)-1] != '[' {
			member = append(member, ',')
		}
		member = jsonrpc.AppendString(member, uri)
	}
	member = append(member, ']')
	capabilities := "{}"
	if tasks != nil {
		tasks[0] = '['
		member = append(append(append(member, `,"taskIds":`...), tasks...), ']')
		capabilities = `{"extensions":{"` + engine.ExtensionTasks + `":{}}}`
	}
	if lists {
		member = append(member, `,"resourcesListChanged":true,"promptsListChanged":true,"toolsListChanged":true`...)
	}
	return envelopeWith(capabilities, "", append(member, '}'))
}

// expect records a listen before it is sent.
func (r *Remote) expect(l *link, h *upstreamListen, p *jsonrpc.Pending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h.pending = p
	l.listens[p.ID] = h
}

// cancel cancels listens.
func (r *Remote) cancel(l *link, all []*upstreamListen) {
	for _, h := range all {
		r.drop(l, h)
		l.conn.Cancel(h.pending)
	}
}

func (r *Remote) drop(l *link, h *upstreamListen) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(l.listens, h.pending.ID)
}
