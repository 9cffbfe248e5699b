package mcphttp

import (
	"bytes"
	"context"
	"errors"
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

// A session is one client of the classic revisions. It outlives its HTTP requests, its
// stream and this process: its record is stored, and its connection to an engine is
// opened again from the record when a request arrives.
type session struct {
	owner  *Sessions
	hash   string        // SHA-256 of the id, which is stored nowhere
	done   chan struct{} // closed when the session ends
	outbox *mailbox      // messages for the GET stream

	mu           sync.Mutex
	record       Record
	users        int // HTTP requests that have acquired the session
	lastUsed     time.Time
	conversation *conversation // nil while idle
	endpoint     Endpoint      // of conversation
	current      *sessionStream
	recordedUse  time.Time // Record.Used as stored last
	savedUse     time.Time // lastUsed as passed to SessionStore.SaveUses last

	saving sync.Mutex // held while the record is written; locked before mu

	resubscribing    bool // a goroutine is subscribing again
	resubscribeAgain bool // and must check again afterwards
}

// A Record is the stored form of a session.
type Record struct {
	Principal    string         `json:"principal"`
	Owner        access.Owner   `json:"owner,omitempty"`
	Path         string         `json:"path"` // of the endpoint
	Version      string         `json:"version"`
	Client       string         `json:"client,omitempty"` // clientInfo.name
	ClientInfo   jsontext.Value `json:"clientInfo,omitempty"`
	Capabilities jsontext.Value `json:"capabilities,omitempty"`
	LogLevel     string         `json:"logLevel,omitempty"` // of logging/setLevel
	URIs         []string       `json:"uris"`               // of subscriptions
	Used         time.Time      `json:"used"`
}

// A conversation is the connection of a session to an engine, with the state of its
// requests.
type conversation struct {
	port           jsonrpc.Port
	pending        map[string]*pendingRequest // requests of the client by ID.Key
	engineRequests map[string]*pendingRequest // requests of the engine by ID.Key; each belongs to a request of the client
	tokens         map[string]*mailbox        // by progress token
	subscribed     map[string]bool            // URIs to which the engine has a subscription
	ownRequests    int                        // number of requests that the session itself has sent
}

// A pendingRequest is a request that the engine has not answered yet.
type pendingRequest struct {
	method, uri string
	level       string            // of logging/setLevel
	token       string            // key of the progress token; may be empty
	box         *mailbox          // nil if the client has disconnected
	jsonOnly    bool              // the client accepts no event stream
	cancelled   bool              // by the client
	answered    func(failed bool) // set for requests of the session itself
	earlyUpdate []byte            // an `updated` that arrived before the response to the subscription
	started     time.Time
}

var errEnded = errors.New("the session has ended")

// release undoes one Sessions.acquire.
func (s *session) release() {
	s.mu.Lock()
	s.users--
	s.lastUsed = time.Now()
	s.mu.Unlock()
}

// start opens a conversation. The caller holds the lock.
func (s *session) start() *conversation {
	near, far := jsonrpc.Pipe()
	c := &conversation{
		port: far, pending: map[string]*pendingRequest{}, engineRequests: map[string]*pendingRequest{},
		tokens: map[string]*mailbox{}, subscribed: map[string]bool{},
	}
	s.conversation = c
	s.endpoint, _ = s.owner.Endpoints.Acquire(s.record.Owner, s.record.Path) // cannot fail: a request at this endpoint holds it
	ctx := engine.WithPrincipal(context.Background(), engine.Principal(s.record.Principal))
	v := access.Client{Principal: s.record.Principal, Endpoint: s.record.Path, Name: s.record.Client}
	go s.endpoint.Engine.Serve(ctx, s.owner.Gate.Port(near, s.endpoint.Engine, v)) // ends when far closes
	go s.route(c)                                                                  // likewise
	return c
}

// wake opens a conversation from the record, if there is none: the handshake at once,
// subscriptions as soon as their pages are connected. Everything the client has read may
// be stale, which is announced at once, since this request may be its last for a while.
// The caller holds the lock.
func (s *session) wake() {
	if s.conversation != nil {
		return
	}
	c := s.start()
	for _, list := range [...]string{"resources", "prompts", "tools"} {
		changed := jsonrpc.AppendNotification(nil, "notifications/"+list+"/list_changed", nil)
		s.enqueue(changed, message.HeadOf(changed))
	}
	for _, uri := range s.record.URIs {
		params := append(jsonrpc.AppendString([]byte(`{"uri":`), uri), '}')
		msg := jsonrpc.AppendNotification(nil, UpdatedMethod, params)
		s.enqueue(msg, message.HeadOf(msg))
	}
	params := []byte(`{"protocolVersion":"` + s.record.Version + `","capabilities":`)
	params = append(params, orObject(s.record.Capabilities)...)
	params = append(params, `,"clientInfo":`...)
	params = append(append(params, orObject(s.record.ClientInfo)...), '}')
	// The pipe has capacity for all of them, and the engine handles them in order.
	c.port.Write(context.Background(), jsonrpc.AppendRequest(nil, `"pagemcp"`, "initialize", params))
	c.port.Write(context.Background(), jsonrpc.AppendNotification(nil, "notifications/initialized", nil))
	if s.record.LogLevel != "" {
		level := append(jsonrpc.AppendString([]byte(`{"level":`), s.record.LogLevel), '}')
		c.port.Write(context.Background(), jsonrpc.AppendRequest(nil, `"pagemcp/level"`, "logging/setLevel", level))
	}
	s.resubscribe()
}

func orObject(value jsontext.Value) []byte {
	if len(value) == 0 {
		return []byte("{}")
	}
	return value
}

// sleep closes the conversation of an unused session: an abandoned session must not use
// memory for a day.
func (s *session) sleep(now time.Time) {
	if s.sleepIf(func() bool {
		return s.users == 0 && len(s.conversation.pending) == 0 && now.Sub(s.lastUsed) >= limits.SessionIdle
	}) {
		s.store()
	}
}

// sleepIf closes the conversation if there is one and condition holds. condition is
// called with the lock held.
func (s *session) sleepIf(condition func() bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conversation == nil || !condition() {
		return false
	}
	s.endConversation()
	s.outbox.clear()
	return true
}

// endConversation closes the conversation, if there is one. The caller holds the lock.
func (s *session) endConversation() {
	if s.conversation == nil {
		return
	}
	s.conversation.port.Close()
	s.endpoint.Release()
	s.conversation, s.endpoint = nil, Endpoint{}
}

// register adds a pending request before it is sent. It returns false if one with the
// same id is pending.
func (s *session) register(x engine.Examination, msg []byte, box *mailbox, jsonOnly bool) bool {
	return s.registerAll([]engine.Examination{x}, [][]byte{msg}, box, jsonOnly)
}

// registerAll registers all requests among messages, or none: a rejected batch has no
// effect.
func (s *session) registerAll(examined []engine.Examination, messages [][]byte, box *mailbox, jsonOnly bool) bool {
	started := make(map[string]*pendingRequest, len(messages))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conversation == nil {
		return false
	}
	for i, x := range examined {
		if x.Kind != jsonrpc.Request {
			continue
		}
		key := x.ID.Key()
		if s.conversation.pending[key] != nil || started[key] != nil {
			return false
		}
		started[key] = newPendingRequest(x, messages[i], box, jsonOnly)
	}
	for key, w := range started {
		s.conversation.pending[key] = w
		if w.token != "" {
			s.conversation.tokens[w.token] = box
		}
	}
	return true
}

func newPendingRequest(x engine.Examination, msg []byte, box *mailbox, jsonOnly bool) *pendingRequest {
	m, _ := jsonrpc.Parse(msg)
	w := &pendingRequest{method: x.Method, box: box, jsonOnly: jsonOnly, started: time.Now()}
	w.uri, _ = jsonrpc.Text(jsonrpc.Member(m.Params, "uri"))
	w.level, _ = jsonrpc.Text(jsonrpc.Member(m.Params, "level"))
	if token := jsonrpc.Member(jsonrpc.Member(m.Params, "_meta"), "progressToken"); token != nil {
		w.token = jsonrpc.ID(token).Key()
	}
	return w
}

// send sends a message of the client to the engine.
func (s *session) send(msg []byte) error {
	s.mu.Lock()
	c := s.conversation
	s.mu.Unlock()
	if c == nil {
		return errEnded
	}
	return c.port.Write(context.Background(), msg)
}

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

// store writes the current record. If that fails, the session continues but does not
// survive a restart.
func (s *session) store() {
	s.saving.Lock()
	defer s.saving.Unlock()
	record, ended := s.snapshot()
	if ended {
		return
	}
	if err := s.owner.Store.Save(s.hash, &record); err != nil {
		s.owner.Report(err)
	}
}

func (s *session) snapshot() (record Record, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record.Used, s.recordedUse = s.lastUsed, s.lastUsed
	record = s.record
	record.URIs = slices.Clone(record.URIs)
	return record, s.hasEnded()
}

// unstore removes the record of an ended session.
func (s *session) unstore() {
	s.saving.Lock()
	defer s.saving.Unlock()
	s.owner.Store.Remove(s.hash)
}

// clientParams returns clientInfo and capabilities from the params of initialize.
func clientParams(params []byte) (info, capabilities jsontext.Value) {
	return bytes.Clone(jsonrpc.Member(params, "clientInfo")), bytes.Clone(jsonrpc.Member(params, "capabilities"))
}
