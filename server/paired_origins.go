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
	state *state

	mu   sync.Mutex
	list []pairedOrigin // by Since, oldest first

	saving sync.Mutex // held while the file is written; locked before mu
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
	return &pairedOrigins{state: s, list: valid[:min(len(valid), maxPairedOrigins)]}, nil
}

// add stores an origin. It fails if there are too many.
func (p *pairedOrigins) add(origin string) error {
	p.saving.Lock()
	defer p.saving.Unlock()
	before := p.all()
	if slices.ContainsFunc(before, func(other pairedOrigin) bool { return other.Origin == origin }) {
		return nil
	}
	if len(before) >= maxPairedOrigins {
		return fmt.Errorf("%d origins are allowed already: remove some with `pagemcp revoke ORIGIN`", maxPairedOrigins)
	}
	return p.store(append(before, pairedOrigin{Origin: origin, Since: time.Now().Round(0)}))
}

// remove removes the origins that selects accepts from the file, and returns them.
func (p *pairedOrigins) remove(selects func(origin string) bool) (removed []string, err error) {
	p.saving.Lock()
	defer p.saving.Unlock()
	var kept []pairedOrigin
	for _, one := range p.all() {
		if selects(one.Origin) {
			removed = append(removed, one.Origin)
		} else {
			kept = append(kept, one)
		}
	}
	if len(removed) == 0 {
		return nil, nil
	}
	return removed, p.store(kept)
}

// store writes the file, then sets the list. The caller holds saving.
func (p *pairedOrigins) store(list []pairedOrigin) error {
	if err := p.state.save(originsFile, list); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = list
	return nil
}

func (p *pairedOrigins) all() []pairedOrigin {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.list)
}

func (p *pairedOrigins) names() []string {
	names := []string{}
	for _, one := range p.all() {
		names = append(names, one.Origin)
	}
	return names
}
