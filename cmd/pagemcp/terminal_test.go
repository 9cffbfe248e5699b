package main

import (
	"testing"
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
