package engine

import (
	"errors"
	"slices"
)

// How a variable that stands twice may stand in an expression: everywhere in the same
// way, so that it is read as absent everywhere or nowhere.
const (
	byItself  = 1 + iota // without an operator's character: absent is read as empty
	repeated             // likewise, more than once and beside no other: there or absent as a whole
	marked               // behind an operator's character
	ambiguous            // a list, or beside others: 1 is what {x,y,x} is without x
)

//go:noinline
func (p *templatePart) standing(v templateVariable) int {
	for _, other := range p.variables {
		if v.explode || p.op.first == "" && other.name != v.name {
			return ambiguous
		}
	}
	switch {
	case p.op.first != "":
		return marked
	case len(p.variables) > 1:
		return repeated
	}
	return byItself
}

// checkRepeats refuses variables that stand twice in different ways.
func checkRepeats(parts []templatePart, names []string) error {
	before := make([]int, len(names))
	for i := range parts {
		for _, v := range parts[i].variables {
			at, is := slices.Index(names, v.name), parts[i].standing(v)
			if before[at] != 0 && (before[at] != is || is == ambiguous) {
				return errors.New("a variable stands twice, in places where it cannot be told whether it is there")
			}
			before[at] = is
		}
	}
	return nil
}

// namesOf returns the variables of a template, each once, and in how many places each is used
// without `*` (explode).
func namesOf(parts []templatePart) (names []string, places []int) {
	for _, p := range parts {
		for _, v := range p.variables {
			at := slices.Index(names, v.name)
			if at < 0 {
				at = len(names)
				names, places = append(names, v.name), append(places, 0)
			}
			if !v.explode {
				places[at]++
			}
		}
	}
	return names, places
}
