package ring_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted/ring"
	"github.com/pagemcp/pagemcp/server/hosted/ring/ringtest"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

// Two nodes take themselves for the home of an owner: the first one that saves a session has it.
func TestAStaleWriterFailsByItsRevision(t *testing.T) {
	t.Parallel()
	bucket := ringtest.NewBucket(ring.SessionExpiry)
	a, b := &ring.Sessions{Bucket: bucket}, &ring.Sessions{Bucket: bucket}
	begun := &mcphttp.Stored{ID: "1a", Owner: "alice", Writer: "a", Subscriptions: []string{"notes://a"}}
	if err := a.Save(t.Context(), begun); err != nil || begun.Version == 0 {
		t.Fatal(err, begun.Version)
	}
	moved, err := b.Load(t.Context(), "alice", "1a")
	if err != nil || moved == nil || len(moved.Subscriptions) != 1 || moved.Version != begun.Version {
		t.Fatalf("%+v, %v", moved, err)
	}
	moved.Writer, moved.Subscriptions = "b", append(moved.Subscriptions, "notes://b")
	if err := b.Save(t.Context(), moved); err != nil {
		t.Fatal(err)
	}
	begun.LogLevel = "error"
	if err := a.Save(t.Context(), begun); !errors.Is(err, mcphttp.ErrStale) {
		t.Errorf("the stale writer: %v", err)
	}
	if got, err := a.Load(t.Context(), "alice", "1a"); err != nil || len(got.Subscriptions) != 2 || got.LogLevel != "" {
		t.Errorf("%+v, %v", got, err)
	}
	fresh := &mcphttp.Stored{ID: "1a", Owner: "alice", Writer: "c"}
	if err := a.Save(t.Context(), fresh); !errors.Is(err, mcphttp.ErrStale) {
		t.Errorf("a session that exists is begun again: %v", err)
	}
}

// A write whose answer was lost is repeated by the same process, and is not stale.
func TestAWriterKnowsItsOwnWrite(t *testing.T) {
	t.Parallel()
	s := &ring.Sessions{Bucket: ringtest.NewBucket(ring.SessionExpiry)}
	lost := mcphttp.Stored{ID: "1a", Owner: "alice", Writer: "a"}
	known := lost
	if err := s.Save(t.Context(), &lost); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(t.Context(), &known); err != nil || known.Version == lost.Version {
		t.Errorf("%v, version %d after %d", err, known.Version, lost.Version)
	}
}

func TestSessionsAreStoredUntilTheyAreUnused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &ring.Sessions{Bucket: ringtest.NewBucket(ring.SessionExpiry)}
		load := func(owner, id string) bool {
			t.Helper()
			got, err := s.Load(t.Context(), owner, id)
			if err != nil {
				t.Error(err)
			}
			return got != nil
		}
		stored := &mcphttp.Stored{ID: "1a", Owner: "alice", Writer: "a"}
		for range 3 {
			if err := s.Save(t.Context(), stored); err != nil {
				t.Fatal(err)
			}
			time.Sleep(ring.SessionExpiry - time.Second)
			if !load("alice", "1a") {
				t.Error("a session that is used is gone")
			}
		}
		time.Sleep(time.Second)
		if load("alice", "1a") {
			t.Error("a session that was not used for seven days is there")
		}
		stored.Version = 0
		if err := s.Save(t.Context(), stored); err != nil {
			t.Fatal(err)
		}
		if load("bob", "1a") || load("alice", "2b") {
			t.Error("a session of another owner or id")
		}
		if err := s.Delete(t.Context(), "alice", "1a"); err != nil || load("alice", "1a") {
			t.Errorf("after it was deleted: %v", err)
		}
	})
}

// Ids are what clients send: none of them leads to another key.
func TestIDsAreOnePartOfAKey(t *testing.T) {
	t.Parallel()
	bucket := ringtest.NewBucket(ring.SessionExpiry)
	s := &ring.Sessions{Bucket: bucket}
	if err := s.Save(t.Context(), &mcphttp.Stored{ID: "1a", Owner: "alice", Writer: "a"}); err != nil {
		t.Fatal(err)
	}
	for _, key := range [][2]string{{"", "1a"}, {"alice", ""}, {"alice", "*"}, {"alice", ">"}, {"al", "ice.1a"}, {"alice.1a", ""}, {"alice", "1a\x00"}, {"alice", "1a\n"}, {"alice", strings.Repeat("a", 65)}, {"*", "1a"}} {
		got, err := s.Load(t.Context(), key[0], key[1])
		if got != nil || err != nil {
			t.Errorf("%q: %+v, %v", key, got, err)
		}
		if err := s.Delete(t.Context(), key[0], key[1]); err != nil {
			t.Errorf("%q: %v", key, err)
		}
		if s.Save(t.Context(), &mcphttp.Stored{ID: key[1], Owner: key[0]}) == nil {
			t.Errorf("%q is saved", key)
		}
	}
	if keys := bucket.Keys(); len(keys) != 1 {
		t.Errorf("%q", keys)
	}
}

// A store that is away is an error that is not ErrStale, and so is a document that is too large.
func TestFailuresOfTheStoreAreNotStale(t *testing.T) {
	t.Parallel()
	bucket := ringtest.NewBucket(ring.SessionExpiry)
	s := &ring.Sessions{Bucket: bucket}
	stored := &mcphttp.Stored{ID: "1a", Owner: "alice", Subscriptions: []string{strings.Repeat("x", mcphttp.MaxStored)}}
	if err := s.Save(t.Context(), stored); err == nil || errors.Is(err, mcphttp.ErrStale) {
		t.Errorf("a document that is too large: %v", err)
	}
	bucket.SetAway(true)
	stored.Subscriptions = nil
	_, loading := s.Load(t.Context(), "alice", "1a")
	for _, err := range []error{loading, s.Save(t.Context(), stored), s.Delete(t.Context(), "alice", "1a")} {
		if !errors.Is(err, ringtest.ErrAway) || errors.Is(err, mcphttp.ErrStale) {
			t.Error(err)
		}
	}
}
