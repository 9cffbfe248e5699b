package server

import (
	"fmt"
	"strings"
	"testing"
)

// The log keeps the last lines within its bounds, and counts what a slow reader missed.
func TestLogRingIsBounded(t *testing.T) {
	t.Parallel()
	l := newLogRing()
	for i := range 3 * maxLogLines {
		fmt.Fprintf(l, "%d %s\n", i, strings.Repeat("x", 300))
	}
	lines, next, lost, _ := l.after(0)
	size := 0
	for _, line := range lines {
		size += len(line)
	}
	if size > maxLogBytes || len(lines) > maxLogLines || next != 3*maxLogLines || lost != next-len(lines) || !strings.HasPrefix(string(lines[len(lines)-1]), fmt.Sprint(next-1, " ")) {
		t.Errorf("%d lines, %d bytes, next %d, lost %d", len(lines), size, next, lost)
	}
	l.Write([]byte(strings.Repeat("x", maxLogLine+1)))
	l.Write([]byte("last\n"))
	if lines, _, lost, _ := l.after(next); len(lines) != 1 || lost != 0 || string(lines[0]) != "last\n" {
		t.Errorf("%q, lost %d", lines, lost)
	}
	if lines, _, _, changed := l.after(next + 1); len(lines) != 0 {
		t.Errorf("%q", lines)
	} else {
		select {
		case <-changed:
			t.Error("changed without a new line")
		default:
		}
	}
}
