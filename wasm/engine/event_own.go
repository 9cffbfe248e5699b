package engine

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// ownSource is what an engine itself knows of a query of one client: events of its app, and the
// changes in its ring.
type ownSource struct {
	engine *Engine
	client *Client
	who    Principal
	uris   []string          // of EventResourceUpdated, as the client has spelled them; nil: all
	spells map[string]string // of each identity, the first of them
}

// of returns the source for resources.
func (s ownSource) of(uris []string) ownSource {
	s.uris, s.spells = uris, map[string]string{}
	for _, uri := range uris {
		if identity := identityOf(uri); s.spells[identity] == "" {
			s.spells[identity] = uri
		}
	}
	return s
}

// Limits of an answer.
const (
	defaultEvents = 100      // of a poll that does not say how many
	maxEvents     = 1000     // of any poll
	maxBatchBytes = 64 << 10 // of one answer, unless its first event has more

	// Reads of the ring by one stream, of an app that emits without end.
	readsPerSecond = 100
	readsAtOnce    = 10
)

// ownSource returns the source of an engine without sources that are engines.
func (e *Engine) ownSource(c *Client, who Principal, q EventQuery) (EventSource, error) {
	own := ownSource{engine: e, client: c, who: who}
	if q.Name != EventResourceUpdated {
		return own, e.checkOwn(q)
	}
	uris, denied, err := e.resourceURIs(who, q.Arguments)
	if denied != nil {
		err = eventNotFound("resource", denied...)
	}
	if uris != nil {
		own = own.of(uris)
	}
	return own, err
}

// checkOwn checks a query for an event of the app. It has the arguments that its inputSchema
// names: they select the occurrences whose data has the same members.
func (e *Engine) checkOwn(q EventQuery) error {
	own := e.events.find(q.Name)
	if own == nil {
		return eventNotFound("event")
	}
	known := jsonrpc.Member(jsonrpc.Member(own.Object, "inputSchema"), "properties")
	s := jsonrpc.Scan(q.Arguments)
	for q.Arguments != nil && s.Next() {
		if jsonrpc.Member(known, string(s.Name)) == nil {
			return BadParams("arguments has a name that the event does not know")
		}
	}
	return nil
}

// PollEvents implements [EventSource].
func (s ownSource) PollEvents(ctx context.Context, q EventQuery) (b EventBatch, err error) {
	at, truncated, err := s.begin(ctx, q)
	if err == nil {
		b, _, _ = s.read(q, at)
		b.Truncated = b.Truncated || truncated
	}
	return b, err
}

// begin returns where to read. A query without cursor begins now.
func (s ownSource) begin(ctx context.Context, q EventQuery) (at ringPosition, truncated bool, err error) {
	since := uint64(0)
	if q.Name == EventResourceUpdated {
		since = s.engine.watched(ctx, s.who, s.uris)
	}
	if q.Cursor == "" {
		return s.engine.events.ring.now(), false, ctx.Err()
	}
	at, ok := readRingCursor(q.Cursor)
	if !ok {
		return at, false, ErrBadCursor
	}
	at = s.engine.events.ring.await(ctx, at)
	return at, at.number < since, ctx.Err()
}

// read returns what is behind a position, where it begins, and the channel that closes with the
// next occurrence.
func (s ownSource) read(q EventQuery, at ringPosition) (b EventBatch, from ringPosition, more <-chan struct{}) {
	v := s.engine.events.ring.since(at, q.Name)
	b.Truncated = v.truncated
	bytes, to := 0, v.to
	oldest := int64(0)
	if q.MaxAgeMs > 0 {
		oldest = time.Now().UnixMilli() - q.MaxAgeMs
	}
	for _, o := range v.all {
		if o.at < oldest || !s.wants(q, o) {
			continue
		}
		if b.HasMore = len(b.Events) >= q.MaxEvents || bytes > 0 && bytes+o.cost() > maxBatchBytes; b.HasMore {
			to = o.number - 1
			break
		}
		bytes += o.cost()
		b.Events = append(b.Events, o.json(v.epoch, cmp.Or(s.spells[identityOf(o.uri)], o.uri)))
	}
	b.Cursor = ringPosition{v.epoch, to}.cursor()
	return b, ringPosition{v.epoch, v.from}, v.more
}

// wants reports whether a query is for an occurrence.
func (s ownSource) wants(q EventQuery, o *occurrence) bool {
	if o.uri == "" {
		selector := jsonrpc.Scan(q.Arguments)
		for q.Arguments != nil && selector.Next() {
			if !bytes.Equal(jsonrpc.Member(o.data, string(selector.Name)), selector.Value) {
				return false
			}
		}
		return true
	}
	return (s.uris == nil || s.spells[identityOf(o.uri)] != "") && s.engine.options.Allow(s.who, VerbWatch, o.uri) &&
		(s.client.isOwnPage() || !s.engine.grants.Load().withholds(s.who, o.uri)) &&
		s.engine.guardsAllow(&subscription{client: s.client, who: s.who}, o.uri)
}

// StreamEvents implements [EventSource].
func (s ownSource) StreamEvents(ctx context.Context, q EventQuery, send func(EventNote) bool) error {
	at, truncated, err := s.begin(ctx, q)
	if err != nil {
		return err
	}
	isActive := false
	beat := time.NewTicker(heartbeatEvery)
	defer beat.Stop()
	reads := allowance{rate: readsPerSecond, most: readsAtOnce}
	for {
		changed := s.engine.events.change()
		if q.Name != EventResourceUpdated && s.engine.events.find(q.Name) == nil {
			return eventNotFound("event")
		}
		b, from, more := s.read(q, at)
		if truncated = truncated || b.Truncated; truncated || !isActive {
			if !send(EventNote{Kind: NoteActive, Cursor: from.cursor(), Truncated: truncated}) {
				return nil
			}
			truncated, isActive = false, true
		}
		for _, o := range b.Events {
			if !send(EventNote{Kind: NoteEvent, Event: o}) {
				return nil
			}
		}
		at, _ = readRingCursor(b.Cursor)
		if b.HasMore {
			continue
		}
		select {
		case <-more:
		case <-changed:
		case <-beat.C:
			s.engine.watched(ctx, s.who, s.uris) // as long as the stream
			if !send(EventNote{Kind: NoteHeartbeat, Cursor: b.Cursor}) {
				return nil
			}
		case <-ctx.Done():
			return nil
		}
		for !reads.take(1) { // a few follow each other without a timer, which a hidden window throttles
			if !pause(ctx, time.Second/readsPerSecond) {
				return nil
			}
		}
	}
}

// pause waits; false: ctx has ended.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
