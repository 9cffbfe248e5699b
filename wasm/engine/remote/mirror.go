package remote

import (
	"bytes"
	"container/list"
	"context"
	"strconv"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/hop"
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
	byURI map[string]*mirrored
	link  *link  // from which the values came; nil: the page is away
	count uint64 // of the page's notifications about values
	purge *time.Timer
	since time.Time // when the page has left
}

// A mirrored is one value, as it came.
type mirrored struct {
	page     *pageMirror
	uri      string
	contents []engine.Contents // nil: the page has another value by now
	size     int               // bytes that it counts for
	units    int               // of its contents, for the audit of the page
	keep     time.Duration     // while the page is away
	in       [levelsOfMirrorRooms]*list.Element
}

// MirrorIn lets the Remote keep published values, within a share. Call it before the first
// Reattach. Values of another node's hub are never kept: its node does so.
func (r *Remote) MirrorIn(share *MirrorShare) {
	r.mirror = &pageMirror{share: share, byURI: map[string]*mirrored{}, room: room{max: MaxMirroredOfPage}}
}

// mirrors reports whether a link's values are kept.
func (r *Remote) mirrors(l *link) bool { return r.mirror != nil && !l.hub }

// begin drops what there is: another document may have come. l may be nil.
func (m *pageMirror) begin(l *link) {
	m.share.mirror.mu.Lock()
	defer m.share.mirror.mu.Unlock()
	m.dropAll()
	m.link = l
	m.stopPurge()
}

// leave drops what does not outlive the page.
func (m *pageMirror) leave() {
	m.share.mirror.mu.Lock()
	defer m.share.mirror.mu.Unlock()
	m.link, m.since = nil, time.Now()
	longest := time.Duration(0)
	for _, e := range m.byURI {
		if e.contents == nil || e.keep == 0 {
			m.drop(e)
		}
		longest = max(longest, e.keep)
	}
	if longest > 0 {
		m.stopPurge()
		m.purge = time.AfterFunc(longest, m.expire)
	}
}

func (m *pageMirror) stopPurge() {
	if m.purge != nil {
		m.purge.Stop()
		m.purge = nil
	}
}

// expire drops the values of a page that has not come back in time.
func (m *pageMirror) expire() {
	m.share.mirror.mu.Lock()
	defer m.share.mirror.mu.Unlock()
	if m.link == nil {
		m.dropAll()
	}
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

// store keeps the result of a read, unless the page has sent a change since.
func (m *pageMirror) store(at mirrorMark, uri string, result []byte, keep time.Duration) {
	if len(result) > MaxMirroredValue {
		return
	}
	e := m.decode(uri, result, keep)
	m.share.mirror.mu.Lock()
	defer m.share.mirror.mu.Unlock()
	if e == nil || at.link == nil || at.link != m.link || at.count != m.count {
		return
	}
	if old := m.byURI[e.uri]; old != nil {
		m.drop(old)
	}
	m.add(e)
}

// decode makes an entry; nil: the result is not valid.
func (m *pageMirror) decode(uri string, result []byte, keep time.Duration) *mirrored {
	contents, _, err := readContents(bytes.Clone(result))
	if err != nil || len(contents) == 0 {
		return nil
	}
	e := &mirrored{uri: string([]byte(uri)), contents: contents, keep: min(keep, m.share.maxKeep)}
	e.size = len(result) + 2*len(uri) + mirroredOverhead
	for _, c := range contents {
		text, _ := jsonrpc.Text(c.Relayed.Body)
		for _, r := range text {
			e.units++
			if r > 0xFFFF {
				e.units++
			}
		}
	}
	return e
}

// changed handles a notification of the page, in order with its responses.
func (m *pageMirror) changed(l *link, params []byte) {
	uri, _ := jsonrpc.Text(jsonrpc.Member(params, "uri"))
	var e *mirrored
	if result := jsonrpc.Member(params, "result"); result != nil && len(result) <= MaxMirroredValue {
		if _, published, err := readContents(result); err == nil && published >= 0 {
			e = m.decode(uri, result, published)
		}
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
		old.contents, old.keep, old.units = e.contents, e.keep, e.units
		m.resize(old, e.size)
	}
}

// get returns a value, and how old it is if the page is away.
func (m *pageMirror) get(l *link, uri string) (contents []engine.Contents, units int, age time.Duration) {
	m.share.mirror.mu.Lock()
	defer m.share.mirror.mu.Unlock()
	e := m.byURI[uri]
	if e == nil || e.contents == nil || m.link != l {
		return nil, 0, 0
	}
	if l == nil {
		if age = time.Since(m.since); age >= e.keep {
			return nil, 0, 0
		}
	}
	m.use(e)
	return e.contents, e.units, age
}

// readMirrored answers a read of a published value, if the client may read by a decision that
// is known here. Everything else is the page's.
func (r *Remote) readMirrored(ctx context.Context, uri string) []engine.Contents {
	if r.mirror == nil {
		return nil
	}
	i := engine.InvocationOf(ctx)
	if inputs, state := i.Round(); inputs != nil || state != nil {
		return nil
	}
	who := engine.PrincipalOf(ctx)
	l, since, reason, ok := r.mayMirror(who, uri)
	if !ok {
		return nil
	}
	contents, units, age := r.mirror.get(l, uri)
	if contents == nil {
		return nil
	}
	r.served.note(r, servedRead{engine.AssistantOf(who), i.ClientName(), uri, reason}, units)
	switch {
	case l == nil:
		return withAge(contents, age)
	case !since.IsZero():
		return withAge(contents, time.Since(since))
	}
	return contents
}

// mayMirror returns the link whose values are for a client, since when its page sleeps, if it does,
// and why the client may read this one.
func (r *Remote) mayMirror(who engine.Principal, uri string) (l *link, asleep time.Time, reason string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l = r.link
	if r.closed || l != nil && l.unsure {
		return nil, asleep, "", false
	}
	if l != nil {
		asleep = l.asleep
	}
	reason, ok = r.grants.Load().ReadReason(who, uri)
	return l, asleep, reason, ok
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
