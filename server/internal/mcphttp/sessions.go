package mcphttp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Sessions holds the classic sessions of a gateway. A session id proves nothing: it is
// valid together with a token of the [Holder] that began the session.
type Sessions struct {
	Endpoints Endpoints    // the engines
	Gate      *access.Gate // limits and audit log
	Changes   SessionChanges
	Lifetime  time.Duration   // of sessions, from their beginning
	Events    SessionEvents   // of other nodes; nil without other nodes
	Closing   <-chan struct{} // closed when the gateway closes: streams end
	Max       SessionLimits

	sealer atomic.Pointer[keys.Sealer] // of ids
	table  sessionTable
}

// HashOf returns the hash of a session id: its key wherever the id itself must not be.
func HashOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}

// Open prepares ss for use: keys seal the ids.
func (ss *Sessions) Open(ring keys.Ring) {
	ss.table = newSessionTable(ss.Max)
	ss.SetKeys(ring)
}

func (ss *Sessions) newSession(hash string) *session {
	return &session{owner: ss, hash: hash, outbox: newMailbox()}
}

// begin handles the initialize of a client. It returns the new session, its id and the
// result; without a session it returns the error response of the engine, or nothing if
// there are too many sessions.
func (ss *Sessions) begin(h Holder, x engine.Examination, body []byte) (*session, string, []byte) {
	s := ss.newSession("")
	s.users, s.lastUsed = 1, time.Now()
	s.record = Record{Holder: h, Unused: true, Client: access.ClientName(x), Capabilities: engine.KnownCapabilities(jsonrpc.Member(x.Params, "capabilities"))}

	box := newMailbox()
	func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.start()
	}()
	s.register(x, x.ID, box, true, nil)
	s.send(x, body)
	result, _ := box.next() // engines answer initialize at once
	if result == nil || message.HeadOf(result).Failed {
		s.sleepIf(func() bool { return true })
		if result == nil {
			result = jsonrpc.AppendError(nil, x.ID, message.Interrupted("The engine did not answer initialize"))
		}
		return nil, "", result
	}
	answer, _ := jsonrpc.Parse(result)
	version, _ := jsonrpc.Text(jsonrpc.Member(answer.Result, "protocolVersion"))
	id := s.assignID(version)
	s.follow()
	if ss.add(s) != nil {
		s.unfollow()
		s.sleepIf(func() bool { return true })
		return nil, "", nil
	}
	return s, id, result
}

// assignID completes the record of a new session, and returns the id of the session.
func (s *session) assignID(version string) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record.Version = version
	id = s.owner.assign(&s.record)
	s.hash = HashOf(id)
	return id
}

// errNoSession is the error for an id that was never assigned, whose session has ended, or
// that belongs to another holder: a client cannot tell them apart.
var errNoSession = errors.New("there is no such session")

// errTooManySessions is the error for a session for which there is no memory now.
var errTooManySessions = errors.New("too many sessions")

// acquire returns the session with this id, with a conversation. The caller must release
// it. The error is errNoSession or errTooManySessions.
func (ss *Sessions) acquire(ctx context.Context, id string, h Holder) (*session, error) {
	hash := HashOf(id)
	for {
		s := ss.table.get(hash)
		if s == nil {
			record, found := ss.open(ctx, id, h)
			if !found {
				return nil, errNoSession
			}
			s = ss.newSession(hash)
			s.record, s.lastUsed = record, time.Now()
			s.restored = s.lastUsed
			s.follow() // before others can use it
			err := ss.add(s)
			if err != nil {
				s.unfollow()
			}
			switch {
			case errors.Is(err, errRegistered): // by another request
				continue
			case err != nil:
				return nil, err
			}
			s.publish(SessionEvent{Kind: EventRestored})
			if record.Partial {
				go s.complement() // ends when the store is available, or with the session
			}
		}
		if acquired, err := s.acquire(h); acquired || err != nil {
			return s, err
		}
		ss.table.remove(s) // forgotten meanwhile: restore it
	}
}

// acquire counts a user of the session and opens its conversation if necessary. It returns
// false if the session is forgotten.
func (s *session) acquire(h Holder) (acquired bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.record.Holder != h || s.ended || s.hasExpired(now) {
		return false, errNoSession
	}
	if s.forgotten {
		return false, nil
	}
	s.users++
	s.lastUsed = now
	s.wake()
	return true, nil
}

// hasExpired reports whether the session ends although it is used. The caller holds the
// lock.
func (s *session) hasExpired(now time.Time) bool {
	return !s.record.Expires.IsZero() && !now.Before(s.record.Expires)
}

// add registers a session that is awake. If there are too many, it forgets another one to
// make room, see sessionTable.victim, or returns errTooManySessions. Other errors are those
// of sessionTable.add.
func (ss *Sessions) add(s *session) error {
	for range maxAddAttempts {
		err := ss.table.add(s)
		if !errors.Is(err, errTooManySessions) && !errors.Is(err, errOwnerFull) && !errors.Is(err, errTenantFull) {
			if err == nil {
				ss.restOthers(s)
			}
			return err
		}
		victim := ss.table.victim(s, err)
		if victim == nil {
			return errTooManySessions
		}
		ss.evict(victim)
	}
	return errTooManySessions
}

// evict forgets a session that nothing but streams needs, and ends them.
func (ss *Sessions) evict(s *session) {
	if ss.sleepIf(s, s.isEvictable) {
		s.endStreams()
	}
}

// restOthers closes conversations of idle sessions of the owner of s while too many are
// awake, as after a lower limit was set.
func (ss *Sessions) restOthers(s *session) {
	for range maxAddAttempts {
		idle := ss.table.idleOf(s)
		if idle == nil {
			return
		}
		ss.sleepIf(idle, idle.isIdle)
	}
}

// maxAddAttempts: others may take the room that was made.
const maxAddAttempts = 8

// doneChan returns a channel that is closed when the session ends.
func (s *session) doneChan() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done == nil {
		s.done = make(chan struct{})
		if s.ended {
			close(s.done)
		}
	}
	return s.done
}

// end ends a session: requests are cancelled, the stream ends, the record is removed. The
// id is invalid from then on: see sessionTable.end.
func (ss *Sessions) end(s *session) {
	ss.table.end(s)
	s.end()
	s.storeEnd()
}

func (s *session) end() {
	s.close()
	s.unfollow()
}

func (s *session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.ended = true
	if s.done != nil {
		close(s.done)
	}
	s.endConversation()
}
