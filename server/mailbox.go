package server

import (
	"sync"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A mailbox holds messages for one stream until it can be written. Putting never
// waits, so that whoever reads an engine's port is never held up by one slow
// client. Level-triggered notifications are kept once, however often they come;
// of others the oldest go when there are too many. Answers, and requests of the
// engine's, are always kept.
type mailbox struct {
	mu      sync.Mutex
	msgs    [][]byte
	levels  map[string]bool // those of msgs that say "your copy may be stale"
	others  int             // notifications among msgs that are no levels
	changed chan struct{}   // has room for one
}

func newMailbox() *mailbox {
	return &mailbox{levels: map[string]bool{}, changed: make(chan struct{}, 1)}
}

// put adds a message.
func (b *mailbox) put(msg []byte, h head) {
	b.mu.Lock()
	switch {
	case h.method == "notifications/resources/updated" || isListChanged(h.method):
		if b.levels[string(msg)] {
			b.mu.Unlock()
			return
		}
		b.levels[string(msg)] = true
	case h.kind == jsonrpc.Notification:
		if b.others >= maxQueued {
			b.dropOldest()
		}
		b.others++
	}
	b.msgs = append(b.msgs, msg)
	b.mu.Unlock()
	b.wake()
}

func isListChanged(method string) bool {
	switch method {
	case "notifications/resources/list_changed", "notifications/prompts/list_changed", "notifications/tools/list_changed":
		return true
	}
	return false
}

// dropOldest makes room; the lock is held.
func (b *mailbox) dropOldest() {
	for i, msg := range b.msgs {
		if h := headOf(msg); h.kind == jsonrpc.Notification && !b.levels[string(msg)] {
			b.msgs = append(b.msgs[:i:i], b.msgs[i+1:]...)
			b.others--
			return
		}
	}
}

// take empties the box.
func (b *mailbox) take() [][]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	msgs := b.msgs
	b.msgs, b.others = nil, 0
	clear(b.levels)
	return msgs
}

// giveBack puts what could not be written in front again.
func (b *mailbox) giveBack(msgs [][]byte) {
	later := b.take()
	for _, msg := range append(msgs, later...) {
		b.put(msg, headOf(msg))
	}
}

// putNothing says that one of the answers will not come: its request was cancelled.
func (b *mailbox) putNothing() { b.put(nil, head{kind: jsonrpc.Response}) }

func (b *mailbox) empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.msgs) == 0
}

func (b *mailbox) wake() {
	select {
	case b.changed <- struct{}{}:
	default:
	}
}
