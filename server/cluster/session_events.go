package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

// sessionEvents implements mcphttp.SessionEvents over core NATS. All subscriptions share
// one channel and one goroutine: a session that is awake costs two maps' entries. Events
// that were sent while NATS was away are lost, which EventLost says afterwards.
type sessionEvents struct {
	node     *Node
	messages chan *nats.Msg

	mu       sync.Mutex
	handlers map[*nats.Subscription]func(mcphttp.SessionEvent, func())
	subjects map[string]int // number of handlers by subject
}

// sessionKeySize is that of a session's key in characters: SHA-256 in hexadecimal digits.
const sessionKeySize = 64

func newSessionEvents(n *Node) *sessionEvents {
	return &sessionEvents{
		node: n, messages: make(chan *nats.Msg, maxMessages), handlers: map[*nats.Subscription]func(mcphttp.SessionEvent, func()){}, subjects: map[string]int{},
	}
}

// SessionEvents returns the events of classic sessions on the other nodes.
func (n *Node) SessionEvents() mcphttp.SessionEvents { return n.sessions }

// session returns the subject of a topic; false if its key is not that of a session.
func (s subjects) session(t mcphttp.SessionTopic) (subject string, ok bool) {
	if len(t.Hash) != sessionKeySize || strings.Trim(t.Hash, "0123456789abcdef") != "" {
		return "", false
	}
	subject = s.prefix + "s." + t.Hash
	if t.Stream {
		subject += ".stream"
	}
	return subject, true
}

// Publish implements [mcphttp.SessionEvents].
func (e *sessionEvents) Publish(t mcphttp.SessionTopic, event mcphttp.SessionEvent) error {
	subject, ok := e.node.subjects.session(t)
	if !ok {
		return nil // no node has such a session
	}
	data, err := e.encode(event)
	if err != nil {
		return err
	}
	return e.node.Publish(subject, "", data)
}

// encode returns the JSON of an event that fits into one message.
func (e *sessionEvents) encode(event mcphttp.SessionEvent) ([]byte, error) {
	data := encode(event)
	if most := e.node.MaxPayload(); most > 0 && int64(len(data)) > most {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", mcphttp.ErrEventTooLarge, len(data), most)
	}
	return data, nil
}

// Request implements [mcphttp.SessionEvents].
func (e *sessionEvents) Request(ctx context.Context, t mcphttp.SessionTopic, event mcphttp.SessionEvent) error {
	subject, ok := e.node.subjects.session(t)
	if !ok {
		return mcphttp.ErrNoSubscriber
	}
	err := e.request(ctx, subject, event)
	if !errors.Is(err, mcphttp.ErrNoSubscriber) {
		return err
	}
	// The NATS server knows no subscriber on its side. It is alone there if NATS is split.
	if !e.node.directory.noneHas(ctx, subject) {
		return errSilent
	}
	return e.request(ctx, subject, event) // the split may have ended meanwhile
}

func (e *sessionEvents) request(ctx context.Context, subject string, event mcphttp.SessionEvent) error {
	data, err := e.encode(event)
	if err != nil {
		return err
	}
	answer, err := e.node.conn.RequestWithContext(ctx, subject, e.node.sealer.seal(nil, subject, "", data))
	if errors.Is(err, nats.ErrNoResponders) {
		return mcphttp.ErrNoSubscriber
	}
	if err != nil {
		return err
	}
	if _, ok := e.node.open(answer); !ok {
		return errSealed // of another program: whether the event has arrived is not known
	}
	return nil
}

// Subscribe implements [mcphttp.SessionEvents].
func (e *sessionEvents) Subscribe(t mcphttp.SessionTopic, handle func(mcphttp.SessionEvent, func())) (stop func()) {
	subject, ok := e.node.subjects.session(t)
	if !ok {
		return func() {}
	}
	e.mu.Lock() // until the handler is there: the first message may come at once
	defer e.mu.Unlock()
	sub, err := e.node.conn.ChanSubscribe(subject, e.messages)
	if err != nil { // only after Close
		return func() {}
	}
	e.handlers[sub] = handle
	e.subjects[subject]++
	return func() {
		sub.Unsubscribe() // it fails only if the connection is closed
		e.remove(sub)
	}
}

func (e *sessionEvents) remove(sub *nats.Subscription) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.handlers[sub] == nil {
		return
	}
	delete(e.handlers, sub)
	if e.subjects[sub.Subject]--; e.subjects[sub.Subject] == 0 {
		delete(e.subjects, sub.Subject)
	}
}

// subscribes reports whether this node has a handler for a subject.
func (e *sessionEvents) subscribes(subject string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.subjects[subject] > 0
}

func (e *sessionEvents) handler(sub *nats.Subscription) func(mcphttp.SessionEvent, func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.handlers[sub]
}

// run delivers events until Close.
func (e *sessionEvents) run() {
	for {
		select {
		case m := <-e.messages:
			e.deliver(m)
		case <-e.node.stop:
			return
		}
	}
}

func (e *sessionEvents) deliver(m *nats.Msg) {
	handle := e.handler(m.Sub)
	if handle == nil {
		return
	}
	payload, delay, ok := e.node.openDelayed(m)
	var event mcphttp.SessionEvent
	if !ok || json.Unmarshal(payload, &event) != nil || event.Kind == mcphttp.EventLost { // that is of this node only
		return
	}
	event.Delay = delay
	handle(event, sync.OnceFunc(func() {
		if m.Reply != "" {
			e.node.Publish(m.Reply, "", nil)
		}
	}))
}

// lost reports that events may have been lost.
func (e *sessionEvents) lost() {
	for _, handle := range e.all() {
		handle(mcphttp.SessionEvent{Kind: mcphttp.EventLost}, func() {})
	}
}

func (e *sessionEvents) all() (all []func(mcphttp.SessionEvent, func())) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, handle := range e.handlers {
		all = append(all, handle)
	}
	return all
}

// isOf reports whether sub is for events of sessions.
func (e *sessionEvents) isOf(sub *nats.Subscription) bool {
	return strings.HasPrefix(sub.Subject, e.node.subjects.prefix+"s.")
}
