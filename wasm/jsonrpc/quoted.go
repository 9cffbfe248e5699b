package jsonrpc

import (
	"strconv"
	"unicode/utf8"
)

// maxQuoted is how much of a text of a peer stands in an error
// message: enough to find it, and a peer cannot make messages and logs long.
const maxQuoted = 100 // bytes

// Quoted returns a URI, template or name as an error message has it: its beginning,
// in quotation marks, and escaped as strconv.Quote does.
//
//go:noinline
func Quoted(text string) string { return strconv.Quote(Shortened(text, maxQuoted)) }

// Brief is Quoted without quotation marks and escapes, for names inside a sentence.
func Brief(text string) string { return Shortened(text, maxQuoted) }

// Shortened returns text, or the whole characters of its first bytes, at most most,
// and an ellipsis.
func Shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}
