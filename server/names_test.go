package server

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func testNames(t *testing.T) *names {
	t.Helper()
	n, err := openNames(newTestState(t))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func claim(t *testing.T, n *names, origin, page, wanted string) string {
	t.Helper()
	name, err := n.claim(origin, page, wanted)
	if err != nil {
		t.Fatal(err)
	}
	if !validName(name) {
		t.Errorf("%q is no name", name)
	}
	return name
}

// S12: a name belongs to the origin that first had it, and a tab keeps its own.
func TestNamesStayWithTheirTabs(t *testing.T) {
	n := testNames(t)
	for _, step := range []struct{ origin, page, wanted, want string }{
		{"https://a.example", "1", "notes", "notes"},
		{"https://a.example", "2", "notes", "notes-2"},
		{"https://a.example", "1", "notes", "notes"},
		{"https://a.example", "2", "renamed", "notes-2"},
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
	again, err := openNames(n.state)
	if err != nil {
		t.Fatal(err)
	}
	if got := claim(t, again, "https://a.example", "2", "notes"); got != "notes-2" {
		t.Errorf("after a restart: %q", got)
	}
}

func TestNamesAreSpelledSafely(t *testing.T) {
	n := testNames(t)
	for wanted, want := range map[string]string{
		"": "page", "Notes": "notes", "My Notes!": "my-notes", "+": "page", "1st": "st", "a.b+c:d/e": "a-b-c-d-e", "日本": "page",
		"x\u202ey": "x-y", "---": "page", "a--b": "a-b",
	} {
		if got := nameFrom(wanted); got != want {
			t.Errorf("%q becomes %q, want %q", wanted, got, want)
		}
	}
	long := ""
	for range 100 {
		long += "long-"
	}
	for i := range 12 {
		if got := claim(t, n, "https://a.example", fmt.Sprint(i), long); len(got) > maxName {
			t.Errorf("%q is too long", got)
		}
	}
}

// A name is forgotten a day after its page left, not while it is there.
func TestNamesAreForgottenAfterADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := testNames(t)
		claim(t, n, "https://a.example", "1", "notes")
		time.Sleep(2 * nameMemory)
		if got := claim(t, n, "https://a.example", "2", "notes"); got != "notes-2" {
			t.Errorf("while the first is there: %q", got)
		}
		n.left("notes")
		time.Sleep(nameMemory - time.Minute)
		if got := claim(t, n, "https://a.example", "3", "notes"); got != "notes-3" {
			t.Errorf("within a day: %q", got)
		}
		time.Sleep(2 * time.Minute)
		if got := claim(t, n, "https://a.example", "4", "notes"); got != "notes" {
			t.Errorf("after a day: %q", got)
		}
	})
}
