package engine

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// listResources answers resources/list: the mounts one after the other, by
// prefix. A page ends with the source's page that fills it.
// MCP 2026-07-28, server/resources and server/utilities/pagination.
func (e *Engine) listResources(ctx context.Context, req *request) (Result, error) {
	if doc, _ := e.keptPage(req, listOfResources); doc != nil {
		return Result{Document: doc}, nil
	}
	return e.list(ctx, req, listOfResources, func(ctx context.Context, p *listPage, m *mount, cursor string) (string, error) {
		listing, err := m.source.List(ctx, cursor)
		if err != nil {
			return "", err
		}
		for i := range listing.Resources {
			r := &listing.Resources[i]
			if e.options.Allow(p.who, VerbList, m.prefix+r.URI) {
				p.add(func(dst []byte) []byte { return appendResource(dst, r, m.prefix, req.rev) })
			}
		}
		return listing.Next, nil
	})
}

// listTemplates answers resources/templates/list.
func (e *Engine) listTemplates(ctx context.Context, req *request) (Result, error) {
	return e.listItems(ctx, req, listOfTemplates, func(ctx context.Context, m *mount) (items []item, err error) {
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

// An item is an entry of a list that a source gives as a whole.
type item struct {
	key    string // what it is called there
	append func(dst []byte) []byte
}

// listItems answers with a part of such a list.
func (e *Engine) listItems(ctx context.Context, req *request, kind byte,
	items func(context.Context, *mount) ([]item, error)) (Result, error) {
	return e.list(ctx, req, kind, func(ctx context.Context, p *listPage, m *mount, cursor string) (string, error) {
		all, err := items(ctx, m)
		if err != nil {
			return "", err
		}
		from, err := after(all, cursor)
		if err != nil {
			return "", err
		}
		for i := from; i < len(all); i++ {
			if p.count >= e.options.PageSize && i > 0 {
				return strconv.Itoa(i) + " " + all[i-1].key, nil
			}
			p.add(all[i].append)
		}
		return "", nil
	})
}

// after returns where to go on: behind the item that a cursor names, wherever it
// is now; if it is gone, where it was.
func after(all []item, cursor string) (int, error) {
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
		if found := slices.IndexFunc(all, func(one item) bool { return one.key == last }); found >= 0 {
			at = found + 1
		}
		return min(at, len(all)), nil
	}
	return 0, ErrBadCursor
}

// Kinds of lists. A cursor belongs to one of them; the letters are in cursors.
const (
	listOfResources = 'r'
	listOfTemplates = 't'
	listOfPrompts   = 'p'
	listOfTools     = 'o'
)

// A listPage is a page of a list while it is made.
type listPage struct {
	who   Principal
	json  []byte
	count int
}

func (p *listPage) add(item func(dst []byte) []byte) {
	if p.count > 0 {
		p.json = append(p.json, ',')
	}
	p.json = item(p.json)
	p.count++
}

// list makes a page, or finds it. more adds the entries of a mount from the
// source's cursor on, and returns the source's next.
func (e *Engine) list(ctx context.Context, req *request, kind byte,
	more func(ctx context.Context, p *listPage, m *mount, cursor string) (string, error)) (Result, error) {
	doc, stamp := e.keptPage(req, kind)
	if doc != nil {
		return Result{Document: doc}, nil
	}
	mounts := e.sources()
	at := position{}
	if req.hasCursor { // "" is a cursor that was never given out
		var err error
		if at, err = readCursor(e.options.CursorKey, kind, req.cursor); err != nil {
			return Result{}, err
		}
	}
	page := listPage{who: req.who, json: e.beginList(req.rev, kind)}
	keep := true
	var next string
	for _, m := range mounts {
		if !at.reached(m) {
			continue
		}
		cursor := at.within(m)
		for {
			if m.immediate == nil {
				keep = false
				if !req.mayWait {
					return Result{}, errMustWait
				}
			}
			if page.count >= e.options.PageSize {
				next = writeCursor(e.options.CursorKey, kind, position{m.prefix, m.nth, cursor})
				break
			}
			var err error
			if cursor, err = more(ctx, &page, m, cursor); err != nil {
				return Result{}, err
			}
			if cursor == "" {
				break
			}
		}
		if next != "" {
			break
		}
	}
	page.json = append(page.json, ']')
	if next != "" {
		page.json = appendText(page.json, "nextCursor", next)
	}
	doc = &Document{JSON: append(page.json, '}')}
	if keep {
		e.keepPage(req, kind, stamp, doc)
	}
	return Result{Document: doc}, nil
}

func (e *Engine) beginList(rev revision, kind byte) []byte {
	begin := []byte("{")
	if rev == modern {
		begin = append(appendCache(e.fixed.begin(), e.options.Cache), ',')
	}
	name := "resources"
	switch kind {
	case listOfTemplates:
		name = "resourceTemplates"
	case listOfPrompts:
		name = "prompts"
	case listOfTools:
		name = "tools"
	}
	return append(append(append(begin, '"'), name...), `":[`...)
}

// pages keeps list pages that were made from immediate sources alone, until one
// of these changes.
type pages struct {
	disabled bool
	stamp    uint64
	byKey    map[pageKey]*Document
	bytes    int
}

type pageKey struct {
	rev       revision
	kind      byte
	cursor    string
	hasCursor bool
}

// maxPages bounds the text of kept pages: 10,000 resources take about 2.5 MB in
// each revision in use.
const maxPages = 8 << 20 // bytes

// keptPage returns the page that req asks for, if it is kept, and the stamp under
// which one made now may be kept.
func (e *Engine) keptPage(req *request, kind byte) (*Document, uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	stamp := e.mounted << 32
	for _, m := range e.sources() {
		if m.immediate != nil {
			stamp += m.immediate.Generation()
		}
	}
	if stamp != e.pages.stamp {
		e.pages.clear(e)
		e.pages.stamp = stamp
	}
	return e.pages.byKey[pageKey{req.rev, kind, req.cursor, req.hasCursor}], stamp
}

// keepPage keeps a page, unless something has changed since its stamp.
func (e *Engine) keepPage(req *request, kind byte, stamp uint64, doc *Document) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p := &e.pages
	if p.disabled || stamp != p.stamp {
		return
	}
	if p.bytes+len(doc.JSON) > maxPages {
		p.clear(e)
	}
	if p.byKey == nil {
		p.byKey = map[pageKey]*Document{}
	}
	doc.Kept = true
	p.byKey[pageKey{req.rev, kind, strings.Clone(req.cursor), req.hasCursor}] = doc
	p.bytes += len(doc.JSON)
}

func (p *pages) clear(e *Engine) {
	for _, doc := range p.byKey {
		e.options.Forget(doc)
	}
	p.byKey, p.bytes = nil, 0
}
