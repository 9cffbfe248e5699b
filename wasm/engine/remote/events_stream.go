package remote

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Streams of events of the other engine.

// noteTerminated is a note that stays here: the other engine has ended the stream.
const noteTerminated engine.EventNoteKind = 100

// maxWaiting bounds what a stream has received and its reader has not taken. When it is full,
// the stream begins again behind what was taken.
const (
	maxWaiting      = 1000
	maxWaitingBytes = 512 << 10
)

// An eventStream is one stream of a Remote, over all of its links.
type eventStream struct {
	name string

	mu    sync.Mutex
	queue []engine.EventNote
	bytes int
	full  bool
	wake  chan struct{} // has room for one
}

// StreamEvents implements [engine.EventSource]. It outlives links: a gap, and its end, are notes.
func (r *Remote) StreamEvents(ctx context.Context, q engine.EventQuery, send func(engine.EventNote) bool) error {
	wasActive := false
	for {
		l := r.awaitLink(ctx)
		if l == nil {
			if ctx.Err() == nil {
				return engine.ErrAway // closed
			}
			return nil
		}
		if !r.HasEvents() {
			return engine.ErrNotFound
		}
		cursor, err := r.stream(ctx, l, q, send, &wasActive)
		q.Cursor = cursor
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil: // full: again
			continue
		case !errors.Is(err, jsonrpc.ErrClosed) && !isPassing(err):
			return cleanError(err)
		}
		if wasActive && !send(engine.EventNote{Kind: engine.NoteError, Err: engine.ErrAway}) {
			return nil
		}
		select {
		case <-l.down:
		case <-time.After(streamAgain):
		case <-ctx.Done():
		}
	}
}

// streamAgain is how long a stream waits after an error that may pass.
const streamAgain = time.Second

// isPassing reports whether a stream that the other engine has ended is to be opened again: it
// had no room, or ends. An unknown method is one of an engine that is about to say so.
func isPassing(err error) bool {
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) {
		return true
	}
	switch wire.Code {
	case jsonrpc.CodeMethodNotFound, engine.CodeEventExhausted:
		return true
	case jsonrpc.CodeInternal:
		return string(jsonrpc.Member(wire.Data, "retry")) == "true"
	}
	return false
}

// awaitLink waits for a link; nil: ctx has ended, or the Remote is closed.
func (r *Remote) awaitLink(ctx context.Context) *link {
	for {
		l, back, _ := r.present()
		if l != nil {
			return l
		}
		if r.isClosed() {
			return nil
		}
		select {
		case <-back: // also when it is forgotten: it may come back all the same
		case <-ctx.Done():
			return nil
		}
	}
}

// stream opens a stream on a link, and passes on what comes. It returns the cursor behind that.
func (r *Remote) stream(ctx context.Context, l *link, q engine.EventQuery, send func(engine.EventNote) bool, wasActive *bool) (cursor string, err error) {
	cursor = q.Cursor
	s := &eventStream{name: q.Name, wake: make(chan struct{}, 1)}
	var id jsonrpc.ID
	defer func() { r.dropStream(l, id) }()
	client := ""
	if r.Grants() != nil {
		client = q.Client
	}
	pending, err := l.conn.Begin(ctx, engine.MethodStreamEvents, streamParams(engine.PrincipalOf(ctx), client, eventMembers(q)), func(p *jsonrpc.Pending) {
		id = p.ID
		r.keepStream(l, id, s)
	})
	if err != nil {
		return cursor, err
	}
	defer l.conn.Cancel(pending)
	silence := time.NewTimer(streamSilence)
	defer silence.Stop()
	for {
		done := false
		select {
		case <-s.wake:
		case <-pending.Done():
			done = true
		case <-silence.C:
			return cursor, jsonrpc.ErrClosed
		case <-ctx.Done():
			return cursor, nil
		}
		silence.Reset(streamSilence)
		notes, full := s.take()
		for _, n := range notes {
			if n.Kind == noteTerminated {
				return cursor, n.Err
			}
			switch {
			case n.Kind == engine.NoteEvent:
				cursor = n.Event.Cursor
			case n.Cursor != "":
				cursor = n.Cursor
			}
			*wasActive = *wasActive || n.Kind == engine.NoteActive
			if !send(n) {
				return cursor, nil
			}
		}
		if full {
			return cursor, nil
		}
		if done {
			if _, err := pending.Answer(); err != nil {
				return cursor, err
			}
			return cursor, jsonrpc.ErrClosed // the other engine ends
		}
	}
}

// streamSilence is after how long without a heartbeat a stream is opened again.
const streamSilence = time.Minute

// streamParams returns the params of a stream on the hop.
func streamParams(who engine.Principal, client string, members []byte) []byte {
	params := emit.JSON(envelope(who, nil))
	params = params[:len(params)-len("}}")]
	if client != "" {
		params.Name(hop.KeyClientInfo)
		params.Text(`{"name":`)
		params.Quote(client)
		params.Text(`,"version":""}`)
	}
	params.Text("},")
	params.Raw(members)
	params.Text("}")
	return params
}

func (r *Remote) keepStream(l *link, id jsonrpc.ID, s *eventStream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.streams == nil {
		l.streams = map[jsonrpc.ID]*eventStream{}
	}
	l.streams[id] = s
}

func (r *Remote) dropStream(l *link, id jsonrpc.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(l.streams, id)
}

// streamed passes a notification to the stream that it is of; false: it is of none.
func (r *Remote) streamed(l *link, msg jsonrpc.Message) bool {
	n := engine.EventNote{}
	switch msg.Method {
	case engine.MethodEventsActive:
		n.Truncated = string(jsonrpc.Member(msg.Params, "truncated")) == "true"
	case engine.MethodEvent:
		n.Kind = engine.NoteEvent
	case engine.MethodEventsError:
		n.Kind, n.Err = engine.NoteError, errorOf(jsonrpc.Member(msg.Params, "error"))
	case engine.MethodEventsTerminated:
		n.Kind, n.Err = noteTerminated, errorOf(jsonrpc.Member(msg.Params, "error"))
	case engine.MethodEventsHeartbeat:
		n.Kind = engine.NoteHeartbeat
	default:
		return false
	}
	s := r.streamOf(l, jsonrpc.ID(jsonrpc.Member(jsonrpc.Member(msg.Params, "_meta"), hop.KeySubscription)))
	if s == nil {
		return true // it was cancelled meanwhile
	}
	if n.Kind == engine.NoteEvent {
		var err error
		if n.Event, err = parseOccurrence(msg.Params, s.name); err != nil {
			return true
		}
	} else if n.Cursor, _ = jsonrpc.Text(jsonrpc.Member(msg.Params, "cursor")); len(n.Cursor) > maxEventCursor {
		return true
	}
	s.put(n)
	return true
}

func (r *Remote) streamOf(l *link, id jsonrpc.ID) *eventStream {
	r.mu.Lock()
	defer r.mu.Unlock()
	return l.streams[id]
}

// errorOf returns the error object of a notification.
func errorOf(object []byte) error {
	code, _ := jsonrpc.Int(jsonrpc.Member(object, "code"))
	message, _ := jsonrpc.Text(jsonrpc.Member(object, "message"))
	return cleanError(&jsonrpc.Error{Code: code, Message: message, Data: slices.Clone(jsonrpc.Member(object, "data"))})
}

// put adds a note, unless too many wait.
func (s *eventStream) put(n engine.EventNote) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := len(n.Event.Data) + len(n.Cursor) + len(n.Event.Cursor)
	s.full = s.full || len(s.queue) >= maxWaiting || s.bytes+size > maxWaitingBytes
	if !s.full {
		s.queue = append(s.queue, n)
		s.bytes += size
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// take returns what waits. full: more has come, and was dropped.
func (s *eventStream) take() (notes []engine.EventNote, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	notes, full = s.queue, s.full
	s.queue, s.bytes = nil, 0
	return notes, full
}
