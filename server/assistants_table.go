package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	json "github.com/go-json-experiment/json"
)

// assistants are the named ones of a state directory.
type assistants struct {
	file doc

	// table is read by every decision: it is replaced as a whole, never changed, so without a
	// lock.
	table atomic.Pointer[assistantTable]

	// lost stands for each name that has no token, where a file with rights of names could not be read: it is beside the
	// present one, and one of these names may be in it. Nil: there is none.
	lost *assistant

	mu    sync.Mutex
	seen  map[string]*assistant // names without a token that have connected
	saved time.Time             // of the last use that is stored
}

// An assistantTable has the assistants with a token, and those whose token was revoked.
type assistantTable struct {
	byName map[string]*assistant
	tokens []*assistant // without those
}

func newAssistantTable(byName map[string]*assistant) *assistantTable {
	t := &assistantTable{byName: byName}
	for _, one := range byName {
		if one.Revoked.IsZero() {
			t.tokens = append(t.tokens, one)
		}
	}
	return t
}

func openAssistants(s *state) (*assistants, error) {
	stored, _, broken, err := parse(s, assistantsFile, func(all *[]storedAssistant) error {
		for i := range *all {
			if err := (*all)[i].check(); err != nil {
				return err
			}
		}
		return nil
	}, json.RejectUnknownMembers(true))
	if broken != nil {
		err = s.setAside(assistantsFile, "assistants with a name have no rights; add their tokens again by `pagemcp token add`, or remove the kept file to let names without a token connect", broken)
	}
	if err != nil {
		return nil, err
	}
	others, err := s.disk.List(".")
	if err != nil {
		return nil, fmt.Errorf("open the state directory: %w", err)
	}
	byName := map[string]*assistant{}
	for _, one := range stored {
		byName[one.Name] = newAssistant(one.NamedAssistant, one.Hash)
	}
	a := &assistants{seen: map[string]*assistant{}}
	a.file = doc{state: s, name: assistantsFile, snapshot: a.snapshot}
	if slices.ContainsFunc(others, func(name string) bool { return strings.HasPrefix(name, assistantsFile+brokenSuffix) }) {
		a.lost = newAssistant(NamedAssistant{Revoked: time.Now()}, nil)
	}
	a.table.Store(newAssistantTable(byName))
	a.saved = a.lastUse()
	return a, nil
}

// named returns the assistant with a token of this name, also if it was revoked; or nil. It is lost where the rights of
// names are not known.
func (a *assistants) named(name string) *assistant {
	one := a.table.Load().byName[name]
	if one == nil && a.lost != nil && CheckAssistantName(name) == nil {
		return a.lost
	}
	return one
}

// find returns the assistant with a token, or nil. It compares it with all of them in
// constant time, and does not end at the right one.
func (a *assistants) find(hash [sha256.Size]byte) *assistant {
	tokens, found := a.table.Load().tokens, -1
	for i, one := range tokens {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(hash[:], one.hash[:]), i, found)
	}
	if found < 0 {
		return nil
	}
	return tokens[found]
}

// connect returns the assistant of a process that names itself. It needs no token; one of
// this name decides its rights. After maxSeen names the connections of further ones end with
// the token of the user alone: nil.
func (a *assistants) connect(name string) *assistant {
	if one := a.named(name); one != nil {
		return one
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	one := a.seen[name]
	if one == nil && len(a.seen) < maxSeen {
		one = newAssistant(NamedAssistant{Name: name}, nil)
		a.seen[name] = one
	}
	return one
}

// add makes a token for a name that has none, or whose token was revoked or has expired.
func (a *assistants) add(t NewToken) (AddedToken, error) {
	if err := t.check(); err != nil {
		return AddedToken{}, badControl{err}
	}
	text, now := randomText(32), time.Now().UTC().Round(0)
	fresh := NamedAssistant{Name: t.Name, ReadOnly: t.ReadOnly, Apps: slices.Clone(t.Apps), Created: now}
	if t.Lifetime > 0 {
		fresh.Expires = now.Add(t.Lifetime)
	}
	added := AddedToken{Assistant: fresh, Token: text}
	hash := sha256.Sum256([]byte(text))
	one := newAssistant(fresh, hash[:])
	old, err := a.insert(one)
	if err == nil {
		if err = a.file.save(); err != nil {
			a.replace(t.Name, one, old) // which was not returned
		}
	}
	if err != nil {
		one.close()
		return AddedToken{}, err
	}
	if old != nil {
		old.close()
	}
	a.forgetSeen(t.Name)
	return added, nil
}

// insert adds an assistant, and returns the one of this name whose token has ended, or nil.
func (a *assistants) insert(one *assistant) (old *assistant, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	byName := maps.Clone(a.table.Load().byName)
	if old = byName[one.Name]; old != nil && !old.hasEnded() {
		return nil, badControl{fmt.Errorf("the assistant %q has a token already: end it with `pagemcp token revoke %[1]s`, or choose another name", one.Name)}
	}
	if countNames(byName, func(other *assistant) bool { return other.Revoked.IsZero() && other != old }) >= maxAssistants {
		return nil, badControl{fmt.Errorf("there are %d named tokens already: `pagemcp token revoke NAME` ends one", maxAssistants)}
	}
	byName[one.Name] = one
	a.table.Store(newAssistantTable(byName))
	return old, nil
}

// replace puts one in the place of old, unless that was replaced already; nil is none.
func (a *assistants) replace(name string, old, one *assistant) {
	a.mu.Lock()
	defer a.mu.Unlock()
	byName := maps.Clone(a.table.Load().byName)
	if byName[name] != old {
		return
	}
	if byName[name] = one; one == nil {
		delete(byName, name)
	}
	dropOldestRevoked(byName)
	a.table.Store(newAssistantTable(byName))
}

// forgetSeen ends the connections that a name has made without a token: they connect again,
// with the rights of the token.
func (a *assistants) forgetSeen(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if one := a.seen[name]; one != nil {
		delete(a.seen, name)
		one.close()
	}
}

// revoke ends a token and its connections. The name is refused from then on, for
// `pagemcp stdio --as` too.
func (a *assistants) revoke(name string) error {
	old := a.table.Load().byName[name]
	if old == nil || !old.Revoked.IsZero() {
		return badControl{fmt.Errorf("there is no token of the name %q: `pagemcp token list` shows the names", name)}
	}
	gone := old.snapshot()
	gone.Revoked = time.Now().UTC().Round(0)
	a.replace(name, old, newAssistant(gone, nil))
	old.close()
	a.forgetSeen(name)
	if err := a.file.save(); err != nil {
		return fmt.Errorf("the token has ended, but is valid again once the gateway was restarted: %w", err)
	}
	return nil
}

func dropOldestRevoked(byName map[string]*assistant) {
	for countNames(byName, func(one *assistant) bool { return !one.Revoked.IsZero() }) > maxRevoked {
		var oldest *assistant
		for _, one := range byName {
			if !one.Revoked.IsZero() && (oldest == nil || one.Revoked.Before(oldest.Revoked)) {
				oldest = one
			}
		}
		delete(byName, oldest.Name)
	}
}

func countNames(byName map[string]*assistant, selects func(*assistant) bool) (n int) {
	for _, one := range byName {
		if selects(one) {
			n++
		}
	}
	return n
}

// snapshot returns what the file has.
func (a *assistants) snapshot() any {
	byName := a.table.Load().byName
	all := make([]storedAssistant, 0, len(byName))
	for _, one := range byName {
		s := storedAssistant{NamedAssistant: one.snapshot()}
		if s.Revoked.IsZero() {
			s.Hash = one.hash[:]
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(x, y storedAssistant) int { return strings.Compare(x.Name, y.Name) })
	return all
}

// list returns all by name, also those that were revoked.
func (a *assistants) list() []NamedAssistant {
	byName := a.table.Load().byName
	all := make([]NamedAssistant, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, byName[name].snapshot())
	}
	return all
}

// touch records that a principal has sent a request.
func (a *assistants) touch(principal string, now time.Time) {
	if one := a.table.Load().byName[principal]; one != nil {
		one.used.Store(now.UnixNano())
	}
}

// flush stores the last uses, if there are later ones than stored.
func (a *assistants) flush() error {
	latest := a.lastUse()
	if !latest.After(a.lastSaved(time.Time{})) {
		return nil
	}
	if err := a.file.save(); err != nil {
		return err
	}
	a.lastSaved(latest)
	return nil
}

// lastSaved records that the uses up to a time are stored, and returns the latest such time.
func (a *assistants) lastSaved(at time.Time) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if at.After(a.saved) {
		a.saved = at
	}
	return a.saved
}

// lastUse returns the time of the last use of any token.
func (a *assistants) lastUse() (latest time.Time) {
	for _, one := range a.table.Load().byName {
		if used := one.snapshot().Used; used.After(latest) {
			latest = used
		}
	}
	return latest
}

// close stores the last uses and stops all timers.
func (a *assistants) close() error {
	err := a.flush()
	for _, one := range a.table.Load().byName {
		one.close()
	}
	return err
}
