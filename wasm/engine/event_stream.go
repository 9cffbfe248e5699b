package engine

import (
	"context"
	"time"

	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Limits of a stream.
const (
	heartbeatEvery = 15 * time.Second // at most 30 s: draft, events/stream

	eventRate    = 10 // events a second, of one stream
	eventsAtOnce = 50
	byteRate     = 32 << 10 // of their data, a second
	bytesAtOnce  = 256 << 10

	ownStream = 20 // times as much for programs of this project, which limit what they pass on
)

// An eventStream is one events/stream. Its source waits until each note is sent: a slow client
// slows it, and what it has waits in its ring.
type eventStream struct {
	client    *Client
	who       Principal
	call      sink.Call
	cancel    context.CancelCauseFunc
	isGranted bool // the grants allow it; else the user did
	isActive  bool // something was sent
	rate      allowance
	byteRate  allowance
}

// streamEvents answers events/stream. The request stays open, until its client or the engine
// ends it, or there will be no more events.
func (e *Engine) streamEvents(_ context.Context, req *request) (sink.Result, error) {
	if !req.mayWait {
		return sink.Result{}, errMustWait
	}
	q, source, err := e.eventQuery(req)
	if err != nil {
		return sink.Result{}, err
	}
	s := &eventStream{client: req.client, who: req.who, call: req.call}
	s.rate.rate, s.rate.most = eventRate, eventsAtOnce
	s.byteRate.rate, s.byteRate.most = byteRate, bytesAtOnce
	if req.speaksEvents() {
		s.rate.rate, s.rate.most, s.byteRate.rate = eventRate*ownStream, eventsAtOnce*ownStream, byteRate*ownStream
	}
	s.isGranted = s.decide(e.grants.Load()) == allowed
	ctx, cancel := context.WithCancelCause(WithPrincipal(req.client.ctx, req.who))
	defer cancel(nil)
	s.cancel = cancel
	if err := req.client.openStream(s); err != nil {
		return sink.Result{}, err
	}
	err = source.StreamEvents(ctx, q, func(n EventNote) bool { return s.send(ctx, n) })
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if err != context.Canceled { // of the client
		s.terminate(notFoundEvent(err))
	}
	return sink.Result{}, errSent
}

// openStream registers a stream: its request is not one of those in flight any more.
func (c *Client) openStream(s *eventStream) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, waits := c.waiting[s.call]; !waits || c.closed {
		return errSent // cancelled meanwhile
	}
	most := maxStreams
	if c.proxy {
		most *= proxyInFlight
	}
	if len(c.streams) >= most {
		return eventError(CodeEventExhausted, "Too many streams", emit.JSON(`{"limit":"streams","max":`+jsonrpc.IDOf(int64(most))+"}"))
	}
	delete(c.waiting, s.call)
	c.streams[s.call] = s
	return nil
}

// send sends a note, an event once the rate allows it; false: the stream has ended.
func (s *eventStream) send(ctx context.Context, n EventNote) bool {
	params := emit.JSON(`{"_meta":{}`)
	method := MethodEventsHeartbeat
	switch n.Kind {
	case NoteEvent:
		method = MethodEvent
		for !s.rate.take(1) || !s.byteRate.take(float64(len(n.Event.Data))) {
			if !pause(ctx, time.Second/eventRate/2) {
				return false
			}
		}
		addOccurrence(&params, n.Event)
	case NoteError:
		method = MethodEventsError
		params.Member("error", s.wireError(n.Err).Append(nil))
	case NoteActive:
		method = MethodEventsActive
		addBool(&params, "truncated", n.Truncated)
		fallthrough
	default:
		addText(&params, "cursor", n.Cursor)
	}
	s.isActive = true
	if ctx.Err() == nil {
		s.client.endDeniedStreams(s.client.engine.grants.Load()) // a grant may have ended by its time
	}
	if ctx.Err() == nil {
		s.notify(method, params)
	}
	return ctx.Err() == nil
}

func (s *eventStream) notify(method string, params emit.JSON) {
	params.Text("}")
	doc := &sink.Document{JSON: jsonrpc.AppendNotification(nil, method, params)}
	s.ifOpen(func() { s.client.sink.Notify(doc, s.call) })
}

// ifOpen calls send while the stream is open.
//
//go:noinline
func (s *eventStream) ifOpen(send func()) {
	s.client.engine.safely("a Sink", func() {
		s.client.mu.Lock()
		defer s.client.mu.Unlock()
		if s.client.streams[s.call] != nil && !s.client.closed {
			send()
		}
	})
}

// terminate ends the stream with an error: as its answer, if nothing was sent.
func (s *eventStream) terminate(err error) {
	failure := s.wireError(err)
	if s.isActive {
		params := emit.JSON(`{"_meta":{}`)
		params.Member("error", failure.Append(nil))
		s.notify(MethodEventsTerminated, params)
	}
	s.ifOpen(func() {
		delete(s.client.streams, s.call)
		if s.isActive {
			s.client.sink.Respond(s.call, s.client.engine.streamResult())
		} else {
			s.client.sink.Fail(s.call, failure)
		}
	})
}

// streamResult is the result of a stream that the engine ends.
func (e *Engine) streamResult() sink.Result {
	return sink.Result{Document: &sink.Document{JSON: append(e.fixed.Load().begin(), '}')}}
}

func (s *eventStream) wireError(err error) *jsonrpc.Error {
	return (&request{client: s.client, rev: modern, method: streamEventsMethod}).wireError(err)
}

// decide returns what grants say about the client.
func (s *eventStream) decide(g *Grants) decision {
	if g == nil || s.client.isOwnPage() {
		return allowed
	}
	d, _ := g.decide(s.who, grantRead, "")
	return d
}

// endDeniedStreams ends the streams of a client that may not read any more.
func (c *Client) endDeniedStreams(g *Grants) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.streams {
		if d := s.decide(g); d == denied || d == undecided && s.isGranted {
			s.cancel(eventError(codeEventForbidden, ErrRevoked.Error(), nil))
		}
	}
}
