package remote

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A pager gets the pages of a list, within bounds.
type pager struct {
	remote  *Remote
	method  string
	who     engine.Principal
	count   int // pages requested
	entries int
	bytes   int    // charged
	invalid int    // entries that were left out
	first   error  // what was wrong with the first of them
	cut     string // why the rest was not read; empty: nothing is missing
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
		case w.count >= maxListPages:
			w.cut = "it has more than 1,000 pages"
			return nil
		}
	}
}

// page calls each for the entries of one page, and returns the cursor of the next.
func (w *pager) page(ctx context.Context, member, cursor string, each func(object []byte) error) (next string, err error) {
	w.count++
	result, err := w.remote.call(ctx, w.method, envelope(w.who, cursorMember(cursor)))
	if err != nil {
		return "", cursorError(err, cursor)
	}
	if !w.take(entryCost + len(cursor)) {
		return "", nil
	}
	entries := 0
	err = decodeList(result, member, &next, func(object []byte) *jsonrpc.Error {
		if w.cut != "" {
			return nil
		}
		if entries++; entries > engine.MaxPageSize {
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
	report, ok := ctx.Value(hop.Report{}).(func(error))
	switch {
	case !ok:
	case err != nil && !errors.Is(err, engine.ErrAway) && !errors.Is(err, engine.ErrBadCursor):
		report(jsonrpc.Wrap(w.method+" of a page", shortened(err)))
	case w.cut != "":
		report(errors.New(w.method + " of a page is cut: " + w.cut))
	}
	if ok && w.invalid > 0 {
		report(jsonrpc.Wrap(w.method+" of a page: "+strconv.Itoa(w.invalid)+" entries are not valid and left out; the first", shortened(w.first)))
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
