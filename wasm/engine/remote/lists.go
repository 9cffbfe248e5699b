package remote

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/backoff"
	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A page must not delay lists of all pages: a Remote answers requests for lists within
// listTimeout, from the other engine, from the cache, or with an empty list. It is never
// an error, except for a wrong cursor. If the other engine answers later and differently,
// the change is announced. Answers are bounded in entries, time and bytes
// (remote_lists_pager.go); an invalid entry is left out, the others stay.

const (
	listTimeout     = 2 * time.Second  // for the other engine to answer
	slowListTimeout = listTimeout / 8  // for one that did not the last time
	maxListEntries  = 10_000           // of one list
	maxListPages    = 1000             // likewise
	maxListTime     = 10 * time.Second // to get all pages of one list
	maxListBytes    = 16 << 20         // of all answers of a Remote that are kept or being read
	entryCost       = 256              // bytes that an entry takes besides its text; a page of a list likewise
	manyPages       = 20               // of a list; a longer one is not fetched again for each page of a client
	retryLists      = 10 * time.Minute // how long a fetch is repeated that is not answered
)

// A listCache has a Remote's lists by method, principal and cursor. The Remote's mu
// guards it.
type listCache struct {
	kept    map[string]*cachedList
	fetches map[string]*fetch
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
	value any
	bytes int
	pages int // that it took to get it
	at    time.Time
	used  uint64
}

// A fetch is a request for a list that waits for its answer, shared by all that need it.
type fetch struct {
	began      time.Time
	done       chan struct{} // closed when there is an answer, or none for now
	finished   bool
	value      any
	err        error
	substitute any  // what was returned without it
	isStale    bool // a substitute was returned
}

// List requests a part of the list.
func (r *Remote) List(ctx context.Context, cursor string) (engine.Listing, error) {
	const method = engine.MethodListResources
	return listOrCached(ctx, r, method, cursor, engine.Change{List: true}, func(ctx context.Context, w *pager) (listing engine.Listing, err error) {
		listing.Next, err = w.page(ctx, "resources", cursor, func(object []byte) error {
			resource, err := engine.ParseResource(object)
			if err == nil {
				listing.Resources = append(listing.Resources, resource)
			}
			return err
		})
		return listing, err
	}, sameListing)
}

// Templates requests all templates, page by page.
func (r *Remote) Templates(ctx context.Context) ([]engine.Template, error) {
	const method = engine.MethodListTemplates
	return listOrCached(ctx, r, method, "", engine.Change{List: true}, func(ctx context.Context, w *pager) (all []engine.Template, err error) {
		err = w.pages(ctx, "resourceTemplates", func(object []byte) error {
			template, err := engine.ParseTemplate(object)
			if err == nil {
				all = append(all, template)
			}
			return err
		})
		return all, err
	}, func(a, b []engine.Template) bool { return slices.EqualFunc(a, b, sameTemplate) })
}

// Prompts requests all prompts, page by page.
func (r *Remote) Prompts(ctx context.Context) ([]engine.Prompt, error) {
	return r.named(ctx, engine.MethodListPrompts, "prompts", engine.Change{Prompts: true}, engine.ParsePrompt)
}

// Tools requests all tools, page by page.
func (r *Remote) Tools(ctx context.Context) ([]engine.Tool, error) {
	return r.named(ctx, engine.MethodListTools, "tools", engine.Change{Tools: true}, engine.ParseTool)
}

// named requests a list of prompts or tools.
func (r *Remote) named(ctx context.Context, method, member string, change engine.Change, parse func([]byte) (engine.Named, error)) ([]engine.Named, error) {
	return listOrCached(ctx, r, method, "", change, func(ctx context.Context, w *pager) (all []engine.Named, err error) {
		err = w.pages(ctx, member, func(object []byte) error {
			n, err := parse(object)
			if err == nil {
				all = append(all, n)
			}
			return err
		})
		return all, err
	}, func(a, b []engine.Named) bool { return slices.EqualFunc(a, b, sameNamed) })
}

// Prefetch requests the list of a method whose answer an engine needs soon.
func (r *Remote) Prefetch(ctx context.Context, method string) {
	ask := func(ctx context.Context) { r.List(ctx, "") }
	switch method {
	case engine.MethodListTemplates:
		ask = func(ctx context.Context) { r.Templates(ctx) }
	case engine.MethodListPrompts:
		ask = func(ctx context.Context) { r.Prompts(ctx) }
	case engine.MethodListTools:
		ask = func(ctx context.Context) { r.Tools(ctx) }
	case engine.MethodListSkills:
		ask = func(ctx context.Context) { r.Skills(ctx) }
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel() // it does not wait for the answer
	ask(ctx)
}

// listOrCached returns a list after listTimeout at the latest: fetched, or from the
// cache.
func listOrCached[T any](ctx context.Context, r *Remote, method, cursor string, change engine.Change,
	ask func(context.Context, *pager) (T, error), same func(a, b T) bool) (T, error) {
	who := engine.PrincipalOf(ctx)
	key := method + "\x00" + string(who) + "\x00" + cursor
	waited := r.awaitArrival(ctx, key)
	kept, f, patience, isNew := r.joinFetch(ctx, key)
	patience = min(patience-waited, timeLeft(ctx))
	copied, _ := kept.(T)
	if kept != nil && !r.mayList(who, method) {
		var none T
		return none, nil
	}
	if f == nil {
		return copied, nil // away, or good enough
	}
	if isNew {
		limit := retryLists
		if cursor != "" { // clients may make up any number of these
			limit = listTimeout
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
		go func() { // ends with the answer, with ctx, or when no engine follows the Remote
			defer cancel()
			r.runFetch(ctx, f, key, change, func(ctx context.Context) (value any, w *pager, err error) {
				w = &pager{remote: r, method: method, who: who}
				defer func() { // of a panic an error: this goroutine is the process's
					if panicked := recover(); panicked != nil {
						err = jsonrpc.Panicked(panicked)
					}
				}()
				value, err = ask(ctx, w)
				return value, w, err
			}, func(instead, value any) bool {
				a, _ := instead.(T)
				return same(a, value.(T))
			})
		}()
	}
	slow := time.NewTimer(patience)
	defer slow.Stop()
	select {
	case <-f.done:
	case <-slow.C:
	case <-ctx.Done():
		return copied, ctx.Err()
	}
	value, err := r.result(f, copied)
	if errors.Is(err, engine.ErrBadCursor) && cursor != "" {
		return copied, engine.ErrBadCursor
	}
	fresh, _ := value.(T)
	return fresh, nil
}

// mayList reports whether a client may get a list that is kept: while the page is away or asleep, the other tabs of its app
// may have newer decisions.
func (r *Remote) mayList(who engine.Principal, method string) bool {
	if r.awake() != nil {
		return true // its engine decides
	}
	for _, g := range r.elsewhere() {
		if !g.MayList(who, method) {
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
// wait for it. There is no fetch while the engine is away, and none is needed if the list
// came since the client's request, or a cached copy is good enough.
func (r *Remote) joinFetch(ctx context.Context, key string) (kept any, f *fetch, patience time.Duration, isNew bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := &r.lists
	if k := a.kept[key]; k != nil {
		a.uses++
		k.used = a.uses
		kept = k.value
		asked, ok := ctx.Value(hop.Requested{}).(time.Time)
		if ok && k.at.After(asked) || k.pages > manyPages && ctx.Value(hop.Continued{}) != nil {
			return kept, nil, 0, false
		}
	}
	if r.link == nil {
		return kept, nil, 0, false
	}
	f = a.fetches[key]
	if f == nil {
		f, isNew = &fetch{began: time.Now(), done: make(chan struct{})}, true
		a.fetches[key] = f
	}
	return kept, f, a.patience() - time.Since(f.began), isNew
}

// runFetch repeats a request, with back-off, until there is an answer or no engine follows
// the Remote. It announces an answer that differs from what was returned meanwhile.
func (r *Remote) runFetch(ctx context.Context, f *fetch, key string, change engine.Change,
	ask func(context.Context) (any, *pager, error), same func(instead, value any) bool) {
	delay, failed := time.Duration(0), time.Time{}
	for {
		value, w, err := r.attempt(ctx, ask)
		if isUnknownMethod(err) {
			err = nil // it has no such list
		}
		w.report(ctx, err)
		if r.finishFetch(ctx, f, key, value, w, err) {
			if err == nil && f.isStale && !same(f.substitute, value) {
				r.announce(change)
			}
			return
		}
		var wait time.Duration
		delay, wait = backoff.Next(delay, failed)
		failed = time.Now()
		time.Sleep(wait)
	}
}

// attempt sends the request once.
func (r *Remote) attempt(ctx context.Context, ask func(context.Context) (any, *pager, error)) (any, *pager, error) {
	ctx, cancel := context.WithTimeout(ctx, hop.Timeout)
	defer cancel()
	return ask(ctx)
}

// finishFetch records the result of an attempt; isOver is false if there should be
// another one.
func (r *Remote) finishFetch(ctx context.Context, f *fetch, key string, value any, w *pager, err error) (isOver bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := &r.lists
	isOver = err == nil || errors.Is(err, engine.ErrBadCursor) || errors.Is(err, engine.ErrAway) || errors.Is(err, engine.ErrAsleep) || r.link == nil ||
		len(r.follows) == 0 || ctx.Err() != nil
	if err == nil {
		f.value = value
		a.drop(key)
		a.kept[key] = &cachedList{value, w.bytes, w.count, time.Now(), a.uses}
	} else {
		a.bytes -= w.bytes
		f.err = err
	}
	a.slow = a.slow && errors.Is(err, context.DeadlineExceeded)
	if isOver {
		delete(a.fetches, key)
	}
	if !f.finished {
		f.finished = true
		close(f.done)
	}
	return isOver
}

// result returns the answer of a fetch, if there is one by now; else instead, and a different answer
// is announced. The error is that of an attempt.
func (r *Remote) result(f *fetch, instead any) (value any, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.value != nil {
		return f.value, nil
	}
	f.isStale, f.substitute = true, instead
	r.lists.slow = r.lists.slow || !f.finished
	return instead, f.err
}

// drop removes an answer.
func (a *listCache) drop(key string) {
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
		oldest := ""
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
