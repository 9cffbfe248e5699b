package plain_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/plain"
)

func TestPlainText(t *testing.T) {
	for class, text := range enginetest.AwkwardTexts {
		if got := plain.Text(text[0], 100); got != text[1] {
			t.Errorf("%s: %q becomes %q, want %q", class, text[0], got, text[1])
		}
		if strings.ContainsAny(text[0], "\n\t\r") {
			continue
		}
		if got := plain.Lines(text[0], 100); got != text[1] {
			t.Errorf("%s, of several lines: %q becomes %q, want %q", class, text[0], got, text[1])
		}
	}
	if got := plain.Lines("a\r\n\tb\x00\n", 100); got != "a\n\tb\n" {
		t.Errorf("lines become %q", got)
	}
	for text, want := range map[string]string{
		strings.Repeat("x", 1<<20):    "xxx",
		strings.Repeat("ü", 1<<20):    "üüü",
		"ab\u200b\u200bcd":            "abc",
		"a" + strings.Repeat("\n", 9): "a  ",
		"ab🙂\u200d🙂":                  "ab🙂", // no joiner without what it joins
		"🙂\u200d🙂\u200d🙂":             "🙂\u200d🙂",
	} {
		if got := plain.Text(text, 3); got != want {
			t.Errorf("three characters of %.40q are %q, want %q", text, got, want)
		}
	}
}

// No character that Unicode calls a control, a format character, ignorable or not a
// character is left, wherever it stands. The exceptions are visible signs in front of
// digits, and blanks.
func TestPlainTextKeepsNothingThatUnicodeHides(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		hides := unicode.In(r, unicode.Cc, unicode.Cf, unicode.Cs, unicode.Other_Default_Ignorable_Code_Point,
			unicode.Variation_Selector, unicode.Noncharacter_Code_Point, unicode.Zl, unicode.Zp) &&
			!unicode.In(r, unicode.Prepended_Concatenation_Mark)
		for _, text := range []string{string(r), "a" + string(r) + "b", "م" + string(r), string(r) + "🙂"} {
			if got := plain.Text(text, 9); hides && strings.ContainsRune(got, r) {
				t.Errorf("%U is left in %q", r, got)
			} else if !hides && unicode.IsGraphic(r) && r < 0xe0000 && r != 0x2800 && r != utf8.RuneError && got != text &&
				!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point) && !isBlankFor(r) {
				t.Errorf("%U is removed from %q", r, text)
			}
		}
	}
}

// isBlankFor: graphic by its category and not to be seen, or an object that is not there.
func isBlankFor(r rune) bool { return r == 0xfffc || r >= 0x13430 && r <= 0x1345f }
