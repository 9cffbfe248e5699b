package engine

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A page must not delay lists of all pages: a Remote answers requests for lists within
// listTimeout, from the other engine, from the cache, or with an empty list. It is never
// an error, except for a wrong cursor. If the other engine answers later and differently,
// the change is announced. What it sends is bounded in
// entries, time and bytes; an entry that is not valid is left out alone.

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

// listCache are a Remote's answers about lists, by method, principal and cursor.
// The Remote's mu guards them.
type listCache struct {
	kept    map[string]*cachedList
	fetches map[string]*fetch
	bytes   int // of what is kept or being read
	uses    uint64
	slow    bool // the last fetch took longer than listTimeout
}

// A cachedList is the last good one to a question.
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
	substitute any  // what was answered without it
	isStale    bool // something was
}

// List requests a part of the list.
func (r *Remote) List(ctx context.Context, cursor string) (Listing, error) {
	const method = "resources/list"
	return listOrCached(ctx, r, method, cursor, Change{List: true}, func(ctx context.Context, w *pager) (listing Listing, err error) {
		listing.Next, err = w.page(ctx, "resources", cursor, func(object []byte) error {
			resource, err := ParseResource(object)
			if err == nil {
				listing.Resources = append(listing.Resources, resource)
			}
			return err
		})
		return listing, err
	}, sameListing)
}

// Templates requests all templates, page by page.
func (r *Remote) Templates(ctx context.Context) ([]Template, error) {
	const method = "resources/templates/list"
	return listOrCached(ctx, r, method, "", Change{List: true}, func(ctx context.Context, w *pager) (all []Template, err error) {
		err = w.pages(ctx, "resourceTemplates", func(object []byte) error {
			template, err := ParseTemplate(object)
			if err == nil {
				all = append(all, template)
			}
			return err
		})
		return all, err
	}, func(a, b []Template) bool { return slices.EqualFunc(a, b, sameTemplate) })
}

// Prompts requests all prompts, page by page.
func (r *Remote) Prompts(ctx context.Context) ([]Prompt, error) {
	return r.named(ctx, "prompts", Change{Prompts: true})
}

// Tools requests all tools, page by page.
func (r *Remote) Tools(ctx context.Context) ([]Tool, error) {
	return r.named(ctx, "tools", Change{Tools: true})
}

// named requests a list whose method is what and "/list".
func (r *Remote) named(ctx context.Context, what string, change Change) ([]Named, error) {
	return listOrCached(ctx, r, what+"/list", "", change, func(ctx context.Context, w *pager) (all []Named, err error) {
		err = w.pages(ctx, what, func(object []byte) error {
			n, err := parseNamed(object, what == "tools")
			if err == nil {
				all = append(all, n)
			}
			return err
		})
		return all, err
	}, func(a, b []Named) bool { return slices.EqualFunc(a, b, sameNamed) })
}

// prefetch requests a list whose answer is needed soon.
func (r *Remote) prefetch(ctx context.Context, kind byte) {
	ask := func(ctx context.Context) { r.List(ctx, "") }
	switch kind {
	case listOfTemplates:
		ask = func(ctx context.Context) { r.Templates(ctx) }
	case listOfPrompts:
		ask = func(ctx context.Context) { r.Prompts(ctx) }
	case listOfTools:
		ask = func(ctx context.Context) { r.Tools(ctx) }
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel() // it does not wait for the answer
	ask(ctx)
}

// listOrCached returns a list after listTimeout at the latest: fetched, or from the
// cache.
func listOrCached[T any](ctx context.Context, r *Remote, method, cursor string, change Change,
	ask func(context.Context, *pager) (T, error), same func(a, b T) bool) (T, error) {
	who := PrincipalOf(ctx)
	key := method + "\x00" + string(who) + "\x00" + cursor
	kept, f, patience, isNew := r.joinFetch(ctx, key)
	copied, _ := kept.(T)
	if f == nil {
		return copied, nil // away, or good enough
	}
	if isNew {
		go func() { // ends with the answer, or when no engine follows the Remote
			r.runFetch(context.WithoutCancel(ctx), f, key, change, func(ctx context.Context) (value any, w *pager, err error) {
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
		if value, ok := f.value.(T); ok {
			return value, nil
		}
		if errors.Is(f.err, ErrBadCursor) && cursor != "" {
			return copied, ErrBadCursor
		}
	case <-slow.C:
	case <-ctx.Done():
		return copied, ctx.Err()
	}
	r.noteStale(f, copied)
	return copied, nil
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
		asked, ok := ctx.Value(requestedKey{}).(time.Time)
		if ok && k.at.After(asked) || k.pages > manyPages && ctx.Value(continuedKey{}) != nil {
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
	patience = listTimeout
	if a.slow {
		patience = slowListTimeout
	}
	return kept, f, patience - time.Since(f.began), isNew
}

// runFetch repeats a request, with back-off, until there is an answer or no engine follows
// the Remote. It announces an answer that differs from what was returned meanwhile.
func (r *Remote) runFetch(ctx context.Context, f *fetch, key string, change Change,
	ask func(context.Context) (any, *pager, error), same func(instead, value any) bool) {
	delay, failed := time.Duration(0), time.Time{}
	for {
		value, w, err := r.attempt(ctx, ask)
		if isUnknownMethod(err) {
			err = nil // it has no such list
		}
		w.report(ctx, err)
		if r.finishFetch(f, key, value, w, err) {
			if err == nil && f.isStale && !same(f.substitute, value) {
				r.announce(change)
			}
			return
		}
		var wait time.Duration
		delay, wait = backOff(delay, failed)
		failed = time.Now()
		time.Sleep(wait)
	}
}

// attempt sends the request once.
func (r *Remote) attempt(ctx context.Context, ask func(context.Context) (any, *pager, error)) (any, *pager, error) {
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	return ask(ctx)
}

// finishFetch records the result of an attempt; isOver is false if there should be
// another one.
func (r *Remote) finishFetch(f *fetch, key string, value any, w *pager, err error) (isOver bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := &r.lists
	isOver = err == nil || errors.Is(err, ErrBadCursor) || errors.Is(err, ErrAway) || r.link == nil ||
		len(r.follows) == 0 || time.Since(f.began) > retryLists
	if err == nil {
		f.value = value
		a.drop(key)
		a.kept[key] = &cachedList{value, w.bytes, w.asked, time.Now(), a.uses}
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

// noteStale records that substitute was returned instead of a fetch's answer. A different
// answer is announced.
func (r *Remote) noteStale(f *fetch, instead any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f.isStale, f.substitute = true, instead
	r.lists.slow = r.lists.slow || !f.finished
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

// A pager gets the pages of a list, within bounds.
type pager struct {
	remote  *Remote
	method  string
	who     Principal
	asked   int // pages
	entries int
	bytes   int    // charged
	invalid int    // entries that were left out
	first   error  // what was wrong with the first of them
	cut     string // why not everything was taken
}

// pages calls each for the entries of all pages.
func (w *pager) pages(ctx context.Context, member string, each func(object []byte) error) error {
	ends := time.Now().Add(maxListTime)
	for cursor := ""; ; {
		next, err := w.page(ctx, member, cursor, each)
		if err != nil || next == "" || w.cut != "" {
			return err
		}
		cursor = next
		switch {
		case time.Now().After(ends):
			w.cut = "its pages took longer than 10 s"
			return nil
		case w.asked >= maxListPages:
			w.cut = "it has more than 1,000 pages"
			return nil
		}
	}
}

// page calls each for the entries of one page, and returns the cursor of the next.
func (w *pager) page(ctx context.Context, member, cursor string, each func(object []byte) error) (next string, err error) {
	w.asked++
	result, err := w.remote.call(ctx, w.method, envelope(w.who, cursorMember(cursor)))
	if err != nil {
		return "", cursorError(err, cursor)
	}
	if !w.take(entryCost) {
		return "", nil
	}
	entries := 0
	err = decodeList(result, member, &next, func(object []byte) *jsonrpc.Error {
		if w.cut != "" {
			return nil
		}
		if entries++; entries > MaxPageSize {
			w.cut = "a page has more than 1,000 entries"
			return nil
		}
		if w.entries++; w.entries > maxListEntries {
			w.cut = "it has more than 10,000 entries"
			return nil
		}
		if !w.take(len(object) + entryCost) {
			return nil
		}
		if err := each(object); err != nil {
			w.invalid++
			if w.first == nil {
				w.first = err
			}
		}
		return nil
	})
	return next, err
}

// take charges bytes; false: there is no room.
func (w *pager) take(bytes int) bool {
	if !w.remote.charge(bytes) {
		w.cut = "lists of this page take more than 16 MiB"
		return false
	}
	w.bytes += bytes
	return true
}

// report reports what was wrong with the answer.
func (w *pager) report(ctx context.Context, err error) {
	report, ok := ctx.Value(reportKey{}).(func(error))
	switch {
	case !ok:
	case err != nil && !errors.Is(err, ErrAway) && !errors.Is(err, ErrBadCursor):
		report(jsonrpc.Wrap(w.method+" of a page", shortened(err)))
	case w.cut != "":
		report(errors.New(w.method + " of a page is cut: " + w.cut))
	}
	if ok && w.invalid > 0 {
		report(jsonrpc.Wrap(w.method+" of a page: "+strconv.Itoa(w.invalid)+" entries are not valid and left out; the first", shortened(w.first)))
	}
}

// requestedKey is the key of the context's time at which a client requested a list.
type requestedKey struct{}

// reportKey is the key of a func(error) that reports, in the context in which a source is
// called or followed.
type reportKey struct{}

// shortened returns an error whose text is bounded: it may be a peer's.
func shortened(err error) error {
	const most = 300 // bytes
	if text := err.Error(); len(text) > most {
		return errors.New(jsonrpc.Shortened(text, most))
	}
	return err
}

// cursorError finds out that a cursor was refused.
func cursorError(err error, cursor string) error {
	var wire *jsonrpc.Error
	if cursor != "" && errors.As(err, &wire) && wire.Code == jsonrpc.CodeInvalidParams {
		return ErrBadCursor
	}
	return err
}

func cursorMember(cursor string) []byte {
	if cursor == "" {
		return nil
	}
	return jsonrpc.AppendString([]byte(`"cursor":`), cursor)
}
