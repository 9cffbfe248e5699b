package sessions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

// testValues keeps values in memory. While it is away, updates wait and no value is loaded.
type testValues struct {
	mu      sync.Mutex
	values  map[string][]byte
	waiting []func()
	away    bool
}

func (v *testValues) Load(_ context.Context, key string) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.away {
		return nil, errors.New("away")
	}
	return bytes.Clone(v.values[key]), nil
}

func (v *testValues) IsAvailable() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return !v.away
}

func (v *testValues) Update(_, key string, update func([]byte) []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	write := func() {
		switch value := update(v.values[key]); {
		case len(value) > 0:
			v.values[key] = value
		case value != nil:
			delete(v.values, key)
		}
	}
	if v.away {
		v.waiting = append(v.waiting, write)
		return
	}
	write()
}

// goAway makes the store unavailable until back.
func (v *testValues) goAway() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.away = true
}

// back writes what waits, the latest first.
func (v *testValues) back() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.away = false
	for _, write := range slices.Backward(v.waiting) {
		write()
	}
	v.waiting = nil
}

// Each node sees the last change, wherever it was made.
func TestChangesReachOtherNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring, values := testRing(t, keys.New()), &testValues{values: map[string][]byte{}}
		a, b := newSharedChanges(ring, values), newSharedChanges(ring, values)
		expires := time.Now().Add(time.Hour)
		sees := func(what string, s *sharedChanges, uris ...string) {
			t.Helper()
			if got, _ := s.Load(t.Context(), "hash"); !slices.Equal(got.URIs, uris) || got.Ended {
				t.Errorf("%s: %+v", what, got)
			}
		}
		save := func(s *sharedChanges, uris ...string) {
			s.Save("hash", mcphttp.Changes{Owner: "o", URIs: uris, Expires: expires})
		}
		save(a)
		sees("without a change", b)
		if len(values.values) > 0 {
			t.Error("a session without changes is stored")
		}
		save(a, "a:1")
		sees("the first change", b, "a:1")
		save(a, "a:1", "a:2") // at the same time by the clock
		sees("the second one", b, "a:1", "a:2")
		save(b)
		sees("nothing any more", a)
		save(b, "a:3")
		sees("again", a, "a:3")
		for _, secret := range []string{"a:3", "uris", "expires"} {
			if bytes.Contains(values.values["hash"], []byte(secret)) {
				t.Errorf("%s can be read", secret)
			}
		}
		values.values["other"] = values.values["hash"]
		if got, _ := a.Load(t.Context(), "other"); !got.IsZero() {
			t.Errorf("the value of another session: %+v", got)
		}
		values.values["hash"] = []byte("broken")
		sees("a broken value", a, "a:3")
		a.Save("hash", mcphttp.Changes{Owner: "o", Ended: true, Expires: expires})
		time.Sleep(time.Minute)
		save(b, "a:4") // it has not heard of the end
		for what, s := range map[string]*sharedChanges{"a": a, "b": b, "another": newSharedChanges(ring, values)} {
			if got, _ := s.Load(t.Context(), "hash"); !got.Ended {
				t.Errorf("an ended session at %s: %+v", what, got)
			}
		}
	})
}

// While the store is away a node knows its own changes. Afterwards the last one holds, in
// whatever order they are written.
func TestChangesSurviveWithoutStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring, values := testRing(t, keys.New()), &testValues{values: map[string][]byte{}}
		a, b := newSharedChanges(ring, values), newSharedChanges(ring, values)
		expires := time.Now().Add(time.Hour)
		values.goAway()
		for i, s := range []*sharedChanges{a, b, a} {
			time.Sleep(time.Second)
			uris := []string{fmt.Sprint("a:", i)}
			s.Save("hash", mcphttp.Changes{Owner: "o", URIs: uris, Expires: expires})
			if got, _ := s.Load(t.Context(), "hash"); !slices.Equal(got.URIs, uris) {
				t.Errorf("without the store: %+v", got)
			}
		}
		values.back()
		for _, s := range []*sharedChanges{a, b, newSharedChanges(ring, values)} {
			if got, _ := s.Load(t.Context(), "hash"); strings.Join(got.URIs, " ") != "a:2" {
				t.Errorf("afterwards: %+v", got)
			}
		}
	})
}

func TestChangesOpenAfterARotation(t *testing.T) {
	old, next := keys.New(), keys.New()
	values := &testValues{values: map[string][]byte{}}
	s := newSharedChanges(testRing(t, old), values)
	s.Save("hash", mcphttp.Changes{Owner: "o", LogLevel: "error", Expires: time.Now().Add(time.Hour)})
	for _, keys := range [][]string{{old, next}, {next, old}, {next}} {
		got, _ := newSharedChanges(testRing(t, keys...), values).Load(t.Context(), "hash")
		if want := slices.Contains(keys, old); (got.LogLevel == "error") != want {
			t.Errorf("with %d keys: %+v", len(keys), got)
		}
	}
	s.setKeys(testRing(t, next, old))
	s.Save("hash", mcphttp.Changes{Owner: "o", LogLevel: "debug", Expires: time.Now().Add(time.Hour)})
	if got, _ := newSharedChanges(testRing(t, next), values).Load(t.Context(), "hash"); got.LogLevel != "debug" {
		t.Errorf("sealed by the new key: %+v", got)
	}
}
