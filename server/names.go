package server

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// names gives every page a name and remembers it by (origin, page id): else two
// tabs could swap names when the gateway restarts, and an assistant's
// subscription would silently follow the wrong one.
//
// A name belongs to one origin and one app, what its pages call themselves, for as
// long as it is remembered. A new document takes over the oldest name of its origin
// and app that has no page: closing a tab in the evening and opening it in the
// morning changes no URI. Names whose page left less than graceTime ago are not
// taken over, since that page may be reloading; neither are, for as long, names of
// pages that were here when the gateway ended.
type names struct {
	state *state

	saving sync.Mutex // held while the file is written; taken before mu
	closed bool       // nothing is stored any more; guarded by saving

	mu    sync.Mutex
	known map[string]*nameRecord // by name
}

// A nameRecord belongs to one tab of one origin.
type nameRecord struct {
	Name    string    `json:"name"`
	Root    string    `json:"root"` // the name without its number
	Base    string    `json:"base"` // what the page asked for, in our spelling
	Origin  string    `json:"origin"`
	Page    string    `json:"page"` // its id
	Created time.Time `json:"made"`
	Used    time.Time `json:"used"`
	Joined  bool      `json:"joined"` // when this was stored

	reserved bool      // by a source of the host program: no page has it, and it is not stored
	sockets  int       // of the page; two while a new one replaces the old one
	vacated  time.Time // when the last of them went
}

const namesFile = "names.json"

func openNames(s *state) (*names, error) {
	n := &names{state: s, known: map[string]*nameRecord{}}
	stored, _, err := load[[]*nameRecord](s, namesFile, "pages may get other names than before", nil)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	for _, record := range stored {
		if record == nil || !access.ValidName(record.Name) { // valid JSON all the same
			continue
		}
		if record.Root != record.Name && !isNumbered(record.Name, record.Root) { // of an older version
			record.Root = withoutNumber(record.Name)
		}
		if record.Used.After(now) { // the clock was set back
			record.Used = now
		}
		record.vacated = record.Used
		if record.Joined {
			record.vacated = now
		}
		n.known[record.Name] = record
	}
	n.forget(now)
	return n, nil
}

// claim returns the name of the page with this id, and counts one socket of it; see
// left. wanted is what the page calls itself.
func (n *names) claim(origin, page, requested string) string {
	name := n.assign(origin, page, nameFrom(requested))
	n.save()
	return name
}

func (n *names) assign(origin, page, base string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	n.forget(now)
	record := n.byPage(origin, page)
	if record == nil {
		record = n.vacant(origin, base, now)
	}
	if record == nil {
		n.makeRoom(origin)
		root := n.root(origin, base)
		record = &nameRecord{Name: n.free(root), Root: root, Base: base, Origin: origin, Created: now}
		n.known[record.Name] = record
	}
	record.Page, record.Used = page, now
	record.sockets++
	return record.Name
}

// own returns the record of a page id. The lock is held, here and below.
func (n *names) byPage(origin, page string) *nameRecord {
	for _, record := range n.known {
		if record.Origin == origin && record.Page == page {
			return record
		}
	}
	return nil
}

// vacant returns the oldest record of this origin and app that has no page, and may
// be taken over.
func (n *names) vacant(origin, base string, now time.Time) (oldest *nameRecord) {
	for _, record := range n.known {
		if record.Origin != origin || record.Base != base || record.sockets > 0 || now.Sub(record.vacated) < limits.GraceTime {
			continue
		}
		if oldest == nil || byAge(record, oldest) < 0 {
			oldest = record
		}
	}
	return oldest
}

// byAge orders records by when they were made. Those of older versions do not know:
// then notes is before notes-2, and that before notes-10.
func byAge(a, b *nameRecord) int {
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(len(a.Name), len(b.Name)), strings.Compare(a.Name, b.Name))
}

// root returns what names of this origin and app begin with. Another origin's root
// is never given out, nor what reads like a numbered name of it.
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
	panic("roots ends") // it does not
}

func (n *names) conflicts(root, origin string) bool {
	for _, record := range n.known {
		if record.Origin != origin && collide(record.Root, root) {
			return true
		}
	}
	return false
}

// free returns the first name of root that no page has: notes, notes-2, notes-3.
func (n *names) free(root string) string {
	name := root
	for i := 2; n.known[name] != nil; i++ { // an origin has fewer names than there are numbers
		name = root + "-" + strconv.Itoa(i)
	}
	return name
}

// left takes back one claim: a socket of the page is gone.
func (n *names) unclaim(name string) {
	n.removeSocket(name)
	n.save()
}

func (n *names) removeSocket(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if record := n.known[name]; record != nil && record.sockets > 0 {
		record.sockets--
		record.Used = time.Now()
		record.vacated = record.Used
	}
}

// reserve keeps name, and what reads like a numbered form of it, from pages until release;
// false if a page has it, or may come back to it, or it is reserved.
func (n *names) reserve(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.forget(time.Now())
	if n.conflicts(name, "") || n.known[name] != nil {
		return false
	}
	n.known[name] = &nameRecord{Name: name, Root: name, reserved: true}
	return true
}

func (n *names) release(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if record := n.known[name]; record != nil && record.reserved {
		delete(n.known, name)
	}
}

// remembered returns the names that a page has or may come back to.
func (n *names) remembered() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.forget(time.Now())
	remembered := make([]string, 0, len(n.known))
	for name, record := range n.known {
		if !record.reserved {
			remembered = append(remembered, name)
		}
	}
	slices.Sort(remembered)
	return remembered
}

// forget drops names of pages that left long ago.
func (n *names) forget(now time.Time) {
	maps.DeleteFunc(n.known, func(_ string, r *nameRecord) bool {
		return !r.reserved && r.sockets == 0 && now.Sub(r.Used) >= limits.NameTTL
	})
}

// makeRoom forgets the name of origin that is out of use for longest, if it has as
// many as it may have. Those of other origins stay, however many pages one origin
// opens.
func (n *names) makeRoom(origin string) {
	count := 0
	var oldest *nameRecord
	for _, record := range n.known {
		if record.Origin != origin {
			continue
		}
		count++
		if record.sockets == 0 && (oldest == nil || record.Used.Before(oldest.Used)) {
			oldest = record
		}
	}
	if count >= limits.MaxNames && oldest != nil {
		delete(n.known, oldest.Name)
	}
}

// keep stores that the names of pages that are here are in use. It is called now
// and then: without it a killed gateway would have forgotten, when it is back,
// names of pages that have been joined for long.
func (n *names) refresh() {
	if n.markUsed() {
		n.save()
	}
}

func (n *names) markUsed() (any bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	for _, record := range n.known {
		if record.sockets > 0 {
			record.Used, any = now, true
		}
	}
	return any
}

// save stores what is known now. What cannot be stored is tried again with the next
// change, and stops no page.
func (n *names) save() {
	n.saving.Lock()
	defer n.saving.Unlock()
	if n.closed {
		return
	}
	if err := n.state.save(namesFile, n.snapshot()); err != nil {
		n.state.logError(err)
	}
}

// close stores which pages are here, before the gateway ends their connections: they
// will be back.
func (n *names) close() {
	n.markUsed()
	n.save()
	n.saving.Lock()
	defer n.saving.Unlock()
	n.closed = true
}

func (n *names) snapshot() []nameRecord {
	n.mu.Lock()
	defer n.mu.Unlock()
	records := make([]nameRecord, 0, len(n.known))
	for _, record := range n.known {
		if record.reserved {
			continue
		}
		copied := *record
		copied.Joined = record.sockets > 0
		records = append(records, copied)
	}
	slices.SortFunc(records, func(a, b nameRecord) int { return strings.Compare(a.Name, b.Name) })
	return records
}
