package remote

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A pager gets the pages of a list, within bounds.
type pager struct {
	remote  *Remote
	key     listKey
	items   []engine.Item
	count   int    // pages requested
	bytes   int    // charged
	entries int    // of all pages
	invalid int    // entries that were left out
	first   error  // what was wrong with the first of them
	cut     string // why the rest was not read; empty: nothing is missing
}

// attempt gets the list once: a part of the resources, all pages of another list. It makes an error of a panic,
// since its goroutine is the process's.
func (w *pager) attempt(ctx context.Context) (listing engine.Listing, err error) {
	ctx, cancel := context.WithTimeout(ctx, hop.Timeout)
	defer cancel()
	defer func() {
		if panicked := recover(); panicked != nil {
			err = jsonrpc.Panicked(panicked)
		}
	}()
	ends := time.Now().Add(maxListTime)
	for cursor := w.key.cursor; ; {
		next, err := w.page(ctx, cursor)
		switch {
		case err != nil:
			return engine.Listing{}, err
		case w.key.kind == engine.Resources:
			return engine.Listing{Items: w.items, Next: next}, nil
		case next != "" && w.cut == "" && time.Now().After(ends):
			w.cut = "its pages took longer than 10 s"
		case next != "" && w.cut == "" && w.count >= maxListPages:
			w.cut = "it has more than 1,000 pages"
		}
		if next == "" || w.cut != "" {
			return engine.Listing{Items: w.whole()}, nil
		}
		cursor = next
	}
}

// page adds the entries of one page, and returns the cursor of the next.
func (w *pager) page(ctx context.Context, cursor string) (next string, err error) {
	w.count++
	result, err := w.remote.call(ctx, w.key.kind.Method, envelope(w.key.who, cursorMember(cursor)))
	if err != nil {
		return "", cursorError(err, cursor)
	}
	if !w.take(entryCost + len(cursor)) {
		return "", nil
	}
	elements, next, err := decodeList(result, w.key.kind.Member)
	if err != nil {
		return "", err
	}
	for i, object := range elements {
		w.entries++
		switch {
		case w.cut != "":
			return next, nil
		case i >= engine.MaxPageSize:
			w.cut = "a page has more than 1,000 entries"
		case w.entries > maxListEntries:
			w.cut = "it has more than 10,000 entries"
		case w.take(len(object) + entryCost):
			w.add(object)
		}
	}
	return next, nil
}

// add adds an entry, if it is valid.
func (w *pager) add(object []byte) {
	parse := w.key.kind.Parse
	if w.key.kind == skill.Kind {
		parse = parseSkill
	}
	item, err := parse(object)
	if err == nil {
		w.items = append(w.items, item)
		return
	}
	w.invalid++
	if w.first == nil {
		w.first = err
	}
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
	report, ok := ctx.Value(hop.Report{}).(func(error))
	switch {
	case !ok:
	case err != nil && !errors.Is(err, engine.ErrAway) && !errors.Is(err, engine.ErrBadCursor):
		report(jsonrpc.Wrap(w.key.kind.Method+" of a page", shortened(err)))
	case w.cut != "":
		report(errors.New(w.key.kind.Method + " of a page is cut: " + w.cut))
	}
	if ok && w.invalid > 0 {
		report(jsonrpc.Wrap(w.key.kind.Method+" of a page: "+strconv.Itoa(w.invalid)+" entries are not valid and left out; the first", shortened(w.first)))
	}
}

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
		return engine.ErrBadCursor
	}
	return err
}

func cursorMember(cursor string) []byte {
	if cursor == "" {
		return nil
	}
	return jsonrpc.AppendString([]byte(`"cursor":`), cursor)
}
