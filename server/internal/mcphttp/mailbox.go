package mcphttp

import (
	"slices"
	"sync"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A mailbox queues messages for one stream. put never blocks, so that a slow client does
// not delay the reader of an engine's port. `updated` and list_changed notifications,
// which carry no value, are merged if equal; of other notifications the oldest are
// dropped if there are too many; responses and requests of the engine are always kept.
// Messages are taken one at a time, so that those in the queue can still be merged or
// removed.
type mailbox struct {
	mu        sync.Mutex
	queue     []queued
	coalesced map[string]bool // the text of merged notifications in queue; nil if there are none
	others    int             // other notifications in queue
	size      int             // of the other notifications, in bytes
	changed   chan struct{}   // has capacity 1; nil until a reader waits: abandoned sessions have none
	woken     bool            // before that
}

// A queued is one message. A merged notification is held as a string, which is also its
// key.
type queued struct {
	msg       []byte
	coalesced string
	other     bool // a notification that is not merged
}

func newMailbox() *mailbox { return &mailbox{} }

// isCoalesced reports whether equal notifications of this method are merged.
func isCoalesced(method string) bool { return method == engine.MethodUpdated || isListChanged(method) }

func isListChanged(method string) bool {
	switch method {
	case engine.MethodResourcesChanged, engine.MethodPromptsChanged, engine.MethodToolsChanged:
		return true
	}
	return false
}

// put adds a message and wakes the reader.
func (m *mailbox) put(msg []byte, h message.Head) {
	m.add(msg, h)
	m.wake()
}

func (m *mailbox) add(msg []byte, h message.Head) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case isCoalesced(h.Method):
		if level := string(msg); m.coalesce(level) {
			m.queue = append(m.queue, queued{coalesced: level})
		}
	case h.Kind == jsonrpc.Notification:
		m.others++
		m.size += len(msg)
		m.queue = append(m.queue, queued{msg: msg, other: true})
		for m.others > 1 && (m.others > limits.MaxQueued || m.size > limits.MaxQueuedBytes) {
			m.dropOldest()
		}
	default:
		m.queue = append(m.queue, queued{msg: msg})
	}
}

// coalesce registers a merged notification; false if it is queued already. The caller
// holds the lock, here and below.
func (m *mailbox) coalesce(text string) bool {
	if m.coalesced[text] {
		return false
	}
	if m.coalesced == nil {
		m.coalesced = map[string]bool{}
	}
	m.coalesced[text] = true
	return true
}

func (m *mailbox) dropOldest() {
	for i, q := range m.queue {
		if q.other {
			m.uncount(q)
			m.queue = append(m.queue[:i:i], m.queue[i+1:]...)
			return
		}
	}
}

// uncount subtracts q from the counts.
func (m *mailbox) uncount(q queued) {
	if q.coalesced != "" {
		delete(m.coalesced, q.coalesced)
	}
	if q.other {
		m.others--
		m.size -= len(q.msg)
	}
	if len(m.coalesced) == 0 {
		m.coalesced = nil // releases memory: a map does not shrink
	}
}

// next returns the first message. It is nil for a response that will not come: see
// putCancelled.
func (m *mailbox) next() (msg []byte, ok bool) { return m.nextFor(nil) }

// nextFor returns the first message that accepts returns true for; others stay. accepts may be
// nil, and gets the notifications that are merged only: others are for any reader.
func (m *mailbox) nextFor(accepts func(msg string) bool) (msg []byte, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := slices.IndexFunc(m.queue, func(q queued) bool { return accepts == nil || q.coalesced == "" || accepts(q.coalesced) })
	if at < 0 {
		return nil, false
	}
	q := m.queue[at]
	if at == 0 {
		m.queue[0] = queued{}
		m.queue = m.queue[1:]
	} else {
		m.queue = slices.Delete(m.queue, at, at+1)
	}
	if len(m.queue) == 0 {
		m.queue = nil
	}
	m.uncount(q)
	if q.coalesced != "" {
		return []byte(q.coalesced), true
	}
	return q.msg, true
}

// requeue puts a message that could not be written first.
func (m *mailbox) requeue(msg []byte) {
	m.putFirst(msg, message.HeadOf(msg))
	m.wake()
}

func (m *mailbox) putFirst(msg []byte, h message.Head) {
	m.mu.Lock()
	defer m.mu.Unlock()
	q := queued{msg: msg}
	switch {
	case isCoalesced(h.Method):
		if q = (queued{coalesced: string(msg)}); !m.coalesce(q.coalesced) {
			return
		}
	case h.Kind == jsonrpc.Notification:
		if m.others >= limits.MaxQueued || m.size+len(msg) > limits.MaxQueuedBytes {
			return // full: drop the oldest, which is msg
		}
		q.other = true
		m.others++
		m.size += len(msg)
	}
	m.queue = append([]queued{q}, m.queue...)
}

// dropUpdated removes the `updated` notification of uri.
func (m *mailbox) dropUpdated(uri string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := 0; i < len(m.queue); i++ {
		q := m.queue[i]
		if q.coalesced == "" || updatedURI([]byte(q.coalesced)) != uri {
			continue
		}
		m.uncount(q)
		m.queue = append(m.queue[:i:i], m.queue[i+1:]...)
		i--
	}
}

// updatedURI returns the URI of an `updated` notification, or "" for other messages.
func updatedURI(msg []byte) string {
	m, _ := jsonrpc.Parse(msg)
	if m.Method != engine.MethodUpdated {
		return ""
	}
	uri, _ := jsonrpc.Text(jsonrpc.Member(m.Params, "uri"))
	return uri
}

func (m *mailbox) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queue, m.coalesced, m.others, m.size = nil, nil, 0, 0
}

// leave says that no reader waits.
func (m *mailbox) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changed = nil
}

// putCancelled adds a placeholder for the response to a cancelled request, which will
// not come.
func (m *mailbox) putCancelled() { m.put(nil, message.Head{Kind: jsonrpc.Response}) }

func (m *mailbox) empty() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.queue) == 0
}

func (m *mailbox) wake() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.woken = true
	m.signal()
}

// wait returns a channel that gets a value after wake.
func (m *mailbox) wait() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.changed == nil {
		m.changed = make(chan struct{}, 1)
	}
	m.signal()
	return m.changed
}

// signal passes woken on to the reader, if there is one. The caller holds the lock.
func (m *mailbox) signal() {
	if !m.woken || m.changed == nil {
		return
	}
	m.woken = false
	select {
	case m.changed <- struct{}{}:
	default:
	}
}
