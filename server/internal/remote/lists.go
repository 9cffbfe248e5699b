package remote

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/hop"
)

// A page must not delay lists of all pages: a Remote answers requests for lists within
// listTimeout, from the other engine, from the cache, or with an empty list. It is never
// an error, except for a wrong cursor. If the other engine answers later and differently,
// the change is announced. Answers are bounded in entries, time and bytes
// (pager.go); an invalid entry is left out, the others stay.

const (
	listTimeout     = 2 * time.Second  // for the other engine to answer
	slowListTimeout = listTimeout / 8  // for one that did not the last time
	maxListEntries  = 10_000           // of one list
	maxListPages    = 1000             // likewise
	maxListTime     = 10 * time.Second // to get all pages of one list
	maxListBytes    = 16 << 20         // of all answers of a Remote that are kept or being read
	entryCost       = 256              // bytes that an entry takes besides its text; a page of a list likewise
	retryLists      = 10 * time.Minute // how long a fetch is repeated that is not answered
)

// A listKey names a list of a Remote, or the part of it from a cursor on, as one client has it.
type listKey struct {
	kind   engine.Kind
	who    engine.Principal
	cursor string
}

// A listCache has a Remote's lists. The Remote's mu guards it.
type listCache struct {
	kept    map[listKey]*cachedList
	fetches map[listKey]*fetch
	bytes   int // of what is kept or being read
	uses    uint64
	slow    bool // the last fetch took longer than listTimeout
}

// patience is how long to wait for an answer.
func (a *listCache) patience() time.Duration {
	if a.slow {
		return slowListTimeout
	}
	return listTimeout
}

// A cachedList is the last valid answer to a request.
type cachedList struct {
	value engine.Listing
	bytes int
	at    time.Time
	used  uint64
}

// A fetch is a request for a list that waits for its answer, shared by all that need it.
type fetch struct {
	key        listKey
	began      time.Time
	done       chan struct{}   // closed when there is an answer, or none for now
	finished   bool            // it is closed
	answer     *engine.Listing // nil: there is none yet
	err        error           // of the last attempt
	substitute engine.Listing  // what was returned without it
	isStale    bool            // a substitute was returned
}

// List requests a part of the resources, or all of another kind, page by page. It returns after listTimeout at the
// latest: what was fetched, or what is kept.
func (r *Remote) List(ctx context.Context, k engine.Kind, cursor string) (engine.Listing, error) {
	key := listKey{k, engine.PrincipalOf(ctx), cursor}
	kept, f, patience, isNew := r.joinFetch(ctx, key)
	patience = min(patience, timeLeft(ctx))
	if kept == nil {
		kept = &cachedList{}
	} else if !r.mayList(key) {
		return engine.Listing{}, nil
	}
	if f == nil {
		return kept.value, nil // away, or good enough
	}
	if isNew {
		limit := retryLists
		if cursor != "" { // clients may make up any number of these
			limit = listTimeout
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
		go func() { // ends with the answer, with ctx, or when no engine follows the Remote
			defer cancel()
			r.runFetch(ctx, f)
		}()
	}
	slow := time.NewTimer(patience)
	defer slow.Stop()
	select {
	case <-f.done:
	case <-slow.C:
	case <-ctx.Done():
		return kept.value, ctx.Err()
	}
	value, err := r.result(f, kept.value)
	if errors.Is(err, engine.ErrBadCursor) && cursor != "" {
		return kept.value, engine.ErrBadCursor
	}
	return value, nil
}

// Prefetch requests a list whose answer an engine needs soon.
func (r *Remote) Prefetch(ctx context.Context, k engine.Kind) {
	ctx, cancel := context.WithCancel(ctx)
	cancel() // it does not wait for the answer
	r.List(ctx, k, "")
}

// mayList reports whether a client may get a list that is kept: while the page is away or asleep, the other tabs of its app
// may have newer decisions.
func (r *Remote) mayList(key listKey) bool {
	if r.awake() != nil {
		return true // its engine decides
	}
	for _, readers := range r.elsewhere() {
		if _, may := readers.Reason(key.who); !may {
			return false
		}
	}
	return true
}

// timeLeft is what a client's request has left of listTimeout: pages are asked one after the
// other where they have come since it began, and what one of them takes, the others have not.
func timeLeft(ctx context.Context) time.Duration {
	if asked, ok := ctx.Value(hop.Requested{}).(time.Time); ok {
		return listTimeout - time.Since(asked)
	}
	return listTimeout
}

// joinFetch returns the cached list, and the fetch that gets a new one and how long to
// wait for it. There is no fetch while the engine is away, unless it is about to answer for the first
// time, and none is needed if the list came since the client's request, or a cached copy is good enough.
func (r *Remote) joinFetch(ctx context.Context, key listKey) (kept *cachedList, f *fetch, patience time.Duration, isNew bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := &r.lists
	if kept = a.kept[key]; kept != nil {
		a.uses++
		kept.used = a.uses
		asked, ok := ctx.Value(hop.Requested{}).(time.Time)
		if ok && kept.at.After(asked) {
			return kept, nil, 0, false
		}
	}
	if r.link == nil && (r.arrivals == 0 || r.closed || kept != nil) {
		return kept, nil, 0, false
	}
	f = a.fetches[key]
	if f == nil {
		f, isNew = &fetch{key: key, began: time.Now(), done: make(chan struct{})}, true
		a.fetches[key] = f
	}
	return kept, f, a.patience() - time.Since(f.began), isNew
}

// runFetch repeats a request, with back-off, until there is an answer or no engine follows
// the Remote. It announces an answer that differs from what was returned meanwhile.
func (r *Remote) runFetch(ctx context.Context, f *fetch) {
	delay, failed := time.Duration(0), time.Time{}
	for {
		w := &pager{remote: r, key: f.key}
		value, err := w.attempt(ctx)
		if isUnknownMethod(err) {
			err = nil // it has no such list
		}
		w.report(ctx, err)
		if isOver, isNews := r.finishFetch(ctx, f, value, w, err); isOver {
			if isNews {
				r.announce(f.key.kind.Changed())
			}
			return
		}
		var wait time.Duration
		delay, wait = nextDelay(delay, failed)
		failed = time.Now()
		time.Sleep(wait)
	}
}

// finishFetch records the result of an attempt. isOver is false if there should be another one; isNews: the
// answer differs from what was returned without it.
func (r *Remote) finishFetch(ctx context.Context, f *fetch, value engine.Listing, w *pager, err error) (isOver, isNews bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := &r.lists
	isOver = err == nil || errors.Is(err, engine.ErrBadCursor) || errors.Is(err, engine.ErrAway) || errors.Is(err, engine.ErrAsleep) || r.link == nil ||
		len(r.follows) == 0 || ctx.Err() != nil
	if err == nil {
		f.answer, isNews = &value, f.isStale && !sameListing(f.substitute, value)
		a.drop(f.key)
		a.kept[f.key] = &cachedList{value, w.bytes, time.Now(), a.uses}
	} else {
		a.bytes -= w.bytes
		f.err = err
	}
	a.slow = a.slow && errors.Is(err, context.DeadlineExceeded)
	if isOver {
		delete(a.fetches, f.key)
	}
	if !f.finished {
		f.finished = true
		close(f.done)
	}
	return isOver, isNews
}

func sameListing(a, b engine.Listing) bool {
	return a.Next == b.Next && slices.EqualFunc(a.Items, b.Items, func(a, b engine.Item) bool { return bytes.Equal(a.JSON, b.JSON) })
}

// result returns the answer of a fetch, if there is one by now; else instead, and a different answer
// is announced. The error is that of an attempt.
func (r *Remote) result(f *fetch, instead engine.Listing) (engine.Listing, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.answer != nil {
		return *f.answer, nil
	}
	f.isStale, f.substitute = true, instead
	r.lists.slow = r.lists.slow || !f.finished
	return instead, f.err
}

// drop removes an answer.
func (a *listCache) drop(key listKey) {
	if k := a.kept[key]; k != nil {
		a.bytes -= k.bytes
		delete(a.kept, key)
	}
}

// clear removes all answers.
func (a *listCache) clear() {
	for key := range a.kept {
		a.drop(key)
	}
}

// charge counts bytes that are being read. If there would be too many, the answers
// that were used least recently make room; false: there is none.
func (r *Remote) charge(bytes int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := &r.lists
	for a.bytes+bytes > maxListBytes && len(a.kept) > 0 {
		var oldest listKey
		for key, k := range a.kept {
			if o := a.kept[oldest]; o == nil || k.used < o.used {
				oldest = key
			}
		}
		a.drop(oldest)
	}
	if a.bytes+bytes > maxListBytes {
		return false
	}
	a.bytes += bytes
	return true
}
