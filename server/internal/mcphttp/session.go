package mcphttp

import (
	"container/list"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/server/internal/wait"
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
	outbox *mailbox      // messages for the GET streams
	saving chan struct{} // has capacity 1; holds a value while the document is written

	opened chan struct{} // closed when the fields below are set, or err
	over   chan struct{} // closed when the session sleeps, has ended or has moved

	// Set before opened is closed.
	err          error // why it could not be opened
	revision     string
	capabilities jsontext.Value // of the client
	endpoint     Endpoint
	direct       *access.Direct // to its engine

	place *list.Element // of Sessions.awake, whose lock guards it; nil: it does not count
	use   *ownerUse     // set before the session is connected

	mu            sync.Mutex
	level         string          // of logging/setLevel; "" if not set
	subscriptions map[string]bool // by URI; false until the client has the response
	size          int             // of these, in the document, in bytes
	expires       time.Time       // as the document says
	version       uint64          // of the document
	changes       int             // of what the document says
	stored        int             // how many of them the store has
	isLate        bool            // the store did not take the document

	users     int // HTTP requests that have acquired the session
	lastUsed  time.Time
	isOver    bool                       // over is closed
	hasEnded  bool                       // by DELETE: its id is invalid
	hasMoved  bool                       // another process serves it
	pending   map[string]*pendingRequest // requests of the client by ID.Key, as the engine has it
	asked     map[string]*pendingRequest // requests of the engine by ID.Key; each belongs to a request of the client
	repeats   int                        // ids that were made for repeated ones
	streams   []chan struct{}            // each gets a value when there may be something to do; the newest is the last
	hadStream bool                       // see stream
}

// A pendingRequest is a request whose POST has not ended yet.
type pendingRequest struct {
	id, engineID jsonrpc.ID // of the client, and of the engine: another one if id was pending
	method, uri  string
	level        string // of logging/setLevel
	token        string // key of the progress token; may be empty
	box          *mailbox
	jsonOnly     bool   // the client accepts no event stream
	isGone       bool   // the client has disconnected
	isCancelled  bool   // by the client
	hasChanged   bool   // the document
	update       []byte // an `updated` that has arrived before the response to the subscription
	started      time.Time
}

var errOver = errors.New("the session is over")

// Times of sessions.
const (
	saveTime  = 2 * time.Second // that a response waits for the store
	savePause = 5 * time.Second // before a write is repeated

	// A session is written again when its last use has moved its end by this part of its lifetime.
	renewals = 100
)

// maxStreams is the number of GET streams of one session. A further one ends the oldest.
const maxStreams = 4

// connect connects the session to its engine.
func (s *session) connect() {
	endpoint, _ := s.all.Endpoints.Acquire(s.client.Owner, s.client.Endpoint) // cannot fail: a request at this endpoint holds it
	direct := s.all.Gate.Direct(context.Background(), endpoint.Engine, s.client, s.route)
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
	for _, uri := range doc.Subscriptions {
		s.subscriptions[uri] = true
		s.grow(subscriptionSize(uri))
	}
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
	s.mu.Lock()
	s.announceAll()
	s.mu.Unlock()
	if len(doc.Subscriptions) == 0 {
		return
	}
	// Their pages need not be connected, nor answer: see engine.Direct.Resubscribe. Each is announced
	// again when its changes are, since the client may have read it before.
	armed := s.direct.Resubscribe(doc.Subscriptions)
	go func() { // ends after Options.ArmTimeout of the engine
		armed(context.Background())
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, uri := range doc.Subscriptions {
			s.announce(uri)
		}
	}()
}

// announceAll announces that everything may have changed. The caller holds the lock, here and
// below.
func (s *session) announceAll() {
	for _, method := range [...]string{engine.MethodResourcesChanged, engine.MethodPromptsChanged, engine.MethodToolsChanged} {
		s.enqueue(jsonrpc.AppendNotification(nil, method, nil))
	}
	for uri := range s.subscriptions {
		s.announce(uri)
	}
}

// announce announces that a resource may have changed, if the client is subscribed to it.
func (s *session) announce(uri string) {
	if s.subscriptions[uri] {
		s.enqueue(jsonrpc.AppendNotification(nil, engine.MethodUpdated, append(jsonrpc.AppendString([]byte(`{"uri":`), uri), '}')))
	}
}

// enqueue adds a message for the newest stream of the session, or for a pending POST whose response
// is an event stream.
func (s *session) enqueue(msg []byte) {
	s.outbox.put(msg, message.HeadOf(msg))
	if stream := s.newestStream(); stream != nil {
		wait.Wake(stream)
		return
	}
	for _, w := range s.pending {
		if !w.isGone && !w.jsonOnly {
			wait.Wake(w.box.changed)
		}
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
	close(s.over)
	s.grow(-s.size)
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

// subscriptionSize returns what a subscription takes of the document, in bytes.
func subscriptionSize(uri string) int { return len(jsonrpc.AppendString(nil, uri)) + len(",") }

// grow counts bytes of subscriptions. The caller holds the lock.
func (s *session) grow(bytes int) {
	s.size += bytes
	s.use.size.Add(int64(bytes))
	s.all.size.Add(int64(bytes))
}

// roomFor returns why there can be no subscription to one more resource, or "".
func (s *session) roomFor(uri string) (full string) {
	const rest = 4 << 10 // bytes, at most: capabilities, names, times
	s.mu.Lock()
	defer s.mu.Unlock()
	bytes := subscriptionSize(uri)
	_, has := s.subscriptions[uri]
	switch {
	case has:
	case rest+s.size+bytes > MaxStored:
		return "The URIs of this session's subscriptions exceed 256 KiB: unsubscribe from some"
	case !s.all.hasRoomFor(s.use, bytes):
		return "The URIs of all subscriptions of this user's sessions need too much memory: unsubscribe from some"
	}
	return ""
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
// save is called again. If another process has saved the session, it is over here.
func (s *session) save() {
	ctx, cancel := context.WithTimeout(s.all.open, saveTime)
	defer cancel()
	select {
	case s.saving <- struct{}{}:
	case <-ctx.Done():
		return // Sweep saves it
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
	doc.LogLevel, doc.Expires, doc.Subscriptions = s.level, s.expires, slices.Sorted(maps.Keys(s.subscriptions))
	return doc, s.changes
}

// saved records the result of a write. After an error the write is repeated.
func (s *session) saved(doc *Stored, change int, err error) {
	s.mu.Lock()
	if err == nil {
		s.version, s.stored = doc.Version, change
	}
	wasLate, isLate := s.isLate, err != nil
	s.isLate = isLate
	s.mu.Unlock()
	if wasLate == isLate {
		return
	}
	s.all.countLate(isLate, err)
	if isLate {
		time.AfterFunc(savePause, s.repeat)
	}
}

// repeat saves until the store has the session.
func (s *session) repeat() {
	s.save()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isLate && s.all.open.Err() == nil {
		time.AfterFunc(savePause, s.repeat)
	}
}

// Requests of the client.

// uriOf returns the member uri of params.
func uriOf(params []byte) string {
	uri, _ := jsonrpc.Text(jsonrpc.Member(params, "uri"))
	return uri
}

// request sends a request to the engine, whose messages for it go to box. The caller calls settle in
// the end. Clients may repeat an id while a request with it is pending: each POST has its own
// answer, so an id identifies a request within its POST only, and the engine gets another one.
func (s *session) request(x engine.Examination, msg []byte, box *mailbox, jsonOnly bool) (*pendingRequest, error) {
	w := &pendingRequest{id: x.ID, engineID: x.ID, method: x.Method, uri: uriOf(x.Params), box: box, jsonOnly: jsonOnly, started: time.Now()}
	w.level, _ = jsonrpc.Text(jsonrpc.Member(x.Params, "level"))
	if token := jsonrpc.Member(jsonrpc.Member(x.Params, "_meta"), "progressToken"); token != nil {
		w.token = jsonrpc.ID(token).Key()
	}
	if err := s.register(w); err != nil {
		return nil, err
	}
	if w.engineID != w.id {
		msg = jsonrpc.AppendRequest(nil, w.engineID, x.Method, x.Params)
		x = s.direct.Examine(msg)
	}
	s.direct.Send(x, msg)
	return w, nil
}

func (s *session) register(w *pendingRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isOver {
		return errOver
	}
	for s.pending[w.engineID.Key()] != nil {
		s.repeats++
		w.engineID = jsonrpc.ID(`"pagemcp/repeated/` + strconv.Itoa(s.repeats) + `"`)
	}
	s.pending[w.engineID.Key()] = w
	return nil
}

// settle is called when the POST of a request has ended. What a subscription has notified of before
// its response follows.
func (s *session) settle(w *pendingRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pending, w.engineID.Key())
	s.lastUsed = time.Now()
	if _, has := s.subscriptions[w.uri]; has && w.method == engine.MethodSubscribe {
		s.subscriptions[w.uri] = true
		if w.update != nil {
			s.enqueue(w.update)
		}
	}
}

// abandon waits for the response to a request whose client has disconnected. That has not cancelled
// it: the page still works for it, so it counts.
func (s *session) abandon(w *pendingRequest) {
	s.mu.Lock()
	w.isGone = true
	s.mu.Unlock()
	for {
		for msg, ok := w.box.next(nil); ok; msg, ok = w.box.next(nil) {
			switch h := message.HeadOf(msg); {
			case msg == nil: // cancelled
				return
			case h.Kind == jsonrpc.Request:
				s.refuse(h, w)
			case h.Kind == jsonrpc.Response:
				s.all.Gate.Audit.Record(access.Entry{
					Principal: s.client.Principal, Owner: s.client.Owner, Client: s.client.Name, Endpoint: s.client.Endpoint, Verb: w.method, URI: w.uri,
					Outcome: "dropped", Ms: float64(time.Since(w.started).Microseconds()) / 1000,
				})
				return
			}
		}
		select {
		case <-w.box.changed:
		case <-s.over:
			return
		}
	}
}

// newest returns the newest pending request for which is returns true, or nil. The caller holds
// the lock.
func (s *session) newest(is func(*pendingRequest) bool) (found *pendingRequest) {
	for _, w := range s.pending {
		if is(w) && (found == nil || w.started.After(found.started)) {
			found = w
		}
	}
	return found
}

// notify sends a notification or response of the client to the engine. A cancellation concerns the
// newest request with its id.
func (s *session) notify(x engine.Examination, msg []byte) error {
	var cancelled *pendingRequest
	s.mu.Lock()
	switch {
	case s.isOver:
		s.mu.Unlock()
		return errOver
	case x.Kind == jsonrpc.Response:
		delete(s.asked, x.ID.Key())
	case x.Method == engine.MethodCancelled:
		id := jsonrpc.ID(jsonrpc.Member(x.Params, "requestId")).Key()
		cancelled = s.newest(func(w *pendingRequest) bool { return w.id.Key() == id && !w.isCancelled })
	}
	s.mu.Unlock()
	if cancelled != nil && cancelled.engineID != cancelled.id {
		msg = jsonrpc.AppendNotification(nil, engine.MethodCancelled, []byte(`{"requestId":`+string(cancelled.engineID)+`}`))
		x = s.direct.Examine(msg)
	}
	s.direct.Send(x, msg)
	if cancelled != nil && cancelled.method != engine.MethodInitialize { // which a client may not cancel
		s.endCancelled(cancelled)
	}
	return nil
}

// endCancelled ends the POST of a request that the client has cancelled, if no request of the engine is
// pending on it: it gets their cancellation first.
func (s *session) endCancelled(w *pendingRequest) {
	s.mu.Lock()
	w.isCancelled = true
	isAsked := slices.Contains(slices.Collect(maps.Values(s.asked)), w)
	s.mu.Unlock()
	if !isAsked {
		w.box.putCancelled()
	}
}

// Messages of the engine.

// route passes on a message of the engine. Each goes to exactly one stream: responses and
// messages about a request to the POST of that request, others to the stream of the session
// . The client sends each response to a request of the engine by a
// further POST.
func (s *session) route(msg []byte) {
	switch h := message.HeadOf(msg); {
	case h.Kind == jsonrpc.Response:
		s.complete(h, msg)
	case h.Method == engine.MethodUpdated:
		s.updated(updatedURI(msg), msg)
	case h.Method == engine.MethodProgress:
		m, _ := jsonrpc.Parse(msg)
		token := jsonrpc.ID(jsonrpc.Member(m.Params, "progressToken")).Key()
		s.mu.Lock()
		w := s.newest(func(w *pendingRequest) bool { return w.token == token })
		s.mu.Unlock()
		if w != nil {
			w.box.put(msg, h)
		}
	default:
		s.routeToStream(h, msg)
	}
}

// updated passes on an `updated`, unless the client has unsubscribed: an unsubscribe either follows
// it or removes it. One that precedes the response to the subscription is sent after that.
func (s *session) updated(uri string, msg []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.subscriptions[uri] {
		s.enqueue(msg)
	} else if w := s.newest(func(w *pendingRequest) bool { return w.method == engine.MethodSubscribe && w.uri == uri }); w != nil {
		w.update = msg
	}
}

// complete passes a response to the POST of its request, with the id that the client has sent.
func (s *session) complete(h message.Head, msg []byte) {
	s.mu.Lock()
	w := s.pending[h.ID.Key()]
	if w != nil && !h.Failed && !s.isOver && s.apply(w) {
		w.hasChanged = true
		s.changes++
	}
	s.mu.Unlock()
	if w == nil { // the response to a request of the session itself
		return
	}
	if w.id != w.engineID {
		const before = `{"jsonrpc":"2.0","id":`
		msg, h.ID = slices.Concat([]byte(before), []byte(w.id), msg[len(before)+len(w.engineID):]), w.id
	}
	w.box.put(msg, h)
}

// acknowledge is called before the response to w is written. It saves what the request has changed,
// and reports whether the session is still here.
func (s *session) acknowledge(w *pendingRequest) bool {
	s.mu.Lock()
	hasChanged := w.hasChanged
	s.mu.Unlock()
	if !hasChanged {
		return true
	}
	s.save()
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.hasMoved
}

// apply makes the change that a request has asked for, and reports whether there is one. The caller
// holds the lock.
func (s *session) apply(w *pendingRequest) bool {
	switch w.method {
	case engine.MethodSetLevel:
		s.level = w.level
		return true
	case engine.MethodSubscribe:
		_, has := s.subscriptions[w.uri]
		if !has {
			s.subscriptions[w.uri] = false
			s.grow(subscriptionSize(w.uri))
		}
		return !s.subscriptions[w.uri]
	case engine.MethodUnsubscribe:
		uri := s.spelled(w.uri)
		_, has := s.subscriptions[uri]
		if has {
			delete(s.subscriptions, uri)
			s.grow(-subscriptionSize(uri))
		}
		s.outbox.dropUpdated(uri)
		return has
	}
	return false
}

// spelled returns how the client has spelled a URI that it is subscribed to, or the URI.
func (s *session) spelled(uri string) string {
	if _, has := s.subscriptions[uri]; has {
		return uri
	}
	canonical := engine.CanonicalURI(uri)
	for other := range s.subscriptions {
		if engine.CanonicalURI(other) == canonical {
			return other
		}
	}
	return uri
}

// routeToStream routes a message of the engine that is neither a response nor progress: to the POST of
// a request that it belongs to, or else to a stream.
func (s *session) routeToStream(h message.Head, msg []byte) {
	m, _ := jsonrpc.Parse(msg)
	of := jsonrpc.ID(jsonrpc.Member(jsonrpc.Member(m.Params, "_meta"), engine.MetaRequest))
	var w *pendingRequest // nil if it is no longer pending
	s.mu.Lock()
	switch {
	case h.Method == engine.MethodCancelled: // of a request of the engine
		of = jsonrpc.ID(jsonrpc.Member(m.Params, "requestId"))
		w = s.asked[of.Key()]
		delete(s.asked, of.Key())
	case of != "":
		w = s.pending[of.Key()]
	default:
		s.enqueue(msg)
	}
	carries := w != nil && !w.jsonOnly && !w.isGone
	last := w != nil && w.isCancelled // and this message ends its stream
	if carries && h.Kind == jsonrpc.Request {
		s.asked[h.ID.Key()] = w
	}
	s.mu.Unlock()
	switch {
	case carries:
		w.box.put(msg, h)
		if last {
			s.endCancelled(w)
		}
	case of != "" && h.Kind == jsonrpc.Request:
		s.refuse(h, w)
	}
}

// refuse responds to a request of the engine that no stream can carry, so that the call that it
// belongs to fails at once with a reason. w may be nil.
func (s *session) refuse(h message.Head, w *pendingRequest) {
	reason := "The client has closed the stream of this call, so no request can be sent to it"
	if w != nil && w.jsonOnly {
		reason = "The client accepts no event stream (Accept: text/event-stream), so no request can be sent to it"
	}
	refusal := jsonrpc.AppendError(nil, h.ID, &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: reason})
	s.direct.Send(s.direct.Examine(refusal), refusal)
}

// Streams.

// stream serves a stream of the session until the client disconnects. A client may have several,
// and one whose connection is lost stays open until TCP notices that: the newest gets the messages,
// and an older one those that come after all newer ones have ended. accepts is that of
// mailbox.next. If the session had a stream before, everything is announced: messages that were
// written to it may not have reached the client, and the gateway gets no receipts.
func (s *session) stream(ctx context.Context, w http.ResponseWriter, accepts func(msg string) bool) {
	changed := wait.NewSignal()
	s.addStream(changed)
	defer s.removeStream(changed)
	events, err := openEvents(w, retryLine)
	comments := time.NewTicker(limits.PingEvery)
	defer comments.Stop()
	for err == nil {
		for msg, ok := s.take(changed, accepts); ok; msg, ok = s.take(changed, accepts) {
			if events.message(msg) != nil {
				s.requeue(msg)
				return
			}
		}
		select {
		case <-changed:
			if !s.hasStream(changed) {
				return
			}
		case <-comments.C:
			err = events.comment()
		case <-s.over:
			return
		case <-s.all.Closing:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (s *session) addStream(changed chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.streams) == maxStreams {
		wait.Wake(s.streams[0])
		s.streams = slices.Delete(s.streams, 0, 1)
	}
	s.streams = append(s.streams, changed)
	if s.hadStream {
		s.announceAll()
	}
	s.hadStream = true
}

func (s *session) removeStream(changed chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams = slices.DeleteFunc(s.streams, func(one chan struct{}) bool { return one == changed })
	if newest := s.newestStream(); newest != nil {
		wait.Wake(newest)
	}
}

func (s *session) hasStream(changed chan struct{}) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.streams, changed)
}

// newestStream returns the stream that gets the messages, or nil. The caller holds the lock.
func (s *session) newestStream() chan struct{} {
	if len(s.streams) == 0 {
		return nil
	}
	return s.streams[len(s.streams)-1]
}

// take takes a message for a stream, if it is the newest. nil is a POST whose response is
// an event stream: it gets what waits for a stream if there is none (MCP 2025-11-25,
// basic/transports). Some clients lose their stream while the gateway restarts, and
// continue with POSTs. accepts is that of mailbox.next.
func (s *session) take(stream chan struct{}, accepts func(msg string) bool) (msg []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newestStream() != stream {
		return nil, false
	}
	return s.outbox.next(accepts)
}

// requeue keeps a message that could not be written for the next stream.
func (s *session) requeue(msg []byte) {
	uri := updatedURI(msg)
	s.mu.Lock()
	defer s.mu.Unlock()
	if uri == "" || s.subscriptions[uri] {
		s.outbox.requeue(msg)
	}
}
