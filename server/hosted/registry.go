package hosted

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// errTaken is the error of a page whose name another page of the same owner has.
var errTaken = errors.New("another page has this name")

// maxPageSockets is the number of sockets of one page: that of its document, and older ones
// that are not closed yet.
const maxPageSockets = 8

const retrySocket = 15 * time.Second // while a page has so many

// A registry knows which pages are joined to this node, by their derived names. A page that
// reloads joins again before its old socket is closed, and counts once.
type registry struct {
	usage *limits.Usage

	mu    sync.Mutex
	pages map[registryKey]*registered
}

type registryKey struct {
	owner access.Owner
	name  string
}

type registered struct {
	page    string // its key
	sockets int
	release func() // of the usage
}

func newRegistry(u *limits.Usage) *registry {
	return &registry{usage: u, pages: map[registryKey]*registered{}}
}

// enter counts a socket of a page until leave is called. The error is errTaken, or an
// *limits.Exceeded.
func (r *registry) enter(who limits.User, name, page string) (leave func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := registryKey{access.Owner(who.Owner), name}
	entry := r.pages[key]
	if entry != nil && entry.page != page {
		return nil, errTaken
	}
	if entry == nil {
		release, over := r.usage.Take(context.Background(), who, limits.Pages)
		if over != nil {
			return nil, over
		}
		entry = &registered{page: page, release: release}
		r.pages[key] = entry
	}
	if entry.sockets >= maxPageSockets {
		return nil, &limits.Exceeded{Limit: "pagesPerOwner", Text: "This page has too many connections", Retry: retrySocket}
	}
	entry.sockets++
	return sync.OnceFunc(func() { r.leave(key, entry) }), nil
}

func (r *registry) leave(key registryKey, entry *registered) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if entry.sockets--; entry.sockets == 0 {
		delete(r.pages, key)
		entry.release()
	}
}

// count returns the number of pages.
func (r *registry) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.pages)
}
