package engine

import (
	"slices"
	"testing"
)

// What an engine does at a change since it mounted a table comes before what listeners get, who come later.
func TestObserversAreCalledInTheOrderInWhichTheyBegan(t *testing.T) {
	table := NewTable()
	var called []int
	for n := range 20 {
		table.observe(func(Change) { called = append(called, n) })
	}
	table.unobserve(7)
	table.update(Change{List: true}, func() {})
	if len(called) != 19 || !slices.IsSorted(called) {
		t.Errorf("called %v", called)
	}
}
