package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/schema"
)

// read answers resources/read. Mounts are tried longest prefix first, then in
// the order they were mounted; after an error the next one is tried.
// MCP 2026-07-28, server/resources, Reading Resources.
func (e *Engine) read(ctx context.Context, req *Request) (sink.Result, error) {
	uri, err := req.URI() // an invalid URI is not looked up
	if err != nil {
		return sink.Result{}, err
	}
	if !e.options.Allow(req.who, VerbRead, uri) {
		return sink.Result{}, errDenied
	}
	if uri == AccessURI && e.grants.Load() != nil {
		const text = "The user has shared this page with you. List the resources again."
		return e.readResult(req.rev, "", []Contents{{URI: uri, MIMEType: "text/plain", Text: text}}), nil
	}
	if req.mayWait {
		return e.resolveInput(ctx, req, func(ctx context.Context) (sink.Result, error) { return e.readFrom(ctx, req, uri) })
	}
	result, err := e.readFrom(ctx, req, uri)
	if err != nil && errors.As(err, new(*inputRequired)) {
		return sink.Result{}, errMustWait // the client has to answer first
	}
	return result, err
}

func (e *Engine) readFrom(ctx context.Context, req *Request, uri string) (sink.Result, error) {
	var failed error // of the first source that did not say that it has no such resource
	spelled := spellingFor(req.uri, uri)
	for l := e.lookup(uri); l.next(); {
		if l.mount.referrer != nil { // the hot path: nothing is allocated
			if r := l.mount.referrer.Refer(l.own); r.Ref != 0 {
				refs := req.client.oneRef[:]
				if req.mayWait {
					refs = make([]sink.Ref, 1)
				}
				refs[0] = r.Ref
				return sink.Result{
					Document:  e.skeleton(req.rev, r.MIMEType, r.Cache),
					Refs:      refs,
					URI:       req.uri,
					Modern:    req.rev == modern,
					Variables: r.Variables,
				}, nil
			}
		}
		var contents []Contents
		var err error
		switch {
		case req.mayWait, l.mount.immediate != nil:
			err = l.eachSpelling(spelled, func(own string) error {
				contents, err = l.mount.source.Read(ctx, own)
				return err
			})
		case l.mount.early != nil && failed == nil:
			contents = l.mount.early.ReadEarly(func() context.Context { ctx, _ := e.invocation(ctx, req); return ctx }, spelled[l.length:])
			if contents == nil {
				return sink.Result{}, errMustWait
			}
		default:
			return sink.Result{}, errMustWait
		}
		switch {
		case err == nil && len(contents) > 0: // never empty contents
			for i := range contents {
				if err := contents[i].check(); err != nil {
					return sink.Result{}, jsonrpc.Wrap("read "+jsonrpc.Quoted(uri), schema.Within(schema.Element("contents", i), err))
				}
			}
			if failed != nil {
				e.options.Report(failed)
			}
			if contents = e.withoutWithheld(req, l.mount.prefix, l.own, contents); len(contents) == 0 {
				return sink.Result{}, ErrNotShared
			}
			return e.readResult(req.rev, l.mount.prefix, respelled(contents, l.own, req.uri[l.length:])), nil
		case err != nil && !tryNextSource(err):
			err = jsonrpc.Wrap("read "+jsonrpc.Quoted(uri), err)
			if endsSearch(ctx, err) {
				return sink.Result{}, err
			}
			failed = cmp.Or(failed, err)
		}
	}
	return sink.Result{}, cmp.Or(failed, ErrNotFound)
}

// eachSpelling calls ask with a URI as the client has spelled it, since a source may compare it with what it has
// listed; if there is no such resource, with the canonical form. Tables and other engines compare by that.
func (l *lookup) eachSpelling(spelled string, ask func(own string) error) error {
	err := ask(strings.Clone(spelled[l.length:]))
	if spelled != l.uri && l.mount.immediate == nil && l.mount.guard == nil && errors.Is(err, ErrNotFound) {
		err = ask(strings.Clone(l.own))
	}
	return err
}

// spellingFor returns how sources get a URI: as the client has spelled it, unless that is no URI by RFC 3986.
func spellingFor(spelled, canonical string) string {
	if spelled != canonical && schema.CheckURI(spelled) != nil {
		return canonical
	}
	return spelled
}

// respelled returns contents in which the resource that was requested, by a canonical URI, has the spelling
// of the client. The slice may be another read's, too.
func respelled(contents []Contents, canonical, spelled string) []Contents {
	isOwn := true
	for i := range contents {
		if c := &contents[i]; c.URI != spelled && CanonicalURI(c.URI) == canonical {
			if isOwn {
				contents, isOwn = slices.Clone(contents), false
			}
			contents[i].URI = spelled
		}
	}
	return contents
}

// withoutWithheld returns contents without the items of other resources that are withheld from the client: a
// resource may return several, such as the records of a range.
func (e *Engine) withoutWithheld(req *Request, prefix, requested string, contents []Contents) []Contents {
	g := e.grants.Load()
	if g == nil || req.client.isOwnPage() {
		return contents
	}
	isWithheld := func(c *Contents) bool {
		return CanonicalURI(c.URI) != requested && g.withholds(req.who, prefix+c.URI)
	}
	var kept []Contents
	for i := range contents {
		if !isWithheld(&contents[i]) {
			kept = append(kept, contents[i])
		}
	}
	return kept
}

// Withholds reports whether a client gets no contents of a resource, besides what is decided about the request for them.
func (e *Engine) Withholds(who Principal, uri string) bool {
	return e.grants.Load().withholds(who, uri)
}

// check checks an item of contents that a source has made. Text, blob and
// references are valid by their type.
func (c *Contents) check() error {
	if c.URI == "" {
		return schema.Wrong("uri", "is missing")
	}
	if err := schema.CheckURI(c.URI); err != nil {
		return schema.Wrong("uri", err.Error())
	}
	if len(c.Meta) > 0 && c.Meta[0] != '{' {
		return schema.Wrong("_meta", "is not an object")
	}
	return nil
}

// exists returns an error unless uri could be read.
func (e *Engine) exists(ctx context.Context, req *Request, uri string) error {
	var failed error // as in readFrom
	spelled := spellingFor(req.uri, uri)
	for l := e.lookup(uri); l.next(); {
		if l.mount.immediate == nil && !req.mayWait {
			return errMustWait
		}
		found := true
		err := l.eachSpelling(spelled, func(own string) (err error) {
			if finder, ok := l.mount.source.(Finder); ok {
				found, err = finder.Has(ctx, own)
			} else {
				_, err = l.mount.source.Read(ctx, own)
			}
			return err
		})
		switch {
		case err == nil && found:
			return nil
		case err != nil && !tryNextSource(err):
			err = jsonrpc.Wrap("look for "+jsonrpc.Quoted(uri), err)
			if endsSearch(ctx, err) {
				return err
			}
			failed = cmp.Or(failed, err)
		}
	}
	return cmp.Or(failed, ErrNotFound)
}

// tryNextSource reports whether the next source may have what this one does not.
func tryNextSource(err error) bool { return errors.Is(err, ErrNotFound) || errors.Is(err, errDenied) }

// endsSearch reports whether no other source is tried after an error of a source that may
// have a resource: the client has to answer first, or waits no longer. After other errors
// the next source is tried, since one that is broken may not hide what others have.
func endsSearch(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.As(err, new(*inputRequired))
}

// A lookup goes through the mounts that may have a URI: longest prefix first,
// then in the order they were mounted.
type lookup struct {
	mount *mount // the present one
	own   string // the URI, or name, without the mount's prefix

	uri    string // or a name, or an id
	prefix func(*mount) string
	mounts []*mount
	at     int // behind the present one
	length int // of the prefixes that are looked at
}

func (e *Engine) lookup(uri string) lookup { return e.lookupBy(uri, (*mount).ofURIs) }

func (e *Engine) lookupBy(key string, prefix func(*mount) string) lookup {
	l := lookup{uri: key, prefix: prefix, mounts: e.sources(), length: len(key) + 1}
	l.nextLength()
	return l
}

// lookupName is lookup for the name of a prompt or tool. Clients and stored policies may have
// notes.add for notes__add.
func (e *Engine) lookupName(name string) lookup {
	prefix, own, ok := strings.Cut(name, ".")
	if ok && slices.ContainsFunc(e.sources(), func(m *mount) bool { return m.names == prefix+nameSeparator }) {
		name = prefix + nameSeparator + own
	}
	return e.lookupBy(name, (*mount).ofNames)
}

// The prefixes of a mount.
func (m *mount) ofURIs() string  { return m.prefix }
func (m *mount) ofNames() string { return m.names }
func (m *mount) ofIDs() string   { return m.dotted }

func (l *lookup) next() bool {
	for l.length >= 0 {
		for l.at < len(l.mounts) {
			m := l.mounts[l.at]
			l.at++
			if prefix := l.prefix(m); len(prefix) == l.length && l.uri[:l.length] == prefix {
				l.mount, l.own = m, l.uri[l.length:]
				return true
			}
		}
		l.nextLength()
	}
	return false
}

// nextLength goes on to the longest prefix that fits and is shorter than the present
// one; -1: there is none.
func (l *lookup) nextLength() {
	longest := -1
	for _, m := range l.mounts {
		prefix := l.prefix(m)
		if n := len(prefix); n > longest && n < l.length && n <= len(l.uri) && l.uri[:n] == prefix {
			longest = n
		}
	}
	l.length, l.at = longest, 0
}

// readResult makes the result of a read in the shape of a revision.
func (e *Engine) readResult(rev revision, prefix string, contents []Contents) sink.Result {
	if c := &contents[0]; len(contents) == 1 && c.Ref != 0 && c.Meta == nil && c.Relayed.Result == nil {
		return sink.Result{
			Document:  e.skeleton(rev, c.MIMEType, c.Cache),
			Refs:      []sink.Ref{c.Ref},
			Modern:    rev == modern,
			URI:       prefix + c.URI,
			Variables: c.variables,
		}
	}
	var refs []sink.Ref
	doc := e.beginRead(rev, contents[0].Cache, contents[0].Relayed.Result, sizeOf(prefix, contents))
	for i := range contents {
		if i > 0 {
			doc = append(doc, ',')
		}
		doc = appendContents(doc, &contents[i], prefix, rev)
		if contents[i].Ref != 0 && refs == nil {
			refs = make([]sink.Ref, len(contents))
		}
		if refs != nil {
			refs[i] = contents[i].Ref
		}
	}
	return sink.Result{Document: &sink.Document{JSON: append(doc, "]}"...)}, Refs: refs, Modern: rev == modern}
}

// sizeOf returns about how many bytes contents have in a result: a larger document is copied
// while it grows, which may be megabytes.
func sizeOf(prefix string, contents []Contents) int {
	size := 0
	for i := range contents {
		c := &contents[i]
		size += contentsOverhead + len(prefix) + len(c.URI) + len(c.Text)*9/8 + len(c.Blob)*4/3 + len(c.Relayed.Body) + len(c.Meta)
	}
	return size
}

const contentsOverhead = 128 // bytes: names of members, a MIME type, a version

// A skeleton is what the results of all reads of one item have in common.
type skeleton struct {
	rev      revision
	mimeType string
	cache    Cache
	document *sink.Document
}

// maxSkeletons is how many are kept: apps have few MIME types.
const maxSkeletons = 64

// skeleton returns the result of a read without its URI and content.
func (e *Engine) skeleton(rev revision, mimeType string, cache Cache) *sink.Document {
	cache = e.private(cache)
	known := *e.skeletons.Load()
	for i := range known {
		if s := &known[i]; s.rev == rev && s.mimeType == mimeType && s.cache == cache {
			return s.document
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	json := appendContents(e.beginRead(rev, cache, nil, 256), &Contents{MIMEType: mimeType, Ref: 1}, "", rev)
	doc := &sink.Document{JSON: append(json, "]}"...)}
	if known := *e.skeletons.Load(); len(known) < maxSkeletons {
		doc.Kept = true
		more := append(known[:len(known):len(known)], skeleton{rev, mimeType, cache, doc})
		e.skeletons.Store(&more)
	}
	return doc
}
