package mcphttp

import (
	"cmp"
	"container/list"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Sessions holds the classic sessions of a gateway. Call Open before their use. A session id proves nothing:
// it is valid together with a token of the client that began the session, at the same endpoint.
type Sessions struct {
	Endpoints Endpoints     // the engines
	Gate      *access.Gate  // limits and audit log
	Store     SessionStore  // nil: the memory of this process
	Lifetime  time.Duration // without use
	Max       SessionLimits
	Log       *slog.Logger

	writer string          // random: see Stored
	open   context.Context // until Close
	close  context.CancelFunc
	late   atomic.Int64 // see Late

	mu     sync.Mutex // locked before the lock of a session
	byKey  map[string]*session
	awake  list.List            // of *session, used last at the back
	owners map[access.Owner]int // how many sessions of each are awake
}

// SessionLimits are those of sessions that are awake: that have a connection to an engine. 0
// means the default.
type SessionLimits struct {
	All      int // default limits.MaxSessions
	PerOwner int // default limits.MaxAwakeSessions
}

// keyOf returns the key of a session: 128 bits of a hash of its id and of whose it is, that is, of one
// client of one owner at one endpoint. The id of another one's session is so as invalid as one that was
// never given out, and it is stored nowhere. issuer is that of the client's tokens; "" if they have none.
func keyOf(id, issuer string, c access.Client) string {
	var text []byte
	for _, part := range [...]string{id, issuer, string(c.Owner), c.Principal, c.Endpoint} {
		text = append(binary.AppendUvarint(text, uint64(len(part))), part...)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// Errors of sessions that cannot be used.
var (
	// errNoSession is for an id that was never given out, whose session has ended, or that belongs to
	// another client: one cannot tell them apart.
	errNoSession = errors.New("there is no such session")

	errTooManySessions = errors.New("too many sessions")

	// errAway is for a session of which nothing is known now.
	errAway = errors.New("the store of sessions does not answer")
)

// Open prepares ss for use.
func (ss *Sessions) Open() {
	if ss.Store == nil {
		ss.Store = &memoryStore{}
	}
	ss.writer = rand.Text()
	ss.open, ss.close = context.WithCancel(context.Background())
	ss.byKey, ss.owners = map[string]*session{}, map[access.Owner]int{}
	ss.SetLimits(ss.Max)
}

// SetLimits replaces the numbers of sessions. Those that are awake over a new limit stay
// until others need room.
func (ss *Sessions) SetLimits(most SessionLimits) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.Max = SessionLimits{All: cmp.Or(most.All, limits.MaxSessions), PerOwner: cmp.Or(most.PerOwner, limits.MaxAwakeSessions)}
}

func (ss *Sessions) new(key string, c access.Client) *session {
	c.Page = "" // which is of one request
	return &session{
		all: ss, key: key, client: c, saving: make(chan struct{}, 1), opened: make(chan struct{}), pending: map[*pendingRequest]struct{}{}, users: 1, lastUsed: time.Now(),
	}
}

// begin handles the initialize of a client. It returns the new session, its id and the
// result; without a session it returns the error response of the engine, or nothing if
// there are too many sessions.
func (ss *Sessions) begin(issuer string, c access.Client, x engine.Examination, body []byte) (*session, string, []byte) {
	random := make([]byte, 16) // 128 bits
	rand.Read(random)          // never returns an error
	id := base64.RawURLEncoding.EncodeToString(random)
	s := ss.new(keyOf(id, issuer, c), c)
	s.client.Name = access.ClientName(x)
	if s.capabilities = engine.KnownCapabilities(jsonrpc.Member(x.Params, "capabilities")); s.capabilities.Kind() != '{' {
		s.capabilities = []byte("{}")
	}
	if ss.admit(s) != nil {
		return nil, "", nil
	}
	s.connect()
	w, err := s.request(x, body)
	if err != nil { // the gateway closes
		return nil, "", nil
	}
	result, _ := s.direct.Next(ss.open, w.out) // engines answer initialize at once
	s.settle(w)
	if result == nil || message.HeadOf(result).Failed {
		if result == nil {
			result = jsonrpc.AppendError(nil, x.ID, message.Interrupted("The engine did not answer initialize"))
		}
		ss.sleepIf(s, func() bool { return true })
		return nil, "", result
	}
	answer, _ := jsonrpc.Parse(result)
	s.revision, _ = jsonrpc.Text(jsonrpc.Member(answer.Result, "protocolVersion"))
	close(s.opened)
	s.mu.Lock()
	s.changes++
	s.mu.Unlock()
	s.save()
	return s, id, result
}

// acquire returns the session with this id. The caller must release it. The error is
// errNoSession, errTooManySessions or errAway.
func (ss *Sessions) acquire(id, issuer string, c access.Client) (*session, error) {
	key := keyOf(id, issuer, c)
	for {
		s, isNew := ss.find(key, c)
		if isNew {
			ss.load(s)
		}
		<-s.opened // within saveTime
		if s.err != nil {
			return nil, s.err
		}
		if again, err := s.touch(); !again {
			return s, err
		}
	}
}

// find returns the session with this key, with one more user. A new one is to be loaded.
func (ss *Sessions) find(key string, c access.Client) (s *session, isNew bool) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	s = ss.byKey[key]
	if s == nil {
		s = ss.new(key, c)
		ss.byKey[key] = s
		return s, true
	}
	if s.place != nil {
		ss.awake.MoveToBack(s.place)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users++
	return s, false
}

// touch is called for a session that was found. again says that it is over here, but not its id.
func (s *session) touch() (again bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isOver {
		s.lastUsed = time.Now()
		s.renew()
		return false, nil
	}
	if s.users--; s.hasEnded {
		return false, errNoSession
	}
	return true, nil
}

// load makes a session from what the store has. Other requests for it wait until opened is closed.
func (ss *Sessions) load(s *session) {
	defer close(s.opened)
	ctx, cancel := context.WithTimeout(ss.open, saveTime)
	defer cancel()
	doc, err := ss.Store.Load(ctx, string(s.client.Owner), s.key)
	switch {
	case err != nil:
		ss.Log.Error("a stored session cannot be read", "error", err)
		s.err = errAway
	case doc == nil || !doc.IsValid() || !time.Now().Before(doc.Expires):
		s.err = errNoSession
	default:
		s.err = ss.admit(s)
	}
	if s.err != nil {
		ss.forget(s)
		return
	}
	s.restore(doc)
}

// forget removes a session. Its next request loads it.
func (ss *Sessions) forget(s *session) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.remove(s)
}

// remove is forget with the lock held, here and below.
func (ss *Sessions) remove(s *session) {
	if ss.byKey[s.key] == s {
		delete(ss.byKey, s.key)
	}
	if s.place == nil {
		return
	}
	ss.awake.Remove(s.place)
	s.place = nil
	if ss.owners[s.client.Owner]--; ss.owners[s.client.Owner] == 0 {
		delete(ss.owners, s.client.Owner)
	}
}

// admit makes the session count. If there are too many, others sleep, see victim. The error is
// errTooManySessions.
func (ss *Sessions) admit(s *session) error {
	var closed []func()
	defer func() {
		for _, each := range closed {
			each()
		}
	}()
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for {
		isOwnerFull := ss.owners[s.client.Owner] >= ss.Max.PerOwner
		if !isOwnerFull && ss.awake.Len() < ss.Max.All {
			break
		}
		victim := ss.victim(s.client.Owner, isOwnerFull)
		if victim == nil {
			return errTooManySessions
		}
		closed = append(closed, ss.drop(victim))
	}
	ss.owners[s.client.Owner]++
	s.place = ss.awake.PushBack(s)
	ss.byKey[s.key] = s
	return nil
}

// drop makes a session sleep.
func (ss *Sessions) drop(s *session) (closed func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ss.remove(s)
	return s.shut()
}

// victim returns the session that makes room for one of owner, or nil: one that is idle, of the same
// owner if there is one; then one of the same owner that has only streams, whose client opens them again.
// Of these the one that is unused for longest. A session that sleeps loses nothing but its connection: its
// next request restores it.
func (ss *Sessions) victim(owner access.Owner, isOwnerFull bool) *session {
	isOwn := func(s *session) bool { return s.client.Owner == owner }
	victim := ss.oldest(func(s *session) bool { return isOwn(s) && s.isIdle() })
	if victim == nil && !isOwnerFull {
		victim = ss.oldest((*session).isIdle)
	}
	if victim == nil {
		victim = ss.oldest(func(s *session) bool { return isOwn(s) && s.isEvictable() })
	}
	return victim
}

// oldest returns the session that is unused for longest, of those that accepts, called with their
// lock held, returns true for.
func (ss *Sessions) oldest(accepts func(*session) bool) *session {
	for at := ss.awake.Front(); at != nil; at = at.Next() {
		s := at.Value.(*session)
		s.mu.Lock()
		accepted := accepts(s)
		s.mu.Unlock()
		if accepted {
			return s
		}
	}
	return nil
}

// move ends a session here that another process has: its streams end, and its client is served by that
// process, or here again, from the document.
func (ss *Sessions) move(s *session) {
	ss.mu.Lock()
	s.mu.Lock()
	s.hasMoved = true
	s.mu.Unlock()
	closed := ss.drop(s)
	ss.mu.Unlock()
	closed()
}

// end ends a session, by DELETE: its requests are cancelled, its streams end and its id is invalid
// from then on. It is remembered until the store has removed it.
func (ss *Sessions) end(s *session) {
	s.mu.Lock()
	s.hasEnded = true
	s.changes++
	closed := s.shut()
	s.mu.Unlock()
	closed()
	s.save()
}

// sleepIf makes a session sleep if condition holds, which is called with its lock held.
func (ss *Sessions) sleepIf(s *session, condition func() bool) {
	ss.mu.Lock()
	s.mu.Lock()
	holds := !s.isOver && condition()
	s.mu.Unlock()
	closed := func() {}
	if holds {
		closed = ss.drop(s)
	}
	ss.mu.Unlock()
	closed()
}

func (ss *Sessions) list() (all []*session) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for at := ss.awake.Front(); at != nil; at = at.Next() {
		all = append(all, at.Value.(*session))
	}
	return all
}

// Sweep makes idle sessions sleep, and renews those that have a stream.
func (ss *Sessions) Sweep(now time.Time) {
	for _, s := range ss.list() {
		s.mu.Lock()
		if s.users > 0 {
			s.lastUsed = now
			s.renew()
		}
		if s.stored != s.changes { // the store did not answer, or the client has disconnected before the response
			go s.save() // ends after saveTime
		}
		s.mu.Unlock()
		ss.sleepIf(s, func() bool { return s.isIdle() && now.Sub(s.lastUsed) >= limits.SessionIdle })
	}
}

// Rest makes all sessions sleep that are idle now, as when memory is short.
func (ss *Sessions) Rest() {
	for _, s := range ss.list() {
		ss.sleepIf(s, s.isIdle)
	}
}

// Move makes the sessions of owners sleep whom another process serves from now on, which has what
// the store has: their streams end.
func (ss *Sessions) Move(moved func(access.Owner) bool) {
	for _, s := range ss.list() {
		if moved(s.client.Owner) {
			ss.sleepIf(s, func() bool { return true })
		}
	}
}

// Close makes all sessions sleep, after a last attempt to save them.
func (ss *Sessions) Close() {
	var saves sync.WaitGroup
	for _, s := range ss.list() {
		saves.Go(s.save) // ends after saveTime
	}
	saves.Wait()
	ss.close()
	for _, s := range ss.list() {
		ss.sleepIf(s, func() bool { return true })
	}
}

// Count returns the number of sessions that are awake.
func (ss *Sessions) Count() int {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return ss.awake.Len()
}

// Late returns the number of sessions whose last change the store does not have, though it was to be
// written: it is lost if this process ends before the store answers.
func (ss *Sessions) Late() int { return int(ss.late.Load()) }

// countLate counts a session that is late, or not any more. The first one and the last one are
// logged.
func (ss *Sessions) countLate(isLate bool, err error) {
	switch {
	case !isLate && ss.late.Add(-1) == 0:
		ss.Log.Info("all sessions are stored again")
	case isLate && ss.late.Add(1) == 1:
		ss.Log.Error("sessions are not stored, and are kept in memory", "error", err)
	}
}
