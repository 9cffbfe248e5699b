package web

import (
	_ "embed"
	"strings"
	"unicode"
)

// The page has an entry for each message: a heading of level 3 that is the message as code,
// with … for each value.
//
//go:embed docs/troubleshooting.md
var troubleshooting string

// Entry returns the anchor of the entry about a message in web/docs/troubleshooting.md. The
// message may have more text around that of the entry. Of several entries the one with the
// most text wins.
func Entry(message string) (anchor string, ok bool) {
	most := 0
	for line := range strings.Lines(troubleshooting) {
		heading, isEntry := strings.CutPrefix(strings.TrimSpace(line), "### `")
		if !isEntry {
			continue
		}
		if size := quoted(message, strings.Trim(heading, "`… ")); size > most {
			most, anchor = size, Anchor(heading)
		}
	}
	return anchor, most > 0
}

// quoted returns how many bytes of the entry's own text are in message; 0 if not all are, in
// their order, with a value for each ….
func quoted(message, entry string) (size int) {
	for i, text := range strings.Split(entry, "…") {
		from := min(i, 1) // a value has at least one byte
		if len(message) < from {
			return 0
		}
		at := strings.Index(message[from:], text)
		if at < 0 {
			return 0
		}
		message = message[from+at+len(text):]
		size += len(text)
	}
	return size
}

// Anchor returns the anchor of a heading in Markdown, as GitHub makes it: lower case,
// hyphens for blanks, no punctuation and no markup.
func Anchor(heading string) string {
	var out strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(withoutMarkup(heading))) {
		switch {
		case r == ' ':
			out.WriteByte('-')
		case r == '-', unicode.IsLetter(r), unicode.IsMark(r), unicode.IsNumber(r), unicode.Is(unicode.Pc, r):
			out.WriteRune(r)
		}
	}
	return out.String()
}

// withoutMarkup removes what a heading has besides its text: backticks, asterisks of bold
// text, backslashes, and the destinations of links.
func withoutMarkup(heading string) string {
	var out strings.Builder
	for {
		text, rest, isLink := strings.Cut(heading, "](")
		out.WriteString(text)
		if !isLink {
			break
		}
		_, heading, _ = strings.Cut(rest, ")")
	}
	return strings.NewReplacer("`", "", "**", "", `\`, "").Replace(out.String())
}
