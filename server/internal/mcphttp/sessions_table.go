package mcphttp

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// A sessionTable holds the sessions that are in memory, and remembers the ids of those that
// have ended: a store may restore a session from its id alone. Its methods may be called
// concurrently.
type sessionTable struct {
	mu      sync.Mutex // locked before the lock of a session
	most    SessionLimits
	byHash  map[string]*session
	owners  map[access.Owner]*sessionGroup
	tenants map[string]*sessionGroup // of sessions whose owner has one
	ended   endedIDs
}

// SessionLimits are numbers of sessions. 0 means the default, and for PerTenant no limit.
type SessionLimits struct {
	All       int // in memory; default limits.MaxSessions
	PerOwner  int // of one owner that are awake: with a conversation; default limits.MaxAwakeSessions
	PerTenant int // of the owners of one tenant that are awake
}

func (l SessionLimits) withDefaults() SessionLimits {
	return SessionLimits{
		All: cmp.Or(l.All, limits.MaxSessions), PerOwner: cmp.Or(l.PerOwner, limits.MaxAwakeSessions), PerTenant: cmp.Or(l.PerTenant, math.MaxInt),
	}
}

// A sessionGroup has the sessions of an owner or a tenant.
type sessionGroup struct {
	awake map[*session]bool // may have a conversation
}

func newSessionTable(most SessionLimits) sessionTable {
	return sessionTable{
		most: most.withDefaults(), byHash: map[string]*session{},
		owners: map[access.Owner]*sessionGroup{}, tenants: map[string]*sessionGroup{},
	}
}

// Errors of add.
var (
	errRegistered = errors.New("the session is registered")
	errOwnerFull  = errors.New("too many sessions of the owner are awake")
	errTenantFull = errors.New("too many sessions of the tenant are awake")
)

// add registers a session that is awake. The error is errRegistered, errNoSession if it has
// ended, or errTooManySessions, errOwnerFull or errTenantFull.
func (t *sessionTable) add(s *session) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	owner, tenant := t.groups(s)
	switch {
	case t.byHash[s.hash] != nil:
		return errRegistered
	case t.ended.has(s.hash):
		return errNoSession
	case owner.count() >= t.most.PerOwner:
		return errOwnerFull
	case tenant.count() >= t.most.PerTenant:
		return errTenantFull
	case len(t.byHash) >= t.most.All:
		return errTooManySessions
	}
	t.put(s)
	return nil
}

// groups returns the groups of a session; nil if there are none. The caller holds the lock.
func (t *sessionTable) groups(s *session) (owner, tenant *sessionGroup) {
	return t.owners[s.record.Owner], t.tenants[s.record.Tenant] // neither changes
}

// count returns how many sessions are awake; g may be nil.
func (g *sessionGroup) count() int {
	if g == nil {
		return 0
	}
	return len(g.awake)
}

func (t *sessionTable) put(s *session) {
	t.byHash[s.hash] = s
	putIn(t.owners, s.record.Owner, s)
	if s.record.Tenant != "" {
		putIn(t.tenants, s.record.Tenant, s)
	}
}

func putIn[K comparable](groups map[K]*sessionGroup, key K, s *session) {
	if groups[key] == nil {
		groups[key] = &sessionGroup{awake: map[*session]bool{}}
	}
	groups[key].awake[s] = true
}

func (t *sessionTable) setLimits(most SessionLimits) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.most = most.withDefaults()
}

func (t *sessionTable) get(hash string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byHash[hash]
}

// remove removes a session, which may be restored by its id.
func (t *sessionTable) remove(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.delete(s)
}

// end removes a session and remembers its id until it expires, so that no store restores
// it.
func (t *sessionTable) end(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.delete(s)
	t.ended.add(s.hash, time.Now(), s.record.Expires) // which does not change
}

func (t *sessionTable) delete(s *session) {
	if t.byHash[s.hash] != s {
		return // already removed; the one that is there is a restored one
	}
	delete(t.byHash, s.hash)
	takeFrom(t.owners, s.record.Owner, s)
	takeFrom(t.tenants, s.record.Tenant, s)
}

func takeFrom[K comparable](groups map[K]*sessionGroup, key K, s *session) {
	group := groups[key]
	if group == nil {
		return
	}
	if delete(group.awake, s); len(group.awake) == 0 {
		delete(groups, key)
	}
}

func (t *sessionTable) list() []*session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Values(t.byHash))
}

func (t *sessionTable) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byHash)
}
