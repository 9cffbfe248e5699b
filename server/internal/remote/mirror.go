package remote

import (
	"bytes"
	"container/list"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Remote with a [MirrorShare] answers reads of published values by itself. The page marks the
// result of such a read by hop.KeyPublished, and sends hop.NotifyValue on the same connection
// before anything else that the change may cause: a client that has heard of a change, by an
// update or by the result of a tool, never gets the older value.

// A pageMirror has the published values of the page of one Remote.
type pageMirror struct {
	share *MirrorShare

	// Guarded by mu of the Mirror.
	room  room
	byURI map[string]*mirrored // by the canonical form
	link  *link                // from which the values came; nil: the page is away
	count uint64               // of the page's notifications about values
}

// A mirrored is one value, as it came.
type mirrored struct {
	page     *pageMirror
	uri      string
	contents []engine.Contents // nil: the page has another value by now
	size     int               // bytes that it counts for
	units    int               // of its contents, for the audit of the page
	in       [levelsOfMirrorRooms]*list.Element
}

// MirrorIn lets the Remote keep published values, within a share. Call it before the first
// Reattach.
func (r *Remote) MirrorIn(share *MirrorShare) {
	r.mirror = &pageMirror{share: share, byURI: map[string]*mirrored{}, room: room{max: MaxMirroredOfPage}}
}

// begin drops what there is: the page has left, or another document may have come. l may be nil.
func (m *pageMirror) begin(l *link) {
	m.share.mirror.mu.Lock()
	defer m.share.mirror.mu.Unlock()
	m.dropAll()
	m.link = l
}

// A mirrorMark is a moment in what a page has sent.
type mirrorMark struct {
	link  *link
	count uint64
}

// mark returns the present moment. It is called when a response is read, before what the page
// has sent after it.
func (m *pageMirror) mark(l *link) mirrorMark {
	m.share.mirror.mu.Lock()
	defer m.share.mirror.mu.Unlock()
	return mirrorMark{l, m.count}
}

// store keeps the result of a read that is marked, unless the page has sent a change since.
func (m *pageMirror) store(at mirrorMark, uri string, result []byte) {
	e := m.decode(uri, result)
	if e == nil {
		return
	}
	m.share.mirror.mu.Lock()
	defer m.share.mirror.mu.Unlock()
	if at.link == nil || at.link != m.link || at.count != m.count {
		return
	}
	if old := m.byURI[e.uri]; old != nil {
		m.drop(old)
	}
	m.add(e)
}

// decode makes an entry of the result of a read; nil: it is not valid, too large, or must not be kept.
func (m *pageMirror) decode(uri string, result []byte) *mirrored {
	uri = engine.CanonicalURI(uri)
	if len(result) > MaxMirroredValue {
		return nil
	}
	contents, isPublished, err := readContents(bytes.Clone(result))
	if err != nil || !isPublished {
		return nil
	}
	e := &mirrored{uri: string([]byte(uri)), contents: contents}
	e.size = len(result) + 2*len(uri) + mirroredOverhead
	for _, c := range contents {
		text, _ := jsonrpc.Text(c.Relayed.Body)
		e.units += unitsOf(text)
	}
	return e
}

// changed handles a notification of the page, in order with its responses.
func (m *pageMirror) changed(l *link, params []byte) {
	uri, _ := jsonrpc.Text(jsonrpc.Member(params, "uri"))
	uri = engine.CanonicalURI(uri)
	var e *mirrored
	if result := jsonrpc.Member(params, "result"); result != nil {
		e = m.decode(uri, result)
	}
	m.share.mirror.mu.Lock()
	defer m.share.mirror.mu.Unlock()
	if m.link != l {
		return
	}
	m.count++
	if uri == "" {
		m.dropAll()
		return
	}
	old := m.byURI[uri]
	switch {
	case old == nil: // it was never read, or had to make room
	case e == nil:
		old.contents = nil
		m.resize(old, 2*len(uri)+mirroredOverhead)
	default:
		old.contents, old.units = e.contents, e.units
		m.resize(old, e.size)
	}
}

// has reports whether a value of uri is kept.
func (m *pageMirror) has(uri string) bool {
	m.share.mirror.mu.Lock()
	defer m.share.mirror.mu.Unlock()
	return m.byURI[uri] != nil
}

// get returns a value. From a page that is asleep, since a time that is not zero, it says how old it is.
func (m *pageMirror) get(l *link, asleep time.Time, uri string) (contents []engine.Contents, units int) {
	m.share.mirror.mu.Lock()
	defer m.share.mirror.mu.Unlock()
	e := m.byURI[uri]
	if e == nil || e.contents == nil || m.link != l {
		return nil, 0
	}
	m.use(e)
	if asleep.IsZero() {
		return e.contents, e.units
	}
	return withAge(e.contents, time.Since(asleep)), e.units
}

// readMirrored answers a read of a value that is kept, if the client may read by a decision that
// is known here. Everything else is the page's.
func (r *Remote) readMirrored(ctx context.Context, uri string) []engine.Contents {
	if r.mirror == nil || !isFirstRound(ctx) {
		return nil
	}
	uri = engine.CanonicalURI(uri)
	who := engine.PrincipalOf(ctx)
	l, asleep, reason, ok := r.mayMirror(who)
	if !ok {
		return nil
	}
	contents, units := r.mirror.get(l, asleep, uri)
	if contents != nil {
		r.served.note(r, servedRead{engine.AssistantOf(who), engine.InvocationOf(ctx).ClientName(), uri, reason}, units)
	}
	return contents
}

// isFirstRound reports whether a request has no answers to requests for input: results that depend on
// these must not be kept (MCP 2026-07-28, server/utilities/caching, R-231).
func isFirstRound(ctx context.Context) bool {
	inputs, state := engine.InvocationOf(ctx).Round()
	return inputs == nil && state == nil
}

// ReadEarly implements [engine.EarlyReader].
func (r *Remote) ReadEarly(begin func() context.Context, uri string) []engine.Contents {
	if r.mirror == nil || !r.mirror.has(engine.CanonicalURI(uri)) {
		return nil
	}
	return r.readMirrored(begin(), strings.Clone(uri))
}

// mayMirror returns the link whose values are for a client, since when its page sleeps, if it does,
// and why the client may read them.
func (r *Remote) mayMirror(who engine.Principal) (l *link, asleep time.Time, reason string, ok bool) {
	l, asleep, reason, ok = r.mirrorLink(who)
	if ok && !asleep.IsZero() {
		ok = r.othersAllow(who)
	}
	return l, asleep, reason, ok
}

// mirrorLink is mayMirror by the decisions of this page alone.
func (r *Remote) mirrorLink(who engine.Principal) (l *link, asleep time.Time, reason string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l = r.link; r.closed || l == nil {
		return nil, asleep, "", false
	}
	reason, ok = r.readers.Load().Reason(who)
	return l, l.asleep, reason, ok
}

// withAge returns contents that say how old they are.
func withAge(contents []engine.Contents, age time.Duration) []engine.Contents {
	aged := append([]engine.Contents(nil), contents...)
	meta := emit.JSON("{")
	meta.Members(aged[0].Relayed.Result, nil)
	meta.Name(hop.KeyAge)
	meta.Text(strconv.FormatInt(age.Milliseconds(), 10) + "}")
	aged[0].Relayed.Result = meta
	return aged
}
