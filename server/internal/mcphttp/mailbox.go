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

func isLevel(method string) bool { return method == UpdatedMethod || isListChanged(method) }

func isListChanged(method string) bool {
	switch method {
	case "notifications/resources/list_changed", "notifications/prompts/list_changed", "notifications/tools/list_changed":
		return true
	}
	return false
}

// put adds a message.
func (b *mailbox) put(msg []byte, h message.Head) {
	b.add(msg, h)
	b.wake()
}

func (b *mailbox) add(msg []byte, h message.Head) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case isLevel(h.Method):
		if level := string(msg); b.coalesce(level) {
			b.queue = append(b.queue, queued{coalesced: level})
		}
	case h.Kind == jsonrpc.Notification:
		b.others++
		b.size += len(msg)
		b.queue = append(b.queue, queued{msg: msg, other: true})
		for b.others > 1 && (b.others > limits.MaxQueued || b.size > limits.MaxQueuedBytes) {
			b.dropOldest()
		}
	default:
		b.queue = append(b.queue, queued{msg: msg})
	}
}

// coalesce notes a level; false if it is there already. The lock is held, here and
// below.
func (b *mailbox) coalesce(level string) bool {
	if b.coalesced[level] {
		return false
	}
	if b.coalesced == nil {
		b.coalesced = map[string]bool{}
	}
	b.coalesced[level] = true
	return true
}

func (b *mailbox) dropOldest() {
	for i, l := range b.queue {
		if l.other {
			b.uncount(l)
			b.queue = append(b.queue[:i:i], b.queue[i+1:]...)
			return
		}
	}
}

// uncount takes a letter off the counts.
func (b *mailbox) uncount(l queued) {
	if l.coalesced != "" {
		delete(b.coalesced, l.coalesced)
	}
	if l.other {
		b.others--
		b.size -= len(l.msg)
	}
	if len(b.coalesced) == 0 {
		b.coalesced = nil // a map keeps the room that it once needed
	}
}

// next takes the first message. It is nil when an answer will not come: see
// putNothing.
func (b *mailbox) next() (msg []byte, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.queue) == 0 {
		return nil, false
	}
	l := b.queue[0]
	b.queue[0] = queued{}
	if b.queue = b.queue[1:]; len(b.queue) == 0 {
		b.queue = nil
	}
	b.uncount(l)
	if l.coalesced != "" {
		return []byte(l.coalesced), true
	}
	return l.msg, true
}

// requeue puts what could not be written in front again.
func (b *mailbox) requeue(msg []byte) {
	b.putFirst(msg, message.HeadOf(msg))
	b.wake()
}

func (b *mailbox) putFirst(msg []byte, h message.Head) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := queued{msg: msg}
	switch {
	case isLevel(h.Method):
		if l = (queued{coalesced: string(msg)}); !b.coalesce(l.coalesced) {
			return
		}
	case h.Kind == jsonrpc.Notification:
		if b.others >= limits.MaxQueued || b.size+len(msg) > limits.MaxQueuedBytes {
			return // it is the oldest
		}
		l.other = true
		b.others++
		b.size += len(msg)
	}
	b.queue = append([]queued{l}, b.queue...)
}

// dropUpdated takes out what says that uri may have changed.
func (b *mailbox) dropUpdated(uri string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := 0; i < len(b.queue); i++ {
		l := b.queue[i]
		if l.coalesced == "" || updatedURI([]byte(l.coalesced)) != uri {
			continue
		}
		b.uncount(l)
		b.queue = append(b.queue[:i:i], b.queue[i+1:]...)
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
func (b *mailbox) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue, b.coalesced, b.others, b.size = nil, nil, 0, 0
}

// putCancelled says that one of the answers will not come: its request was cancelled.
func (b *mailbox) putCancelled() { b.put(nil, message.Head{Kind: jsonrpc.Response}) }

func (b *mailbox) empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.queue) == 0
}

func (b *mailbox) wake() {
	select {
	case b.changed <- struct{}{}:
	default:
	}
}
