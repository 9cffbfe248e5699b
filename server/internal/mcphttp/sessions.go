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

// Sessions holds all classic sessions. A session id is random and proves nothing: it is
// valid together with the token, for the principal and the endpoint that began the
// session.
type Sessions struct {
	Endpoints Endpoints       // the engines
	Gate      *access.Gate    // limits and audit log
	Store     SessionStore    // of records
	Report    func(error)     // gets errors of Store
	Closing   <-chan struct{} // closed when the gateway closes: streams end
	Max       int             // number of sessions; 0 means limits.MaxSessions

	mu     sync.Mutex
	byHash map[string]*session
}

// newSessionID returns 256 random bits as visible ASCII. MCP 2025-11-25,
// basic/transports.
func newSessionID() string {
	id := make([]byte, 32)
	rand.Read(id) // never fails: crypto/rand
	return base64.RawURLEncoding.EncodeToString(id)
}

func hashOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}

// OpenSessions loads the stored sessions. Their conversations are opened when a client
// returns.
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

// begin handles the initialize of a client. It returns the new session, its id and the
// result; without a session it returns the error response of the engine, or nothing if
// there are too many sessions.
func (ss *Sessions) begin(ctx context.Context, endpoint Endpoint, client access.Client, x engine.Examination, body []byte) (*session, string, []byte) {
	id := newSessionID()
	s := ss.newSession(hashOf(id))
	s.users, s.lastUsed = 1, time.Now()
	m, _ := jsonrpc.Parse(body)
	s.record = Record{Principal: client.Principal, Owner: endpoint.Owner, Path: endpoint.Path, Client: access.ClientName("initialize", body)}
	s.record.ClientInfo, s.record.Capabilities = clientParams(m.Params)

	box := newMailbox()
	func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.start()
	}()
	s.register(x, body, box, true)
	s.send(body)
	result := firstOf(ctx, box)
	if result == nil || message.HeadOf(result).Failed {
		s.sleepIf(func() bool { return true })
		if result == nil {
			result = jsonrpc.AppendError(nil, x.ID, message.Interrupted("The engine did not answer initialize in time"))
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

// firstOf waits for the first message in box, at most limits.AttachTime.
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

// add registers a session. If there are too many, the idle session that is unused for
// longest ends; if none is idle, add returns false.
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

// acquire returns the session with this id, or nil. It opens its conversation if
// necessary. The caller must release the session.
func (ss *Sessions) acquire(id, principal string, endpoint Endpoint) *session {
	ss.mu.Lock()
	s := ss.byHash[hashOf(id)]
	ss.mu.Unlock()
	if s == nil || s.record.Path != endpoint.Path || s.record.Owner != endpoint.Owner { // these do not change
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

// end ends a session: requests are cancelled, the stream ends, the record is removed.
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

// Sweep closes the conversations of idle sessions, and ends sessions that were unused
// for limits.SessionTTL.
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

// PageJoined retries the failed subscriptions of all sessions of owner.
func (ss *Sessions) PageJoined(owner access.Owner) {
	for _, s := range ss.list() {
		if s.record.Owner == owner { // does not change
			s.pageJoined()
		}
	}
}

// Close stores all sessions and closes their conversations. The sessions do not end.
func (ss *Sessions) Close() {
	for _, s := range ss.list() {
		s.sleepIf(func() bool { return true })
		s.store()
	}
}

// SaveUses stores when sessions were last used, if that has changed.
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

// takeLastUse returns when the session was last used: now, if a request or stream is
// open. exceedsRecord: later than in the stored record; isNew: later than the previous
// result, too.
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
