package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// An engine with sources that are engines joins their events. A query has a part for each source
// that has to answer it: one for an event of an app; for resources the ring of this engine, and
// each source that has events. The cursor of a client has those of all parts.

// A part is what one source has to answer.
type part struct {
	key    string // of its cursor in that of the client
	prefix string // of URIs of its source
	names  string // of names
	source EventSource
	query  EventQuery // as the source knows it
}

// ownKey is that of the engine's own part. No prefix has such a character.
const ownKey = "\x00"

// A joinedSource is the [EventSource] of one client's query.
type joinedSource struct {
	engine  *Engine
	client  *Client
	who     Principal
	at      positions
	several bool // an error of one part does not fail the others
	parts   []part
}

// JoinEvents returns the source of a query over all sources: see Options.JoinEvents.
func JoinEvents(e *Engine, c *Client, who Principal, q EventQuery) (EventSource, error) {
	s := &joinedSource{engine: e, client: c, who: who}
	if q.Cursor != "" {
		var err error
		if s.at, err = readPositions(q.Cursor); err != nil {
			return nil, err
		}
	}
	return s, s.plan(q)
}

// plan finds the parts of a query.
func (s *joinedSource) plan(q EventQuery) error {
	e := s.engine
	own := part{key: ownKey, source: ownSource{engine: e, client: s.client, who: s.who}, query: q}
	s.parts, s.several = nil, false
	if q.Name == EventResourceUpdated {
		return s.planResources(q, own)
	}
	if e.events.find(q.Name) != nil {
		s.parts = []part{own}
		return e.checkOwn(q)
	}
	for l := e.lookupDotted(q.Name); l.next(); {
		if l.mount.isEventSource() {
			q.Name = l.own
			s.parts = []part{l.mount.part(q)}
			return nil
		}
	}
	return eventNotFound("event")
}

// part returns the part of a source. Two sources of events have the same prefix only if the one
// hides the events of the other.
func (m *mount) part(q EventQuery) part {
	return part{key: m.prefix, prefix: m.prefix, names: m.dotted, source: m.source.(Eventer), query: q}
}

// planResources finds the parts of a query for changes of resources.
func (s *joinedSource) planResources(q EventQuery, own part) error {
	e, reader := s.engine, &subscription{client: s.client, who: s.who}
	uris, denied, err := e.resourceURIs(s.who, q.Arguments)
	if err != nil {
		return err
	}
	if uris == nil {
		s.several = true
		for _, m := range e.sources() {
			if m.interest.isWatched() && !m.isEventSource() && !s.hasPart(ownKey) {
				s.parts = append(s.parts, own)
			}
			// A page that this client may not read would ask its user.
			if m.isEventSource() && !s.hasPart(m.prefix) && (m.guard == nil || !reader.isGoverned() || m.guard.Grants().MayRead(s.who)) {
				s.parts = append(s.parts, m.part(q))
			}
		}
		return nil
	}
	of := map[*mount][]string{}
	var order []*mount
	for _, uri := range uris {
		m, inner := e.eventMount(uri)
		if m == nil && !e.guardsAllow(reader, uri) {
			denied = append(denied, uri)
		}
		if of[m] == nil {
			order = append(order, m)
		}
		of[m] = append(of[m], inner)
	}
	if denied != nil {
		return eventNotFound("resource", denied...)
	}
	for _, m := range order {
		q.Arguments = resourceArguments(of[m])
		if m != nil {
			s.parts = append(s.parts, m.part(q))
			continue
		}
		own.source, own.query = ownSource{engine: e, client: s.client, who: s.who}.of(of[m]), q
		s.parts = append(s.parts, own)
	}
	s.several = len(s.parts) > 1
	return nil
}

func (s *joinedSource) hasPart(key string) bool {
	return slices.ContainsFunc(s.parts, func(p part) bool { return p.key == key })
}

// eventMount returns the source of events that a URI belongs to, and the URI as that knows it;
// nil: its changes are in the ring of this engine.
func (e *Engine) eventMount(uri string) (*mount, string) {
	for l := e.lookup(uri); l.next(); {
		if l.mount.isEventSource() {
			return l.mount, l.own
		}
	}
	return nil, uri
}

func resourceArguments(uris []string) []byte {
	arguments := []byte(`{"uri":[`)
	for i, uri := range uris {
		if i > 0 {
			arguments = append(arguments, ',')
		}
		arguments = jsonrpc.AppendString(arguments, uri)
	}
	return append(arguments, "]}"...)
}

// outside returns an occurrence of a part as the engine's clients see it; false: this one may
// not. Its cursor remains the source's.
func (s *joinedSource) outside(p *part, o Occurrence) (Occurrence, bool) {
	allow := s.engine.options.Allow
	if o.Name != EventResourceUpdated {
		o.Name = p.names + o.Name
		return o, allow(s.who, VerbWatch, eventScheme+o.Name)
	}
	uri, _ := jsonrpc.Text(jsonrpc.Member(o.Data, "uri"))
	if p.prefix != "" {
		o.Data = resourceData(p.prefix+uri, isTrue(jsonrpc.Member(o.Data, "under")))
	}
	return o, allow(s.who, VerbWatch, p.prefix+uri)
}

// begin returns the cursor from which a part is to be answered. truncated: there is none although
// the client has one, since the part had no answer, or its source was not there. Resources of a
// source that has come meanwhile are new to a client that wants all.
func (s *joinedSource) begin(of *part, q EventQuery) (cursor string, truncated bool) {
	cursor, known := s.at.find(of.key)
	return cursor, cursor == "" && q.Cursor != "" && (known || q.Arguments != nil || q.Name != EventResourceUpdated)
}

// PollEvents implements [EventSource].
func (s *joinedSource) PollEvents(ctx context.Context, q EventQuery) (all EventBatch, err error) {
	answered := false
	for i := range s.parts {
		p := &s.parts[i]
		own := p.query
		var truncated bool
		own.Cursor, truncated = s.begin(p, q)
		s.at.set(p.key, own.Cursor)
		all.Truncated = all.Truncated || truncated
		if own.MaxEvents = q.MaxEvents - len(all.Events); own.MaxEvents <= 0 {
			all.HasMore = true
			continue
		}
		b, failure := p.source.PollEvents(ctx, own)
		if failure != nil {
			if err = failure; !s.several || ctx.Err() != nil {
				return all, err
			}
			continue
		}
		answered = true
		all.Truncated, all.HasMore = all.Truncated || b.Truncated, all.HasMore || b.HasMore
		for _, one := range b.Events {
			s.at.set(p.key, one.Cursor)
			if one, ok := s.outside(p, one); ok {
				one.Cursor = s.at.cursor()
				all.Events = append(all.Events, one)
			}
		}
		s.at.set(p.key, b.Cursor)
	}
	all.Cursor = s.at.cursor()
	if answered {
		err = nil
	}
	return all, err
}

// A joinedStream joins the notes of the parts of a stream, each of which has a goroutine that
// waits until the note before is sent.
type joinedStream struct {
	*joinedSource
	query     EventQuery
	send      func(EventNote) bool
	notes     chan partNote
	running   []*streamPart
	isActive  bool
	truncated bool
	isFailing bool // the last note about the sources was an error
	pending   []Occurrence
}

type streamPart struct {
	part
	cancel   context.CancelFunc
	isActive bool
	forced   bool // its first active note is one of a gap
	ended    bool
}

type partNote struct {
	of *streamPart
	EventNote
	ended bool
}

// maxPendingEvents is how many wait until all sources are active.
const maxPendingEvents = 100

var errStreamOver = errors.New("the client has ended the stream")

// StreamEvents implements [EventSource].
func (s *joinedSource) StreamEvents(ctx context.Context, q EventQuery, send func(EventNote) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	j := &joinedStream{joinedSource: s, query: q, send: send, notes: make(chan partNote)}
	ready := time.NewTimer(s.engine.options.ArmTimeout)
	defer ready.Stop()
	beat := time.NewTicker(heartbeatEvery)
	defer beat.Stop()
	changed := s.engine.events.change()
	err := j.reconcile(ctx)
	if err == nil {
		err = j.activate() // if there are no parts
	}
	for err == nil {
		select {
		case n := <-j.notes:
			err = j.take(ctx, n)
		case <-ready.C:
			err = j.begin()
		case <-beat.C:
			if j.isActive {
				err = j.pass(EventNote{Kind: NoteHeartbeat})
			}
		case <-changed:
			changed = s.engine.events.change()
			err = j.reconcile(ctx)
		case <-ctx.Done():
			return nil
		}
	}
	if err == errStreamOver {
		return nil
	}
	return err
}

// pass sends a note with the client's cursor.
func (s *joinedStream) pass(n EventNote) error {
	n.Cursor = s.at.cursor()
	if !s.send(n) {
		return errStreamOver
	}
	return nil
}

// reconcile brings the parts in step with the sources.
func (s *joinedStream) reconcile(ctx context.Context) error {
	if err := s.plan(s.query); err != nil {
		return err
	}
	s.running = slices.DeleteFunc(s.running, func(p *streamPart) bool {
		isWanted := slices.ContainsFunc(s.parts, func(w part) bool { return samePart(w, p.part) })
		if !isWanted {
			p.cancel()
		}
		return !isWanted || p.ended
	})
	for _, w := range s.parts {
		if !slices.ContainsFunc(s.running, func(p *streamPart) bool { return samePart(w, p.part) }) {
			s.start(ctx, w)
		}
	}
	return nil
}

func samePart(a, b part) bool {
	return a.key == b.key && string(a.query.Arguments) == string(b.query.Arguments)
}

// start starts the goroutine of a part, which ends with the part or the stream.
func (s *joinedStream) start(ctx context.Context, w part) {
	ctx, cancel := context.WithCancel(ctx)
	p := &streamPart{part: w, cancel: cancel}
	begun := s.query
	if s.isActive {
		begun.Cursor = s.at.cursor() // from now on the client has one
	}
	p.query.Cursor, p.forced = s.joinedSource.begin(&w, begun)
	s.at.set(w.key, p.query.Cursor)
	s.running = append(s.running, p)
	go func() {
		err := errPanicked
		s.engine.safely("the events of a source", func() {
			err = p.source.StreamEvents(ctx, p.query, func(n EventNote) bool { return s.put(ctx, partNote{of: p, EventNote: n}) })
		})
		s.put(ctx, partNote{of: p, EventNote: EventNote{Err: err}, ended: true})
	}()
}

// put passes a note to the stream's goroutine; false: the part has ended.
func (s *joinedStream) put(ctx context.Context, n partNote) bool {
	select {
	case s.notes <- n:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// take handles a note of a part.
func (s *joinedStream) take(ctx context.Context, n partNote) error {
	p := n.of
	if !slices.Contains(s.running, p) {
		return nil // it has left meanwhile
	}
	switch {
	case n.ended:
		p.ended = true
		p.cancel()
		if has, ok := p.source.(interface{ HasEvents() bool }); ok && !has.HasEvents() {
			return s.reconcile(ctx) // its changes are in the ring of this engine
		}
		if !s.several {
			return cmp.Or(notFoundEvent(n.Err), eventNotFound("event"))
		}
		return s.activate()
	case n.Kind == NoteEvent:
		s.at.set(p.key, n.Event.Cursor)
		one, ok := s.outside(&p.part, n.Event)
		if !ok {
			return nil
		}
		one.Cursor = s.at.cursor()
		if s.isActive {
			return s.pass(EventNote{Kind: NoteEvent, Event: one})
		}
		if s.pending = append(s.pending, one); len(s.pending) >= maxPendingEvents {
			return s.begin()
		}
		return nil
	case n.Kind == NoteError:
		s.isFailing = true
		if s.isActive {
			return s.pass(n.EventNote)
		}
		return nil
	}
	if n.Cursor != "" {
		s.at.set(p.key, n.Cursor)
	}
	if n.Kind == NoteActive {
		s.truncated = s.truncated || n.Truncated || p.forced
		p.isActive, p.forced = true, false
		return s.activate()
	}
	return nil
}

// activate says that events follow: at first once all parts are active, later after a gap or an
// error.
func (s *joinedStream) activate() error {
	if s.isActive {
		if s.truncated || s.isFailing {
			return s.passActive()
		}
		return nil
	}
	for _, p := range s.running {
		if !p.isActive && !p.ended {
			return nil
		}
	}
	return s.begin()
}

// begin sends the first note, if it has not been sent, and what has waited for it. Parts that are
// not active then send a note of a gap once they are.
func (s *joinedStream) begin() error {
	if s.isActive {
		return nil
	}
	s.isActive = true
	for _, p := range s.running {
		p.forced = p.forced || !p.isActive && p.query.Cursor == ""
	}
	err := s.passActive()
	for _, one := range s.pending {
		if err == nil {
			err = s.pass(EventNote{Kind: NoteEvent, Event: one})
		}
	}
	s.pending = nil
	return err
}

func (s *joinedStream) passActive() error {
	truncated := s.truncated
	s.truncated, s.isFailing = false, false
	return s.pass(EventNote{Kind: NoteActive, Truncated: truncated})
}
