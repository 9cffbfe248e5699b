package mcphttp

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// What is gone is known for a minute, and 64 URIs of it, while subscriptions stay.
func TestGoneSubscriptionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const many = 10 * maxGone
		for _, keepAll := range []bool{false, true} {
			var s Subscriptions
			change := func(uri string, gone bool) {
				s.put(uri, Subscription{time.Now(), gone}, keepAll)
				time.Sleep(time.Millisecond)
			}
			want := func(when string, subscribed, gone int) {
				t.Helper()
				if uris := s.URIs(); len(uris) != subscribed || len(s)-len(uris) != gone {
					t.Errorf("keep all %v, %s: %d subscriptions, %d gone; want %d, %d", keepAll, when, len(uris), len(s)-len(uris), subscribed, gone)
				}
			}
			long := strings.Repeat("x", maxGoneURI+1)
			change(long, false)
			for i := range many {
				change("a"+strconv.Itoa(i), false)
			}
			want("subscribed", many+1, 0)
			change(long, true)
			for i := range many {
				change("b"+strconv.Itoa(i), true)
			}
			want("unsubscribed", many, maxGone)
			if s.isGone("b0") || !s.isGone("b"+strconv.Itoa(many-1)) {
				t.Error("the latest changes are not those that are kept")
			}
			time.Sleep(2 * latestTime)
			change("last", true)
			if keepAll {
				want("after a while", many, maxGone)
			} else {
				want("after a while", many, 1)
			}
			s.forget(time.Now().Add(2 * latestTime))
			want("forgotten", many, 0)
		}
	})
}

// Of two changes of a URI the later one holds, wherever it was made.
func TestLaterChangesHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Hour)
		own := Subscriptions{"old": {}, "new": {At: time.Now().Add(-time.Second)}, "gone": {At: time.Now().Add(-time.Second), Gone: true}}
		for _, row := range []struct {
			uri   string
			age   time.Duration
			gone  bool
			heard bool
		}{
			{"old", 30 * time.Second, true, true}, {"old", latestTime + 1, true, false}, {"old", -1, true, false},
			{"new", 2 * time.Second, true, false}, {"new", 0, true, true},
			{"gone", 2 * time.Second, false, false}, {"gone", 0, false, true}, {"other", 0, false, true},
		} {
			s := maps.Clone(own)
			if got := s.hear(row.uri, row.age, row.gone, false); got != row.heard || got && s.Has(row.uri) == row.gone {
				t.Errorf("%+v: %t, then %+v", row, got, s[row.uri])
			}
		}
	})
}

// Subscriptions keep their order and times in the stored form, and ages in that for other nodes.
func TestSubscriptionsAreStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		s := Subscriptions{"z": {}, "b": {At: now.Add(-time.Second)}, "a": {At: now}, "gone": {At: now, Gone: true}}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var read Subscriptions
		if err := json.Unmarshal(text, &read); err != nil || len(read) != len(s) {
			t.Fatal(err, string(text))
		}
		for uri, change := range s {
			if got := read[uri]; !got.At.Equal(change.At) || got.Gone != change.Gone {
				t.Errorf("%s: %+v, want %+v", uri, got, change)
			}
		}
		if got := read.URIs(); !slices.Equal(got, []string{"z", "b", "a"}) {
			t.Errorf("%v", got)
		}
		for uri, value := range s.ages() {
			want := map[string]time.Duration{"z": 24 * time.Hour, "b": time.Second}[uri]
			if age, gone := ageOf(value); age != want || gone != s[uri].Gone {
				t.Errorf("%s: %v, gone %t", uri, age, gone)
			}
		}
		for _, wrong := range []string{`{"a":"1"}`, `{"a":1.5}`, `{"a":{}}`, `{"a":9999999999999999999}`} {
			if json.Unmarshal([]byte(wrong), &read) == nil {
				t.Errorf("%s is accepted", wrong)
			}
		}
	})
}

// Once a session has what is stored, what it knew before is of no use any more.
func TestStoredSubscriptionsReplaceOldOnes(t *testing.T) {
	s := &session{owner: &Sessions{}, outbox: newMailbox(), record: Record{Partial: true, Subscriptions: Subscriptions{
		"old": {}, "new": {At: time.Now()}, "gone": {At: time.Now(), Gone: true},
	}}}
	s.adoptStored(Changes{Subscriptions: subscribed("a", "gone")})
	if got := s.record.Subscriptions.URIs(); !slices.Equal(got, []string{"a", "new"}) || s.record.Partial {
		t.Errorf("%v", got)
	}
}
