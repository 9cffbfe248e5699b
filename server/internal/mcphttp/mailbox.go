package mcphttp

import (
	"sync"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A mailbox holds messages for one stream until it can be written. Putting never
// waits, so that whoever reads an engine's port is never held up by one slow
// client. Level-triggered notifications are kept once, however often they come;
// of others the oldest go when there are too many. Answers, and requests of the
// engine's, are always kept. One message is taken at a time: what waits here can
// still be merged or withdrawn.
type mailbox struct {
	mu        sync.Mutex
	queue     []queued
	coalesced map[string]bool // those of letters that say "your copy may be stale"; nil: none
	others    int             // notifications among letters that are no levels
	size      int             // bytes of these
	changed   chan struct{}   // has room for one
}

// A queued is one message. A level is held as text, which is its key as well.
type queued struct {
	msg       []byte
	coalesced string
	other     bool // a notification that is no level
}

func newMailbox() *mailbox { return &mailbox{changed: make(chan struct{}, 1)} }

const UpdatedMethod = "notifications/resources/updated"

func isCoalesced(method string) bool { return method == UpdatedMethod || isListChanged(method) }

func isListChanged(method string) bool {
	switch method {
	case "notifications/resources/list_changed", "notifications/prompts/list_changed", "notifications/tools/list_changed":
		return true
	}
	return false
}

// put adds a message.
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

// coalesce notes a level; false if it is there already. The lock is held, here and
// below.
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

// uncount takes a letter off the counts.
func (m *mailbox) uncount(q queued) {
	if q.coalesced != "" {
		delete(m.coalesced, q.coalesced)
	}
	if q.other {
		m.others--
		m.size -= len(q.msg)
	}
	if len(m.coalesced) == 0 {
		m.coalesced = nil // a map keeps the room that it once needed
	}
}

// next takes the first message. It is nil when an answer will not come: see
// putNothing.
func (m *mailbox) next() (msg []byte, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.queue) == 0 {
		return nil, false
	}
	q := m.queue[0]
	m.queue[0] = queued{}
	if m.queue = m.queue[1:]; len(m.queue) == 0 {
		m.queue = nil
	}
	m.uncount(q)
	if q.coalesced != "" {
		return []byte(q.coalesced), true
	}
	return q.msg, true
}

// requeue puts what could not be written in front again.
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
			return // it is the oldest
		}
		q.other = true
		m.others++
		m.size += len(msg)
	}
	m.queue = append([]queued{q}, m.queue...)
}

// dropUpdated takes out what says that uri may have changed.
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

// updatedURI returns the URI that an `updated` is about, or nothing.
func updatedURI(msg []byte) string {
	m, _ := jsonrpc.Parse(msg)
	if m.Method != UpdatedMethod {
		return ""
	}
	uri, _ := jsonrpc.Text(jsonrpc.Member(m.Params, "uri"))
	return uri
}

// clear drops everything.
func (m *mailbox) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queue, m.coalesced, m.others, m.size = nil, nil, 0, 0
}

// putCancelled says that one of the answers will not come: its request was cancelled.
func (m *mailbox) putCancelled() { m.put(nil, message.Head{Kind: jsonrpc.Response}) }

func (m *mailbox) empty() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.queue) == 0
}

func (m *mailbox) wake() {
	select {
	case m.changed <- struct{}{}:
	default:
	}
}
