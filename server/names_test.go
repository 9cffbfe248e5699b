package server

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

func testNames(t *testing.T) *names {
	t.Helper()
	n, err := openNames(newTestState(t))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// claim claims a name for a tab of one browser.
func claim(t *testing.T, n *names, origin, page, requested string) string {
	t.Helper()
	return claimWith(t, n, origin, "key", page, requested)
}

func claimWith(t *testing.T, n *names, origin, key, page, requested string) string {
	t.Helper()
	name := n.claim(t.Context(), origin, key, page, requested)
	if !access.ValidName(name) {
		t.Errorf("%q is no name", name)
	}
	return name
}

// A name belongs to the origin that had it first, and a tab keeps its name, one for each of its apps.
func TestNamesStayWithTheirTabs(t *testing.T) {
	t.Parallel()
	n := testNames(t)
	for _, step := range []struct{ origin, page, wanted, want string }{
		{"https://a.example", "1", "notes", "notes"},
		{"https://a.example", "2", "notes", "notes-2"},
		{"https://a.example", "1", "notes", "notes"},
		{"https://a.example", "2", "dev", "dev"},
		{"https://a.example", "2", "notes", "notes-2"},
		{"https://b.example:444", "1", "notes", "notes-b-example-444"},
		{"https://b.example:444", "2", "notes", "notes-b-example-444-2"},
		{"https://c.example", "1", "notes-2", "notes-2-c-example"},
		{"https://c.example", "2", "notes-b-example-444", "notes-b-example-444-c-example"},
		{"https://a.example", "3", "notes", "notes-3"},
	} {
		if got := claim(t, n, step.origin, step.page, step.wanted); got != step.want {
			t.Errorf("%s of %s, tab %s: %q, want %q", step.wanted, step.origin, step.page, got, step.want)
		}
	}
	again, err := openNames(n.file.state)
	if err != nil {
		t.Fatal(err)
	}
	if got := claim(t, again, "https://a.example", "2", "notes"); got != "notes-2" {
		t.Errorf("after a restart: %q", got)
	}
}

// A name belongs to its origin and app until it is revoked: neither time nor a restart
// gives it, or a numbered form of it, to another origin.
func TestNamesBelongToTheirOriginUntilRevoked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := testNames(t)
		const a = "https://a.example"
		claim(t, n, a, "1", "notes")
		n.unclaim("notes")
		time.Sleep(400 * limits.NameTTL)
		if got := claim(t, n, "https://b.example", "1", "notes"); got != "notes-b-example" {
			t.Errorf("after a year: %q", got)
		}
		n, err := openNames(n.file.state)
		if err != nil {
			t.Fatal(err)
		}
		if got := claim(t, n, "https://c.example", "1", "notes"); got != "notes-c-example" {
			t.Errorf("after a year and a restart: %q", got)
		}
		if got := n.remembered(); slices.Contains(got, "notes") {
			t.Errorf("no tab comes back to notes, and %q are remembered", got)
		}
		if got := claim(t, n, a, "new", "notes"); got != "notes" {
			t.Errorf("the origin itself, after a year: %q", got)
		}
		n.unclaim("notes")
		n.revoke(func(origin string) bool { return origin == a })
		if got := claim(t, n, "https://d.example", "1", "notes"); got != "notes" {
			t.Errorf("after it is revoked: %q", got)
		}
	})
}

// Of the names of one app, only the one that was used last outlives NameTTL.
func TestNumbersOfNamesExpire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := testNames(t)
		for _, page := range []string{"1", "2", "3"} {
			claim(t, n, "https://a.example", page, "notes")
		}
		time.Sleep(2 * limits.NameTTL)
		for _, name := range []string{"notes-2", "notes-3", "notes"} {
			n.unclaim(name)
			time.Sleep(time.Minute)
		}
		time.Sleep(limits.NameTTL - time.Hour)
		if got := n.remembered(); len(got) != 3 {
			t.Errorf("within a day: %q", got)
		}
		time.Sleep(time.Hour)
		if got := n.remembered(); len(got) != 0 || len(n.known) != 1 {
			t.Errorf("after a day: %q, %d records", got, len(n.known))
		}
	})
}

// Tabs that are open for longer than NameTTL get the same names again, in any order, when the
// gateway was away or was killed.
func TestNamesOfOpenTabsOutliveLongAbsenceOfGateway(t *testing.T) {
	t.Parallel()
	for _, wasKilled := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			n := testNames(t)
			const a = "https://a.example"
			claim(t, n, a, "1", "notes")
			claim(t, n, a, "2", "notes")
			if !wasKilled {
				n.close()
				n.unclaim("notes") // its socket is closed
			}
			time.Sleep(3 * limits.NameTTL)
			n, err := openNames(n.file.state)
			if err != nil {
				t.Fatal(err)
			}
			if got := n.remembered(); len(got) != 2 {
				t.Errorf("after the start: %q", got)
			}
			if two, one := claim(t, n, a, "2", "notes"), claim(t, n, a, "1", "notes"); two != "notes-2" || one != "notes" {
				t.Errorf("notes and notes-2 are %q and %q", one, two)
			}
		})
	}
}

// One origin keeps limits.MaxNames names, the apps' last ones longest.
func TestRememberedNamesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := testNames(t)
		n.file.snapshot = func() any { return nil } // what is stored takes long
		const a = "https://a.example"
		claim(t, n, a, "mail", "mail")
		n.unclaim("mail")
		for i := range 2 * limits.MaxNames {
			time.Sleep(time.Second)
			n.unclaim(claim(t, n, a, fmt.Sprint(i), "notes"))
		}
		if got := len(n.known); got > limits.MaxNames || n.known["mail"] == nil {
			t.Errorf("%d names; mail: %v", got, n.known["mail"])
		}
	})
}

// A new tab gets the lowest name of its browser whose page has been away for
// limits.LeaveTime; it waits for a page that may be reloading.
func TestNewTabGetsTheLowestNameOfItsBrowser(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := testNames(t)
		const a = "https://a.example"
		expect := func(what, page, app, want string, wait time.Duration) {
			t.Helper()
			start := time.Now()
			if got := claim(t, n, a, page, app); got != want || time.Since(start) != wait {
				t.Errorf("%s: %q after %v, want %q after %v", what, got, time.Since(start), want, wait)
			}
		}
		expect("the first tab", "1", "notes", "notes", 0)
		expect("the second tab", "2", "notes", "notes-2", 0)
		n.unclaim("notes")
		expect("the app, closed and opened at once", "3", "notes", "notes", limits.LeaveTime)
		n.unclaim("notes") // its browser is killed
		n.unclaim("notes-2")
		time.Sleep(time.Minute)
		expect("after its browser was killed", "4", "notes", "notes", 0)
		expect("one more", "5", "notes", "notes-2", 0)
		expect("another app", "6", "mail", "mail", 0)
		expect("the first, which slept", "1", "notes", "notes-3", 0)
		// The second socket of one page: its name is in use until both are closed.
		expect("a reconnect", "4", "notes", "notes", 0)
		n.unclaim("notes")
		time.Sleep(limits.GraceTime)
		expect("while one socket is left", "7", "notes", "notes-4", 0)
	})
}

// Two profiles of a browser, or two browsers, have an app: each gets the name back that it
// had, whichever opens the app first. A third one waits for neither.
func TestBrowserGetsTheNameThatItHad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := testNames(t)
		const a = "https://a.example"
		claimWith(t, n, a, "one", "first", "notes")
		claimWith(t, n, a, "two", "second", "notes")
		n.unclaim("notes")
		n.unclaim("notes-2")
		time.Sleep(2 * limits.LeaveTime)
		if got := claimWith(t, n, a, "two", "third", "notes"); got != "notes-2" {
			t.Errorf("the second profile, opened first: %q", got)
		}
		if got := claimWith(t, n, a, "three", "fourth", "notes"); got != "notes-3" {
			t.Errorf("a profile that is new: %q", got)
		}
		time.Sleep(limits.GraceTime)
		if got := claimWith(t, n, a, "three", "fifth", "notes"); got != "notes" {
			t.Errorf("a profile that is new, later: %q", got)
		}
	})
}

// After a restart, orderly or not, names of connected pages are reserved for the grace
// time; others can be taken over at once.
func TestNamesOfPagesThatWereHereAreKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := testNames(t)
		const a = "https://a.example"
		claim(t, n, a, "1", "notes")
		claim(t, n, a, "2", "notes")
		claim(t, n, a, "3", "notes")
		n.unclaim("notes")
		time.Sleep(time.Minute)
		again, err := openNames(n.file.state)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct{ page, want string }{{"new", "notes"}, {"newer", "notes-4"}, {"3", "notes-3"}, {"2", "notes-2"}} {
			if got := claim(t, again, a, step.page, "notes"); got != step.want {
				t.Errorf("tab %s: %q, want %q", step.page, got, step.want)
			}
		}
	})
}

// In any sequence of joins and restarts: two connected documents never have the same
// name; a page id keeps its name while it is connected or reloading; a name of one
// origin is never given to another, nor one that resembles it; a vacant name is used
// before a new one is made.
func TestNamesProperties(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	t.Parallel()
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) { walkNames(t, rand.New(rand.NewPCG(seed, 1))) })
	}
}

func walkNames(t *testing.T, random *rand.Rand) {
	type tab struct {
		origin, app, page, name string
		here                    bool
		left                    time.Time
	}
	origins := []string{"https://a.example", "https://b.example", "http://a-example", "https://a.example:99", "https://b.example:4443"}
	apps := []string{"notes", "notes-2", "mail", "notes-b-example", strings.Repeat("long", 20), "notes-99"}
	var tabs []*tab
	owners := map[string]string{} // of names that are remembered
	n := testNames(t)
	join := func(x *tab, fresh bool) {
		vacant := ""
		for _, other := range tabs {
			if other.origin == x.origin && other.app == x.app && !other.here && other.name != "" && time.Since(other.left) >= limits.GraceTime {
				vacant = other.name
			}
		}
		x.here = true
		before := x.name
		away := time.Since(x.left)
		x.name = claim(t, n, x.origin, x.page, x.app)
		if !fresh && before != "" && away < limits.GraceTime && x.name != before {
			t.Fatalf("tab %+v was %q, %v ago", x, before, away)
		}
		if fresh && vacant != "" && owners[x.name] == "" {
			t.Fatalf("tab %+v got a new name, and %q was vacant", x, vacant)
		}
		for _, other := range tabs {
			if other != x && other.name == x.name {
				if other.here || time.Since(other.left) < limits.LeaveTime {
					t.Fatalf("%+v took over the name of %+v", x, other)
				}
				other.name = "" // taken over
			}
		}
		for name, owner := range owners {
			if owner != x.origin && (name == x.name || isNumbered(name, x.name) || isNumbered(x.name, name)) {
				t.Fatalf("%s got %q, and %s has %q", x.origin, x.name, owner, name)
			}
		}
		owners[x.name] = x.origin
	}
	for step := range 150 {
		switch random.IntN(8) {
		case 0, 1: // a new tab
			x := &tab{origin: origins[random.IntN(len(origins))], app: apps[random.IntN(len(apps))], page: fmt.Sprint(step)}
			join(x, true)
			tabs = append(tabs, x)
		case 2, 3, 4: // a page leaves or reconnects
			if len(tabs) == 0 {
				continue
			}
			x := tabs[random.IntN(len(tabs))]
			if x.here {
				x.here, x.left = false, time.Now()
				n.unclaim(x.name)
			} else {
				join(x, false)
			}
		case 5:
			time.Sleep(time.Duration(random.IntN(20)) * time.Second)
		case 6: // the gateway is killed; tabs that were here come back in any order
			again, err := openNames(n.file.state)
			if err != nil {
				t.Fatal(err)
			}
			n = again
			var back []*tab
			for _, x := range tabs {
				if x.here {
					x.here, x.left = false, time.Now()
					back = append(back, x)
				}
			}
			random.Shuffle(len(back), func(i, j int) { back[i], back[j] = back[j], back[i] })
			for _, x := range back {
				join(x, false)
			}
		}
	}
}
