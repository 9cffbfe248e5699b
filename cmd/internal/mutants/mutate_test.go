package main

import (
	"slices"
	"strings"
	"testing"
)

// Each kind of change is made once at each place, and the rest of the file is unchanged.
func TestMutate(t *testing.T) {
	const source = `package p

func f(a, b int) int {
	defer done()
	if a == b && ready() {
		say(a)
	}
	return a + b
}
`
	all, err := mutate("p.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all {
		got = append(got, m.what)
		was, is := strings.Split(source, "\n"), strings.Split(string(m.text), "\n")
		if len(was) != len(is) {
			t.Fatalf("%s: the file has %d lines, and had %d", m.what, len(is), len(was))
		}
		for i := range was {
			if (was[i] != is[i]) != (i+1 == m.number) {
				t.Errorf("%s: line %d is %q, and was %q", m.what, i+1, is[i], was[i])
			}
		}
	}
	want := []string{
		"the defer is left out", "the condition never holds", "the condition always holds", "&& becomes ||",
		"== becomes !=", "the call is left out", "+ becomes -",
	}
	if !slices.Equal(got, want) {
		t.Errorf("changes %q; want %q", got, want)
	}
}
