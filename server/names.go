package server

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// names assigns a name to every page and remembers it by origin and page id: otherwise
// two tabs could swap names when the gateway restarts, and subscriptions would follow
// the wrong tab.
//
// A name belongs to one origin and one app until it is revoked: what an assistant stored
// for it, like "always allow", must never apply to another origin. After limits.NameTTL
// without use a tab loses its name, and numbered names become free; the origin keeps the
// root of each app. A new tab gets the lowest name of its origin, app and key whose page
// has been away for limits.LeaveTime: until then that page may be reloading, and the new
// one waits. So closing and opening an app keeps its URIs. The key is that of a browser,
// or of a profile of one. If it has no such name, the new tab gets the lowest one of
// another key whose page has been away for the grace time, or else a new one. The grace
// time also applies after a restart to names of pages that were connected when the
// gateway ended.
type names struct {
	file doc

	mu     sync.Mutex
	known  map[string]*nameRecord // by name
	closed bool                   // sockets close since the gateway does
}

// A nameRecord is the name of one tab of one origin.
type nameRecord struct {
	Name    string    `json:"name"`
	Root    string    `json:"root"` // the name without its number
	Base    string    `json:"base"` // what the page requested, as spelled by access.SpellName
	Origin  string    `json:"origin"`
	Page    string    `json:"page"` // id of the page
	Key     string    `json:"key"`  // id of the key that it joined with
	Created time.Time `json:"made"`
	Used    time.Time `json:"used"`
	Joined  bool      `json:"joined"` // had a socket when this was stored

	sockets int       // of the page; 2 while a new one replaces the old one
	vacated time.Time // when sockets became 0
}

const namesFile = "names.json"

func openNames(s *state) (*names, error) {
	n := &names{known: map[string]*nameRecord{}}
	n.file = doc{state: s, name: namesFile, snapshot: n.snapshot}
	stored, _, err := load[[]*nameRecord](s, namesFile, "pages may get other names than before", nil)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	for _, record := range stored {
		if record == nil || !access.ValidName(record.Name) || record.Root != record.Name && !isNumbered(record.Name, record.Root) { // valid JSON, invalid record
			continue
		}
		if record.Used.After(now) { // the clock was set back
			record.Used = now
		}
		record.vacated = record.Used
		if record.Joined { // its tab may still be open, however long the gateway was away
			record.Used, record.vacated = now, now.Add(limits.GraceTime-limits.LeaveTime)
		}
		n.known[record.Name] = record
	}
	n.forget(now)
	return n, nil
}

// claim returns the name of the page with this id and counts one more socket of it,
// until unclaim. key is the id of the key that the page joins with, requested the name that
// it declares. It waits for pages that may be reloading, twice limits.LeaveTime at most.
func (n *names) claim(ctx context.Context, origin, key, page, requested string) string {
	ctx, cancel := context.WithTimeout(ctx, 2*limits.LeaveTime)
	defer cancel()
	for {
		name, wait := n.assign(origin, key, page, access.SpellName(requested), ctx.Err() == nil)
		if wait == 0 {
			n.save()
			return name
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// assign returns the name of a page, or, if mayWait, how long to wait until a page has
// reloaded that may be doing so.
func (n *names) assign(origin, key, page, base string, mayWait bool) (name string, wait time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	n.forget(now)
	record := n.byPage(appKey{origin, base}, page)
	if record == nil {
		record, wait = n.vacant(appKey{origin, base}, key, now, mayWait)
		if wait > 0 {
			return "", wait
		}
	}
	if record == nil {
		n.makeRoom(origin)
		root := n.root(origin, base)
		record = &nameRecord{Name: n.free(root), Root: root, Base: base, Origin: origin, Created: now}
		n.known[record.Name] = record
	}
	record.Page, record.Key, record.Used = page, key, now
	record.sockets++
	return record.Name, 0
}

// byPage returns the record of an app in a tab: a tab may have several. The caller holds the lock, here and below.
func (n *names) byPage(app appKey, page string) *nameRecord {
	for _, record := range n.known {
		if record.app() == app && record.Page == page {
			return record
		}
	}
	return nil
}

// vacant returns the record of an app that a new tab with a key may take over: the lowest of
// the key whose page has been away for limits.LeaveTime, or else the lowest of others whose
// page has been away for limits.GraceTime. Browsers of several people, or profiles, may have
// the same app. If mayWait, wait is how long to wait for a lower one of the key.
func (n *names) vacant(app appKey, key string, now time.Time, mayWait bool) (best *nameRecord, wait time.Duration) {
	for _, record := range n.known {
		if record.app() != app || record.sockets > 0 {
			continue
		}
		away := now.Sub(record.vacated) // negative after a restart
		isOwn := record.Key == key && key != ""
		switch {
		case isOwn && mayWait && away >= 0: // perhaps after a wait
		case isOwn && away < limits.LeaveTime, !isOwn && away < limits.GraceTime:
			continue
		}
		if best == nil || isOwn && best.Key != key || isOwn == (best.Key == key) && byNumber(record, best) < 0 {
			best = record
		}
	}
	if best != nil && best.Key == key {
		wait = max(0, limits.LeaveTime-now.Sub(best.vacated))
	}
	return best, wait
}

// byNumber orders the records of an app: notes, notes-2, notes-10.
func byNumber(a, b *nameRecord) int {
	return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), strings.Compare(a.Name, b.Name))
}

// root returns the name, without number, for this origin and app. It never returns the
// root of another origin, or one that equals a numbered form of it.
func (n *names) root(origin, base string) string {
	for _, record := range n.known {
		if record.Origin == origin && record.Base == base {
			return record.Root
		}
	}
	for root := range roots(base, origin) {
		if !n.conflicts(root, origin) {
			return root
		}
	}
	panic("unreachable: roots is infinite")
}

// conflicts reports whether root could be confused with one of another origin.
func (n *names) conflicts(root, origin string) bool {
	for _, record := range n.known {
		if record.Origin != origin && collide(record.Root, root) {
			return true
		}
	}
	return false
}

// free returns the first unused name of root: notes, notes-2, notes-3.
func (n *names) free(root string) string {
	name := root
	for i := 2; n.known[name] != nil; i++ { // ends: an origin has at most limits.MaxNames names
		name = root + "-" + strconv.Itoa(i)
	}
	return name
}

// unclaim undoes one claim when a socket of the page is closed.
func (n *names) unclaim(name string) {
	n.change(func() {
		if record := n.known[name]; record != nil && record.sockets > 0 && !n.closed {
			record.sockets--
			record.Used = time.Now()
			record.vacated = record.Used
		}
	})
}

// change makes a change and stores it.
func (n *names) change(do func()) {
	func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		do()
	}()
	n.save()
}

// save stores the current names. An error is logged; the next change tries again.
func (n *names) save() {
	if err := n.file.save(); err != nil {
		n.file.state.logError(err)
	}
}

// remembered returns the names that a page has or may come back to; not those that are
// only kept for their origin.
func (n *names) remembered() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	n.forget(now)
	remembered := make([]string, 0, len(n.known))
	for name, record := range n.known {
		if !record.expired(now) {
			remembered = append(remembered, name)
		}
	}
	slices.Sort(remembered)
	return remembered
}

// forget deletes expired names, except the last one of each app of an origin, by which
// the origin keeps the root.
func (n *names) forget(now time.Time) {
	last := n.lastOfApps()
	maps.DeleteFunc(n.known, func(_ string, r *nameRecord) bool { return r.expired(now) && last[r.app()] != r })
}

// expired reports whether no tab may come back to the name.
func (r *nameRecord) expired(now time.Time) bool {
	return r.sockets == 0 && now.Sub(r.Used) >= limits.NameTTL
}

// An appKey identifies an app, whose names have one root.
type appKey struct{ origin, base string }

func (r *nameRecord) app() appKey { return appKey{r.Origin, r.Base} }

// lastOfApps returns the name of each app that was used last.
func (n *names) lastOfApps() map[appKey]*nameRecord {
	last := map[appKey]*nameRecord{}
	for _, record := range n.known {
		if before := last[record.app()]; before == nil || byUse(before, record) < 0 {
			last[record.app()] = record
		}
	}
	return last
}

// byUse orders records by their last use: those with a page are the last.
func byUse(a, b *nameRecord) int {
	return cmp.Or(cmp.Compare(a.sockets, b.sockets), a.Used.Compare(b.Used), b.Created.Compare(a.Created), byNumber(b, a))
}

// revoke deletes the names of the origins that selects accepts, also of pages that are
// connected, and returns them.
func (n *names) revoke(selects func(origin string) bool) (removed []string) {
	n.change(func() {
		maps.DeleteFunc(n.known, func(name string, r *nameRecord) bool {
			if !selects(r.Origin) {
				return false
			}
			removed = append(removed, name)
			return true
		})
	})
	slices.Sort(removed)
	return removed
}

// makeRoom deletes one unused name if origin has limits.MaxNames: the last name of an app
// only if there is no other. One origin cannot displace the names of others.
func (n *names) makeRoom(origin string) {
	last := n.lastOfApps()
	isLast := func(r *nameRecord) int {
		if last[r.app()] == r {
			return 1
		}
		return 0
	}
	count := 0
	var oldest *nameRecord
	for _, record := range n.known {
		if record.Origin != origin {
			continue
		}
		count++
		if record.sockets == 0 && (oldest == nil || cmp.Or(isLast(record)-isLast(oldest), byUse(record, oldest)) < 0) {
			oldest = record
		}
	}
	if count >= limits.MaxNames && oldest != nil {
		delete(n.known, oldest.Name)
	}
}

// close stores which pages are connected, for good. It must be called before the gateway closes
// their sockets: they will reconnect.
func (n *names) close() { n.change(func() { n.closed = true }) }

func (n *names) snapshot() any {
	n.mu.Lock()
	defer n.mu.Unlock()
	records := make([]nameRecord, 0, len(n.known))
	for _, record := range n.known {
		copied := *record
		copied.Joined = record.sockets > 0
		records = append(records, copied)
	}
	slices.SortFunc(records, func(a, b nameRecord) int { return strings.Compare(a.Name, b.Name) })
	return records
}
