package engine

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A listPage is a page of a list while it is made.
type listPage struct {
	req   *Request
	kind  Kind
	json  []byte
	count int
}

// maxPageBytes is where a page of a list ends that has fewer entries than it may have:
// entries may be as large as messages, and a page of them is made in memory.
const maxPageBytes = 1 << 20

// isFull reports whether the page has as many entries as it may have, or as many bytes.
func (p *listPage) isFull(entries int) bool { return p.count >= entries || len(p.json) >= maxPageBytes }

// list answers the methods that list: with the entries of the mounts one after the other, by prefix.
// MCP 2026-07-28, server/utilities/pagination.
func (e *Engine) list(ctx context.Context, req *Request) (sink.Result, error) {
	kind := e.method(req.method).Lists
	doc, stamp := e.keptPage(req, kind)
	if doc != nil {
		return sink.Result{Document: doc}, nil
	}
	mounts := e.sources()
	at := position{}
	if req.hasCursor { // "" is no cursor of this list
		var err error
		if at, err = readCursor(req.method, req.cursor); err != nil {
			return sink.Result{}, err
		}
	}
	page := listPage{req: req, kind: kind, json: e.beginList(req.rev, kind)}
	keep := true
	var next string
	var failure error
	answered := 0 // mounts
	if req.mayWait {
		ctx = context.WithValue(context.WithValue(ctx, hop.Report{}, e.report), hop.Requested{}, time.Now())
		defer e.prefetch(ctx, kind, mounts, at)()
	}
	for _, m := range mounts {
		if !at.reached(m) {
			continue
		}
		if m.immediate == nil {
			keep = false
			if !req.mayWait {
				return sink.Result{}, errMustWait
			}
		}
		here, began, err := at.within(m), time.Now(), error(nil)
		for pieces := 0; ; pieces++ {
			if page.isFull(e.options.PageSize) {
				if pieces == 0 && here.isStart() { // the source may have nothing
					rest, further := listPage{req: req, kind: kind}, here
					if further, err = e.piece(ctx, &rest, m, here); err != nil || further.isStart() && rest.count == 0 {
						break
					}
				}
				next = writeCursor(req.method, here)
				break
			}
			if err = tooMany(m, pieces, began); err != nil {
				break
			}
			if here, err = e.piece(ctx, &page, m, here); err != nil || here.isStart() {
				break
			}
		}
		switch {
		case err == nil:
			answered++
		case ctx.Err() != nil, errors.Is(err, ErrBadCursor) && !at.within(m).isStart():
			return sink.Result{}, err
		default: // its entries are missing; those of others are not
			failure, keep = jsonrpc.Wrap("list the source of "+jsonrpc.Quoted(m.prefix), err), false
			e.report(failure)
		}
		if next != "" {
			break
		}
	}
	if failure != nil && answered == 0 {
		return sink.Result{}, &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "Internal error"} // reported already
	}
	page.json = append(page.json, ']')
	if next != "" {
		page.json = emit.AppendText(page.json, "nextCursor", next)
	}
	doc = &sink.Document{JSON: append(page.json, '}')}
	if keep {
		e.keepPage(req, kind, stamp, doc)
	}
	return sink.Result{Document: doc}, nil
}

// piece adds entries of a mount from a position on, and returns where they continue: at the start if there are no
// more. It makes an error of a panic.
func (e *Engine) piece(ctx context.Context, p *listPage, m *mount, from position) (next position, err error) {
	before := *p
	defer func() {
		if panicked := recover(); panicked != nil {
			*p, err = before, jsonrpc.Panicked(panicked)
		}
	}()
	next = position{prefix: m.prefix, nth: m.nth, cursor: from.cursor}
	listing, err := m.source.List(ctx, p.kind, from.cursor)
	if err != nil {
		return next, err
	}
	items, names := e.shown(m, p.kind, listing.Items)
	for i := from.index(items); i < len(items); i++ {
		item := &items[i]
		if !e.mayShow(p.req.who, m, p.kind, item) {
			continue
		}
		if p.isFull(e.options.PageSize) && i > 0 {
			next.behind, next.at = items[i-1].Key, uint64(i)
			return next, nil
		}
		if p.count > 0 {
			p.json = append(p.json, ',')
		}
		key := m.prefix + item.Key
		if names != nil {
			key = names[i]
		}
		p.json = e.appendShown(p.json, m, p.kind, item, key, p.req.rev)
		p.count++
	}
	next.cursor = listing.Next
	return next, nil
}

// shown returns the entries of a mount as they are listed; prompts and tools without repeated names, and what
// clients call them.
func (e *Engine) shown(m *mount, k Kind, items []Item) (entries []Item, names []string) {
	if !k.hasNames() {
		return items, nil
	}
	seen := make(map[string]bool, len(items))
	for _, item := range items {
		if !seen[item.Key] {
			seen[item.Key] = true
			entries, names = append(entries, item), append(names, m.names+item.Key)
		}
	}
	if e.options.Fit != nil {
		names = e.options.Fit.Names(names)
	}
	return entries, names
}

// appendShown appends an entry of a mount that clients call key.
func (e *Engine) appendShown(dst []byte, m *mount, k Kind, item *Item, key string, rev revision) []byte {
	if k == Tools && e.options.Fit != nil {
		item = &Item{item.Key, e.options.Fit.Tool(key, item.JSON)}
	}
	return k.appendItem(dst, item, m.prefix, key, rev)
}

// Bounds of what one source may cost one page of a list: a source may answer with
// empty pieces and further cursors without end.
const (
	maxPieces    = 1000
	maxPieceTime = 10 * time.Second // for all of them
)

func tooMany(m *mount, pieces int, began time.Time) error {
	switch {
	case m.immediate != nil || pieces == 0:
		return nil
	case pieces >= maxPieces:
		return errors.New("it takes more than 1,000 pieces to fill a page")
	case time.Since(began) > maxPieceTime:
		return errors.New("it takes longer than 10 s to fill a page")
	}
	return nil
}

// A prefetcher is a source that can begin to list before the answer is needed: a
// Remote.
type prefetcher interface {
	Prefetch(ctx context.Context, k Kind)
}

// prefetchAfter is how long a list waits for one source before it begins with the others,
// so that several that do not answer delay it no longer than one.
const prefetchAfter = 100 * time.Millisecond

// prefetch begins the lists of the mounts from a position on, unless stop is called
// before prefetchAfter.
func (e *Engine) prefetch(ctx context.Context, k Kind, mounts []*mount, at position) (stop func()) {
	timer := time.AfterFunc(prefetchAfter, func() {
		for _, m := range mounts {
			if source, ok := m.source.(prefetcher); ok && at.reached(m) && at.within(m).isStart() {
				source.Prefetch(ctx, k)
			}
		}
	})
	return func() { timer.Stop() }
}

// pages keeps list pages that were made from immediate sources alone, until one
// of these changes.
type pages struct {
	stamp uint64
	byKey map[pageKey]*sink.Document
	bytes int
}

type pageKey struct {
	rev       revision
	kind      Kind
	cursor    string
	hasCursor bool
}

// maxPages bounds the text of kept pages: 10,000 resources take about 2.5 MB in
// each revision in use.
const maxPages = 8 << 20 // bytes

// keptPage returns the page that req requests, if it is kept, and the stamp under
// which one made now may be kept.
func (e *Engine) keptPage(req *Request, kind Kind) (*sink.Document, uint64) {
	var generations uint64
	for _, m := range e.sources() {
		if m.immediate != nil {
			generations += m.immediate.Generation()
		}
	}
	var stale []*sink.Document
	defer func() { e.forget(stale) }() // with the lock released
	e.mu.Lock()
	defer e.mu.Unlock()
	stamp := e.mounted<<32 + generations
	if stamp != e.pages.stamp {
		stale = e.pages.clear()
		e.pages.stamp = stamp
	}
	return e.pages.byKey[pageKey{req.rev, kind, req.cursor, req.hasCursor}], stamp
}

// keepPage keeps a page, unless something has changed since its stamp.
func (e *Engine) keepPage(req *Request, kind Kind, stamp uint64, doc *sink.Document) {
	var stale []*sink.Document
	defer func() { e.forget(stale) }() // with the lock released
	e.mu.Lock()
	defer e.mu.Unlock()
	p := &e.pages
	if e.decides || stamp != p.stamp {
		return
	}
	size := len(doc.JSON) + len(req.cursor)
	if p.bytes+size > maxPages {
		stale = p.clear()
	}
	if p.byKey == nil {
		p.byKey = map[pageKey]*sink.Document{}
	}
	doc.Kept = true
	p.byKey[pageKey{req.rev, kind, strings.Clone(req.cursor), req.hasCursor}] = doc
	p.bytes += size
}

// clear empties pages, and returns the Documents that were in it.
func (p *pages) clear() []*sink.Document {
	all := make([]*sink.Document, 0, len(p.byKey))
	for _, doc := range p.byKey {
		all = append(all, doc)
	}
	p.byKey, p.bytes = nil, 0
	return all
}
