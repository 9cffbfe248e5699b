package server

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

// pairedOrigins are the origins that the user has allowed with `pagemcp pair`. Unlike
// Options.Origins they are stored: their pages may join again after a restart.
type pairedOrigins struct {
	file doc

	mu   sync.Mutex
	list []pairedOrigin // by Since, oldest first; never changed in place
}

type pairedOrigin struct {
	Origin string    `json:"origin"`
	Since  time.Time `json:"since"`
}

const originsFile = "origins.json"

// maxPairedOrigins is the number of origins that can be stored.
const maxPairedOrigins = 256

func openPairedOrigins(s *state) (*pairedOrigins, error) {
	stored, _, err := load[[]pairedOrigin](s, originsFile, "origins must be allowed again, by `pagemcp pair`", nil)
	if err != nil {
		return nil, err
	}
	valid := slices.DeleteFunc(stored, func(p pairedOrigin) bool { return access.CheckOrigin(p.Origin) != nil })
	p := &pairedOrigins{list: valid[:min(len(valid), maxPairedOrigins)]}
	p.file = doc{state: s, name: originsFile, snapshot: func() any { return p.all() }}
	return p, nil
}

// add stores an origin. It fails if there are too many.
func (p *pairedOrigins) add(origin string) error {
	if isNew, err := p.insert(origin); !isNew {
		return err
	}
	return p.file.save()
}

func (p *pairedOrigins) insert(origin string) (isNew bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.ContainsFunc(p.list, func(other pairedOrigin) bool { return other.Origin == origin }) {
		return false, nil
	}
	if len(p.list) >= maxPairedOrigins {
		return false, fmt.Errorf("%d origins are allowed already: remove some with `pagemcp revoke ORIGIN`", maxPairedOrigins)
	}
	p.list = append(slices.Clone(p.list), pairedOrigin{Origin: origin, Since: time.Now().Round(0)})
	return true, nil
}

// remove removes the origins that selects accepts, and returns them.
func (p *pairedOrigins) remove(selects func(origin string) bool) (removed []string, err error) {
	if removed = p.take(selects); len(removed) == 0 {
		return nil, nil
	}
	return removed, p.file.save()
}

func (p *pairedOrigins) take(selects func(origin string) bool) (removed []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := []pairedOrigin{}
	for _, one := range p.list {
		if selects(one.Origin) {
			removed = append(removed, one.Origin)
		} else {
			kept = append(kept, one)
		}
	}
	p.list = kept
	return removed
}

func (p *pairedOrigins) all() []pairedOrigin {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.list
}

func (p *pairedOrigins) names() []string {
	names := []string{}
	for _, one := range p.all() {
		names = append(names, one.Origin)
	}
	return names
}
