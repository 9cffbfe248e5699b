// Package plain removes hidden characters from texts of others, and bounds their length.
//
// Names, titles and descriptions reach models, terminals and logs, and their authors are
// not trusted. Characters that steer a terminal, reorder the text around them or cannot be
// seen are removed. The page's engine does so with what is registered and listed,
// the gateway's again with what a page sends. URIs are not changed: they are ASCII
// or refused. Nor are names by which something is called, such as
// those of tools, and what a schema compares values with: changed ones would no
// longer work, so the whole entry is refused.
package plain

import (
	"strings"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Limits of descriptions, in characters.
const (
	MaxName        = 128
	MaxTitle       = 200
	MaxDescription = 2_000
)

// HiddenRule says what is wrong with a text that cannot be cleaned, behind the name of the member.
const HiddenRule = " has hidden or control characters where they cannot be removed"

// Text returns text on one line, without hidden characters and with at most
// most characters. It removes
//   - control characters, and escape sequences of terminals (ECMA-48) as a whole
//   - bidirectional marks, embeddings, overrides and isolates
//   - zero-width characters, soft hyphens, fillers and others without a shape
//   - tags, noncharacters, private use beyond the BMP
//   - U+FFFD, which stands for invalid UTF-8 and lone surrogates
//
// Line ends, tabs and the blank of Braille become blanks. The two joiners remain
// between letters of scripts that need them (Arabic, Indic and similar ones) and
// between emoji; variation selectors 15 and 16 remain behind emoji, symbols, digits.
// Flags that are spelled in tags lose them and become a black flag.
func Text(text string, most int) string { return plain(text, most, false) }

// Lines is Text for text of several lines: line feeds and tabs remain.
func Lines(text string, most int) string { return plain(text, most, true) }

func plain(text string, most int, lines bool) string {
	clean := len(text) <= most
	for i := 0; clean && i < len(text); i++ {
		clean = text[i] >= ' ' && text[i] < 0x7f
	}
	if clean {
		return text
	}
	dst := make([]byte, 0, min(len(text), utf8.UTFMax*most))
	inEscape := escape(0)
	before, joiner := rune(0), rune(0) // the last one that was kept; one that waits for the next
	for _, r := range text {
		var skip bool
		if inEscape, skip = inEscape.next(r); skip {
			continue
		}
		switch {
		case (r == '\n' || r == '\t') && lines:
		case r == '\n', r == '\t', r == 0x85, r == 0x2028, r == 0x2029, r == 0x2800:
			r = ' '
		case r == 0x200c || r == 0x200d:
			joiner = r
			continue
		case r&^1 == 0xfe0e && takesVariation(before):
		case isHidden(r):
			continue
		}
		if joiner != 0 && most > 1 && joins(before) != 0 && joins(before) == joins(r) {
			dst = utf8.AppendRune(dst, joiner)
			most--
		}
		if most--; most < 0 {
			break
		}
		dst = utf8.AppendRune(dst, r)
		before, joiner = r, 0
	}
	return string(dst)
}

// An escape is the state of reading an escape sequence: ECMA-48, sections 5.3 to 5.6.
type escape uint8

const (
	escaped       escape = iota + 1 // behind ESC
	inControl                       // a control sequence: parameters, then a letter
	controlString                   // a command to a device, up to the next control character
)

// next takes the next character; skip: it belongs to a sequence.
func (e escape) next(r rune) (_ escape, skip bool) {
	switch {
	case r == 0x1b:
		return escaped, true
	case r == 0x9b, e == escaped && r == '[', e == inControl && r >= ' ' && r < '@', e == escaped && r >= ' ' && r < '0':
		return inControl, true
	case r == 0x90, r == 0x98, r >= 0x9d && r <= 0x9f,
		e == escaped && (r == 'P' || r >= ']' && r <= '_' || r == 'X'),
		e == controlString && (r >= ' ' && r < 0x7f || r >= 0xa0):
		return controlString, true
	}
	return 0, (e == escaped || e == inControl) && r >= '0' && r <= '~'
}

// hidden are the ranges of characters that are removed, each by its first and last.
var hidden = [...]rune{
	0, 0x1f, 0x7f, 0x9f, 0xad, 0xad, 0x34f, 0x34f, 0x61c, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180f,
	0x200b, 0x200f, 0x202a, 0x202e, 0x2060, 0x206f, 0x3164, 0x3164, 0xfdd0, 0xfdef, 0xfe00, 0xfe0f, 0xfeff, 0xfeff,
	0xffa0, 0xffa0, 0xfff0, 0xffff, 0x13430, 0x1345f, 0x1bca0, 0x1bca3, 0x1d173, 0x1d17a, 0xe0000, utf8.MaxRune,
}

func isHidden(r rune) bool {
	for i := 0; i < len(hidden); i += 2 {
		if r >= hidden[i] && r <= hidden[i+1] {
			return true
		}
	}
	return r&0xfffe == 0xfffe
}

// joins returns what kind of text a character belongs to whose parts joiners tie
// together or keep apart; 0: none.
func joins(r rune) int {
	switch {
	case isEmoji(r), r&^1 == 0xfe0e:
		return 1
	case r >= 0x600 && r < 0xe00, // Arabic to Sinhala
		r >= 0x1000 && r < 0x10a0, r >= 0x1780 && r < 0x18b0, r >= 0x1b00 && r < 0x1c00, // Myanmar, Khmer, Mongolian, Balinese
		r >= 0xa800 && r < 0xab00, r >= 0xfb50 && r < 0xfeff, r >= 0x11000 && r < 0x12000: // Javanese, forms of Arabic, Brahmi
		return 2
	}
	return 0
}

// takesVariation: https://www.unicode.org/Public/UCD/latest/ucd/emoji/emoji-variation-sequences.txt, roughly.
func takesVariation(r rune) bool {
	return isEmoji(r) || r >= 0x203c && r < 0x2190 || r >= '0' && r <= '9' || r == '#' || r == '*' || r == 0xa9 || r == 0xae ||
		r == 0x3030 || r == 0x303d || r == 0x3297 || r == 0x3299
}

func isEmoji(r rune) bool { return r >= 0x2190 && r < 0x2c00 || r >= 0x1f000 && r < 0x1fb00 }

// Member returns the text of a member of a description as it may be listed.
//
//go:noinline
func Member(name, text string) string {
	switch name {
	case "name":
		return Text(text, MaxName)
	case "description", "instructions":
		return Lines(text, MaxDescription)
	}
	return Text(text, MaxTitle)
}

// JSON returns the member called name with plain titles and descriptions, at any depth: value itself if they are.
// ok is false if another text in it has hidden characters: names in a schema and what it compares values with have
// to stay as they are.
func JSON(name string, value []byte) (clean emit.JSON, ok bool) {
	ok = true
	from := 0
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '{', '[':
			name = ""
		case '"':
			end := i + max(1, jsonrpc.StringLength(value[i:]))
			text, isName := value[i+1:max(i+1, end-1)], isName(value[end:])
			isShown := !isName && (name == "title" || name == "description")
			if len(text) > MaxTitle || !isSimple(text) {
				read, _ := jsonrpc.Text(value[i:end])
				if !isShown {
					ok = ok && len(Lines(read, len(read)))+strings.Count(read, "\r") == len(read)
				} else if plain := Member(name, read); plain != read {
					clean.Raw(value[from:i])
					clean.Quote(plain)
					from = end
				}
				text = []byte(read)
			}
			if name = ""; isName {
				name = string(text)
			}
			i = end - 1
		}
	}
	if from == 0 {
		return value, ok
	}
	clean.Raw(value[from:])
	return clean, ok
}

// isSimple reports whether the text of a JSON string is as it reads, and plain.
func isSimple(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	return true
}

// isName reports whether a string was the name of a member, by what follows it.
func isName(rest []byte) bool {
	for _, c := range rest {
		if c > ' ' {
			return c == ':'
		}
	}
	return false
}
