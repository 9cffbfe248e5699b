package main

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// What depends on the terminal: how wide text is, and links.

// Widths of text, in characters.
const (
	usualWidth = 80  // where there is no terminal
	mostWidth  = 110 // longer lines are hard to read
	leastText  = 30  // of a column of text that is wrapped
)

// terminalOf returns the width of the terminal that w writes to; false: it is none.
func terminalOf(w io.Writer) (width int, ok bool) {
	file, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(file.Fd())) {
		return usualWidth, false
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil || width <= 0 {
		return usualWidth, true
	}
	return min(width, mostWidth), true
}

// helpOf returns the help of a command, wrapped.
func helpOf(c *cobra.Command, width int) string {
	text := strings.TrimSpace(c.Long)
	if text == "" {
		text = c.Short
	}
	// Where the lines of a paragraph end is a matter of the source.
	paragraphs := strings.ReplaceAll(text, "\n\n", "\x00")
	text = strings.ReplaceAll(strings.ReplaceAll(paragraphs, "\n", " "), "\x00", "\n\n")
	return wrap(text+"\n\n"+c.UsageString(), width, leastText)
}

// wrap breaks the lines of text between words, so that they have at most width characters. A
// line with columns goes on below its last one, or further to the left if fewer than least
// characters have room there.
func wrap(text string, width, least int) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		hang := strings.Repeat(" ", min(lastColumn(line), max(0, width-least)))
		for utf8.RuneCountInString(line) > width {
			at := breakAt(line, len(hang), width)
			if at < 0 {
				break
			}
			out.WriteString(strings.TrimRight(line[:at], " ") + "\n")
			line = hang + line[at+1:]
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

// lastColumn returns where the last column of a line begins: behind at least two spaces.
func lastColumn(line string) int {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if at := strings.LastIndex(line, "  "); at >= 0 && at+2 > indent {
		return utf8.RuneCountInString(line[:at+2])
	}
	return indent
}

// breakAt returns the index of the last space of a line within its width, or else of the first
// one behind it; -1: there is none. Spaces before from are not meant.
func breakAt(line string, from, width int) int {
	found, column := -1, 0
	for at, r := range line {
		if r == ' ' && column > from {
			if column > width && found >= 0 {
				break
			}
			found = at
			if column >= width {
				break
			}
		}
		column++
	}
	return found
}

// link returns a URL for people: in a terminal it can be followed as a whole where it is broken
// into lines (OSC 8), and is copied as it is.
func link(w io.Writer, url string) string {
	if _, ok := terminalOf(w); !ok {
		return url
	}
	return "\x1b]8;;" + url + "\x1b\\" + url + "\x1b]8;;\x1b\\"
}
