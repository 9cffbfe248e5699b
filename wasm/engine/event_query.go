package engine

import (
	"bytes"
	"context"
	"math"
	"strings"

	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/schema"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// eventQuery reads the params of a poll or a stream, and finds what answers it.
func (e *Engine) eventQuery(req *request) (q EventQuery, source EventSource, err error) {
	switch {
	case req.name == "":
		return q, nil, BadParams("name is missing")
	case req.arguments != nil && req.arguments[0] != '{':
		return q, nil, BadParams("arguments must be an object")
	case req.hasCursor && (req.cursor == "" || len(req.cursor) > maxEventCursor):
		return q, nil, ErrBadCursor
	}
	q = EventQuery{Name: strings.Clone(req.name), Arguments: bytes.Clone(req.arguments), Cursor: strings.Clone(req.cursor), Client: req.clientName()}
	if q.MaxAgeMs, err = req.number("maxAgeMs"); err != nil {
		return q, nil, err
	}
	most, err := req.number("maxEvents")
	if err != nil {
		return q, nil, err
	}
	if q.MaxEvents = int(min(most, maxEvents)); most == 0 {
		q.MaxEvents = defaultEvents
	}
	if !e.options.Allow(req.who, VerbWatch, eventScheme+q.Name) {
		return q, nil, eventNotFound("event")
	}
	if join := e.options.JoinEvents; join != nil {
		source, err = join(e, req.client, req.who, q)
	} else {
		source, err = e.ownSource(req.client, req.who, q)
	}
	return q, source, err
}

// number returns a member of params that may be missing, and is not below 0.
func (req *request) number(name string) (int64, error) {
	value := jsonrpc.Member(req.params, name)
	if value == nil || isNull(value) {
		return 0, nil
	}
	n, ok := jsonrpc.Int(value)
	if !ok || n < 0 || n > math.MaxInt32*1000 {
		return 0, BadParams(name + " must be a whole number, and not below 0")
	}
	return n, nil
}

// resourceURIs reads the arguments of EventResourceUpdated; nil: all resources. denied are those
// that this client cannot watch.
func (e *Engine) resourceURIs(who Principal, arguments []byte) (uris, denied []string, err error) {
	s := jsonrpc.Scan(arguments)
	for arguments != nil && s.Next() {
		elements, isArray := jsonrpc.Elements(s.Value)
		if !isArray {
			elements = [][]byte{s.Value}
		}
		if string(s.Name) != "uri" || len(elements) == 0 || len(elements) > maxLeaseURI {
			return nil, nil, errResourceArguments()
		}
		for _, element := range elements {
			uri, ok := jsonrpc.Text(element)
			if !ok {
				return nil, nil, errResourceArguments()
			}
			canonical, err := schema.Canonical(uri)
			if err != nil || !e.options.Allow(who, VerbWatch, canonical) {
				denied = append(denied, uri)
			}
			uris = append(uris, uri)
		}
	}
	return uris, denied, nil
}

func errResourceArguments() error {
	return BadParams("arguments must have nothing but uri, a string or an array of 1 to 1,000 strings")
}

// pollEvents answers events/poll. Draft, events/poll.
func (e *Engine) pollEvents(ctx context.Context, req *request) (sink.Result, error) {
	if !req.mayWait {
		return sink.Result{}, errMustWait
	}
	q, source, err := e.eventQuery(req)
	if err != nil {
		return sink.Result{}, err
	}
	b, err := source.PollEvents(ctx, q)
	if err != nil {
		return sink.Result{}, jsonrpc.Wrap("poll events", notFoundEvent(err))
	}
	o := emit.JSON(e.fixed.Load().begin())
	o.Name("events")
	o.Text("[")
	for i, one := range b.Events {
		if i > 0 {
			o.Text(",")
		}
		o.Text("{")
		addOccurrence(&o, one)
		o.Text("}")
	}
	o.Text("]")
	addText(&o, "cursor", b.Cursor)
	addBool(&o, "truncated", b.Truncated)
	addBool(&o, "hasMore", b.HasMore)
	next := nextPollMs
	if b.HasMore {
		next = "0"
	}
	o.Member("nextPollMs", []byte(next))
	o.Text("}")
	return sink.Result{Document: &sink.Document{JSON: o}}, nil
}

// nextPollMs is when a client should poll again that has got all there is.
const nextPollMs = "2000"

// notFoundEvent makes the error for an unknown event of that of a source.
func notFoundEvent(err error) error {
	if tryNextSource(err) {
		return eventNotFound("event")
	}
	return err
}

// addOccurrence adds the members of an occurrence.
func addOccurrence(o *emit.JSON, one Occurrence) {
	addText(o, "eventId", one.ID)
	addText(o, "name", one.Name)
	addText(o, "timestamp", one.Timestamp)
	o.Member("data", one.Data)
	addText(o, "cursor", one.Cursor)
}

//go:noinline
func addText(o *emit.JSON, name, text string) {
	o.Name(name)
	o.Quote(text)
}

//go:noinline
func addBool(o *emit.JSON, name string, is bool) {
	o.Name(name)
	if is {
		o.Text("true")
	} else {
		o.Text("false")
	}
}
