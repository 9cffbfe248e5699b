package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"one two three four", "one two\nthree four\n"},
		{"a\n\nb", "a\n\nb\n"},
		{"  one two three", "  one two\n  three\n"},
		{"--a  one two three", "--a  one\n     two\n     three\n"},
		{"--abcdef  one two", "--abcdef\n     one\n     two\n"}, // the column has no room
		{"incomprehensibilities are", "incomprehensibilities\nare\n"},
		{"ä ö ü é è ê ë", "ä ö ü é è\nê ë\n"},
		{"0123456789 b", "0123456789\nb\n"},
	} {
		if got := wrap(c.text, 10, 5); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// Help fits into 80 columns where there is no terminal, and its paragraphs fill them.
func TestHelpIsWrapped(t *testing.T) {
	forEachHelp(t, func(path []string, _ *cobra.Command, help string) {
		about, _, _ := strings.Cut(help, "\nUsage:")
		for paragraph := range strings.SplitSeq(about, "\n\n") {
			lines := strings.Split(strings.TrimSpace(paragraph), "\n")
			for i, line := range lines[1:] {
				next, _, _ := strings.Cut(line, " ")
				if utf8.RuneCountInString(lines[i]+" "+next) <= usualWidth {
					t.Errorf("%v: %q has room for %q", path, lines[i], next)
				}
			}
		}
		for line := range strings.Lines(help) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > usualWidth {
				t.Errorf("%v: %d characters: %s", path, n, line)
			}
		}
	})
}

// A link has no control characters where they would become part of a file.
func TestLinksInFiles(t *testing.T) {
	if got := link(&bytes.Buffer{}, "http://127.0.0.1:1/#a"); got != "http://127.0.0.1:1/#a" {
		t.Errorf("%q", got)
	}
}
