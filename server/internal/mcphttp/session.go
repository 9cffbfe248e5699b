package mcphttp

import (
	"container/list"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"log/slog"
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

// Sessions holds the classic sessions of a gateway. Call Open before their use. A session id proves nothing:
// it is valid together with a token of the client that began the session, at the same endpoint.
type Sessions struct {
	Endpoints Endpoints     // the engines
	Gate      *access.Gate  // limits and audit log
	Store     SessionStore  // nil: the memory of this process
	Lifetime  time.Duration // without use
	Log       *slog.Logger

	writer string          // random: see Stored
	open   context.Context // until Close
	close  context.CancelFunc

	mu     sync.Mutex // guards all sessions, too; nothing that blocks is called with it
	byKey  map[string]*session
	awake  list.List            // of *session, used last at the back
	owners map[access.Owner]int // how many sessions of each are awake
	late   int                  // see Late
}

// A session is one client of the classic revisions that is awake: its connection to an engine,
// its requests and streams, and what the store keeps of it. It outlives its HTTP requests. While
// it is idle there is nothing but its document, from which the next request makes it again.
type session struct {
	*Sessions
	saving chan struct{} // has capacity 1; holds a value while the document is written
	opened chan struct{} // closed when the fields below are set, or err

	// Set before opened is closed.
	err      error         // why it could not be opened
	client   access.Client // whose it is, where, and its clientInfo.name
	endpoint Endpoint
	direct   *access.Direct // to its engine

	// Guarded by the lock of Sessions.
	place    *list.Element // of Sessions.awake; nil: it does not count
	end      ending
	users    int // HTTP requests that have acquired the session
	lastUsed time.Time
	pending  map[*pendingRequest]struct{}
	streams  []*stream // the newest is the last
	mayLack  bool      // the client may not have got all notifications
	doc      Stored    // Expires and Subscriptions are set when it is written
	changes  int       // of what the document says
	stored   int       // how many of them the store has
	isLate   bool      // the store did not take the document
}

// An ending says why a session is over here.
type ending int

const (
	awake   ending = iota // it is not
	asleep                // its next request makes it again
	moved                 // another process has saved it
	deleted               // its id is invalid
)

// A pendingRequest is a message whose POST has not ended yet, or a request without an answer whose
// client has disconnected.
type pendingRequest struct {
	out         *engine.Outbox // for its response, and what belongs to it
	method, uri string
	level       string // of logging/setLevel
	started     time.Time
	hasChanged  bool // the resource to which it subscribes; guarded by the lock of Sessions
}

// Errors of sessions that cannot be used.
var (
	// errNoSession is for an id that was never given out, whose session has ended, or that belongs to
	// another client: one cannot tell them apart.
	errNoSession = errors.New("there is no such session")

	errTooManySessions = errors.New("too many sessions")

	// errAway is for a session of which nothing is known now.
	errAway = errors.New("the store of sessions does not answer")

	// errOver is for one that has ended after it was acquired.
	errOver = errors.New("the session is over here")
)

const (
	saveTime = 2 * time.Second // that a response waits for the store

	// A session is written again when its last use has moved its end by this part of its lifetime.
	renewals = 100

	// maxStreams is the number of GET streams of one session. A further one ends the oldest.
	maxStreams = 4
)

// keyOf returns the key of a session: 128 bits of a hash of its id and of whose it is, that is, of one
// client of one owner at one endpoint. The id of another one's session is so as invalid as one that was
// never given out, and it is stored nowhere. issuer is that of the client's tokens; "" if they have none.
func keyOf(id, issuer string, c access.Client) string {
	var text []byte
	for _, part := range [...]string{id, issuer, string(c.Owner), c.Principal, c.Endpoint} {
		text = append(binary.AppendUvarint(text, uint64(len(part))), part...)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// Open prepares ss for use.
func (ss *Sessions) Open() {
	if ss.Store == nil {
		ss.Store = &memoryStore{}
	}
	ss.writer = rand.Text()
	ss.open, ss.close = context.WithCancel(context.Background())
	ss.byKey, ss.owners = map[string]*session{}, map[access.Owner]int{}
}

// new returns a session with one user that nothing refers to yet.
func (ss *Sessions) new(key string, c access.Client) *session {
	c.Caller = "session " + key
	return &session{
		Sessions: ss, doc: Stored{ID: key, Owner: string(c.Owner), Writer: ss.writer}, client: c, saving: make(chan struct{}, 1), opened: make(chan struct{}), pending: map[*pendingRequest]struct{}{}, users: 1, lastUsed: time.Now(),
	}
}

// begin handles the initialize of a client. It returns the new session, its id and the
// result; without a session it returns the error response of the engine, or nothing if
// there are too many sessions.
func (ss *Sessions) begin(issuer string, c access.Client, x engine.Examination, body []byte) (*session, string, []byte) {
	random := make([]byte, 16) // 128 bits
	rand.Read(random)          // never returns an error
	id := base64.RawURLEncoding.EncodeToString(random)
	s := ss.new(keyOf(id, issuer, c), c)
	s.client.Name = access.ClientName(x)
	s.doc.Client = s.client.Name
	if s.doc.Capabilities = engine.KnownCapabilities(jsonrpc.Member(x.Params, "capabilities")); s.doc.Capabilities.Kind() != '{' {
		s.doc.Capabilities = []byte("{}")
	}
	if ss.admit(s) != nil {
		return nil, "", nil
	}
	w, err := s.request(x, body)
	if err != nil { // the gateway closes
		return nil, "", nil
	}
	result, _ := s.direct.Next(ss.open, w.out) // engines answer initialize at once
	s.settle(w)
	if result == nil || message.HeadOf(result).Failed {
		if result == nil {
			result = jsonrpc.AppendError(nil, x.ID, message.Interrupted("The engine did not answer initialize"))
		}
		s.stop(asleep)
		return nil, "", result
	}
	answer, _ := jsonrpc.Parse(result)
	s.mu.Lock()
	s.doc.Revision, _ = jsonrpc.Text(jsonrpc.Member(answer.Result, "protocolVersion"))
	close(s.opened)
	s.changes++
	s.mu.Unlock()
	s.save()
	return s, id, result
}

// acquire returns the session with this id. The caller must release it. The error is
// errNoSession, errTooManySessions or errAway.
func (ss *Sessions) acquire(id, issuer string, c access.Client) (*session, error) {
	s, isNew := ss.find(keyOf(id, issuer, c), c)
	if isNew {
		s.err = s.load()
		close(s.opened)
	}
	<-s.opened // within saveTime
	if s.err != nil {
		return nil, s.err
	}
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if s.end == deleted {
		s.users--
		return nil, errNoSession
	}
	s.used(time.Now())
	return s, nil
}

// find returns the session with this key, with one more user. A new one is to be loaded.
func (ss *Sessions) find(key string, c access.Client) (s *session, isNew bool) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	s = ss.byKey[key]
	if s == nil {
		s = ss.new(key, c)
		ss.byKey[key] = s
		return s, true
	}
	if s.place != nil {
		ss.awake.MoveToBack(s.place)
	}
	s.users++
	return s, false
}

// release undoes one acquire.
func (s *session) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
	s.lastUsed = time.Now()
}

// used records a use, and renews the document if its end moves by enough. The caller holds the lock.
func (s *session) used(now time.Time) {
	s.lastUsed = now
	if !s.doc.Expires.IsZero() && s.end == awake && now.Add(s.Lifetime).Sub(s.doc.Expires) >= s.Lifetime/renewals {
		s.changes++
		go s.save() // ends after saveTime
	}
}

// load makes a session from what the store has. Everything the client has read may be stale, which
// is announced at once, since this request may be its last for a while.
func (s *session) load() (err error) {
	defer func() {
		if err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.remove()
		}
	}()
	ctx, cancel := context.WithTimeout(s.open, saveTime)
	defer cancel()
	doc, err := s.Store.Load(ctx, s.doc.Owner, s.doc.ID)
	switch {
	case err != nil:
		s.Log.Error("a stored session cannot be read", "error", err)
		return errAway
	case doc == nil || !doc.IsValid() || !time.Now().Before(doc.Expires):
		return errNoSession
	}
	s.client.Name = doc.Client
	doc.ID, doc.Owner, doc.Writer = s.doc.ID, s.doc.Owner, s.writer
	s.mu.Lock()
	s.doc, s.doc.Subscriptions = *doc, nil // which the connection has
	s.mu.Unlock()
	if err := s.admit(s); err != nil {
		return err
	}
	params := []byte(`{"protocolVersion":"` + doc.Revision + `","capabilities":`)
	params = append(append(params, doc.Capabilities...), `,"clientInfo":{"name":`...)
	params = append(jsonrpc.AppendString(params, doc.Client), "}}"...)
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
		go func() { // ends after engine.ArmTimeout
			armed(context.Background())
			s.direct.Announce()
		}()
	}
	return nil
}

// Sessions that are awake.

// admit connects a session to its engine and makes it count. If there are too many, others sleep, see
// victim. The error is errTooManySessions, or errAway if the gateway closes.
func (ss *Sessions) admit(s *session) error {
	s.endpoint, _ = ss.Endpoints.Acquire(s.client.Owner, s.client.Endpoint) // cannot fail: a request at this endpoint holds it
	s.direct = ss.Gate.Direct(context.Background(), s.endpoint.Engine, s.client)
	closed, err := ss.count(s)
	if err != nil {
		closed = append(closed, s)
	}
	for _, each := range closed {
		each.disconnect()
	}
	return err
}

// count makes a session count, and those sleep that it returns. Those that are awake over a limit that was
// lowered stay until others need room.
func (ss *Sessions) count(s *session) (closed []*session, err error) {
	most := ss.Gate.Limits.Limits()
	perOwner, all := most.Of(limits.Sessions, limits.OfOwner), most.Of(limits.Sessions, limits.OfNode)
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for {
		isOwnerFull := ss.owners[s.client.Owner] >= perOwner
		if !isOwnerFull && ss.awake.Len() < all {
			break
		}
		victim := ss.victim(s.client.Owner, isOwnerFull)
		if victim == nil {
			return closed, errTooManySessions
		}
		victim.shut(asleep)
		closed = append(closed, victim)
	}
	if ss.open.Err() != nil {
		return closed, errAway
	}
	ss.owners[s.client.Owner]++
	s.place = ss.awake.PushBack(s)
	ss.byKey[s.doc.ID] = s
	return closed, nil
}

// victim returns the session that makes room for one of owner, or nil: one that is idle, of the same
// owner if there is one; then one of the same owner that has only streams, whose client opens them again,
// and what the store does not take is lost. Of these the one that is unused for longest. A session that
// sleeps loses nothing but its connection: its next request restores it.
func (ss *Sessions) victim(owner access.Owner, isOwnerFull bool) *session {
	isOwn := func(s *session) bool { return s.client.Owner == owner }
	victim := ss.oldest(func(s *session) bool { return isOwn(s) && s.isIdle() })
	if victim == nil && !isOwnerFull {
		victim = ss.oldest((*session).isIdle)
	}
	if victim == nil {
		victim = ss.oldest(func(s *session) bool {
			return isOwn(s) && s.users == len(s.streams) && len(s.pending) == 0 && len(s.saving) == 0
		})
	}
	return victim
}

// oldest returns the least recently used session for which accepts returns true; nil: there is none.
func (ss *Sessions) oldest(accepts func(*session) bool) *session {
	for at := ss.awake.Front(); at != nil; at = at.Next() {
		if s := at.Value.(*session); s.end == awake && accepts(s) {
			return s
		}
	}
	return nil
}

// isIdle reports whether nothing needs the session to be awake. The caller holds the lock.
func (s *session) isIdle() bool {
	return s.users == 0 && len(s.pending) == 0 && s.stored == s.changes
}

// stop ends what a session does here, unless it is over.
func (s *session) stop(as ending) {
	s.mu.Lock()
	isOver := s.end != awake
	if !isOver {
		s.shut(as)
	}
	s.mu.Unlock()
	if !isOver {
		s.disconnect()
	}
}

// stopAll makes the sessions sleep for which chosen returns true. chosen is called with the lock held.
func (ss *Sessions) stopAll(chosen func(*session) bool) {
	var stopped []*session
	for _, s := range ss.list() {
		ss.mu.Lock()
		if chosen(s) && s.end == awake {
			s.shut(asleep)
			stopped = append(stopped, s)
		}
		ss.mu.Unlock()
	}
	for _, s := range stopped {
		s.disconnect()
	}
}

// shut ends a session that is awake. The caller holds the lock, and calls disconnect without it. A
// deleted one is remembered until the store has removed it.
func (s *session) shut(as ending) {
	s.end = as
	for _, each := range s.streams {
		each.stop()
	}
	if as == deleted {
		s.changes++
		return
	}
	s.remove()
	s.setLate(false)
}

// remove lets the next request with this key load a session. The caller holds the lock.
func (s *session) remove() {
	if s.byKey[s.doc.ID] == s {
		delete(s.byKey, s.doc.ID)
	}
	if s.place == nil {
		return
	}
	s.awake.Remove(s.place)
	s.place = nil
	if s.owners[s.client.Owner]--; s.owners[s.client.Owner] == 0 {
		delete(s.owners, s.client.Owner)
	}
}

// disconnect cancels the requests of a session that is shut.
func (s *session) disconnect() {
	s.direct.Close()
	s.endpoint.Release()
}

func (ss *Sessions) list() (all []*session) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for at := ss.awake.Front(); at != nil; at = at.Next() {
		all = append(all, at.Value.(*session))
	}
	return all
}

// Sweep makes idle sessions sleep, and renews the documents of sessions with a stream.
func (ss *Sessions) Sweep(now time.Time) {
	ss.stopAll(func(s *session) bool {
		if s.users > 0 {
			s.used(now)
		}
		if s.stored != s.changes { // the store did not answer, or the client has disconnected before the response
			go s.save() // ends after saveTime
		}
		return s.isIdle() && now.Sub(s.lastUsed) >= limits.SessionIdle
	})
}

// Rest makes all sessions sleep that are idle now, as when memory is short.
func (ss *Sessions) Rest() { ss.stopAll((*session).isIdle) }

// Move makes the sessions of owners sleep whom another process serves from now on, which has what
// the store has: their streams end.
func (ss *Sessions) Move(moved func(access.Owner) bool) {
	ss.stopAll(func(s *session) bool { return moved(s.client.Owner) })
}

// Close makes all sessions sleep, after a last attempt to save them.
func (ss *Sessions) Close() {
	var saves sync.WaitGroup
	for _, s := range ss.list() {
		saves.Go(s.save) // ends after saveTime
	}
	saves.Wait()
	ss.close()
	ss.stopAll(func(*session) bool { return true })
}

// Count returns the number of sessions that are awake.
func (ss *Sessions) Count() int {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return ss.awake.Len()
}

// Late returns the number of sessions whose last change the store does not have, though it was to be
// written: it is lost if this process ends before the store answers.
func (ss *Sessions) Late() int {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return ss.late
}

// The document.

// Stored is the document of a session as a store keeps it, in JSON: at most MaxStored bytes.
type Stored struct {
	ID     string `json:"id"`     // 32 hexadecimal digits: a part of a key, or the name of a file
	Owner  string `json:"owner"`  // the owner's key; may be empty
	Writer string `json:"writer"` // the process that has saved it

	Revision      string         `json:"revision"`        // of the protocol
	Client        string         `json:"client"`          // clientInfo.name
	Capabilities  jsontext.Value `json:"capabilities"`    // of the client; a JSON object
	LogLevel      string         `json:"level,omitempty"` // of logging/setLevel
	Subscriptions []string       `json:"subscriptions,omitempty"`
	Expires       time.Time      `json:"expires"` // when the session has been idle for its lifetime

	// Version is set by the store, for the next Save. 0: the store has no document.
	Version uint64 `json:"-"`
}

// IsValid reports whether a session can be made from the document.
func (s *Stored) IsValid() bool {
	return engine.ClassicVersion(s.Revision) == s.Revision && s.Capabilities.IsValid() && s.Capabilities.Kind() == '{' && !s.Expires.IsZero()
}

// MaxStored is the size of a session's document. A subscription that would exceed it is rejected.
const MaxStored = 256 << 10 // bytes

// A SessionStore keeps the documents of sessions, so that they outlive their process. Its
// methods may be called concurrently, and return soon after ctx ends. A document that Load
// returns belongs to the caller, one that Save gets does not change meanwhile.
type SessionStore interface {
	// Load returns the document of a session; nil without error if there is none.
	Load(ctx context.Context, owner, id string) (*Stored, error)

	// Save writes a document and sets its Version. The error wraps [ErrStale] if the store has
	// another version than that of s, of another Writer: the answer to an earlier Save may be lost.
	Save(ctx context.Context, s *Stored) error

	// Delete removes a document. There need not be one.
	Delete(ctx context.Context, owner, id string) error
}

// ErrStale is the error of SessionStore.Save if another writer has saved the session since this
// one loaded it.
var ErrStale = errors.New("another process has saved this session")

// hasRoomFor reports whether the document has room for a subscription to one more resource.
func (s *session) hasRoomFor(uri string) bool {
	all := append(s.direct.Subscriptions(), uri)
	size := 4 << 10 // bytes, at most, of capabilities, names and times
	for _, one := range all {
		size += len(one) + len(`"",`) // a URI has no characters that JSON escapes
	}
	return size <= MaxStored || slices.Index(all, uri) < len(all)-1
}

// save writes what has changed, saveTime at most: after that the session goes on in memory, and
// Sweep saves it. If another process has saved the session, it is over here.
func (s *session) save() {
	ctx, cancel := context.WithTimeout(s.open, saveTime)
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
		err = s.Store.Delete(ctx, doc.Owner, doc.ID)
	} else {
		err = s.Store.Save(ctx, doc)
	}
	if errors.Is(err, ErrStale) {
		s.stop(moved)
		return
	}
	s.mu.Lock()
	if err == nil && doc.Expires.IsZero() {
		s.remove()
	}
	if err == nil {
		s.doc.Version, s.stored = doc.Version, change
	}
	before, now := s.setLate(err != nil && s.end != asleep)
	s.mu.Unlock()
	switch {
	case before == 0 && now == 1:
		s.Log.Error("sessions are not stored, and are kept in memory", "error", err)
	case before == 1 && now == 0:
		s.Log.Info("all sessions are stored again")
	}
}

// setLate counts a session that the store did not take, or has. It returns how many there were, and are.
// The caller holds the lock.
func (s *session) setLate(isLate bool) (before, now int) {
	before = s.late
	switch {
	case isLate && !s.isLate:
		s.late++
	case !isLate && s.isLate:
		s.late--
	}
	s.isLate = isLate
	return before, s.late
}

// snapshot returns the document as it is now, without Expires if the session has ended. It is nil if
// the store has it, or the session is over here in another way: the next one with its id is the writer.
func (s *session) snapshot() (doc *Stored, change int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stored == s.changes || s.end == asleep || s.end == moved {
		return nil, 0
	}
	copied := s.doc
	if s.end == deleted {
		copied.Expires = time.Time{}
		return &copied, s.changes
	}
	s.doc.Expires = s.lastUsed.Add(s.Lifetime)
	copied.Expires, copied.Subscriptions = s.doc.Expires, slices.Sorted(slices.Values(s.direct.Subscriptions()))
	return &copied, s.changes
}

// Requests of the client.

// uriOf returns the member uri of params.
func uriOf(params []byte) string {
	uri, _ := jsonrpc.Text(jsonrpc.Member(params, "uri"))
	return uri
}

// request sends a request to the engine. The caller calls settle in the end. Clients may repeat an id
// while a request with it is pending: each POST has its own answer.
func (s *session) request(x engine.Examination, msg []byte) (*pendingRequest, error) {
	w := &pendingRequest{out: engine.NewOutbox(), method: x.Method, uri: uriOf(x.Params), started: time.Now()}
	w.level, _ = jsonrpc.Text(jsonrpc.Member(x.Params, "level"))
	if err := s.register(w); err != nil {
		return nil, err
	}
	s.direct.Send(x, msg, w.out)
	return w, nil
}

// notify sends a notification or response of the client to the engine.
func (s *session) notify(x engine.Examination, msg []byte) error {
	w := &pendingRequest{}
	if err := s.register(w); err != nil {
		return err
	}
	defer s.settle(w)
	s.direct.Send(x, msg, s.direct.Outbox())
	return nil
}

// register counts a message, unless the session is over.
func (s *session) register(w *pendingRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.end {
	case awake:
		s.pending[w] = struct{}{}
		return nil
	case deleted:
		return errNoSession
	}
	return errOver
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
	if w.hasChanged && s.end == awake {
		s.direct.Announce(w.uri)
	}
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
			s.Gate.Audit.Record(access.Entry{
				Principal: s.client.Principal, Owner: s.client.Owner, Client: s.client.Name, Endpoint: s.client.Endpoint, Verb: w.method, URI: w.uri,
				Outcome: "dropped", Ms: float64(time.Since(w.started).Microseconds()) / 1000,
			})
			return
		}
	}
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
	return s.end != moved
}

// apply takes over what a request has changed of the document, and reports whether it has.
func (s *session) apply(w *pendingRequest, h message.Head) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.Failed || s.end != awake {
		return false
	}
	switch w.method {
	case engine.MethodSetLevel:
		s.doc.LogLevel = w.level
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
	case at < 0 || s.end != awake:
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
	if s.mayLack && s.end == awake {
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

func (s *session) hasStream() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.streams) > 0
}

// passes reports whether a message that was taken is sent now. Others are announced later: to the next
// stream, or, if a request subscribes to their resource that is not answered yet, after its response.
func (s *session) passes(msg []byte, accepts func(msg []byte) bool) bool {
	uri := ""
	if m, _ := jsonrpc.Parse(msg); m.Method == engine.MethodUpdated {
		uri = uriOf(m.Params)
	}
	isAccepted := accepts == nil || accepts(msg)
	s.mu.Lock()
	defer s.mu.Unlock()
	isEarly := false
	for w := range s.pending {
		if uri != "" && w.method == engine.MethodSubscribe && uri == w.uri {
			w.hasChanged, isEarly = true, true
		}
	}
	s.mayLack = s.mayLack || !isAccepted
	return !isEarly && isAccepted
}
