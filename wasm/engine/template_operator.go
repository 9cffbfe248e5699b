package engine

import (
	"strings"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/wasm/internal/schema"
)

// An operator of RFC 6570, appendix A.
type operator struct {
	first, separator string
	named            bool
	ifEmpty          string
	reserved         bool // characters that stand for themselves beyond the unreserved
}

// operatorOf returns the operator that c stands for, or that of a plain {name}.
func operatorOf(c byte) (op operator, known bool) {
	switch c {
	case '+':
		return operator{"", ",", false, "", true}, true
	case '#':
		return operator{"#", ",", false, "", true}, true
	case '.':
		return operator{".", ".", false, "", false}, true
	case '/':
		return operator{"/", "/", false, "", false}, true
	case ';':
		return operator{";", ";", true, "", false}, true
	case '?':
		return operator{"?", "&", true, "=", false}, true
	case '&':
		return operator{"&", "&", true, "=", false}, true
	}
	return operator{"", ",", false, "", false}, false
}

// firstRunes returns the first n characters.
func firstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// appendEscaped percent-encodes the bytes of what does not stand for itself.
// reserved: reserved characters do, and so does what is percent-encoded already.
//
//go:noinline
func appendEscaped(out *strings.Builder, text string, reserved bool) {
	const hex = "0123456789ABCDEF"
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		encoded := c == '%' && i+2 < len(text) && schema.IsHex(text[i+1]) && schema.IsHex(text[i+2])
		if schema.IsUnreserved(c) || reserved && (schema.URICharacters[c] || encoded) {
			out.WriteByte(c)
			continue
		}
		out.WriteByte('%')
		out.WriteByte(hex[c>>4])
		out.WriteByte(hex[c&15])
	}
}
