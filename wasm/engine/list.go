package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// listResources answers resources/list: the mounts one after the other, by
// prefix.
// MCP 2026-07-28, server/resources and server/utilities/pagination.
func (e *Engine) listResources(ctx context.Context, req *request) (sink.Result, error) {
	if doc, _ := e.keptPage(req, listResourcesMethod); doc != nil {
		return sink.Result{Document: doc}, nil
	}
	return e.list(ctx, req, listResourcesMethod, func(ctx context.Context, p *listPage, m *mount, cursor string) (string, error) {
		inside, cursor := insideOf(cursor)
		listing, err := m.source.List(ctx, cursor)
		if err != nil {
			return "", err
		}
		from, err := after(len(listing.Resources), inside, func(i int) string { return listing.Resources[i].URI })
		if err != nil {
			return "", err
		}
		for i := from; i < len(listing.Resources); i++ {
			r := &listing.Resources[i]
			if p.isFull(e.options.PageSize) && i > 0 {
				return insideMark + strconv.Itoa(i) + " " + listing.Resources[i-1].URI + insideMark + cursor, nil
			}
			if e.options.Allow(p.who, VerbList, m.prefix+r.URI) {
				p.add(func(dst []byte) []byte { return appendResource(dst, r, m.prefix, req.rev) })
			}
		}
		return listing.Next, nil
	})
}

// insideMark begins and ends where a page of the engine's ends inside of a source's: behind a resource, in the list
// from the source's cursor on. A source's cursor does not begin with it.
const insideMark = "\x00"

func insideOf(cursor string) (inside, source string) {
	if rest, ok := strings.CutPrefix(cursor, insideMark); ok {
		if inside, source, ok = strings.Cut(rest, insideMark); ok {
			return inside, source
		}
	}
	return "", cursor
}

// listTemplates answers resources/templates/list.
func (e *Engine) listTemplates(ctx context.Context, req *request) (sink.Result, error) {
	return e.listItems(ctx, req, listTemplatesMethod, func(ctx context.Context, m *mount) (items []item, err error) {
		source, ok := m.source.(Templater)
		if !ok {
			return nil, nil
		}
		all, err := source.Templates(ctx)
		for i := range all {
			t := &all[i]
			if e.options.Allow(req.who, VerbList, m.prefix+t.URITemplate) {
				items = append(items, item{t.URITemplate, func(dst []byte) []byte {
					return appendTemplate(dst, t, m.prefix, req.rev)
				}})
			}
		}
		return items, err
	})
}

// An item is an entry of a list that a source returns as a whole.
type item struct {
	key    string // what it is called there
	append func(dst []byte) []byte
}

// listItems answers with a part of such a list.
func (e *Engine) listItems(ctx context.Context, req *request, kind sink.Method,
	items func(context.Context, *mount) ([]item, error)) (sink.Result, error) {
	return e.list(ctx, req, kind, func(ctx context.Context, p *listPage, m *mount, cursor string) (string, error) {
		if cursor != "" {
			ctx = context.WithValue(ctx, hop.Continued{}, true)
		}
		all, err := items(ctx, m)
		if err != nil {
			return "", err
		}
		from, err := after(len(all), cursor, func(i int) string { return all[i].key })
		if err != nil {
			return "", err
		}
		for i := from; i < len(all); i++ {
			if p.isFull(e.options.PageSize) && i > 0 {
				return strconv.Itoa(i) + " " + all[i-1].key, nil
			}
			p.add(all[i].append)
		}
		return "", nil
	})
}

// after returns where to continue: behind the item that a cursor names, wherever it
// is now; if it is gone, where it was.
func after(count int, cursor string, key func(i int) string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	for i := range len(cursor) {
		if cursor[i] != ' ' {
			continue
		}
		at, err := strconv.Atoi(cursor[:i])
		if err != nil || at < 0 {
			return 0, ErrBadCursor
		}
		last := cursor[i+1:]
		for i := range count {
			if key(i) == last {
				at = i + 1
				break
			}
		}
		return min(at, count), nil
	}
	return 0, ErrBadCursor
}

// listOf returns the name of a method that lists, and the member of its result that is the list. It is
// apart from the table of methods, whose functions use it.
func listOf(m sink.Method) (name, member string) {
	switch m {
	case listTemplatesMethod:
		return MethodListTemplates, "resourceTemplates"
	case listPromptsMethod:
		return MethodListPrompts, "prompts"
	case listToolsMethod:
		return MethodListTools, "tools"
	case listSkillsMethod:
		return MethodListSkills, "skills"
	}
	return MethodListResources, "resources"
}

// A listPage is a page of a list while it is made.
type listPage struct {
	who   Principal
	json  []byte
	count int
}

// maxPageBytes is where a page of a list ends that has fewer entries than it may have:
// entries may be as large as messages, and a page of them is made in memory.
const maxPageBytes = 1 << 20

// isFull reports whether the page has as many entries as it may have, or as many bytes.
func (p *listPage) isFull(entries int) bool { return p.count >= entries || len(p.json) >= maxPageBytes }

func (p *listPage) add(item func(dst []byte) []byte) {
	if p.count > 0 {
		p.json = append(p.json, ',')
	}
	p.json = item(p.json)
	p.count++
}

// list makes a page, or finds it. more adds the entries of a mount from the
// source's cursor on, and returns the source's next.
func (e *Engine) list(ctx context.Context, req *request, kind sink.Method,
	more func(ctx context.Context, p *listPage, m *mount, cursor string) (string, error)) (sink.Result, error) {
	doc, stamp := e.keptPage(req, kind)
	if doc != nil {
		return sink.Result{Document: doc}, nil
	}
	mounts := e.sources()
	at := position{}
	if req.hasCursor { // "" is no cursor of this list
		var err error
		if at, err = readCursor(kind, req.cursor); err != nil {
			return sink.Result{}, err
		}
	}
	page := listPage{who: req.who, json: e.beginList(req.rev, kind)}
	keep := true
	var next string
	var failure error
	answered := 0 // mounts
	if req.mayWait {
		ctx = context.WithValue(context.WithValue(ctx, hop.Report{}, e.report), hop.Requested{}, time.Now())
		name, _ := listOf(kind)
		defer e.prefetch(ctx, name, mounts, at)()
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
		cursor, began, err := at.within(m), time.Now(), error(nil)
		for pieces := 0; ; pieces++ {
			if page.isFull(e.options.PageSize) {
				if pieces == 0 && cursor == "" { // the source may have nothing
					rest := listPage{who: page.who}
					if cursor, err = e.piece(ctx, &rest, m, "", more); err != nil || cursor == "" && rest.count == 0 {
						break
					}
					cursor = ""
				}
				next = writeCursor(kind, position{m.prefix, m.nth, cursor})
				break
			}
			if err = tooMany(m, pieces, began); err != nil {
				break
			}
			if cursor, err = e.piece(ctx, &page, m, cursor, more); err != nil || cursor == "" {
				break
			}
		}
		switch {
		case err == nil:
			answered++
		case ctx.Err() != nil, errors.Is(err, ErrBadCursor) && at.within(m) != "":
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

// piece calls more, and makes an error of a panic.
func (e *Engine) piece(ctx context.Context, p *listPage, m *mount, cursor string,
	more func(ctx context.Context, p *listPage, m *mount, cursor string) (string, error)) (next string, err error) {
	before := *p
	defer func() {
		if panicked := recover(); panicked != nil {
			*p, next, err = before, "", jsonrpc.Panicked(panicked)
		}
	}()
	return more(ctx, p, m, cursor)
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
	Prefetch(ctx context.Context, method string)
}

// prefetchAfter is how long a list waits for one source before it begins with the others,
// so that several that do not answer delay it no longer than one.
const prefetchAfter = 100 * time.Millisecond

// prefetch begins the lists of the mounts from a position on, unless stop is called
// before prefetchAfter.
func (e *Engine) prefetch(ctx context.Context, method string, mounts []*mount, at position) (stop func()) {
	timer := time.AfterFunc(prefetchAfter, func() {
		for _, m := range mounts {
			if source, ok := m.source.(prefetcher); ok && at.reached(m) && at.within(m) == "" {
				source.Prefetch(ctx, method)
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
	kind      sink.Method
	cursor    string
	hasCursor bool
}

// maxPages bounds the text of kept pages: 10,000 resources take about 2.5 MB in
// each revision in use.
const maxPages = 8 << 20 // bytes

// keptPage returns the page that req requests, if it is kept, and the stamp under
// which one made now may be kept.
func (e *Engine) keptPage(req *request, kind sink.Method) (*sink.Document, uint64) {
	var generations uint64
	for _, m := range e.sources() {
		if m.immediate != nil {
			generations += e.generation(m)
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

// generation returns that of an immediate source, or, if it panics, a number by
// which no page is found again.
func (e *Engine) generation(m *mount) (generation uint64) {
	defer func() {
		if panicked := recover(); panicked != nil {
			e.report(jsonrpc.Wrap("Generation of the source of "+jsonrpc.Quoted(m.prefix), jsonrpc.Panicked(panicked)))
			generation = rand.Uint64()
		}
	}()
	return m.immediate.Generation()
}

// keepPage keeps a page, unless something has changed since its stamp.
func (e *Engine) keepPage(req *request, kind sink.Method, stamp uint64, doc *sink.Document) {
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
