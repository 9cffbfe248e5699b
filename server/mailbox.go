package server

import (
	"sync"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A mailbox holds messages for one stream until it can be written. Putting never
// waits, so that whoever reads an engine's port is never held up by one slow
// client. Level-triggered notifications are kept once, however often they come;
// of others the oldest go when there are too many. Answers, and requests of the
// engine's, are always kept. One message is taken at a time: what waits here can
// still be merged or withdrawn.
type mailbox struct {
	mu      sync.Mutex
	letters []letter
	levels  map[string]bool // those of letters that say "your copy may be stale"; nil: none
	others  int             // notifications among letters that are no levels
	size    int             // bytes of these
	changed chan struct{}   // has room for one
}

// A letter is one message. A level is held as text, which is its key as well.
type letter struct {
	msg   []byte
	level string
	other bool // a notification that is no level
}

func newMailbox() *mailbox { return &mailbox{changed: make(chan struct{}, 1)} }

const updatedMethod = "notifications/resources/updated"

func isLevel(method string) bool { return method == updatedMethod || isListChanged(method) }

func isListChanged(method string) bool {
	switch method {
	case "notifications/resources/list_changed", "notifications/prompts/list_changed", "notifications/tools/list_changed":
		return true
	}
	return false
}

// put adds a message.
func (b *mailbox) put(msg []byte, h head) {
	b.add(msg, h)
	b.wake()
}

func (b *mailbox) add(msg []byte, h head) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case isLevel(h.method):
		if level := string(msg); b.raise(level) {
			b.letters = append(b.letters, letter{level: level})
		}
	case h.kind == jsonrpc.Notification:
		b.others++
		b.size += len(msg)
		b.letters = append(b.letters, letter{msg: msg, other: true})
		for b.others > 1 && (b.others > maxQueued || b.size > maxQueuedBytes) {
			b.dropOldest()
		}
	default:
		b.letters = append(b.letters, letter{msg: msg})
	}
}

// raise notes a level; false if it is there already. The lock is held, here and
// below.
func (b *mailbox) raise(level string) bool {
	if b.levels[level] {
		return false
	}
	if b.levels == nil {
		b.levels = map[string]bool{}
	}
	b.levels[level] = true
	return true
}

func (b *mailbox) dropOldest() {
	for i, l := range b.letters {
		if l.other {
			b.forget(l)
			b.letters = append(b.letters[:i:i], b.letters[i+1:]...)
			return
		}
	}
}

// forget takes a letter off the counts.
func (b *mailbox) forget(l letter) {
	if l.level != "" {
		delete(b.levels, l.level)
	}
	if l.other {
		b.others--
		b.size -= len(l.msg)
	}
	if len(b.levels) == 0 {
		b.levels = nil // a map keeps the room that it once needed
	}
}

// next takes the first message. It is nil when an answer will not come: see
// putNothing.
func (b *mailbox) next() (msg []byte, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.letters) == 0 {
		return nil, false
	}
	l := b.letters[0]
	b.letters[0] = letter{}
	if b.letters = b.letters[1:]; len(b.letters) == 0 {
		b.letters = nil
	}
	b.forget(l)
	if l.level != "" {
		return []byte(l.level), true
	}
	return l.msg, true
}

// giveBack puts what could not be written in front again.
func (b *mailbox) giveBack(msg []byte) {
	b.putFirst(msg, headOf(msg))
	b.wake()
}

func (b *mailbox) putFirst(msg []byte, h head) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := letter{msg: msg}
	switch {
	case isLevel(h.method):
		if l = (letter{level: string(msg)}); !b.raise(l.level) {
			return
		}
	case h.kind == jsonrpc.Notification:
		if b.others >= maxQueued || b.size+len(msg) > maxQueuedBytes {
			return // it is the oldest
		}
		l.other = true
		b.others++
		b.size += len(msg)
	}
	b.letters = append([]letter{l}, b.letters...)
}

// dropUpdated takes out what says that uri may have changed.
func (b *mailbox) dropUpdated(uri string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := 0; i < len(b.letters); i++ {
		l := b.letters[i]
		if l.level == "" || updatedURI([]byte(l.level)) != uri {
			continue
		}
		b.forget(l)
		b.letters = append(b.letters[:i:i], b.letters[i+1:]...)
		i--
	}
}

// updatedURI returns the URI that an `updated` is about, or nothing.
func updatedURI(msg []byte) string {
	m, _ := jsonrpc.Parse(msg)
	if m.Method != updatedMethod {
		return ""
	}
	uri, _ := jsonrpc.Text(jsonrpc.Member(m.Params, "uri"))
	return uri
}

// clear drops everything.
func (b *mailbox) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.letters, b.levels, b.others, b.size = nil, nil, 0, 0
}

// putNothing says that one of the answers will not come: its request was cancelled.
func (b *mailbox) putNothing() { b.put(nil, head{kind: jsonrpc.Response}) }

func (b *mailbox) empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.letters) == 0
}

func (b *mailbox) wake() {
	select {
	case b.changed <- struct{}{}:
	default:
	}
}
