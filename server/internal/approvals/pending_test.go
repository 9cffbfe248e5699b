package approvals

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func question(id, preview string) Question {
	return Question{ID: id, Tool: "Bash", Description: "Lists files", Preview: preview}
}

// numbers returns what is pending.
func numbers(p *pending) []int64 {
	all := []int64{}
	shown, _ := p.list()
	for _, one := range shown {
		all = append(all, one.Number)
	}
	return all
}

// A question gets one answer, whatever is asked or decided again.
func TestQuestionIsDecidedOnce(t *testing.T) {
	p := newPending()
	if !p.add(question("a", "{}")) || p.add(question("a", "{}")) {
		t.Error("the same question is shown twice, or never")
	}
	if id, tool, err := p.decide(1, true); id != "a" || tool != "Bash" || err != nil {
		t.Errorf("%q, %q, %v", id, tool, err)
	}
	if _, _, err := p.decide(1, true); !errors.Is(err, errNotPending) {
		t.Errorf("decided again: %v", err)
	}
	if p.add(question("a", "{}")) || p.add(question("a", `{"other":1}`)) {
		t.Error("a question that was decided is asked again")
	}
	if p.add(question("", "{}")) || p.add(question(strings.Repeat("x", maxID+1), "{}")) {
		t.Error("a question without an id, or with a long one, is shown")
	}
}

// Other content under the same id is another question, since the user has not seen it. That holds for
// content beyond what is shown, too.
func TestOtherContentIsAnotherQuestion(t *testing.T) {
	long := strings.Repeat("x", maxDescription)
	for name, swap := range map[string]func(*Question){
		"tool":        func(q *Question) { q.Tool = "Write" },
		"description": func(q *Question) { q.Description = "Lists no files" },
		"preview":     func(q *Question) { q.Preview = `{"command":"rm"}` },
		"end":         func(q *Question) { q.Description = long + "b" },
		"border":      func(q *Question) { q.Tool, q.Description = "Bash Lists", "files" },
	} {
		p := newPending()
		q := question("a", `{"command":"ls"}`)
		if name == "end" {
			q.Description = long + "a"
		}
		p.add(q)
		swap(&q)
		if !p.add(q) || !slices.Equal(numbers(p), []int64{2}) {
			t.Errorf("%s: pending are %v", name, numbers(p))
		}
		if _, _, err := p.decide(1, true); !errors.Is(err, errNotPending) {
			t.Errorf("%s: the question of before: %v", name, err)
		}
		if id, _, err := p.decide(2, false); id != "a" || err != nil {
			t.Errorf("%s: the one that is shown: %q, %v", name, id, err)
		}
	}
}

// What is not known as a whole cannot be allowed, but denied.
func TestPartsAreNotAllowed(t *testing.T) {
	half := strings.Repeat("\U0001f600", 99) // two UTF-16 code units each
	for preview, whole := range map[string]bool{
		`{}`: true, `{"command":"ls -l"}`: true, strings.Repeat("x", 199): true, half + "x": true,
		strings.Repeat("x", 200): false, strings.Repeat("x", 201): false, half + "xx": false, strings.Repeat("é", 200): false,
		`{"command":"ls …`: false, `{"command":"ls ...`: false, "{} ... \n": false, "": false, " \n": false,
	} {
		p := newPending()
		p.add(question("a", preview))
		if _, _, err := p.decide(1, true); (err == nil) != whole || !whole && !errors.Is(err, errIncomplete) {
			t.Errorf("%.20q, %d bytes: %v", preview, len(preview), err)
		}
		if _, _, err := p.decide(1, false); (err == nil) == whole {
			t.Errorf("%.20q is denied afterwards: %v", preview, err)
		}
	}
	for _, q := range []Question{
		{ID: "a", Preview: "{}"}, {ID: "a", Tool: strings.Repeat("x", maxTool+1), Preview: "{}"}, {ID: "a", Tool: "Bash", Description: strings.Repeat("x", maxDescription+1), Preview: "{}"},
	} {
		if showQuestion(q).Complete {
			t.Errorf("allowed with %d and %d characters", len(q.Tool), len(q.Description))
		}
	}
}

// Nothing of a text is hidden, and none is longer than its bound.
func TestCharactersWithoutShapeAreShown(t *testing.T) {
	for text, want := range map[string]string{
		"ls\n\t\x1b[2J\x00":                            "ls␊␉␛[2J␀",
		"a\u202eb\u200bc\ufeff":                        `a\u{202e}b\u{200b}c\u{feff}`,
		"\u00a0\u2028\x7f\u3164\u2800\U000e0041\ufe0f": `\u{a0}\u{2028}\u{7f}\u{3164}\u{2800}\u{e0041}\u{fe0f}`,
		"今日 é ع":                                       "今日 é ع",
		"\xff":                                         `\u{fffd}`,
	} {
		if got, whole := visible(text, 100); got != want || !whole {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	if got, whole := visible("12345", 4); got != "1234…" || whole {
		t.Errorf("%q, %v", got, whole)
	}
	if got, whole := visible("1234", 4); got != "1234" || !whole {
		t.Errorf("%q, %v", got, whole)
	}
}

// A question without a decision goes after ten minutes.
func TestQuestionsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPending()
		p.add(question("a", "{}"))
		time.Sleep(pendingTime - time.Second)
		p.add(question("b", "{}"))
		synctest.Wait()
		shown, changed := p.list()
		if len(shown) != 2 || shown[0].AgeSeconds != 599 || shown[1].AgeSeconds != 0 {
			t.Errorf("before: %+v", shown)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		select {
		case <-changed:
		default:
			t.Error("tabs do not learn that it has gone")
		}
		if _, _, err := p.decide(1, true); !errors.Is(err, errNotPending) || !slices.Equal(numbers(p), []int64{2}) {
			t.Errorf("after: %v, %v", numbers(p), err)
		}
		p.clear()
	})
}

// A flood of questions keeps the last 32, and little memory.
func TestFloodOfQuestionsIsBounded(t *testing.T) {
	p := newPending()
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for i := range 100_000 {
		p.add(question(fmt.Sprint(i), strings.Repeat("x", 100)))
	}
	for i := range int64(1_000) { // decisions are remembered, as few
		p.add(question(fmt.Sprint("again", i), "{}"))
		if _, _, err := p.decide(100_001+i, true); err != nil {
			t.Fatal(err)
		}
	}
	if got := numbers(p); len(got) != maxPending-1 || got[0] != 100_000-maxPending+2 || len(p.decided) != maxDecided {
		t.Errorf("%d are pending from %d, %d ids are remembered", len(got), got[0], len(p.decided))
	}
	if grown := int64(heap()) - int64(before); grown > 1<<20 {
		t.Errorf("%d bytes are kept", grown)
	}
}

// The page opens at the first question, and again when no tab shows it, at most once in 30 s.
func TestPageOpensRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var count atomic.Int32
		s := New(Options{Log: slog.New(slog.DiscardHandler), Open: func(_ context.Context, url string) error {
			count.Add(1)
			return nil
		}})
		defer s.Close()
		s.origin = "http://page.localhost:1" // nothing listens here
		n := 0
		ask := func(want int, when string) {
			t.Helper()
			n++
			s.Ask(question(fmt.Sprint(n), "{}"))
			synctest.Wait()
			if opened := int(count.Load()); opened != want {
				t.Errorf("%s: opened %d times, want %d", when, opened, want)
			}
		}
		later := func(want int, when string) {
			t.Helper()
			time.Sleep(openEvery)
			synctest.Wait()
			if opened := int(count.Load()); opened != want {
				t.Errorf("%s: opened %d times, want %d", when, opened, want)
			}
		}
		ask(1, "the first question")
		ask(1, "a second one")
		later(2, "30 s later, without a tab")
		ask(2, "a third one")
		s.connect()
		later(2, "a tab has connected meanwhile")
		s.disconnect()
		ask(3, "a question after the tab was closed")
		s.connect()
		ask(3, "with a tab")
		s.disconnect()
		later(3, "the tab has shown it")
		ask(4, "another question without a tab")
		ask(4, "and one more")
		s.pending.clear()
		later(4, "all have gone")
		s.Close()
		ask(4, "after Close")
	})
}

// A link is good once, for two minutes, and until the next one. Tabs keep their secrets.
func TestLinkIsGoodOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s secrets
		if _, ok := s.useLink(""); ok {
			t.Error("without a link")
		}
		first, second := s.newLink(), s.newLink()
		if _, ok := s.useLink(first); ok || first == second {
			t.Error("a link of before")
		}
		tab, ok := s.useLink(second)
		if _, again := s.useLink(second); !ok || again || !s.isTab(tab) || s.isTab(second) || s.isTab("") {
			t.Errorf("used %v, again %v", ok, again)
		}
		third := s.newLink()
		time.Sleep(linkTime + 1)
		if _, ok := s.useLink(third); ok {
			t.Error("after two minutes")
		}
		for range maxTabs {
			if !s.isTab(tab) {
				t.Error("a tab is shut out")
			}
			s.useLink(s.newLink())
		}
		if s.isTab(tab) {
			t.Error("any number of tabs is let in")
		}
	})
}
