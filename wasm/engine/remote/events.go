package remote

import (
	"bytes"
	"context"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Events of the other engine, with its own cursors. events_stream.go has the streams.

// HasEvents reports whether the other engine has events; true before it has come: most have.
func (r *Remote) HasEvents() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.eventless
}

// setEventless reports whether that has changed.
func (r *Remote) setEventless(eventless bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed := r.eventless != eventless
	r.eventless = eventless
	return changed
}

// isEventless reports whether a result of discover is that of an engine without events.
func isEventless(discovered []byte) bool {
	return string(jsonrpc.Member(discovered, hop.ExtensionEvents)) != "true"
}

// Events requests all events, page by page.
func (r *Remote) Events(ctx context.Context) ([]engine.Event, error) {
	if !r.HasEvents() {
		return nil, nil
	}
	return r.named(ctx, engine.MethodListEvents, "events", engine.Change{Events: true}, engine.ParseEvent)
}

// PollEvents requests what is behind a cursor.
func (r *Remote) PollEvents(ctx context.Context, q engine.EventQuery) (b engine.EventBatch, err error) {
	result, err := unlessUnknown(r.request(ctx, engine.MethodPollEvents, eventMembers(q), false))
	if err != nil {
		return b, err
	}
	elements, ok := jsonrpc.Elements(jsonrpc.Member(result, "events"))
	b.Cursor, _ = jsonrpc.Text(jsonrpc.Member(result, "cursor"))
	if !ok || b.Cursor == "" || len(b.Cursor) > maxEventCursor || len(elements) > engine.MaxPageSize {
		return b, errAnswer
	}
	for _, element := range elements {
		one, err := parseOccurrence(element, q.Name)
		if err != nil {
			return b, err
		}
		b.Events = append(b.Events, one)
	}
	b.Truncated = string(jsonrpc.Member(result, "truncated")) == "true"
	b.HasMore = string(jsonrpc.Member(result, "hasMore")) == "true"
	ms, _ := jsonrpc.Int(jsonrpc.Member(result, "nextPollMs"))
	b.NextPoll = time.Duration(max(0, ms)) * time.Millisecond
	return b, nil
}

// eventMembers returns the members of params for a query.
func eventMembers(q engine.EventQuery) []byte {
	o := emit.JSON(jsonrpc.AppendString([]byte(`"name":`), q.Name))
	o.Text(`,"cursor":`)
	if q.Cursor == "" {
		o.Text("null")
	} else {
		o.Quote(q.Cursor)
	}
	if q.Arguments != nil {
		o.Member("arguments", q.Arguments)
	}
	if q.MaxAgeMs > 0 {
		o.Member("maxAgeMs", []byte(jsonrpc.IDOf(q.MaxAgeMs)))
	}
	if q.MaxEvents > 0 {
		o.Member("maxEvents", []byte(jsonrpc.IDOf(int64(q.MaxEvents))))
	}
	return o
}

// Limits of what another engine sends.
const (
	maxEventCursor = 8 << 10 // bytes
	maxEventText   = 256     // of an id or a timestamp
	maxEventData   = 32 << 10
)

// parseOccurrence reads an occurrence of the event called name. Texts are cleaned.
func parseOccurrence(object []byte, name string) (o engine.Occurrence, err error) {
	for _, member := range [...]struct {
		name  string
		value *string
		most  int
	}{{"eventId", &o.ID, maxEventText}, {"name", &o.Name, maxEventText}, {"timestamp", &o.Timestamp, maxEventText}, {"cursor", &o.Cursor, maxEventCursor}} {
		text, ok := jsonrpc.Text(jsonrpc.Member(object, member.name))
		if !ok || len(text) > member.most {
			return o, errAnswer
		}
		*member.value = text
	}
	data := jsonrpc.Member(object, "data")
	if o.Name != name || data == nil || len(data) > maxEventData {
		return o, errAnswer
	}
	o.ID, o.Timestamp = engine.PlainText(o.ID, maxEventText), engine.PlainText(o.Timestamp, maxEventText)
	o.Data = bytes.Clone(engine.PlainJSON(data))
	return o, nil
}
