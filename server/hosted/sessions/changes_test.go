package sessions

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted/sessions/sessionstest"
	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

func testRing(t testing.TB, lines ...string) keys.Ring {
	t.Helper()
	ring, err := keys.Parse([]byte(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

// Each node sees the last change, wherever it was made.
func TestChangesReachOtherNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring, values := testRing(t, keys.New()), &sessionstest.Values{Stored: map[string][]byte{}}
		a, b := New(ring, values), New(ring, values)
		expires := time.Now().Add(time.Hour)
		sees := func(what string, s *Changes, uris ...string) {
			t.Helper()
			if got, _ := s.Load(t.Context(), "hash"); !slices.Equal(got.Subscriptions.URIs(), uris) || got.Ended {
				t.Errorf("%s: %+v", what, got)
			}
		}
		save := func(s *Changes, uris ...string) {
			s.Save("hash", mcphttp.Changes{Owner: "o", Subscriptions: subscribed(uris...), Expires: expires})
		}
		save(a)
		sees("without a change", b)
		if len(values.Stored) > 0 {
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
		for _, secret := range []string{"a:3", "subscriptions", "expires"} {
			if bytes.Contains(values.Stored["hash"], []byte(secret)) {
				t.Errorf("%s can be read", secret)
			}
		}
		values.Stored["other"] = values.Stored["hash"]
		if got, _ := a.Load(t.Context(), "other"); !got.IsZero() {
			t.Errorf("the value of another session: %+v", got)
		}
		values.Stored["hash"] = []byte("broken")
		sees("a broken value", a, "a:3")
		a.Save("hash", mcphttp.Changes{Owner: "o", Ended: true, Expires: expires})
		time.Sleep(time.Minute)
		save(b, "a:4") // it has not heard of the end
		for what, s := range map[string]*Changes{"a": a, "b": b, "another": New(ring, values)} {
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
		ring, values := testRing(t, keys.New()), &sessionstest.Values{Stored: map[string][]byte{}}
		a, b := New(ring, values), New(ring, values)
		expires := time.Now().Add(time.Hour)
		values.GoAway()
		for i, s := range []*Changes{a, b, a} {
			time.Sleep(time.Second)
			uris := []string{fmt.Sprint("a:", i)}
			s.Save("hash", mcphttp.Changes{Owner: "o", Subscriptions: subscribed(uris...), Expires: expires})
			if got, _ := s.Load(t.Context(), "hash"); !slices.Equal(got.Subscriptions.URIs(), uris) {
				t.Errorf("without the store: %+v", got)
			}
		}
		values.Back()
		for _, s := range []*Changes{a, b, New(ring, values)} {
			if got, _ := s.Load(t.Context(), "hash"); strings.Join(got.Subscriptions.URIs(), " ") != "a:2" {
				t.Errorf("afterwards: %+v", got)
			}
		}
	})
}

func TestChangesOpenAfterARotation(t *testing.T) {
	old, next := keys.New(), keys.New()
	values := &sessionstest.Values{Stored: map[string][]byte{}}
	s := New(testRing(t, old), values)
	s.Save("hash", mcphttp.Changes{Owner: "o", LogLevel: "error", Expires: time.Now().Add(time.Hour)})
	for _, keys := range [][]string{{old, next}, {next, old}, {next}} {
		got, _ := New(testRing(t, keys...), values).Load(t.Context(), "hash")
		if want := slices.Contains(keys, old); (got.LogLevel == "error") != want {
			t.Errorf("with %d keys: %+v", len(keys), got)
		}
	}
	s.SetKeys(testRing(t, next, old))
	s.Save("hash", mcphttp.Changes{Owner: "o", LogLevel: "debug", Expires: time.Now().Add(time.Hour)})
	if got, _ := New(testRing(t, next), values).Load(t.Context(), "hash"); got.LogLevel != "debug" {
		t.Errorf("sealed by the new key: %+v", got)
	}
}

// subscribed returns subscriptions that were made long ago.
func subscribed(uris ...string) mcphttp.Subscriptions {
	all := mcphttp.Subscriptions{}
	for _, uri := range uris {
		all[uri] = mcphttp.Subscription{}
	}
	return all
}
