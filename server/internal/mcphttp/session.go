package mcphttp

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A session is one client of the classic revisions. It outlives its HTTP requests, its
// stream and this process: its record is stored, and its connection to an engine is
// opened again from the record when a request arrives.
type session struct {
	owner  *Sessions
	hash   string   // SHA-256 of the id, which is stored nowhere; set before the session is registered
	outbox *mailbox // messages for the GET stream

	restored time.Time // when the record was read from a store; zero for a session that began here; set before the session is registered

	mu           sync.Mutex
	record       Record
	users        int // HTTP requests that have acquired the session
	ended        bool
	done         chan struct{} // closed when the session ends; nil before the first waiter: see doneChan
	forgotten    bool          // its record is not read any more: the next request restores the session
	lastUsed     time.Time
	conversation *conversation    // nil while idle
	endpoint     Endpoint         // of conversation
	streams      []*sessionStream // the newest is the last

	saving sync.Mutex // held while the record is written; locked before mu

	stopEvents func() // set while the session follows its events
}

// A conversation is the connection of a session to an engine, with the state of its
// requests.
type conversation struct {
	direct         *access.Direct
	pending        map[string]*pendingRequest // requests of the client by ID.Key
	engineRequests map[string]*pendingRequest // requests of the engine by ID.Key; each belongs to a request of the client
	tokens         map[string]*mailbox        // by progress token
	subscribed     map[string]bool            // URIs to which the engine has a subscription
	initialized    bool                       // the engine has got notifications/initialized
	hadStream      bool                       // the client has opened a stream: see announceLost
	repeats        int                        // ids that this conversation has made for repeated ones
}

// A pendingRequest is a request that the engine has not answered yet.
type pendingRequest struct {
	id          jsonrpc.ID // of the client
	engineID    jsonrpc.ID // another one if id was pending: see rename
	method, uri string
	level       string   // of logging/setLevel
	token       string   // key of the progress token; may be empty
	box         *mailbox // nil if the client has disconnected
	jsonOnly    bool     // the client accepts no event stream
	cancelled   bool     // by the client
	earlyUpdate []byte   // an `updated` that arrived before the response to the subscription
	started     time.Time
	use         *use // of the limits, until the engine has answered
}

var (
	errEnded    = errors.New("the session has ended")
	errRepeated = errors.New("a request with this id waits for its answer")
)

// release undoes one Sessions.acquire.
func (s *session) release() {
	s.mu.Lock()
	s.users--
	s.lastUsed = time.Now()
	s.mu.Unlock()
}

// start opens a conversation. The caller holds the lock.
func (s *session) start() *conversation {
	c := &conversation{
		pending: map[string]*pendingRequest{}, engineRequests: map[string]*pendingRequest{},
		tokens: map[string]*mailbox{}, subscribed: map[string]bool{},
	}
	s.conversation = c
	s.endpoint, _ = s.owner.Endpoints.Acquire(s.record.Owner, s.record.Path) // cannot fail: a request at this endpoint holds it
	client := access.Client{Principal: s.record.Principal, Owner: s.record.Owner, Tenant: s.record.Tenant, Endpoint: s.record.Path, Name: s.record.Client}
	c.direct = s.owner.Gate.Direct(context.Background(), s.endpoint.Engine, client, func(msg []byte) { s.route(c, msg) })
	return c
}

// wake opens a conversation from the record, if there is none, with its subscriptions.
// Everything the client has read may be stale, which is announced at once, since this request may be its last for a while.
// The caller holds the lock.
func (s *session) wake() {
	if s.conversation != nil {
		return
	}
	c := s.start()
	c.initialized = true
	s.announceAll()
	params := []byte(`{"protocolVersion":"` + s.record.Version + `","capabilities":`)
	params = append(append(params, s.record.Capabilities...), `,"clientInfo":{"name":`...)
	params = append(jsonrpc.AppendString(params, s.record.Client), "}}"...)
	c.direct.Post(jsonrpc.AppendRequest(nil, `"pagemcp"`, engine.MethodInitialize, params))
	c.direct.Post(jsonrpc.AppendNotification(nil, engine.MethodInitialized, nil))
	if s.record.LogLevel != "" {
		c.setLevel(s.record.LogLevel)
	}
	s.resubscribe()
}

// setLevel sets the log level in the engine, which answers at once.
func (c *conversation) setLevel(level string) {
	params := append(jsonrpc.AppendString([]byte(`{"level":`), level), '}')
	c.direct.Post(jsonrpc.AppendRequest(nil, `"pagemcp/level"`, engine.MethodSetLevel, params))
}

// announceAll announces that everything may have changed. The caller holds the lock.
func (s *session) announceAll() {
	for _, list := range [...]string{"resources", "prompts", "tools"} {
		changed := jsonrpc.AppendNotification(nil, "notifications/"+list+"/list_changed", nil)
		s.enqueue(changed, message.HeadOf(changed))
	}
	for _, uri := range s.record.Subscriptions.URIs() {
		params := append(jsonrpc.AppendString([]byte(`{"uri":`), uri), '}')
		msg := jsonrpc.AppendNotification(nil, engine.MethodUpdated, params)
		s.enqueue(msg, message.HeadOf(msg))
	}
}

// sleepIf closes the conversation if there is one and condition holds. condition is
// called with the lock held. The session is forgotten: an abandoned one uses no memory.
func (s *session) sleepIf(condition func() bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conversation == nil || !condition() {
		return false
	}
	s.endConversation()
	s.outbox.clear()
	if s.users == 0 { // an abandoned session keeps no channels; what waits for its end has a timeout
		s.done = nil
		s.outbox.leave()
	}
	s.forgotten = true
	return true
}

// endConversation closes the conversation, if there is one. The caller holds the lock.
func (s *session) endConversation() {
	if s.conversation == nil {
		return
	}
	go s.conversation.direct.Close() // not under the lock: it ends subscriptions
	for _, w := range s.conversation.pending {
		w.use.end()
	}
	s.endpoint.Release()
	s.conversation, s.endpoint = nil, Endpoint{}
}

// register adds a request before it is sent. The error is errEnded, or errRepeated if one with the
// same id is pending. id is that of the client, which may be another one. A request that may be work
// for a page holds u, which may be nil.
func (s *session) register(x engine.Examination, id jsonrpc.ID, box *mailbox, jsonOnly bool, u *use) error {
	key := x.ID.Key()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conversation == nil {
		return errEnded
	}
	if s.conversation.pending[key] != nil {
		return errRepeated
	}
	w := newPendingRequest(x, box, jsonOnly)
	w.id = id
	if u != nil && isWork(x) {
		w.use = u
		u.begin()
	}
	s.conversation.pending[key] = w
	if w.token != "" {
		s.conversation.tokens[w.token] = box
	}
	return nil
}

// rename gives a request an id that is unused in this conversation: some clients send each request
// with the same id. Each POST has its own answer, so an id identifies a request within its POST
// only.
func (s *session) rename(e *engine.Engine, x engine.Examination) (engine.Examination, []byte) {
	body := jsonrpc.AppendRequest(nil, jsonrpc.ID(`"pagemcp/repeated/`+strconv.Itoa(s.nextRepeat())+`"`), x.Method, x.Params)
	return e.Examine(body), body
}

func (s *session) nextRepeat() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conversation == nil {
		return 0
	}
	s.conversation.repeats++
	return s.conversation.repeats
}

// latest returns the engine's id of the newest pending request with this id of the client.
func (s *session) latest(id jsonrpc.ID) jsonrpc.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conversation == nil {
		return id
	}
	found, newest := id, time.Time{}
	for _, w := range s.conversation.pending {
		if w.id.Key() == id.Key() && w.started.After(newest) {
			found, newest = w.engineID, w.started
		}
	}
	return found
}

func newPendingRequest(x engine.Examination, box *mailbox, jsonOnly bool) *pendingRequest {
	w := &pendingRequest{id: x.ID, engineID: x.ID, method: x.Method, uri: uriOf(x.Params), box: box, jsonOnly: jsonOnly, started: time.Now()}
	w.level, _ = jsonrpc.Text(jsonrpc.Member(x.Params, "level"))
	if token := jsonrpc.Member(jsonrpc.Member(x.Params, "_meta"), "progressToken"); token != nil {
		w.token = jsonrpc.ID(token).Key()
	}
	return w
}

// uriOf returns the member uri of params.
func uriOf(params []byte) string {
	uri, _ := jsonrpc.Text(jsonrpc.Member(params, "uri"))
	return uri
}

// initialize sends notifications/initialized to the engine if another node may have got it
// from the client, which has sent it before anything but ping (MCP 2025-11-25,
// basic/lifecycle).
func (s *session) initialize() {
	s.mu.Lock()
	c := s.conversation
	missing := s.owner.Events != nil && c != nil && !c.initialized
	s.mu.Unlock()
	if !missing {
		return
	}
	c.send(jsonrpc.AppendNotification(nil, engine.MethodInitialized, nil))
	s.mu.Lock() // after it: a second one does no harm, and a request that overtakes it would
	defer s.mu.Unlock()
	c.initialized = true
}

// send sends an examined message of the client to the engine.
func (s *session) send(x engine.Examination, msg []byte) error {
	s.mu.Lock()
	c := s.conversation
	s.mu.Unlock()
	if c == nil {
		return errEnded
	}
	c.direct.Send(x, msg)
	return nil
}

// send sends a message that the session has made itself. The caller does not hold the lock.
func (c *conversation) send(msg []byte) { c.direct.Send(c.direct.Examine(msg), msg) }

// detach records that the client of box has disconnected. Its requests continue.
func (s *session) detach(box *mailbox) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conversation == nil {
		return
	}
	for _, w := range s.conversation.pending {
		if w.box == box {
			w.box = nil
		}
	}
	for _, w := range s.conversation.engineRequests {
		if w.box == box {
			w.box = nil
		}
	}
	for token, other := range s.conversation.tokens {
		if other == box {
			delete(s.conversation.tokens, token)
		}
	}
}

// store stores what has changed since the session began.
func (s *session) store() {
	s.saving.Lock()
	defer s.saving.Unlock()
	if changes, ended := s.snapshot(); !ended {
		s.owner.Changes.Save(s.hash, changes)
	}
}

func (s *session) snapshot() (c Changes, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.record.Partial {
		s.record.Subscriptions.forget(time.Now())
	}
	return Changes{
		Owner: s.record.Owner, Subscriptions: maps.Clone(s.record.Subscriptions), LogLevel: s.record.LogLevel,
		Expires: s.record.Expires, Partial: s.record.Partial,
	}, s.ended
}

// storeEnd stores that the session has ended. The id of one that was never used is kept
// nowhere: another node would serve it, to its own client, as a session without changes.
func (s *session) storeEnd() {
	s.saving.Lock()
	defer s.saving.Unlock()
	if record := s.recordNow(); !record.Unused {
		s.owner.Changes.Save(s.hash, Changes{Owner: record.Owner, Ended: true, Expires: record.Expires})
	}
}

func (s *session) recordNow() Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record
}
