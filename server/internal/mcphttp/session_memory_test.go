package mcphttp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// A document that was saved shares no memory with the one that is loaded, nor with another load.
func TestLoadedSessionsAreFresh(t *testing.T) {
	m := &memoryStore{}
	saved := &Stored{ID: "1", Owner: "alice", Capabilities: []byte(`{}`), Subscriptions: []string{"notes://a"}, Expires: time.Now()}
	if err := m.Save(t.Context(), saved); err != nil {
		t.Fatal(err)
	}
	saved.Subscriptions[0], saved.Capabilities[0] = "changed", 'x'
	for range 2 {
		loaded, err := m.Load(t.Context(), "alice", "1")
		if err != nil || !slices.Equal(loaded.Subscriptions, []string{"notes://a"}) || string(loaded.Capabilities) != "{}" {
			t.Fatalf("%+v, %v", loaded, err)
		}
		loaded.Subscriptions[0], loaded.Capabilities[0] = "changed", 'x'
	}
	for _, other := range [][2]string{{"bob", "1"}, {"alice", "2"}} {
		if loaded, err := m.Load(t.Context(), other[0], other[1]); loaded != nil || err != nil {
			t.Errorf("%v: %+v, %v", other, loaded, err)
		}
	}
}

// Sessions in memory have 64 MiB: the owner who uses most loses its own oldest ones, and others
// nothing.
func TestStoredSessionsAreBounded(t *testing.T) {
	m := &memoryStore{}
	save := func(owner, id string, size int) {
		s := &Stored{ID: id, Owner: owner, Capabilities: []byte(`{}`), Subscriptions: []string{strings.Repeat("x", size)}}
		if err := m.Save(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	has := func(owner, id string) bool {
		s, err := m.Load(t.Context(), owner, id)
		return s != nil && err == nil
	}
	save("bob", "first", 1)
	for i := range 400 {
		save("mallory", fmt.Sprint(i), 250_000)
		save("mallory", "again", 1)
	}
	if !has("bob", "first") || has("mallory", "0") || !has("mallory", "399") || !has("mallory", "again") || m.size > maxMemory {
		t.Errorf("%d bytes of %d owners", m.size, len(m.owners))
	}
	for i := range 400 {
		m.Delete(t.Context(), "mallory", fmt.Sprint(i))
	}
	m.Delete(t.Context(), "mallory", "again")
	m.Delete(t.Context(), "bob", "first")
	if m.size != 0 || len(m.owners) != 0 {
		t.Errorf("%d bytes of %d owners are left", m.size, len(m.owners))
	}
}
