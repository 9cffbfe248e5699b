package engine

import (
	"context"
	"errors"
	"time"

	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Events tell clients what has happened: extension io.modelcontextprotocol/events, SEP-3415,
// draft of 2026-10-05. Clients poll for them, or open a stream. An engine has those that its app
// emits, and one of its own: each change of a resource. Sources that are other engines have
// theirs, whose cursors it passes on.

// ExtensionEvents is the id of the extension. Without Options.Events its methods are there only
// for programs of this project, which declare [hop.ExtensionEvents].
const ExtensionEvents = "io.modelcontextprotocol/events"

// EventCapabilities are the clientCapabilities of programs of this project that use events.
const EventCapabilities = hop.Capabilities

// EventResourceUpdated is the event of each resource that changes. The draft leaves its name
// open.
const EventResourceUpdated = "resource_updated"

// MetaShow is the key in _meta of an event whose app says that its data may be shown where the
// user has not opened it, with the value true.
const MetaShow = "io.github.pagemcp/show"

// An Event describes something that happens. Use [ParseEvent].
type Event = Named

// An Eventer is a Source that has events of its own, with cursors of its own. The name of its
// [EventResourceUpdated] has no prefix: the engine joins those of all sources.
type Eventer interface {
	// Events returns all of them in a stable order, EventResourceUpdated too.
	Events(ctx context.Context) ([]Event, error)

	EventSource
}

// An EventSource has occurrences of events.
type EventSource interface {
	// PollEvents returns what is behind a cursor. If there is no such event, the error wraps
	// [ErrNotFound].
	PollEvents(ctx context.Context, q EventQuery) (EventBatch, error)

	// StreamEvents calls send for what is behind a cursor, until ctx ends or send returns false.
	// It begins with a note that is active, and ends with an error if there will never be
	// anything more.
	StreamEvents(ctx context.Context, q EventQuery, send func(EventNote) bool) error
}

// An EventQuery is what a client requests.
type EventQuery struct {
	Name      string
	Arguments []byte // JSON object, or nil
	Cursor    string // "": from now on
	MaxAgeMs  int64  // of what is returned; 0: any
	MaxEvents int    // of a poll; 0: the default
	Client    string // clientInfo.name, cleaned; "": there is none
}

// An EventBatch is the answer to a poll.
type EventBatch struct {
	Events    []Occurrence
	Cursor    string
	Truncated bool // some events behind the cursor are gone
	HasMore   bool
	NextPoll  time.Duration
}

// An Occurrence is one time at which an event happened.
type Occurrence struct {
	ID, Name  string
	Timestamp string // ISO 8601
	Data      []byte // a JSON value
	Cursor    string // behind it
}

// An EventNote is a part of a stream.
type EventNote struct {
	Kind      EventNoteKind
	Event     Occurrence // of NoteEvent
	Cursor    string     // of the others; "": unchanged
	Truncated bool       // of NoteActive
	Err       error      // of NoteError
}

// An EventNoteKind says what a note is.
type EventNoteKind uint8

// The kinds of notes.
const (
	NoteActive EventNoteKind = iota // events follow; again after a gap
	NoteEvent
	NoteError     // no events for now
	NoteHeartbeat // still active
)

// Errors of events: draft, Errors, which calls the codes provisional.
const (
	codeEventNotFound  = -32023
	codeEventForbidden = -32024
	CodeEventExhausted = -32025 // no room for one more stream
)

// eventError returns an error of the extension. data is a JSON object.
func eventError(code int64, message string, data emit.JSON) error {
	return &jsonrpc.Error{Code: code, Message: message, Data: data}
}

// eventNotFound is the error for an event, or for resources that cannot be watched.
func eventNotFound(kind string, names ...string) error {
	data := emit.JSON(`{"kind":"` + kind + `"`)
	for i, name := range names {
		if i == 0 {
			data.Name("names")
		}
		data.Text(emit.Separator(i))
		data.Quote(name)
	}
	if names != nil {
		data.Text("]")
	}
	data.Text("}")
	return eventError(codeEventNotFound, "There is no such "+kind, data)
}

// SetEvents replaces Options.Events.
func (e *Engine) SetEvents(on bool) {
	if e.offersEvents.Swap(on) != on {
		e.declare(func(o *Options) { o.Events = e.offersEvents.Load() })
	}
}

// isEvents reports whether a method is one of the extension.
func isEvents(m sink.Method) bool {
	return m == listEventsMethod || m == pollEventsMethod || m == streamEventsMethod
}

// IsStream reports whether a request lasts until its client ends it.
func IsStream(method string) bool { return method == MethodListen || method == MethodStreamEvents }

// speaksEvents reports whether the client of a request is a program of this project that uses
// events.
func (req *request) speaksEvents() bool {
	return jsonrpc.Member(jsonrpc.Member(req.capabilities, "extensions"), hop.ExtensionEvents) != nil
}

// settleEvents makes an unknown method of one of events that this client is not offered: an app
// may serve the extension itself.
func (e *Engine) settleEvents(req *request, params []byte) {
	if !isEvents(req.method) || e.offersEvents.Load() || req.speaksEvents() {
		return
	}
	if e.extends() {
		req.extension, req.params = methods[req.method].Name, params
	}
	req.method = unknownMethod
}

// resourceEvent describes the event of every engine.
const resourceEvent = `{"name":"` + EventResourceUpdated + `","description":"A resource has changed. Read it again by its URI: data has no contents. A resource that changes several times occurs once, with its last change.",` +
	`"delivery":["poll","push"],"inputSchema":{"type":"object","properties":{"uri":{"description":"One URI or several; without it: all resources that announce their changes","anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"},"maxItems":1000}]}},"additionalProperties":false},` +
	`"payloadSchema":{"type":"object","properties":{"uri":{"type":"string"},"under":{"type":"boolean","description":"true: so did every resource whose URI begins with uri, or it may have"}},"required":["uri"]}}`

// listEvents answers events/list. The engine's own events are in the list of the first source
// without prefix: an engine whose sources all have one lists none.
func (e *Engine) listEvents(ctx context.Context, req *request) (sink.Result, error) {
	return e.listNamed(ctx, req, listOfEvents, eventScheme, func(ctx context.Context, m *mount, _ byte) (all []Event, err error) {
		if m.prefix == "" && m == e.sources()[0] {
			all = append([]Event{{Name: EventResourceUpdated, Object: []byte(resourceEvent)}}, e.events.all()...)
		}
		if !m.isEventSource() {
			return all, nil
		}
		others, err := m.source.(Eventer).Events(ctx)
		for _, one := range others {
			if one.Name != EventResourceUpdated { // the engine joins those of all sources
				all = append(all, one)
			}
		}
		return all, err
	})
}

// eventScheme begins what Options.Allow gets for an event.
const eventScheme = "event:"

// isEventSource reports whether a source has events of its own. Changes of other sources are in
// the ring of the engine.
func (m *mount) isEventSource() bool {
	if _, ok := m.source.(Eventer); !ok {
		return false
	}
	s, ok := m.source.(interface{ HasEvents() bool })
	return !ok || s.HasEvents()
}

// ParseEvent reads a description: a JSON object of name, description, inputSchema and
// payloadSchema, objects that are optional, and _meta; or as events/list has it. Texts are
// cleaned: see [PlainText].
func ParseEvent(object []byte) (Event, error) {
	tool := emit.JSON("{") // whose rules are the same
	tool.Members(object, func(name string) bool {
		return name == "name" || name == "description" || name == "_meta" || name == "inputSchema"
	})
	if jsonrpc.Member(object, "inputSchema") == nil {
		tool.Member("inputSchema", []byte(`{"type":"object"}`))
	}
	payload := jsonrpc.Member(object, "payloadSchema")
	if payload == nil {
		payload = []byte("{}")
	}
	tool.Member("outputSchema", payload)
	tool.Text("}")
	n, err := ParseTool(tool)
	if err == nil && jsonrpc.Member(object, "description") == nil {
		err = errors.New("description is missing")
	}
	event := emit.JSON("{")
	event.Members(n.Object, func(name string) bool { return name != "outputSchema" })
	event.Member("payloadSchema", jsonrpc.Member(n.Object, "outputSchema"))
	event.Text(`,"delivery":["poll","push"]}`)
	n.Object = event
	return n, err
}
