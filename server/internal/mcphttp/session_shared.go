package mcphttp

import (
	"context"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// What is done while the store of changes is not available.

// MetaDurable is the member of `_meta` in the result of resources/subscribe that is false if
// the subscription is not stored yet: it is lost if all nodes on which the session is awake
// end before the store is available again. It is absent otherwise.
const MetaDurable = "io.github.pagemcp/durable"

// Pauses between attempts to read what is stored.
const (
	firstComplement = 250 * time.Millisecond
	lastComplement  = 5 * time.Second
)

// complement reads the changes of a session that was restored while the store was not
// available, when it is. The client's subscriptions become effective then, and each is
// announced once: its resource may have changed.
func (s *session) complement() {
	for pause := firstComplement; ; pause = min(2*pause, lastComplement) {
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-s.doneChan():
			timer.Stop()
			return
		}
		if s.isForgotten() {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), lastComplement)
		stored, err := s.owner.Changes.Load(ctx, s.hash)
		cancel()
		if err != nil {
			continue
		}
		if stored.Ended {
			s.owner.table.end(s)
			s.end()
			return
		}
		if s.adoptStored(stored) {
			s.setLevel(stored.LogLevel)
		}
		return
	}
}

func (s *session) isForgotten() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.forgotten
}

// adoptStored makes the stored subscriptions those of the session, besides what the client
// has changed on this node meanwhile. It reports whether the stored log level holds.
func (s *session) adoptStored(stored Changes) (levelChanged bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record.Partial = false
	now := time.Now()
	for _, uri := range s.record.Subscriptions.URIs() { // what this node knew before may be older
		if !stored.Subscriptions.Has(uri) && s.record.Subscriptions[uri].At.IsZero() {
			s.remove(uri)
		}
	}
	for uri, change := range stored.Subscriptions {
		if _, known := s.record.Subscriptions[uri]; !known {
			s.record.Subscriptions.put(uri, change, false)
		}
	}
	s.record.Subscriptions.forget(now)
	s.resubscribe()
	return s.record.LogLevel == "" && stored.LogLevel != ""
}

// withDurability adds MetaDurable to the result of resources/subscribe if the subscription
// is not stored soon.
func (s *session) withDurability(w *pendingRequest, h message.Head, msg []byte) []byte {
	if w.method != engine.MethodSubscribe || s.owner.Changes.IsDurable() {
		return msg
	}
	return jsonrpc.AppendResult(nil, h.ID, []byte(`{"_meta":{"`+MetaDurable+`":false}}`))
}

// StoreAwake saves what this node knows of all sessions that are awake, before it ends: the
// node that served their requests may have ended before it had stored their changes.
func (ss *Sessions) StoreAwake() {
	for _, s := range ss.table.list() {
		s.store()
	}
}
