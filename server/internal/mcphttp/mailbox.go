package mcphttp

import (
	"slices"
	"sync"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/server/internal/wait"
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
	changed chan struct{} // gets a value when a message may have come

	mu     sync.Mutex
	queue  []queued
	merged map[string]bool // the text of merged notifications in queue; nil if there are none
	others int             // other notifications in queue
	size   int             // of the other notifications, in bytes
}

// A queued is one message. A merged notification is held as a string, which is also its
// key.
type queued struct {
	msg    []byte
	merged string
	other  bool // a notification that is not merged
}

func newMailbox() *mailbox { return &mailbox{changed: wait.NewSignal()} }

// isMerged reports whether equal notifications of this method are merged.
func isMerged(method string) bool {
	switch method {
	case engine.MethodUpdated, engine.MethodResourcesChanged, engine.MethodPromptsChanged, engine.MethodToolsChanged:
		return true
	}
	return false
}

// put adds a message.
func (m *mailbox) put(msg []byte, h message.Head) {
	m.insert(msg, h, false)
	wait.Wake(m.changed)
}

// requeue puts a message that could not be written first.
func (m *mailbox) requeue(msg []byte) {
	m.insert(msg, message.HeadOf(msg), true)
	wait.Wake(m.changed)
}

// putCancelled adds a placeholder for the response to a cancelled request, which will
// not come.
func (m *mailbox) putCancelled() { m.put(nil, message.Head{Kind: jsonrpc.Response}) }

func (m *mailbox) insert(msg []byte, h message.Head, first bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	q := queued{msg: msg}
	switch {
	case isMerged(h.Method):
		q = queued{merged: string(msg)}
		if m.merged[q.merged] {
			return
		}
		if m.merged == nil {
			m.merged = map[string]bool{}
		}
		m.merged[q.merged] = true
	case h.Kind == jsonrpc.Notification:
		q.other = true
		m.others++
		m.size += len(msg)
	}
	if first {
		m.queue = slices.Insert(m.queue, 0, q)
	} else {
		m.queue = append(m.queue, q)
	}
	for m.others > 1 && (m.others > limits.MaxQueued || m.size > limits.MaxQueuedBytes) {
		m.take(slices.IndexFunc(m.queue, func(q queued) bool { return q.other }))
	}
}

// take removes and returns the message at an index. The caller holds the lock.
func (m *mailbox) take(at int) queued {
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
	if q.other {
		m.others--
		m.size -= len(q.msg)
	}
	if q.merged != "" {
		if delete(m.merged, q.merged); len(m.merged) == 0 {
			m.merged = nil // releases memory: a map does not shrink
		}
	}
	return q
}

// next returns the first message that accepts returns true for; others stay. accepts may be
// nil, and gets the notifications that are merged only: others are for any reader. The message
// is nil for a response that will not come: see putCancelled.
func (m *mailbox) next(accepts func(msg string) bool) (msg []byte, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := slices.IndexFunc(m.queue, func(q queued) bool { return accepts == nil || q.merged == "" || accepts(q.merged) })
	if at < 0 {
		return nil, false
	}
	q := m.take(at)
	if q.merged != "" {
		return []byte(q.merged), true
	}
	return q.msg, true
}

// dropUpdated removes the `updated` notification of uri.
func (m *mailbox) dropUpdated(uri string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for at := len(m.queue) - 1; at >= 0; at-- {
		if q := m.queue[at]; q.merged != "" && updatedURI([]byte(q.merged)) == uri {
			m.take(at)
		}
	}
}

// updatedURI returns the URI of an `updated` notification, or "" for other messages.
func updatedURI(msg []byte) string {
	m, _ := jsonrpc.Parse(msg)
	if m.Method != engine.MethodUpdated {
		return ""
	}
	return uriOf(m.Params)
}

func (m *mailbox) empty() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.queue) == 0
}
