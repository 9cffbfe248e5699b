package mcphttp

import (
	"container/list"
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A session is one client of the classic revisions that is awake: its connection to an engine,
// its requests and streams, and what the store keeps of it. It outlives its HTTP requests. While
// it is idle there is nothing but its document, from which the next request makes it again.
type session struct {
	all    *Sessions
	client access.Client // whose it is, where, and its clientInfo.name
	key    string        // of the document, instead of the id, which is stored nowhere
	saving chan struct{} // has capacity 1; holds a value while the document is written

	opened chan struct{} // closed when the fields below are set, or err

	// Set before opened is closed.
	err          error // why it could not be opened
	revision     string
	capabilities jsontext.Value // of the client
	endpoint     Endpoint
	direct       *access.Direct // to its engine

	place *list.Element // of Sessions.awake, whose lock guards it; nil: it does not count

	mu      sync.Mutex
	level   string    // of logging/setLevel; "" if not set
	expires time.Time // as the document says
	version uint64    // of the document
	changes int       // of what the document says
	stored  int       // how many of them the store has
	isLate  bool      // the store did not take the document

	users    int // HTTP requests that have acquired the session
	lastUsed time.Time
	isOver   bool // it sleeps, has ended or has moved
	hasEnded bool // by DELETE: its id is invalid
	hasMoved bool // another process serves it
	pending  map[*pendingRequest]struct{}
	streams  []*stream // the newest is the last
	mayLack  bool      // the client may not have got all notifications
}

// A pendingRequest is a message whose POST has not ended yet, or a request without an answer whose
// client has disconnected.
type pendingRequest struct {
	out         *engine.Outbox // for its response, and what belongs to it
	method, uri string
	level       string // of logging/setLevel
	started     time.Time
	hasChanged  bool // the resource to which it subscribes; guarded by the session's mu
}

var errOver = errors.New("the session is over")

// Times of sessions.
const (
	saveTime = 2 * time.Second // that a response waits for the store

	// A session is written again when its last use has moved its end by this part of its lifetime.
	renewals = 100
)

// maxStreams is the number of GET streams of one session. A further one ends the oldest.
const maxStreams = 4

// connect connects the session to its engine.
func (s *session) connect() {
	endpoint, _ := s.all.Endpoints.Acquire(s.client.Owner, s.client.Endpoint) // cannot fail: a request at this endpoint holds it
	direct := s.all.Gate.Direct(context.Background(), endpoint.Engine, s.client)
	s.mu.Lock()
	s.endpoint, s.direct = endpoint, direct
	isOver := s.isOver
	s.mu.Unlock()
	if isOver { // the gateway closes
		direct.Close()
		endpoint.Release()
	}
}

// restore makes the session from its document. Everything the client has read may be stale, which
// is announced at once, since this request may be its last for a while.
func (s *session) restore(doc *Stored) {
	s.revision, s.client.Name, s.capabilities = doc.Revision, doc.Client, doc.Capabilities
	s.mu.Lock()
	s.level, s.expires, s.version = doc.LogLevel, doc.Expires, doc.Version
	s.mu.Unlock()
	s.connect()
	params := []byte(`{"protocolVersion":"` + s.revision + `","capabilities":`)
	params = append(append(params, s.capabilities...), `,"clientInfo":{"name":`...)
	params = append(jsonrpc.AppendString(params, s.client.Name), "}}"...)
	s.direct.Post(jsonrpc.AppendRequest(nil, `"pagemcp"`, engine.MethodInitialize, params))
	s.direct.Post(jsonrpc.AppendNotification(nil, engine.MethodInitialized, nil))
	if doc.LogLevel != "" {
		params := append(jsonrpc.AppendString([]byte(`{"level":`), doc.LogLevel), '}')
		s.direct.Post(jsonrpc.AppendRequest(nil, `"pagemcp/level"`, engine.MethodSetLevel, params))
	}
	// Their pages need not be connected, nor answer: see engine.Direct.Resubscribe. Each is announced
	// again when its changes are, since the client may have read it before.
	armed := s.direct.Resubscribe(doc.Subscriptions)
	s.direct.Announce()
	if len(doc.Subscriptions) > 0 {
		go func() { // ends after Options.ArmTimeout of the engine
			armed(context.Background())
			s.direct.Announce()
		}()
	}
}

// release undoes one Sessions.acquire.
func (s *session) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
	s.lastUsed = time.Now()
}

// isIdle reports whether nothing needs the session to be awake. The caller holds the lock, here
// and below.
func (s *session) isIdle() bool {
	return s.users == 0 && !s.isOver && len(s.pending) == 0 && s.stored == s.changes
}

// isEvictable reports whether it may sleep if there is no room: its streams end then, and what the store
// does not take is lost.
func (s *session) isEvictable() bool {
	return s.users == len(s.streams) && !s.isOver && len(s.pending) == 0 && len(s.saving) == 0
}

// shut ends what the session does here. The caller calls closed without the lock.
func (s *session) shut() (closed func()) {
	if s.isOver {
		return func() {}
	}
	s.isOver = true
	for _, each := range s.streams {
		each.stop()
	}
	direct, release := s.direct, s.endpoint.Release
	wasLate := s.isLate && !s.hasEnded
	if wasLate {
		s.isLate = false
	}
	return func() {
		if wasLate {
			s.all.countLate(false, nil)
		}
		if direct != nil { // see connect
			direct.Close()
			release()
		}
	}
}

// The document.

// subscriptionSize returns what a subscription takes of the document, in bytes: a URI has no characters that JSON escapes.
func subscriptionSize(uri string) int { return len(uri) + len(`"",`) }

// hasRoomFor reports whether the document has room for a subscription to one more resource.
func (s *session) hasRoomFor(uri string) bool {
	const rest = 4 << 10 // bytes, at most: capabilities, names, times
	all := s.direct.Subscriptions()
	size := rest + subscriptionSize(uri)
	for _, one := range all {
		size += subscriptionSize(one)
	}
	return size <= MaxStored || slices.Contains(all, uri)
}

// renew changes the end of the session in the document, if its last use has moved it. The caller
// holds the lock.
func (s *session) renew() {
	if lifetime := s.all.Lifetime; !s.isOver && s.lastUsed.Add(lifetime).Sub(s.expires) >= lifetime/renewals {
		s.changes++
		go s.save() // ends after saveTime
	}
}

// save writes what has changed, saveTime at most: after that the session goes on in memory, and
// Sweep saves it. If another process has saved the session, it is over here.
func (s *session) save() {
	ctx, cancel := context.WithTimeout(s.all.open, saveTime)
	defer cancel()
	select {
	case s.saving <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-s.saving }()
	doc, change := s.snapshot()
	if doc == nil {
		return
	}
	var err error
	if doc.Expires.IsZero() {
		err = s.all.Store.Delete(ctx, doc.Owner, doc.ID)
	} else {
		err = s.all.Store.Save(ctx, doc)
	}
	switch {
	case errors.Is(err, ErrStale):
		s.all.move(s)
		err = nil
	case err == nil && doc.Expires.IsZero():
		s.all.forget(s)
	}
	s.saved(doc, change, err)
}

// snapshot returns the document as it is now, without Expires if the session has ended. It is nil if
// the store has it, or the session is over here in another way: the next one with its id is the writer.
func (s *session) snapshot() (doc *Stored, change int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stored == s.changes || s.isOver && !s.hasEnded {
		return nil, 0
	}
	doc = &Stored{ID: s.key, Owner: string(s.client.Owner), Writer: s.all.writer, Version: s.version}
	if s.hasEnded {
		return doc, s.changes
	}
	s.expires = s.lastUsed.Add(s.all.Lifetime)
	doc.Revision, doc.Client, doc.Capabilities = s.revision, s.client.Name, s.capabilities
	doc.LogLevel, doc.Expires, doc.Subscriptions = s.level, s.expires, slices.Sorted(slices.Values(s.direct.Subscriptions()))
	return doc, s.changes
}

// saved records the result of a write. After an error Sweep repeats it.
func (s *session) saved(doc *Stored, change int, err error) {
	s.mu.Lock()
	if err == nil {
		s.version, s.stored = doc.Version, change
	}
	wasLate, isLate := s.isLate, err != nil
	s.isLate = isLate
	s.mu.Unlock()
	if wasLate != isLate {
		s.all.countLate(isLate, err)
	}
}

// Requests of the client.

// uriOf returns the member uri of params.
func uriOf(params []byte) string {
	uri, _ := jsonrpc.Text(jsonrpc.Member(params, "uri"))
	return uri
}

// updatedURI returns the URI of an `updated` notification, or "" for other messages.
func updatedURI(msg []byte) string {
	m, _ := jsonrpc.Parse(msg)
	if m.Method != engine.MethodUpdated {
		return ""
	}
	return uriOf(m.Params)
}

// request sends a request to the engine. The caller calls settle in the end. Clients may repeat an id
// while a request with it is pending: each POST has its own answer.
func (s *session) request(x engine.Examination, msg []byte) (*pendingRequest, error) {
	w := &pendingRequest{out: engine.NewOutbox(), method: x.Method, uri: uriOf(x.Params), started: time.Now()}
	w.level, _ = jsonrpc.Text(jsonrpc.Member(x.Params, "level"))
	if !s.begin(w) {
		return nil, errOver
	}
	s.direct.Send(x, msg, w.out)
	return w, nil
}

// begin counts a message, unless the session is over.
func (s *session) begin(w *pendingRequest) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isOver {
		s.pending[w] = struct{}{}
	}
	return !s.isOver
}

// settle is called when the POST of a message has ended. What a subscription has notified of before
// its response follows.
func (s *session) settle(w *pendingRequest) {
	if w.out != nil {
		w.out.Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pending, w)
	s.lastUsed = time.Now()
	if w.hasChanged && !s.isOver {
		s.direct.Announce(w.uri)
	}
}

// isEarly reports whether a message is about a resource to which a request subscribes that is not
// answered yet: it follows the response.
func (s *session) isEarly(msg []byte) (isEarly bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.pending {
		if w.method == engine.MethodSubscribe && updatedURI(msg) == w.uri {
			w.hasChanged, isEarly = true, true
		}
	}
	return isEarly
}

// abandon waits for the response to a request whose client has disconnected. That has not cancelled
// it: the page still works for it, so it counts.
func (s *session) abandon(w *pendingRequest) {
	for {
		msg, err := s.direct.Next(context.Background(), w.out)
		if err != nil { // it is cancelled, or the session over
			return
		}
		switch h := message.HeadOf(msg); h.Kind {
		case jsonrpc.Request:
			s.refuse(h, "The client has closed the stream of this call, so no request can be sent to it")
		case jsonrpc.Response:
			s.apply(w, h)
			s.all.Gate.Audit.Record(access.Entry{
				Principal: s.client.Principal, Owner: s.client.Owner, Client: s.client.Name, Endpoint: s.client.Endpoint, Verb: w.method, URI: w.uri,
				Outcome: "dropped", Ms: float64(time.Since(w.started).Microseconds()) / 1000,
			})
			return
		}
	}
}

// notify sends a notification or response of the client to the engine.
func (s *session) notify(x engine.Examination, msg []byte) error {
	w := &pendingRequest{}
	if !s.begin(w) {
		return errOver
	}
	defer s.settle(w)
	s.direct.Send(x, msg, s.direct.Outbox())
	return nil
}

// refuse responds to a request of the engine that no stream can carry, so that the call that it
// belongs to fails at once with a reason.
func (s *session) refuse(h message.Head, reason string) {
	s.direct.Post(jsonrpc.AppendError(nil, h.ID, &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: reason}))
}

// acknowledge is called before a response is written. It saves what the request has changed, and
// reports whether the session is still here.
func (s *session) acknowledge(w *pendingRequest, h message.Head) bool {
	if !s.apply(w, h) {
		return true
	}
	s.save()
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.hasMoved
}

// apply takes over what a request has changed of the document, and reports whether it has.
func (s *session) apply(w *pendingRequest, h message.Head) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.Failed || s.isOver {
		return false
	}
	switch w.method {
	case engine.MethodSetLevel:
		s.level = w.level
	case engine.MethodSubscribe, engine.MethodUnsubscribe:
	default:
		return false
	}
	s.changes++
	return true
}

// Streams.

// A stream is one GET. stop ends its wait for the next message.
type stream struct {
	idle *engine.Outbox // from which it takes while there is a newer one: nothing
	stop context.CancelFunc
}

// stream serves a stream of the session until the client disconnects or ctx ends. A client may have
// several, and one whose connection is lost stays open until TCP notices that: the newest gets the
// messages, an older one only after all newer ones have ended. accepts is that of take.
// If the session had a stream before, everything is announced: messages that were written to it may
// not have reached the client, and the gateway gets no receipts.
func (s *session) stream(ctx context.Context, w http.ResponseWriter, accepts func(msg []byte) bool) {
	one := &stream{idle: engine.NewOutbox(), stop: func() {}}
	s.addStream(one)
	defer s.removeStream(one)
	events, err := openEvents(w, retryLine)
	for err == nil {
		wait, cancel := context.WithTimeout(ctx, limits.PingEvery)
		from := s.turn(one, cancel)
		var msg []byte
		late := context.Canceled
		if from != nil {
			msg, late = s.direct.Next(wait, from)
		}
		cancel()
		switch {
		case late == nil && !s.passes(msg, accepts):
		case late == nil:
			if err = events.message(msg); err != nil {
				s.direct.Announce()
			}
		case from == nil, ctx.Err() != nil, errors.Is(late, jsonrpc.ErrClosed):
			return
		case errors.Is(late, context.DeadlineExceeded):
			err = events.comment()
		}
	}
}

// turn returns the Outbox from which a stream takes now, or nil if the stream is to end. stop is
// called when it is another one.
func (s *session) turn(one *stream, stop context.CancelFunc) *engine.Outbox {
	s.mu.Lock()
	defer s.mu.Unlock()
	one.stop = stop
	switch at := slices.Index(s.streams, one); {
	case at < 0 || s.isOver:
		return nil
	case at < len(s.streams)-1:
		return one.idle
	}
	return s.direct.Outbox()
}

func (s *session) addStream(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.streams {
		other.stop()
	}
	if len(s.streams) == maxStreams {
		s.streams = slices.Delete(s.streams, 0, 1)
	}
	s.streams = append(s.streams, one)
	if s.mayLack && !s.isOver {
		s.direct.Announce()
	}
	s.mayLack = true
}

func (s *session) removeStream(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams = slices.DeleteFunc(s.streams, func(other *stream) bool { return other == one })
	if len(s.streams) > 0 {
		s.streams[len(s.streams)-1].stop()
	}
}

// passes reports whether a message that was taken is sent now. Others are announced later: to the next
// stream, or after the response to the subscription.
func (s *session) passes(msg []byte, accepts func(msg []byte) bool) bool {
	if s.isEarly(msg) {
		return false
	}
	if accepts == nil || accepts(msg) {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mayLack = true
	return false
}

func (s *session) hasStream() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.streams) > 0
}

// take takes a message for a POST whose response is an event stream: it gets what waits for a stream
// if there is none (MCP 2025-11-25, basic/transports). Some clients lose their stream while the
// gateway restarts, and continue with POSTs. accepts reports whether the credentials of a request
// suffice for a message, and may be nil: others are announced to the next stream.
func (s *session) take(accepts func(msg []byte) bool) (msg []byte, ok bool) {
	now, cancel := context.WithCancel(context.Background())
	cancel()
	for !s.hasStream() {
		msg, err := s.direct.Next(now, s.direct.Outbox())
		if err != nil {
			return nil, false
		}
		if s.passes(msg, accepts) {
			return msg, true
		}
	}
	return nil, false
}
