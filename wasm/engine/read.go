package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// read answers resources/read. Mounts are asked longest prefix first, then in
// the order they were mounted; ErrNotFound passes the question on.
// MCP 2026-07-28, server/resources, Reading Resources.
func (e *Engine) read(ctx context.Context, req *request) (Result, error) {
	uri, err := req.readURI()
	if err != nil {
		return Result{}, err
	}
	if !e.options.Allow(PrincipalOf(ctx), VerbRead, uri) {
		return Result{}, ErrDenied
	}
	var result Result
	err = e.ask(req, uri, func(m *mount, own string) error {
		contents, err := m.source.Read(ctx, own)
		if err != nil {
			return err
		}
		if len(contents) == 0 {
			return ErrNotFound // never empty contents
		}
		result = e.readResult(req.rev, m.prefix, contents)
		return nil
	})
	return result, err
}

// exists tells by its error whether uri could be read.
func (e *Engine) exists(ctx context.Context, req *request, uri string) error {
	return e.ask(req, uri, func(m *mount, own string) error {
		if finder, ok := m.source.(Finder); ok {
			found, err := finder.Has(ctx, own)
			if err == nil && !found {
				err = ErrNotFound
			}
			return err
		}
		_, err := m.source.Read(ctx, own)
		return err
	})
}

// ask calls question with the mounts that may know uri, and uri as they know it,
// until one does. It returns errMustWait if one would have to be waited for and
// the request may not.
func (e *Engine) ask(req *request, uri string, question func(m *mount, own string) error) error {
	mounts := e.sources()
	for length := len(uri); length >= 0; {
		next := -1 // the longest prefix shorter than this one
		for _, m := range mounts {
			switch n := len(m.prefix); {
			case !strings.HasPrefix(uri, m.prefix) || n > length:
			case n < length:
				next = max(next, n)
			case m.immediate == nil && !req.mayWait:
				return errMustWait
			default:
				err := question(m, uri[n:])
				if err == nil || !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrDenied) {
					return wrapRead(uri, err)
				}
			}
		}
		length = next
	}
	return ErrNotFound
}

func wrapRead(uri string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("read %q: %w", uri, err)
}

// readResult makes the result of a read in the shape of a revision.
func (e *Engine) readResult(rev revision, prefix string, contents []Contents) Result {
	if c := &contents[0]; len(contents) == 1 && c.Ref != 0 && c.Meta == nil {
		return Result{
			Document:  e.skeleton(rev, c.MIMEType),
			Refs:      []Ref{c.Ref},
			Modern:    rev == modern,
			URI:       prefix + c.URI,
			Variables: c.variables,
		}
	}
	var refs []Ref
	doc := e.beginRead(rev)
	for i := range contents {
		if i > 0 {
			doc = append(doc, ',')
		}
		doc = appendContents(doc, &contents[i], prefix, rev)
		if contents[i].Ref != 0 && refs == nil {
			refs = make([]Ref, len(contents))
		}
		if refs != nil {
			refs[i] = contents[i].Ref
		}
	}
	return Result{Document: &Document{JSON: append(doc, "]}"...)}, Refs: refs, Modern: rev == modern}
}

// A skeletonKey names what the results of all reads of one item have in common.
type skeletonKey struct {
	rev      revision
	mimeType string
}

// maxSkeletons bounds how many are kept: apps have few MIME types, and those who
// have many do without.
const maxSkeletons = 256

// skeleton returns the result of a read without its URI and content.
func (e *Engine) skeleton(rev revision, mimeType string) *Document {
	key := skeletonKey{rev, mimeType}
	e.mu.Lock()
	defer e.mu.Unlock()
	if doc := e.bones[key]; doc != nil {
		return doc
	}
	json := appendContents(e.beginRead(rev), &Contents{MIMEType: mimeType, Ref: 1}, "", rev)
	doc := &Document{JSON: append(json, "]}"...)}
	if len(e.bones) < maxSkeletons {
		doc.Kept = true
		e.bones[key] = doc
	}
	return doc
}

func (e *Engine) beginRead(rev revision) []byte {
	if rev != modern {
		return append(make([]byte, 0, 256), `{"contents":[`...)
	}
	return append(e.fixed.begin(), cacheHints+`,"contents":[`...)
}
