package mcphttp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

// kept returns the changes of a session.
func (m *MemoryChanges) kept(t *testing.T, hash string) Changes {
	t.Helper()
	c, err := m.Load(t.Context(), hash)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (m *MemoryChanges) has(t *testing.T, hash string) bool {
	t.Helper()
	return !m.kept(t, hash).IsZero()
}

func TestChangesAreKeptWhileThereAreAny(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &MemoryChanges{}
		expires := time.Now().Add(time.Hour)
		m.Save("plain", Changes{Owner: "o", Expires: expires})
		uris := []string{"a:1", "a:2"}
		m.Save("subscribed", Changes{Owner: "o", Subscriptions: subscribed(uris...), LogLevel: "error", Expires: expires})
		m.Save("ended", Changes{Owner: "p", Ended: true, Expires: expires})
		m.Save("expired", Changes{Owner: "p", Ended: true, Expires: time.Now()})
		got := m.kept(t, "subscribed")
		if !slices.Equal(got.Subscriptions.URIs(), uris) || got.LogLevel != "error" || got.Ended || !m.kept(t, "ended").Ended {
			t.Errorf("%+v", got)
		}
		delete(got.Subscriptions, "a:1") // a session changes its own
		if !m.kept(t, "subscribed").Subscriptions.Has("a:1") {
			t.Error("the caller has changed what is kept")
		}
		if m.has(t, "plain") || m.has(t, "expired") || len(m.byHash) != 2 {
			t.Errorf("%d are kept", len(m.byHash))
		}
		m.Save("subscribed", Changes{Owner: "o", Expires: expires})
		if m.has(t, "subscribed") || len(m.byHash) != 1 || len(m.byOwner) != 1 {
			t.Errorf("%d of %d owners are kept", len(m.byHash), len(m.byOwner))
		}
		time.Sleep(time.Hour)
		m.Save("next", Changes{Owner: "q", LogLevel: "error", Expires: time.Now().Add(time.Hour)})
		if m.has(t, "ended") || len(m.byHash) != 1 || m.order.Len() != 1 {
			t.Errorf("%d are kept after they expired", len(m.byHash))
		}
		m.Save("next", Changes{Owner: "q", Expires: time.Now().Add(time.Hour)})
		if m.size != 0 || len(m.byOwner) != 0 || m.order.Len() != 0 {
			t.Errorf("%d bytes of %d owners remain", m.size, len(m.byOwner))
		}
	})
}

// An owner that subscribes a lot loses its own oldest changes, and nothing of others.
func TestOwnersDoNotDisplaceEachOther(t *testing.T) {
	m := &MemoryChanges{}
	expires := time.Now().Add(time.Hour)
	m.Save("victim", Changes{Owner: "victim", Ended: true, Expires: expires})
	for i := range 10_000 {
		m.Save(fmt.Sprint("hash", i), Changes{Owner: "greedy", Subscriptions: subscribed(strings.Repeat("x", 8<<10)), Expires: expires})
	}
	if !m.has(t, "victim") || m.has(t, "hash0") || !m.has(t, "hash9999") || m.byOwner["greedy"].size > maxOwnerChanges {
		t.Errorf("victim %t, oldest %t, newest %t; %d bytes", m.has(t, "victim"), m.has(t, "hash0"), m.has(t, "hash9999"), m.byOwner["greedy"].size)
	}
}

func TestAllChangesAreLimited(t *testing.T) {
	m := &MemoryChanges{}
	expires := time.Now().Add(time.Hour)
	large := []string{strings.Repeat("x", 200<<10)}
	for i := range 1_000 {
		m.Save(fmt.Sprint("hash", i), Changes{Owner: access.Owner(fmt.Sprint(i)), Subscriptions: subscribed(large...), Expires: expires})
	}
	if m.size > maxAllChanges || m.has(t, "hash0") || !m.has(t, "hash999") || len(m.byOwner) != len(m.byHash) {
		t.Errorf("%d bytes of %d sessions and %d owners", m.size, len(m.byHash), len(m.byOwner))
	}
}

func TestChangesOfOneSessionAreLimited(t *testing.T) {
	m := &MemoryChanges{}
	var uris []string
	for i := range 1_000 {
		uris = append(uris, fmt.Sprintf("a:%0*d", 1<<10, i))
	}
	m.Save("hash", Changes{Owner: "o", Subscriptions: subscribed(uris...), Expires: time.Now().Add(time.Hour)})
	if got := m.kept(t, "hash"); got.size() > MaxChanges || len(got.Subscriptions.URIs()) < 200 || !slices.Equal(got.Subscriptions.URIs(), uris[:len(got.Subscriptions.URIs())]) {
		t.Errorf("%d URIs, %d bytes", len(got.Subscriptions.URIs()), got.size())
	}
}

// The number of ended ids is limited, and those that have expired make room first.
func TestEndedIDsAreLimited(t *testing.T) {
	now := time.Now()
	var e endedIDs
	for i := range maxEnded + 10 {
		e.add(fmt.Sprint(i), now, now.Add(time.Hour))
	}
	if e.has("0") || e.has("9") || !e.has("10") || len(e.expires) != maxEnded || len(e.order) != maxEnded {
		t.Errorf("%d are kept, %d in order", len(e.expires), len(e.order))
	}
	e.add("10", now, now.Add(time.Hour))
	if len(e.order) != len(e.expires) {
		t.Errorf("%d are kept, %d in order", len(e.expires), len(e.order))
	}
	later := now.Add(time.Hour)
	e.add("late", later, later.Add(time.Hour))
	e.add("past", later, later)
	if !e.has("late") || e.has("past") || len(e.expires) != 1 || len(e.order) != 1 {
		t.Errorf("%d are kept when all have expired, %d in order", len(e.expires), len(e.order))
	}
}

// subscribed returns subscriptions that were made long ago.
func subscribed(uris ...string) Subscriptions {
	all := Subscriptions{}
	for _, uri := range uris {
		all[uri] = Subscription{}
	}
	return all
}
