package mcphttp

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Changes are known for a minute, and 64 of them. While all are kept, only those count that the
// subscriptions of the session do not bound.
func TestLatestChangesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const many = 10 * maxLatest
		for _, all := range []bool{false, true} {
			l := latestChanges{all: all}
			want := func(when string, subscribed, unsubscribed int) {
				t.Helper()
				if s, u := l.ages(); len(s) != subscribed || len(u) != unsubscribed {
					t.Errorf("all %v, %s: %d subscriptions, %d others; want %d, %d", all, when, len(s), len(u), subscribed, unsubscribed)
				}
			}
			long := strings.Repeat("x", maxLatestURI+1)
			l.subscribe(long)
			for i := range many {
				l.subscribe("a" + strconv.Itoa(i))
				time.Sleep(time.Millisecond)
			}
			if all {
				want("subscriptions", many+1, 0)
			} else {
				want("subscriptions", maxLatest, 0)
			}
			l.unsubscribe(long)
			for i := range many {
				l.unsubscribe("b" + strconv.Itoa(i))
				time.Sleep(time.Millisecond)
			}
			if l.isGone("b0") || !l.isGone("b"+strconv.Itoa(many-1)) {
				t.Error("the latest changes are not those that are kept")
			}
			if all {
				want("unsubscriptions", many, maxLatest)
			} else {
				want("unsubscriptions", 0, maxLatest)
			}
			time.Sleep(2 * latestTime)
			if all {
				want("after a while", many, maxLatest)
				l.all = false
			}
			want("after a while", 0, 0)
			l.subscribe("last")
			if want("the last one", 1, 0); len(l.byURI) != 1 {
				t.Errorf("%d changes use memory", len(l.byURI))
			}
		}
	})
}

// Once a session has what is stored, old changes are of no use any more.
func TestStoredSessionsKeepRecentChangesOnly(t *testing.T) {
	s := &session{owner: &Sessions{}, record: Record{Partial: true}, outbox: newMailbox(), latest: latestChanges{all: true}}
	s.adoptStored(Changes{URIs: []string{"a"}})
	if s.latest.all || s.record.Partial {
		t.Error("all changes are kept")
	}
}
