package mcphttp

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// One session may be awake on several nodes, since any node serves any of its requests. A
// request is served where it arrives. The node that has the GET stream holds the
// subscriptions; other nodes queue nothing for the client.

// SessionEvents carries events of sessions between the nodes of a cluster. Its methods may
// be called concurrently.
type SessionEvents interface {
	// Publish sends an event to all other nodes that subscribe to t. It does not block, and
	// an event may be lost. The error says that it was not sent: [ErrEventTooLarge], or that
	// the other nodes cannot be reached; EventLost follows then when they can.
	Publish(t SessionTopic, e SessionEvent) error

	// Request sends an event to the other nodes that subscribe to t, and returns when one
	// of them has called done. The error is [ErrNoSubscriber] if there are none; another one
	// if that is not certain, as when a node does not answer, or that of ctx.
	Request(ctx context.Context, t SessionTopic, e SessionEvent) error

	// Subscribe calls handle for each event, until stop is called, which handle may do.
	// handle does not block, and calls done once the event has taken effect; it may do that
	// later. Events that one node publishes come in order.
	Subscribe(t SessionTopic, handle func(e SessionEvent, done func())) (stop func())
}

// ErrNoSubscriber is the error of SessionEvents.Request if no other node subscribes to the
// topic.
var ErrNoSubscriber = errors.New("no other node subscribes to this topic")

// ErrEventTooLarge is the error of SessionEvents for an event that the connection between the
// nodes does not carry.
var ErrEventTooLarge = errors.New("the event is larger than the connection between nodes allows")

// A SessionTopic is what nodes subscribe to: those on which a session is awake, or the one
// that has its stream.
type SessionTopic struct {
	Hash   string // of the session's id
	Stream bool
}

// A SessionEvent is what happened to a session on another node. Its JSON is the form for
// other nodes, which may run another release: unknown kinds are ignored.
type SessionEvent struct {
	Kind     EventKind      `json:"kind"`
	Message  jsontext.Value `json:"message,omitempty"` // of the client
	URI      string         `json:"uri,omitempty"`
	LogLevel string         `json:"level,omitempty"` // of logging/setLevel

	// Subscriptions are all of the session, at most MaxChanges bytes: see Subscriptions.ages.
	Subscriptions map[string]int64 `json:"subscriptions,omitempty"`

	// Delay is how long the event was on the way, as far as the receiver knows: it may be held
	// up by a server that was frozen, while later ones take another way. It is added to ages.
	Delay time.Duration `json:"-"`
}

// An EventKind names the kind of an event.
type EventKind string

// The kinds of events.
const (
	EventCancelled    EventKind = "cancelled"    // Message cancels a request that the sender does not have
	EventAnswered     EventKind = "answered"     // Message responds to a request that the sender does not have
	EventSubscribed   EventKind = "subscribed"   // to URI
	EventUnsubscribed EventKind = "unsubscribed" // from URI
	EventLevel        EventKind = "level"        // LogLevel is set
	EventOpened       EventKind = "opened"       // the sender has the GET stream
	EventRestored     EventKind = "restored"     // the sender has read what is stored, which may lack the latest changes
	EventState        EventKind = "state"        // Subscriptions and LogLevel are current: the answer to EventOpened and EventRestored
	EventEnded        EventKind = "ended"        // by DELETE

	// EventLost comes from the SessionEvents of this node: events may have been lost.
	EventLost EventKind = "lost"
)

// armTime is how long the response to resources/subscribe waits for the node that has the
// stream.
const armTime = 1 * time.Second

// dropTime is how long the response to resources/unsubscribe waits for that node, if events
// are lost. Then it is an error: notifications that come after a result would break promise P1.
const dropTime = limits.GraceTime

func (s *session) topic() SessionTopic { return SessionTopic{Hash: s.hash} }

// publish sends an event to the other nodes. Without a check of its error the event may be
// lost: EventLost or the store makes good for it.
func (s *session) publish(e SessionEvent) error {
	if events := s.owner.Events; events != nil {
		return events.Publish(s.topic(), e)
	}
	return nil
}

// follow subscribes to the events of the session, until unfollow.
func (s *session) follow() {
	if s.owner.Events == nil {
		return
	}
	stop := s.owner.Events.Subscribe(s.topic(), s.handle)
	if !s.keepStop(stop) {
		stop()
	}
}

// keepStop keeps stop for unfollow; false if the session has ended already.
func (s *session) keepStop(stop func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.stopEvents = stop
	return true
}

func (s *session) unfollow() {
	if stop := s.takeStop(); stop != nil {
		stop()
	}
}

func (s *session) takeStop() (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stop, s.stopEvents = s.stopEvents, nil
	return stop
}

// handle handles an event of another node.
func (s *session) handle(e SessionEvent, done func()) {
	defer done()
	s.markUsed()
	switch e.Kind {
	case EventCancelled:
		s.forwardIfPending(e.Message)
	case EventAnswered:
		s.forwardIfRequested(e.Message)
	case EventSubscribed:
		s.addURI(e)
	case EventUnsubscribed:
		s.dropURI(e)
	case EventLevel:
		s.setLevel(e.LogLevel)
		if s.hasStream() {
			s.store()
		}
	case EventOpened:
		s.leaveStream()
	case EventRestored:
		s.publishState()
	case EventState:
		s.adopt(e)
	case EventEnded:
		s.owner.table.end(s)
		s.end()
	case EventLost:
		if s.hasStream() {
			s.publish(SessionEvent{Kind: EventOpened})
		} else {
			s.publishState()
		}
	}
}

// publishState tells the node with the stream what this one knows.
func (s *session) publishState() {
	if state := s.currentState(); !state.isEmpty() {
		s.publishParts(state)
	}
}

// maxStatePart is the size of the texts in one EventState. JSON may escape each byte by six,
// and the connection between nodes carries at least 64 KiB.
const maxStatePart = 8 << 10 // bytes

// publishParts sends an EventState as one event or several: what they say is added up.
func (s *session) publishParts(state SessionEvent) {
	empty := func() SessionEvent { return SessionEvent{Kind: EventState, Subscriptions: map[string]int64{}} }
	part, size := empty(), 0
	part.LogLevel = state.LogLevel
	for uri, age := range state.Subscriptions {
		if size += len(uri); size > maxStatePart && size > len(uri) {
			s.publish(part)
			part, size = empty(), len(uri)
		}
		part.Subscriptions[uri] = age
	}
	s.publish(part)
}

// forwardIfPending sends a cancellation to the engine if its request is pending here.
func (s *session) forwardIfPending(msg []byte) {
	x, msg := s.cancelsLatest(s.examine(msg), msg)
	id := jsonrpc.ID(jsonrpc.Member(x.Params, "requestId"))
	if s.isPending(id) && s.send(x, msg) == nil {
		s.cancel(id)
	}
}

// examine examines a message for the engine; one without a conversation says nothing.
func (s *session) examine(msg []byte) (x engine.Examination) {
	s.mu.Lock()
	c := s.conversation
	s.mu.Unlock()
	if c != nil {
		x = c.direct.Examine(msg)
	}
	return x
}

func (s *session) isPending(id jsonrpc.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conversation != nil && s.conversation.pending[id.Key()] != nil
}

// forwardIfRequested sends a response to the engine if it responds to a request here.
func (s *session) forwardIfRequested(msg []byte) {
	if x := s.examine(msg); s.takeEngineRequest(x.ID) {
		s.send(x, msg)
	}
}

// takeEngineRequest removes a request of the engine, and reports whether there was one.
func (s *session) takeEngineRequest(id jsonrpc.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conversation == nil {
		return false
	}
	_, found := s.conversation.engineRequests[id.Key()]
	delete(s.conversation.engineRequests, id.Key())
	return found
}

// addURI records that the client has subscribed on another node. The node with the stream
// subscribes by arm. isWanted is false if an unsubscription has overtaken the event; one that
// comes twice may be taken for older than itself.
func (s *session) addURI(e SessionEvent) (isWanted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record.Subscriptions.hear(e.URI, e.Delay, false, s.record.Partial)
	return s.record.Subscriptions.Has(e.URI)
}

// dropURI records that the client has unsubscribed on another node.
func (s *session) dropURI(e SessionEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Subscriptions.hear(e.URI, e.Delay, true, s.record.Partial) {
		s.leave(e.URI)
	}
}

// remove forgets a subscription. The caller holds the lock, here and below.
func (s *session) remove(uri string) {
	delete(s.record.Subscriptions, uri)
	s.leave(uri)
}

// leave ends what a subscription has caused here.
func (s *session) leave(uri string) {
	s.outbox.dropUpdated(uri)
	s.disarm(uri)
}

// disarm ends the subscription of this node's engine. The caller holds the lock.
func (s *session) disarm(uri string) {
	if c := s.conversation; c != nil && c.subscribed[uri] {
		delete(c.subscribed, uri)
		c.direct.Unsubscribe(uri)
	}
}

// setLevel records the log level that the client has set on another node, and sets it in
// this node's engine.
func (s *session) setLevel(level string) {
	s.mu.Lock()
	c := s.conversation
	s.record.LogLevel = level
	s.mu.Unlock()
	if c != nil {
		c.setLevel(level)
	}
}

func (s *session) hasStream() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.streams) > 0
}

// leaveStream ends the streams of this node, because the client has opened another one at
// another node, and reports what this node knows to that node.
func (s *session) leaveStream() {
	s.endStreams()
	s.publishParts(s.currentState())
}

func (s *session) endStreams() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.streams {
		close(st.replaced)
	}
	s.streams = nil
}

// currentState returns an EventState.
func (s *session) currentState() SessionEvent {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.record.Partial {
		s.record.Subscriptions.forget(time.Now())
	}
	return SessionEvent{Kind: EventState, Subscriptions: s.record.Subscriptions.shortened(MaxChanges).ages(), LogLevel: s.record.LogLevel}
}

// isEmpty reports whether an EventState says nothing.
func (e *SessionEvent) isEmpty() bool {
	return e.LogLevel == "" && len(e.Subscriptions) == 0
}

// restoredTime is how long a node that has read what is stored adopts what others know,
// although it does not have the stream.
const restoredTime = 1 * time.Second

// adopt adds what a node that was awake before this one knows, if this one has the stream
// or has just been restored: a change may not have been stored yet when this node read the
// record, or its event may be lost. What the client has unsubscribed there is removed,
// unless it has subscribed later. What is new is stored: the next change that this node
// stores would replace it.
func (s *session) adopt(e SessionEvent) {
	levelChanged, urisChanged := s.addState(e)
	if levelChanged {
		s.setLevel(e.LogLevel)
	}
	if levelChanged || urisChanged {
		s.store()
	}
}

// stateSlack is how much later than it was a subscription in an EventState may seem: the
// event was on its way, and ages are in whole ms. Without it, one that the client has ended
// here meanwhile would come back.
const stateSlack = 100 * time.Millisecond

// addState is adopt without the engine's log level and the store.
func (s *session) addState(e SessionEvent) (levelChanged, urisChanged bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.streams) == 0 && time.Since(s.restored) > restoredTime {
		return false, false
	}
	for uri, value := range e.Subscriptions {
		age, gone := ageOf(value)
		age += e.Delay
		had := s.record.Subscriptions.Has(uri)
		switch own := &s.record.Subscriptions; {
		case gone:
			if own.hear(uri, age, true, s.record.Partial) {
				s.leave(uri)
			}
		case !own.hear(uri, age+stateSlack, false, s.record.Partial) && !had && !own.isGone(uri):
			own.put(uri, Subscription{}, false) // made long ago
		}
		urisChanged = urisChanged || had != s.record.Subscriptions.Has(uri)
	}
	s.resubscribe()
	return s.record.LogLevel == "" && e.LogLevel != "", urisChanged
}

// beginStream makes this node the one that holds the subscriptions, while it has the
// stream. The client may have missed everything before it.
func (s *session) beginStream() (end func()) {
	events := s.owner.Events
	if events == nil {
		s.announceLost()
		return func() {}
	}
	s.initialize()
	stop := events.Subscribe(SessionTopic{Hash: s.hash, Stream: true}, func(e SessionEvent, done func()) {
		switch e.Kind {
		case EventSubscribed:
			s.arm(e, done)
		case EventUnsubscribed:
			s.dropURI(e)
			s.store()
			done()
		}
	})
	func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.outbox.clear()
		s.announceAll()
		s.resubscribe()
	}()
	s.publish(SessionEvent{Kind: EventOpened})
	return stop
}

// announceLost announces everything if the conversation had a stream before: messages that were written
// to it may not have reached the client, and the gateway gets no receipts.
func (s *session) announceLost() {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.conversation
	if c == nil {
		return
	}
	if c.hadStream {
		s.announceAll()
	}
	c.hadStream = true
}

// arm subscribes in this node's engine for a client that has subscribed on another node,
// and calls done afterwards. It stores the subscription, as that node does: either of them
// may end before its change is written.
func (s *session) arm(e SessionEvent, done func()) {
	uri := e.URI
	if !s.addURI(e) {
		done()
		return
	}
	s.store()
	armed := s.armNow(uri)
	go func() { // ends after Options.ArmTimeout of the engine
		armed()
		done()
	}()
}

// armNow is arm in the engine, unless the client has unsubscribed meanwhile.
func (s *session) armNow(uri string) (armed func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.conversation
	if c == nil || c.subscribed[uri] || !s.record.Subscriptions.Has(uri) {
		return func() {}
	}
	return s.subscribeTo(c, []string{uri})
}
