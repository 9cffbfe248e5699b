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

// A session is one assistant of the classic revisions. It outlives its HTTP
// requests, its stream, its page and this process: its record is on disk, and
// the conversation with the engine is begun anew from it when there is none.
type session struct {
	owner  *Sessions
	hash   string        // of the id; the id itself is nowhere
	done   chan struct{} // closed when the session ends
	outbox *mailbox      // for the stream

	mu           sync.Mutex
	record       Record
	users        int // HTTP requests that hold the session
	lastUsed     time.Time
	conversation *conversation // nil: asleep
	endpoint     Endpoint      // where it talks, while it does
	current      *sessionStream
	recordedUse  time.Time // the record's Used, when it was stored last
	savedUse     time.Time // used, when that was stored in usedFile

	saving sync.Mutex // held while the record is written; taken before mu

	resubscribing    bool // a goroutine subscribes again
	resubscribeAgain bool // and has to look once more when it is done
}

// A Record is what is stored of a session.
type Record struct {
	Principal    string         `json:"principal"`
	Owner        access.Owner   `json:"owner,omitempty"`
	Path         string         `json:"path"` // of the endpoint
	Version      string         `json:"version"`
	Client       string         `json:"client,omitempty"` // what it calls itself
	ClientInfo   jsontext.Value `json:"clientInfo,omitempty"`
	Capabilities jsontext.Value `json:"capabilities,omitempty"`
	LogLevel     string         `json:"logLevel,omitempty"` // of logging/setLevel
	URIs         []string       `json:"uris"`               // subscribed
	Used         time.Time      `json:"used"`
}

// A conversation is a session's conversation with the engine.
type conversation struct {
	port           jsonrpc.Port
	pending        map[string]*pendingRequest // by the id's key
	engineRequests map[string]*pendingRequest // by the key of the engine's own id: see session_ask.go
	tokens         map[string]*mailbox        // by progress token
	subscribed     map[string]bool            // subscribed URIs
	ownRequests    int                        // requests of the session itself so far
}

// A pendingRequest is a request that the engine has not answered.
type pendingRequest struct {
	method, uri string
	level       string   // of logging/setLevel
	token       string   // progress token, if it gave one
	box         *mailbox // nil: the client has gone
	jsonOnly    bool     // the client takes nothing but the answer
	cancelled   bool     // by the client
	answered    func(failed bool)
	earlyUpdate []byte // an `updated` that came before the subscription's answer
	begun       time.Time
}

var errEnded = errors.New("the session has ended")

// leave is called once by whoever got the session.
func (s *session) release() {
	s.mu.Lock()
	s.users--
	s.lastUsed = time.Now()
	s.mu.Unlock()
}

// start begins a conversation. The lock is held.
func (s *session) start() *conversation {
	near, far := jsonrpc.Pipe()
	c := &conversation{
		port: far, pending: map[string]*pendingRequest{}, engineRequests: map[string]*pendingRequest{},
		tokens: map[string]*mailbox{}, subscribed: map[string]bool{},
	}
	s.conversation = c
	s.endpoint, _ = s.owner.Endpoints.Acquire(s.record.Owner, s.record.Path) // there is one: this runs for a request at it
	ctx := engine.WithPrincipal(context.Background(), engine.Principal(s.record.Principal))
	v := access.Client{Principal: s.record.Principal, Endpoint: s.record.Path, Name: s.record.Client}
	go s.endpoint.Engine.Serve(ctx, s.owner.Gate.Port(near, s.endpoint.Engine, v)) // ends when far closes
	go s.route(c)                                                                  // likewise
	return c
}

// wake begins a conversation anew from the record, if there is none: the
// handshake at once, subscriptions as soon as their pages are there. Whatever the
// client knows may be stale (P3), and is announced at once: the request that woke the
// session may be the client's last for a while. The lock is held.
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
	// The pipe has room for all, and the engine takes them in order.
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

// sleep ends the conversation of a session that nobody uses: an assistant that
// forgot it must not cost memory for a day.
func (s *session) sleep(now time.Time) {
	if s.sleepIf(func() bool {
		return s.users == 0 && len(s.conversation.pending) == 0 && now.Sub(s.lastUsed) >= limits.SessionIdle
	}) {
		s.store()
	}
}

// drop ends the conversation if there is one and may does not object; the lock is
// held while it is asked.
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

// endConversation ends the conversation, if there is one. The lock is held.
func (s *session) endConversation() {
	if s.conversation == nil {
		return
	}
	s.conversation.port.Close()
	s.endpoint.Release()
	s.conversation, s.endpoint = nil, Endpoint{}
}

// register announces a request before it is sent. deaf: its client takes no event
// stream. It returns false if one with the same id still waits.
func (s *session) register(x engine.Examination, msg []byte, box *mailbox, jsonOnly bool) bool {
	return s.registerAll([]engine.Examination{x}, [][]byte{msg}, box, jsonOnly)
}

// registerAll announces all requests among messages, or none: a refused batch has no
// effect, its ids can be used again.
func (s *session) registerAll(examined []engine.Examination, messages [][]byte, box *mailbox, jsonOnly bool) bool {
	begun := make(map[string]*pendingRequest, len(messages))
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
		if s.conversation.pending[key] != nil || begun[key] != nil {
			return false
		}
		begun[key] = newPendingRequest(x, messages[i], box, jsonOnly)
	}
	for key, w := range begun {
		s.conversation.pending[key] = w
		if w.token != "" {
			s.conversation.tokens[w.token] = box
		}
	}
	return true
}

func newPendingRequest(x engine.Examination, msg []byte, box *mailbox, jsonOnly bool) *pendingRequest {
	m, _ := jsonrpc.Parse(msg)
	w := &pendingRequest{method: x.Method, box: box, jsonOnly: jsonOnly, begun: time.Now()}
	w.uri, _ = jsonrpc.Text(jsonrpc.Member(m.Params, "uri"))
	w.level, _ = jsonrpc.Text(jsonrpc.Member(m.Params, "level"))
	if token := jsonrpc.Member(jsonrpc.Member(m.Params, "_meta"), "progressToken"); token != nil {
		w.token = jsonrpc.ID(token).Key()
	}
	return w
}

// send passes a message of the client on.
func (s *session) send(msg []byte) error {
	s.mu.Lock()
	c := s.conversation
	s.mu.Unlock()
	if c == nil {
		return errEnded
	}
	return c.port.Write(context.Background(), msg)
}

// detach takes note that nobody reads box any more. Its requests go on.
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

// route takes what the engine says, until the conversation ends. Each message
// goes to exactly one stream: an answer and what belongs to a request to the POST
// that waits for it, the rest to the session's stream.
func (s *session) route(c *conversation) {
	for {
		msg, err := c.port.Read(context.Background())
		if err != nil {
			return
		}
		h := message.HeadOf(msg)
		switch {
		case h.Kind == jsonrpc.Response:
			s.complete(c, h, msg)
		case h.Method == UpdatedMethod:
			s.announceUpdate(msg, h, updatedURI(msg))
		case h.Method == "notifications/progress":
			if box := s.mailboxFor(c, msg); box != nil {
				box.put(msg, h)
			}
		default:
			s.routeToStream(c, h, msg)
		}
	}
}

func (s *session) mailboxFor(c *conversation, msg []byte) *mailbox {
	m, _ := jsonrpc.Parse(msg)
	token := jsonrpc.ID(jsonrpc.Member(m.Params, "progressToken")).Key()
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.tokens[token]
}

// complete gives an answer to whom it belongs. What it changes is stored before the
// client can know of it.
func (s *session) complete(c *conversation, h message.Head, msg []byte) {
	w, changed := s.takePending(c, h)
	if w == nil { // of the handshake that wake began
		return
	}
	if changed {
		s.store()
	}
	s.mu.Lock()
	box := w.box
	s.mu.Unlock()
	switch {
	case w.answered != nil:
		w.answered(h.Failed)
	case box != nil:
		box.put(msg, h)
	default:
		s.owner.Gate.Audit.Record(access.Entry{
			Principal: s.record.Principal, Client: s.record.Client, Endpoint: s.record.Path, Verb: w.method, URI: w.uri,
			Outcome: "dropped", Ms: float64(time.Since(w.begun).Microseconds()) / 1000,
		})
	}
}

// takePending returns the request that an answer is for, nil if there is none, and whether
// the answer has changed the record.
func (s *session) takePending(c *conversation, h message.Head) (w *pendingRequest, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w = c.pending[h.ID.Key()]
	delete(c.pending, h.ID.Key())
	if w == nil {
		return nil, false
	}
	delete(c.tokens, w.token)
	s.lastUsed = time.Now()
	if h.Failed {
		return w, false
	}
	switch w.method {
	case "logging/setLevel":
		s.record.LogLevel, changed = w.level, true
	case "resources/subscribe":
		c.subscribed[w.uri] = true
		if w.answered != nil && !slices.Contains(s.record.URIs, w.uri) {
			delete(c.subscribed, w.uri)
			s.unsubscribe(c, w.uri)
		}
		if w.answered == nil && !slices.Contains(s.record.URIs, w.uri) {
			s.record.URIs, changed = append(s.record.URIs, w.uri), true
		}
		if w.earlyUpdate != nil {
			s.enqueue(w.earlyUpdate, message.HeadOf(w.earlyUpdate))
		}
	case "resources/unsubscribe":
		delete(c.subscribed, w.uri)
		if i := slices.Index(s.record.URIs, w.uri); i >= 0 {
			s.record.URIs, changed = slices.Delete(s.record.URIs, i, i+1), true
		}
		s.outbox.dropUpdated(w.uri)
	}
	return w, changed
}

// store writes the record as it is now. If the disk fails, the session works on but does
// not survive a restart.
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

// unstore removes the record of a session that has ended.
func (s *session) unstore() {
	s.saving.Lock()
	defer s.saving.Unlock()
	s.owner.Store.Remove(s.hash)
}

// clientOf returns what initialize says of the client, as JSON.
func clientParams(params []byte) (info, capabilities jsontext.Value) {
	return bytes.Clone(jsonrpc.Member(params, "clientInfo")), bytes.Clone(jsonrpc.Member(params, "capabilities"))
}
