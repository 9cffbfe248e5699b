package server

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const maxName = 48 // characters of a page's name

// names gives every page a name and remembers it by (origin, page id): else two
// tabs could swap names when the gateway restarts, and an assistant's
// subscription would silently follow the wrong one.
type names struct {
	state *state

	mu    sync.Mutex
	known map[string]*nameRecord // by name
}

// A nameRecord belongs to one tab of one origin.
type nameRecord struct {
	Name   string    `json:"name"`
	Base   string    `json:"base"` // what the page asked for, in our spelling
	Origin string    `json:"origin"`
	Page   string    `json:"page"` // its id
	Used   time.Time `json:"used"`

	joined bool
}

func openNames(s *state) (*names, error) {
	n := &names{state: s, known: map[string]*nameRecord{}}
	stored, _, err := load[[]*nameRecord](s, "names.json", "pages may get other names than before", nil)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	for _, record := range stored {
		if record == nil { // valid JSON all the same
			continue
		}
		if record.Used.After(now) {
			record.Used = now
		}
		if validName(record.Name) {
			n.known[record.Name] = record
		}
	}
	n.forget()
	return n, nil
}

// claim returns the name of the page with this id, a new one if it is not
// known. wanted is what the page calls itself.
func (n *names) claim(origin, page, wanted string) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.forget()
	for _, record := range n.known {
		if record.Origin == origin && record.Page == page {
			record.Used, record.joined = time.Now(), true
			return record.Name, n.save()
		}
	}
	base := nameFrom(wanted)
	name := n.free(base, origin)
	n.known[name] = &nameRecord{Name: name, Base: base, Origin: origin, Page: page, Used: time.Now(), joined: true}
	return name, n.save()
}

// free returns the first name that nobody has: notes, notes-2, notes-3. A name
// belongs to the origin that first had it; another origin's pages carry their
// host in theirs. The lock is held.
func (n *names) free(base, origin string) string {
	for _, record := range n.known {
		if (record.Base == base || record.Name == base) && record.Origin != origin && !n.owns(base, origin) {
			base = cut(base+"-"+hostName(origin), maxName)
			break
		}
	}
	if n.known[base] == nil {
		return base
	}
	for i := 2; ; i++ {
		suffix := "-" + strconv.Itoa(i)
		if name := cut(base, maxName-len(suffix)) + suffix; n.known[name] == nil {
			return name
		}
	}
}

// owns tells whether origin was the first to be called base.
func (n *names) owns(base, origin string) bool {
	first := n.known[base]
	return first != nil && first.Origin == origin
}

// left notes that a page has gone for the time being.
func (n *names) left(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if record := n.known[name]; record != nil {
		record.Used, record.joined = time.Now(), false
		n.save() // if it cannot be stored now, the next one will
	}
}

// remembered returns the names that a page has or may come back to.
func (n *names) remembered() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.forget()
	return slices.Sorted(maps.Keys(n.known))
}

// forget drops names of pages that left long ago, and the oldest beyond the
// limit. The lock is held.
func (n *names) forget() {
	maps.DeleteFunc(n.known, func(_ string, r *nameRecord) bool {
		return !r.joined && time.Since(r.Used) >= nameMemory
	})
	if len(n.known) <= maxNames {
		return
	}
	oldest := slices.SortedFunc(maps.Values(n.known), func(a, b *nameRecord) int { return a.Used.Compare(b.Used) })
	for _, record := range oldest[:len(oldest)-maxNames] {
		if !record.joined {
			delete(n.known, record.Name)
		}
	}
}

func (n *names) save() error {
	return n.state.save("names.json", slices.SortedFunc(maps.Values(n.known), func(a, b *nameRecord) int {
		return strings.Compare(a.Name, b.Name)
	}))
}

// nameFrom spells what a page calls itself as a name: [a-z][a-z0-9-]*. There is
// no `+` and no `.` in it, so that the first one ends a prefix.
func nameFrom(wanted string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(wanted) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxName {
			break
		}
	}
	if name := strings.Trim(b.String(), "-"); name != "" {
		return name
	}
	return "page"
}

// validName tells whether name may stand in a URL of ours and before a `+`.
func validName(name string) bool {
	if name == "" || len(name) > maxName || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// hostName spells the host and port of an origin as a part of a name.
func hostName(origin string) string {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return "other"
	}
	var b strings.Builder
	for _, r := range strings.ToLower(u.Host) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if !strings.HasSuffix(b.String(), "-") {
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

func cut(s string, most int) string {
	if len(s) > most {
		s = strings.TrimRight(s[:most], "-")
	}
	return s
}
