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
func OpenSessions(ss *Sessions) error {
	ss.byHash = map[string]*session{}
	records, err := ss.Store.Load()
	if err != nil {
		return err
	}
	now := time.Now()
	for hash, stored := range records {
		s := ss.newSession(hash)
		s.record, s.lastUsed, s.recordedUse = stored.Record, stored.Record.Used, stored.Record.Used
		if stored.Used.After(s.lastUsed) {
			s.lastUsed = stored.Used
		}
		if s.lastUsed.After(now) { // the clock was set back
			s.lastUsed = now
		}
		if now.Sub(s.lastUsed) >= limits.SessionTTL {
			ss.Store.Remove(hash)
			continue
		}
		ss.byHash[hash] = s
	}
	return nil
}

func (ss *Sessions) newSession(hash string) *session {
	return &session{owner: ss, hash: hash, done: make(chan struct{}), outbox: newMailbox()}
}

// begin opens a session with the client's initialize. It returns the session,
// its id and the answer; or no session and the engine's refusal; or nothing at
// all if there are too many.
func (ss *Sessions) begin(ctx context.Context, endpoint Endpoint, client access.Client, x engine.Examination, body []byte) (*session, string, []byte) {
	id := newSessionID()
	s := ss.newSession(hashOf(id))
	s.users, s.lastUsed = 1, time.Now()
	m, _ := jsonrpc.Parse(body)
	s.record = Record{Principal: client.Principal, Owner: endpoint.Owner, Path: endpoint.Path, Client: access.ClientName("initialize", body)}
	s.record.ClientInfo, s.record.Capabilities = clientParams(m.Params)

	box := newMailbox()
	s.mu.Lock()
	s.start()
	s.mu.Unlock()
	s.register(x, body, box, true)
	s.send(body)
	result := firstOf(ctx, box)
	if result == nil || message.HeadOf(result).Failed {
		s.sleepIf(func() bool { return true })
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
	if !ss.add(s) {
		s.sleepIf(func() bool { return true })
		return nil, "", nil
	}
	s.store()
	return s, id, result
}

// firstOf waits for the first message in box.
func firstOf(ctx context.Context, box *mailbox) []byte {
	timeout := time.NewTimer(limits.AttachTime)
	defer timeout.Stop()
	for {
		if msg, ok := box.next(); ok {
			return msg
		}
		select {
		case <-box.changed:
		case <-timeout.C:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// add makes a session known. When there are too many, the one that sleeps longest
// ends; if all are awake, false.
func (ss *Sessions) add(s *session) bool {
	ss.mu.Lock()
	var oldest *session
	if len(ss.byHash) >= cmp.Or(ss.Max, limits.MaxSessions) {
		for _, other := range ss.byHash {
			other.mu.Lock()
			asleep := other.conversation == nil && other.users == 0
			older := oldest == nil || other.lastUsed.Before(oldest.lastUsed)
			other.mu.Unlock()
			if asleep && older {
				oldest = other
			}
		}
		if oldest == nil {
			ss.mu.Unlock()
			return false
		}
	}
	ss.byHash[s.hash] = s
	ss.mu.Unlock()
	if oldest != nil {
		ss.end(oldest)
	}
	return true
}

// find returns the session with this id, awake and held, or nil.
func (ss *Sessions) acquire(id, principal string, endpoint Endpoint) *session {
	ss.mu.Lock()
	s := ss.byHash[hashOf(id)]
	ss.mu.Unlock()
	if s == nil || s.record.Path != endpoint.Path || s.record.Owner != endpoint.Owner { // which never change
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Principal != principal || s.hasEnded() {
		return nil
	}
	s.users++
	s.lastUsed = time.Now()
	s.wake()
	return s
}

func (s *session) hasEnded() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// end is for DELETE and for sessions that nobody will miss: what runs is
// cancelled, the stream ends, the record goes.
func (ss *Sessions) end(s *session) {
	ss.remove(s)
	s.end()
	s.unstore()
}

func (ss *Sessions) remove(s *session) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	delete(ss.byHash, s.hash)
}

func (s *session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hasEnded() {
		return
	}
	close(s.done)
	s.endConversation()
}

// Sweep lets sessions sleep that nobody uses, and ends those that nobody used
// for a day.
func (ss *Sessions) Sweep(now time.Time) {
	for _, s := range ss.list() {
		s.sleep(now)
		s.mu.Lock()
		expired := s.users == 0 && now.Sub(s.lastUsed) >= limits.SessionTTL
		s.mu.Unlock()
		if expired {
			ss.end(s)
		}
	}
}

// PageJoined subscribes again to what sessions of an owner could not subscribe to while
// the page was away.
func (ss *Sessions) PageJoined(owner access.Owner) {
	for _, s := range ss.list() {
		if s.record.Owner == owner { // which never changes
			s.pageJoined()
		}
	}
}

// Close stores all sessions and ends their conversations, not the sessions.
func (ss *Sessions) Close() {
	for _, s := range ss.list() {
		s.sleepIf(func() bool { return true })
		s.store()
	}
}

// Keep stores when sessions were used, now and then.
func (ss *Sessions) SaveUses() {
	used, changed := map[string]time.Time{}, false
	now := time.Now()
	for _, s := range ss.list() {
		at, exceedsRecord, isNew := s.takeLastUse(now)
		if exceedsRecord {
			used[s.hash] = at
		}
		changed = changed || isNew
	}
	if !changed {
		return
	}
	if err := ss.Store.SaveUses(used); err != nil {
		ss.Report(err)
	}
}

// lastUse returns when the session was used last: now, if a request or stream is
// open. later: than its record says; fresh: than what was returned before.
func (s *session) takeLastUse(now time.Time) (at time.Time, exceedsRecord, isNew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users > 0 {
		s.lastUsed = now
	}
	exceedsRecord, isNew = s.lastUsed.After(s.recordedUse), s.lastUsed.After(s.savedUse) && s.lastUsed.After(s.recordedUse)
	s.savedUse = s.lastUsed
	return s.lastUsed, exceedsRecord, isNew
}

func (ss *Sessions) list() []*session {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	list := make([]*session, 0, len(ss.byHash))
	for _, s := range ss.byHash {
		list = append(list, s)
	}
	return list
}
