package clientconfig

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// A jsonStyle is the white space of a file.
type jsonStyle struct {
	newline string
	unit    string // one level of indentation
	oneLine bool   // the document has no line breaks within
}

// styleOf returns the style of text, as its objects show it, or else two spaces.
func styleOf(text []byte, l location) jsonStyle {
	s := jsonStyle{newline: lineBreak(text), unit: "  "}
	trimmed := bytes.TrimSpace(text)
	s.oneLine = len(trimmed) > 2 && !bytes.Contains(trimmed, []byte("\n"))
	if l.root != nil && len(l.root.Members) > 0 {
		first := l.root.Members[0].Name.StartOffset
		if indent := indentOfLine(text, first); indent != "" && len(bytes.TrimSpace(text[lineStart(text, first):first])) == 0 {
			s.unit = indent
		}
	}
	return s
}

// lineStart returns the offset of the line that contains offset at.
func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// indentOfLine returns the white space with which the line of offset at begins.
func indentOfLine(text []byte, at int) string {
	line := text[lineStart(text, at):at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// value returns the text of a value over several lines. indent is that of its first line.
func (s jsonStyle) value(value any, indent string) string {
	o, ok := value.(object)
	if !ok || len(o) == 0 {
		return inline(value)
	}
	deeper := indent + s.unit
	var lines []string
	for _, m := range o {
		lines = append(lines, deeper+quoted(m.key)+": "+s.value(m.value, deeper))
	}
	return "{" + s.newline + strings.Join(lines, ","+s.newline) + s.newline + indent + "}"
}

// inline returns the text of a value in one line.
func inline(value any) string {
	var parts []string
	switch v := value.(type) {
	case string:
		return quoted(v)
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case []string:
		for _, one := range v {
			parts = append(parts, quoted(one))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case object:
		for _, m := range v {
			parts = append(parts, quoted(m.key)+": "+inline(m.value))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// item returns the member or element, without indentation of its first line.
func (p placement) item(s jsonStyle, indent string) string {
	if p.element {
		return s.value(p.value, indent)
	}
	return quoted(p.name) + ": " + s.value(p.value, indent)
}

func (p placement) inlineItem() string {
	if p.element {
		return inline(p.value)
	}
	return quoted(p.name) + ": " + inline(p.value)
}

// parentMember returns the parent with the item in it.
func (p placement) parentMember(s jsonStyle, indent string) string {
	opening, closing := p.brackets()
	deeper := indent + s.unit
	return quoted(p.parent) + ": " + opening + s.newline + deeper + p.item(s, deeper) + s.newline + indent + closing
}

func (p placement) inlineParent() string {
	opening, closing := p.brackets()
	return quoted(p.parent) + ": " + opening + p.inlineItem() + closing
}

func (p placement) brackets() (opening, closing string) {
	if p.element {
		return "[", "]"
	}
	return "{", "}"
}

// document returns a document that contains only p.
func (p placement) document(s jsonStyle) string {
	return "{" + s.newline + s.unit + p.parentMember(s, s.unit) + s.newline + "}"
}

// A sequence is where the brackets, items and commas of an object or array are.
type sequence struct {
	open, close int // of the brackets
	items       []span
}

// A span is text[start:end]; comma is the offset of the comma after it, or -1.
type span struct{ start, end, comma int }

func sequenceOf(text []byte, v hujson.Value) sequence {
	s := sequence{open: v.StartOffset, close: v.EndOffset - 1}
	add := func(start int, last hujson.Value) {
		comma := last.EndOffset + len(last.AfterExtra)
		if comma >= s.close || text[comma] != ',' {
			comma = -1
		}
		s.items = append(s.items, span{start, last.EndOffset, comma})
	}
	switch v := v.Value.(type) {
	case *hujson.Object:
		for _, m := range v.Members {
			add(m.Name.StartOffset, m.Value)
		}
	case *hujson.Array:
		for _, element := range v.Elements {
			add(element.StartOffset, element)
		}
	}
	return s
}

// insertFirst inserts an item before all others: on a line of its own if the others have
// lines of their own, so that no comma of another item changes. remove is its inverse.
func (s sequence) insertFirst(text []byte, style jsonStyle, item func(indent string) string, inline string) []byte {
	start, outer := s.open+1, indentOfLine(text, s.open)
	inner := outer + style.unit
	if len(s.items) == 0 {
		space := text[start:s.close]
		at := firstLineBreak(space)
		switch {
		case len(space) == 0 && !style.oneLine:
			return inserted(text, start, style.newline+inner+item(inner)+style.newline+outer)
		case at < 0:
			return inserted(text, start, inline)
		case len(bytes.TrimSpace(space)) == 0: // a blank line tells it from {}
			return inserted(text, start+at, style.newline+inner+item(inner)+style.newline)
		}
		return inserted(text, start+at, style.newline+inner+item(inner))
	}
	first := s.items[0].start
	at := firstLineBreak(text[start:first])
	if at < 0 {
		return inserted(text, first, inline+", ")
	}
	if len(bytes.TrimSpace(text[lineStart(text, first):first])) == 0 {
		inner = indentOfLine(text, first)
	}
	return inserted(text, start+at, style.newline+inner+item(inner)+",")
}

// firstLineBreak returns the offset of the first line break that is not in a block
// comment, or -1. space is white space and comments.
func firstLineBreak(space []byte) int {
	for i := 0; i < len(space); i++ {
		if n := commentEnd(space[i:]); n > 0 {
			i += n
		}
		if i < len(space) && space[i] == '\n' {
			if i > 0 && space[i-1] == '\r' {
				i--
			}
			return i
		}
	}
	return -1
}

// remove removes item i with one comma, and its line if it has one of its own.
func (s sequence) remove(text []byte, i int) []byte {
	item := s.items[i]
	before := s.open + 1
	if i > 0 {
		before = s.items[i-1].comma + 1
	}
	start, end := item.start, item.end
	lead := text[before:start]
	ownLine := false
	if at := bytes.LastIndexByte(lead, '\n'); at >= 0 && len(bytes.TrimSpace(lead[at:])) == 0 {
		ownLine, start = true, before+at
		if at > 0 && lead[at-1] == '\r' {
			start--
		}
	}
	if item.comma >= 0 {
		if between := text[item.end:item.comma]; len(bytes.TrimSpace(between)) > 0 { // a comment, which stays
			return append(replaced(text[:item.comma], start, item.end, ""), text[item.comma+1:]...)
		}
		end = item.comma + 1
	}
	switch {
	case len(s.items) == 1:
		if ownLine && len(bytes.TrimSpace(lead)) == 0 {
			end += s.closingSpace(text, start == before, end)
		}
	case i < len(s.items)-1:
		if !ownLine && end < len(text) && text[end] == ' ' {
			end++
		}
	case item.comma < 0: // the last one: the comma before it goes, too
		if !ownLine && len(bytes.TrimSpace(lead)) == 0 { // otherwise a comment precedes it
			start = before
		}
		return append(bytes.Clone(text[:before-1]), replaced(text[before:], start-before, end-before, "")...)
	}
	return replaced(text, start, end, "")
}

// closingSpace returns how much of the space before the closing bracket insertFirst has
// added: all of it to {}, and one line break to an object that already had some.
func (s sequence) closingSpace(text []byte, first bool, end int) int {
	space := text[end:s.close]
	if len(bytes.TrimSpace(space)) > 0 {
		return 0
	}
	newline := lineBreak(text)
	if first && string(space) == newline+indentOfLine(text, s.open) {
		return len(space)
	}
	if bytes.HasPrefix(space, []byte(newline)) && bytes.IndexByte(space[len(newline):], '\n') >= 0 {
		return len(newline)
	}
	return 0
}
