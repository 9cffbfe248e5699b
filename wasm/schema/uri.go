package schema

import (
	"errors"
	"unicode/utf8"
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

// Canonical returns the form by which URIs are compared, of a URI as clients spell it, or what is
// wrong with it, as CheckURI does. By RFC 3986, section 6.2.2, the scheme is in lower case, hexadecimal
// digits are in upper case, and unreserved characters are decoded. Expanders of URI templates differ in
// ! * ' ( ) and in characters beyond ASCII, and the URL class of browsers leaves ^ | as they are: all of
// these are percent-encoded. A URI in this form is returned as it is.
func Canonical(uri string) (string, error) {
	if len(uri) > MaxURI {
		return "", errors.New("is longer than 8 KiB")
	}
	rest := SchemeLength(uri)
	for i := 0; i < rest; i++ {
		if 'A' <= uri[i] && uri[i] <= 'Z' {
			return canonical(uri, rest)
		}
	}
	for i := rest; i < len(uri); i++ {
		c := uri[i]
		if c == '%' && i+2 < len(uri) && isUpperHex(uri[i+1]) && isUpperHex(uri[i+2]) && !IsUnreserved(Unhex(uri[i+1])<<4|Unhex(uri[i+2])) {
			i += 2
		} else if !URICharacters[c] || isSpelledTwice(c) {
			return canonical(uri, rest)
		}
	}
	if rest == 0 {
		return "", CheckURI(uri)
	}
	return uri, nil
}

// canonical is Canonical of a URI that is not in this form, or not valid.
func canonical(uri string, rest int) (string, error) {
	text := CanonicalText(uri[rest:])
	form := uri[:rest] + text
	if err := CheckURI(form); err != nil {
		return "", err
	}
	if !utf8.ValidString(uri) {
		return "", errors.New("is not UTF-8")
	}
	lower := []byte(form)
	for i := range rest {
		if 'A' <= lower[i] && lower[i] <= 'Z' {
			lower[i] |= 0x20
		}
	}
	return string(lower), nil
}

// CanonicalText is Canonical of a part behind the scheme, which is not checked.
func CanonicalText(text string) string {
	const digits = "0123456789ABCDEF"
	form := make([]byte, 0, len(text)+16)
	for i := 0; i < len(text); i++ {
		c, encoded := text[i], false
		if c == '%' && i+2 < len(text) && IsHex(text[i+1]) && IsHex(text[i+2]) {
			c, encoded = Unhex(text[i+1])<<4|Unhex(text[i+2]), true
			i += 2
		}
		if encoded && !IsUnreserved(c) || !encoded && (isSpelledTwice(c) || c >= utf8.RuneSelf || c == '^' || c == '|') {
			form = append(form, '%', digits[c>>4], digits[c&15])
		} else {
			form = append(form, c)
		}
	}
	return string(form)
}

// isSpelledTwice: reserved characters that expanders of URI templates leave as they are, or encode.
func isSpelledTwice(c byte) bool { return c == '!' || '\'' <= c && c <= '*' }

func isUpperHex(c byte) bool { return IsDigit(c) || 'A' <= c && c <= 'F' }

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
