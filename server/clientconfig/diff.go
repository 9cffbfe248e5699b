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

// unified returns the unified diff of two texts, as git and patch print it. Its cost is
// linear: only the lines around what differs are compared.
func unified(path string, before, after []byte) string {
	from, skipped := sharedStart(before, after)
	shared := sharedEnd(before[from:], after[from:])
	lines := compare(splitLines(before[from:len(before)-shared]), splitLines(after[from:len(after)-shared]))
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", path, path)
	lineA, lineB := 1+skipped, 1+skipped
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

// sharedStart returns the offset of the line diffContext lines before the first line that
// differs, and the number of lines before it.
func sharedStart(a, b []byte) (offset, lines int) {
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	offset = bytes.LastIndexByte(a[:same], '\n') + 1
	for range diffContext {
		if offset > 0 {
			offset = bytes.LastIndexByte(a[:offset-1], '\n') + 1
		}
	}
	return offset, bytes.Count(a[:offset], []byte("\n"))
}

// sharedEnd returns the length of the text at the end of a and b, in whole lines, that is
// further than diffContext lines from any line that differs.
func sharedEnd(a, b []byte) int {
	same := 0
	for same < len(a) && same < len(b) && a[len(a)-1-same] == b[len(b)-1-same] {
		same++
	}
	rest := a[len(a)-same:]
	for range diffContext + 1 { // the first line break may end a line that differs
		_, next, found := bytes.Cut(rest, []byte("\n"))
		if !found {
			return 0
		}
		rest = next
	}
	return len(rest)
}

func hunkRange(start, count int) string {
	if count == 0 {
		start--
	}
	return fmt.Sprintf("%d,%d", start, count)
}

// shorten returns a line as it is shown: without control characters and such as cannot be
// seen or reorder text, which could change what a terminal displays.
func shorten(line string) string {
	line = strings.Map(func(r rune) rune {
		if r != '\t' && unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
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

// maxEdit is the number of changes for which a shortest edit script is sought: the cost
// grows with its square.
const maxEdit = 500

func shortestEdit(a, b []string) []diffLine {
	limit := min(len(a)+len(b), maxEdit)
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
	var all []diffLine
	for _, line := range a {
		all = append(all, diffLine{'-', line})
	}
	for _, line := range b {
		all = append(all, diffLine{'+', line})
	}
	return all
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
