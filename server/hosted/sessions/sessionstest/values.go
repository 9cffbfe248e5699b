// Package sessionstest has a store of values for tests.
package sessionstest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
)

// Values keeps values in memory. While it is away, updates wait and no value is loaded.
type Values struct {
	mu      sync.Mutex
	Stored  map[string][]byte // by key
	waiting []func()
	away    bool
}

func (v *Values) Load(_ context.Context, key string) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.away {
		return nil, errors.New("away")
	}
	return bytes.Clone(v.Stored[key]), nil
}

func (v *Values) IsAvailable() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return !v.away
}

func (v *Values) Update(_, key string, update func([]byte) []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	write := func() {
		switch value := update(v.Stored[key]); {
		case len(value) > 0:
			v.Stored[key] = value
		case value != nil:
			delete(v.Stored, key)
		}
	}
	if v.away {
		v.waiting = append(v.waiting, write)
		return
	}
	write()
}

// GoAway makes the store unavailable until Back.
func (v *Values) GoAway() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.away = true
}

// Back writes what waits, the latest first.
func (v *Values) Back() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.away = false
	for _, write := range slices.Backward(v.waiting) {
		write()
	}
	v.waiting = nil
}
