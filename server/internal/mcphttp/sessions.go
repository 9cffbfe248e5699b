package mcphttp

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Sessions are all classic sessions, those that are asleep too. A session id is
// random and no proof of anything: it is good for the principal that began it,
// at the endpoint where it did, together with the token.
type Sessions struct {
	Endpoints Endpoints
	Gate      *access.Gate
	Store     SessionStore
	Report    func(error)
	Closing   <-chan struct{} // of the gateway: streams end
	Max       int             // that are kept; 0: limits.MaxSessions

	mu     sync.Mutex
	byHash map[string]*session
}

// newSessionID returns 256 random bits as text. MCP 2025-11-25, basic/transports: an id
// is visible ASCII.
func newSessionID() string {
	id := make([]byte, 32)
	rand.Read(id) // never fails: crypto/rand
	return base64.RawURLEncoding.EncodeToString(id)
}

func hashOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}

// OpenSessions takes over the sessions of an earlier run. Conversations begin when a
// client comes back.
func OpenSessions(all *Sessions) error {
	all.byHash = map[string]*session{}
	stored, err := all.Store.Load()
	if err != nil {
		return err
	}
	now := time.Now()
	for hash, kept := range stored {
		s := all.newSession(hash)
		s.record, s.used, s.stored = kept.Record, kept.Record.Used, kept.Record.Used
		if kept.Used.After(s.used) {
			s.used = kept.Used
		}
		if s.used.After(now) { // the clock was set back
			s.used = now
		}
		if now.Sub(s.used) >= limits.SessionMemory {
			all.Store.Remove(hash)
			continue
		}
		all.byHash[hash] = s
	}
	return nil
}

func (all *Sessions) newSession(hash string) *session {
	return &session{owner: all, hash: hash, done: make(chan struct{}), out: newMailbox()}
}

// begin opens a session with the client's initialize. It returns the session,
// its id and the answer; or no session and the engine's refusal; or nothing at
// all if there are too many.
func (all *Sessions) begin(ctx context.Context, at Endpoint, v access.Client, x engine.Examination, body []byte) (*session, string, []byte) {
	id := newSessionID()
	s := all.newSession(hashOf(id))
	s.users, s.used = 1, time.Now()
	m, _ := jsonrpc.Parse(body)
	s.record = Record{Principal: v.Principal, Owner: at.Owner, Path: at.Path, Client: access.ClientName("initialize", body)}
	s.record.ClientInfo, s.record.Capabilities = clientOf(m.Params)

	box := newMailbox()
	s.mu.Lock()
	s.start()
	s.mu.Unlock()
	s.register(x, body, box, true)
	s.send(body)
	result := firstOf(ctx, box)
	if result == nil || message.HeadOf(result).Failed {
		s.drop(func() bool { return true })
		if result == nil {
			result = jsonrpc.AppendError(nil, x.ID, message.Interrupted("The handshake was not answered"))
		}
		return nil, "", result
	}
	answer, _ := jsonrpc.Parse(result)
	version, _ := jsonrpc.Text(jsonrpc.Member(answer.Result, "protocolVersion"))
	s.mu.Lock()
	s.record.Version = version
	s.mu.Unlock()
	if !all.add(s) {
		s.drop(func() bool { return true })
		return nil, "", nil
	}
	s.store()
	return s, id, result
}

// firstOf waits for the first message in box.
func firstOf(ctx context.Context, box *mailbox) []byte {
	patience := time.NewTimer(limits.AttachTime)
	defer patience.Stop()
	for {
		if msg, ok := box.next(); ok {
			return msg
		}
		select {
		case <-box.changed:
		case <-patience.C:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// add makes a session known. When there are too many, the one that sleeps longest
// ends; if all are awake, false.
func (all *Sessions) add(s *session) bool {
	all.mu.Lock()
	var oldest *session
	if len(all.byHash) >= cmp.Or(all.Max, limits.MaxSessions) {
		for _, other := range all.byHash {
			other.mu.Lock()
			asleep := other.conversation == nil && other.users == 0
			older := oldest == nil || other.used.Before(oldest.used)
			other.mu.Unlock()
			if asleep && older {
				oldest = other
			}
		}
		if oldest == nil {
			all.mu.Unlock()
			return false
		}
	}
	all.byHash[s.hash] = s
	all.mu.Unlock()
	if oldest != nil {
		all.end(oldest)
	}
	return true
}

// find returns the session with this id, awake and held, or nil.
func (all *Sessions) find(id, principal string, at Endpoint) *session {
	all.mu.Lock()
	s := all.byHash[hashOf(id)]
	all.mu.Unlock()
	if s == nil || s.record.Path != at.Path || s.record.Owner != at.Owner { // which never change
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Principal != principal || s.isOver() {
		return nil
	}
	s.users++
	s.used = time.Now()
	s.wake()
	return s
}

func (s *session) isOver() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// end is for DELETE and for sessions that nobody will miss: what runs is
// cancelled, the stream ends, the record goes.
func (all *Sessions) end(s *session) {
	all.remove(s)
	s.end()
	s.unstore()
}

func (all *Sessions) remove(s *session) {
	all.mu.Lock()
	defer all.mu.Unlock()
	delete(all.byHash, s.hash)
}

func (s *session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isOver() {
		return
	}
	close(s.done)
	s.endConversation()
}

// Sweep lets sessions sleep that nobody uses, and ends those that nobody used
// for a day.
func (all *Sessions) Sweep(now time.Time) {
	for _, s := range all.all() {
		s.sleep(now)
		s.mu.Lock()
		expired := s.users == 0 && now.Sub(s.used) >= limits.SessionMemory
		s.mu.Unlock()
		if expired {
			all.end(s)
		}
	}
}

// PageJoined subscribes again to what sessions of an owner could not subscribe to while
// the page was away.
func (all *Sessions) PageJoined(of access.Owner) {
	for _, s := range all.all() {
		if s.record.Owner == of { // which never changes
			s.pageJoined()
		}
	}
}

// Close stores all sessions and ends their conversations, not the sessions.
func (all *Sessions) Close() {
	for _, s := range all.all() {
		s.drop(func() bool { return true })
		s.store()
	}
}

// Keep stores when sessions were used, now and then.
func (all *Sessions) Keep() {
	used, changed := map[string]time.Time{}, false
	now := time.Now()
	for _, s := range all.all() {
		at, later, fresh := s.lastUse(now)
		if later {
			used[s.hash] = at
		}
		changed = changed || fresh
	}
	if !changed {
		return
	}
	if err := all.Store.SaveUses(used); err != nil {
		all.Report(err)
	}
}

// lastUse returns when the session was used last: now, if a request or stream is
// open. later: than its record says; fresh: than what was returned before.
func (s *session) lastUse(now time.Time) (at time.Time, later, fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users > 0 {
		s.used = now
	}
	later, fresh = s.used.After(s.stored), s.used.After(s.kept) && s.used.After(s.stored)
	s.kept = s.used
	return s.used, later, fresh
}

func (all *Sessions) all() []*session {
	all.mu.Lock()
	defer all.mu.Unlock()
	list := make([]*session, 0, len(all.byHash))
	for _, s := range all.byHash {
		list = append(list, s)
	}
	return list
}
