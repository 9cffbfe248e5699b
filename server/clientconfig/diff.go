package clientconfig

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

// diffContext is the number of unchanged lines before and after each change.
const diffContext = 3

// maxDiffLine bounds a line of a diff, in bytes: some clients write their file as one line.
const maxDiffLine = 400

// A diffLine is a line with ' ', '-' or '+' before it.
type diffLine struct {
	kind byte
	text string // without line break
}

// unified returns the unified diff of two texts, as git and patch print it.
func unified(path string, before, after []byte) string {
	a, b := splitLines(before), splitLines(after)
	lines := compare(a, b)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", path, path)
	lineA, lineB := 1, 1
	for i := 0; i < len(lines); {
		if lines[i].kind == ' ' {
			lineA, lineB, i = lineA+1, lineB+1, i+1
			continue
		}
		start := max(i-diffContext, 0)
		end := i
		for next := i; next < len(lines) && next <= end+2*diffContext; next++ {
			if lines[next].kind != ' ' {
				end = next
			}
		}
		stop := min(end+1+diffContext, len(lines))
		hunkA, hunkB := lineA-(i-start), lineB-(i-start)
		var text strings.Builder
		countA, countB := 0, 0
		for _, l := range lines[start:stop] {
			if l.kind != '+' {
				countA++
			}
			if l.kind != '-' {
				countB++
			}
			shown, broken := strings.CutSuffix(l.text, "\n")
			text.WriteByte(l.kind)
			text.WriteString(shorten(strings.TrimSuffix(shown, "\r")) + "\n")
			if !broken {
				text.WriteString("\\ No newline at end of file\n")
			}
		}
		fmt.Fprintf(&out, "@@ -%s +%s @@\n%s", hunkRange(hunkA, countA), hunkRange(hunkB, countB), text.String())
		lineA, lineB, i = hunkA+countA, hunkB+countB, stop
	}
	return out.String()
}

func hunkRange(start, count int) string {
	if count == 0 {
		start--
	}
	return fmt.Sprintf("%d,%d", start, count)
}

// shorten returns a line as it is shown: without control characters, which could change
// what a terminal displays.
func shorten(line string) string {
	line = strings.Map(func(r rune) rune {
		if r != '\t' && unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, line)
	if len(line) <= maxDiffLine {
		return line
	}
	return strings.ToValidUTF8(line[:maxDiffLine], "") + "…"
}

// splitLines returns lines with their line breaks.
func splitLines(text []byte) []string {
	var lines []string
	for line := range bytes.Lines(text) {
		lines = append(lines, string(line))
	}
	return lines
}

// compare returns a shortest edit script, by the greedy algorithm of E. W. Myers, "An
// O(ND) Difference Algorithm and Its Variations". Common lines at both ends are skipped
// first; what is between has few differences, as splices do.
func compare(a, b []string) []diffLine {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var lines []diffLine
	for _, line := range a[:head] {
		lines = append(lines, diffLine{' ', line})
	}
	lines = append(lines, shortestEdit(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, line := range a[len(a)-tail:] {
		lines = append(lines, diffLine{' ', line})
	}
	return lines
}

func shortestEdit(a, b []string) []diffLine {
	limit := len(a) + len(b)
	reach := map[int]int{1: 0} // by diagonal x-y: the farthest x
	var steps []map[int]int
	for d := 0; d <= limit; d++ {
		step := map[int]int{}
		for k, x := range reach {
			step[k] = x
		}
		steps = append(steps, step)
		for k := -d; k <= d; k += 2 {
			x := reach[k-1] + 1
			if k == -d || k != d && reach[k-1] < reach[k+1] {
				x = reach[k+1]
			}
			y := x - k
			for x < len(a) && y < len(b) && a[x] == b[y] {
				x, y = x+1, y+1
			}
			reach[k] = x
			if x >= len(a) && y >= len(b) {
				return editScript(a, b, steps)
			}
		}
	}
	return nil
}

// editScript follows the steps back from the ends of both texts.
func editScript(a, b []string, steps []map[int]int) []diffLine {
	var reversed []diffLine
	x, y := len(a), len(b)
	for d := len(steps) - 1; d >= 0; d-- {
		reach, k := steps[d], x-y
		from := k - 1
		if k == -d || k != d && reach[k-1] < reach[k+1] {
			from = k + 1
		}
		fromX := reach[from]
		fromY := fromX - from
		for x > fromX && y > fromY && x > 0 && y > 0 {
			x, y = x-1, y-1
			reversed = append(reversed, diffLine{' ', a[x]})
		}
		if d == 0 {
			break
		}
		if x > fromX {
			x--
			reversed = append(reversed, diffLine{'-', a[x]})
		} else {
			y--
			reversed = append(reversed, diffLine{'+', b[y]})
		}
	}
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	return reversed
}
