package access

import (
	"slices"
	"sync"
)

// Origins is a set of web origins that may change while requests are checked. They are
// compared exactly. A nil set is empty.
type Origins struct {
	mu   sync.RWMutex
	list []string
}

// NewOrigins returns a set of origins, which [CheckOrigin] accepts.
func NewOrigins(origins ...string) *Origins {
	o := &Origins{}
	o.Add(origins...)
	return o
}

// Add adds origins.
func (o *Origins) Add(origins ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, origin := range origins {
		if !slices.Contains(o.list, origin) {
			o.list = append(o.list, origin)
		}
	}
}

// Set replaces the origins.
func (o *Origins) Set(origins []string) {
	fresh := NewOrigins(origins...)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = fresh.list
}

// Remove removes an origin; false if it is not in the set.
func (o *Origins) Remove(origin string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	before := len(o.list)
	o.list = slices.DeleteFunc(o.list, func(other string) bool { return other == origin })
	return len(o.list) < before
}

// Contains reports whether origin is in the set.
func (o *Origins) Contains(origin string) bool {
	if o == nil {
		return false
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	return slices.Contains(o.list, origin)
}

// List returns a copy, in the order of Add; not nil.
func (o *Origins) List() []string {
	if o == nil {
		return []string{}
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	return append([]string{}, o.list...)
}
