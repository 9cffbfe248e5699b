package audit

import (
	"sync"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

// maxUsers is the number of users that are known by name. With names of common length that
// is about 10 MB.
const maxUsers = 50_000

// Users knows the tenants and subjects behind the keys of owners, for the audit log. Those
// that were added first are forgotten first.
type Users struct {
	mu    sync.Mutex
	known map[access.Owner]knownUser
	order []access.Owner // a ring: next is the oldest one
	next  int
}

// A knownUser is what tokens say about an owner.
type knownUser struct{ tenant, subject string }

func NewUsers() *Users { return &Users{known: map[access.Owner]knownUser{}} }

// Add records the user of an owner, whose token was verified.
func (u *Users) Add(owner access.Owner, tenant, subject string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, found := u.known[owner]; found {
		return
	}
	if len(u.order) < maxUsers {
		u.order = append(u.order, owner)
	} else {
		delete(u.known, u.order[u.next])
		u.order[u.next] = owner
		u.next = (u.next + 1) % maxUsers
	}
	u.known[owner] = knownUser{tenant, subject}
}

// Of returns the user of an owner; empty if it is not known any more.
func (u *Users) Of(owner access.Owner) (tenant, subject string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	found := u.known[owner]
	return found.tenant, found.subject
}
