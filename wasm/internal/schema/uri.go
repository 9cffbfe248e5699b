package schema

import (
	"errors"
)

const MaxURI = 8 << 10 // bytes

// CheckURI reports whether uri is an absolute URI by the characters of RFC 3986:
// a scheme, then unreserved, reserved and percent-encoded characters. Its text
// begins in the middle of a sentence: "uri " + err.Error().
func CheckURI(uri string) error {
	if len(uri) > MaxURI {
		return errors.New("is longer than 8 KiB")
	}
	rest := SchemeLength(uri)
	if rest == 0 {
		return errors.New("must begin with a scheme, as notes:// does")
	}
	for i := rest; i < len(uri); i++ {
		switch c := uri[i]; {
		case URICharacters[c]:
		case c == '%' && i+2 < len(uri) && IsHex(uri[i+1]) && IsHex(uri[i+2]):
			i += 2
		case c == '%':
			return errors.New("has a percent sign that encodes nothing")
		default:
			return errors.New("has a character that RFC 3986 wants percent-encoded")
		}
	}
	return nil
}

// SchemeLength returns the length of a URI's scheme and colon, or 0.
func SchemeLength(uri string) int {
	for i := 0; i < len(uri); i++ {
		switch c := uri[i]; {
		case c == ':' && i > 0:
			return i + 1
		case IsLetter(c):
		case i > 0 && (IsDigit(c) || c == '+' || c == '-' || c == '.'):
		default:
			return 0
		}
	}
	return 0
}

// URICharacters are those that stand for themselves: RFC 3986, sections 2.2 and
// 2.3. The compiler lays the table out.
var URICharacters = [256]bool{
	':': true, '/': true, '?': true, '#': true, '[': true, ']': true, '@': true, // gen-delims
	'!': true, '$': true, '&': true, '\'': true, '(': true, ')': true, '*': true, // sub-delims
	'+': true, ',': true, ';': true, '=': true,
	'-': true, '.': true, '_': true, '~': true, // unreserved, with letters and digits
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true,
	'A': true, 'B': true, 'C': true, 'D': true, 'E': true, 'F': true, 'G': true, 'H': true, 'I': true, 'J': true,
	'K': true, 'L': true, 'M': true, 'N': true, 'O': true, 'P': true, 'Q': true, 'R': true, 'S': true, 'T': true,
	'U': true, 'V': true, 'W': true, 'X': true, 'Y': true, 'Z': true,
	'a': true, 'b': true, 'c': true, 'd': true, 'e': true, 'f': true, 'g': true, 'h': true, 'i': true, 'j': true,
	'k': true, 'l': true, 'm': true, 'n': true, 'o': true, 'p': true, 'q': true, 'r': true, 's': true, 't': true,
	'u': true, 'v': true, 'w': true, 'x': true, 'y': true, 'z': true,
}

// IsUnreserved: RFC 3986, section 2.3.
func IsUnreserved(c byte) bool {
	return IsLetter(c) || IsDigit(c) || c == '-' || c == '.' || c == '_' || c == '~'
}

func IsLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func IsDigit(c byte) bool  { return '0' <= c && c <= '9' }
func IsHex(c byte) bool    { return IsDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func Unhex(c byte) byte {
	if IsDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
