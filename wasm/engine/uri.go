package engine

import (
	"errors"
	"strconv"
	"strings"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// checkURI reports whether uri is an absolute URI by the characters of RFC 3986:
// a scheme, then unreserved, reserved and percent-encoded characters. Its text
// begins in the middle of a sentence: "uri " + err.Error().
func checkURI(uri string) error {
	if len(uri) > maxURI {
		return errors.New("is longer than 8 KiB")
	}
	rest := scheme(uri)
	if rest == 0 {
		return errors.New("must begin with a scheme, as notes:// does")
	}
	for i := rest; i < len(uri); i++ {
		switch c := uri[i]; {
		case uriCharacters[c]:
		case c == '%' && i+2 < len(uri) && isHex(uri[i+1]) && isHex(uri[i+2]):
			i += 2
		case c == '%':
			return errors.New("has a percent sign that encodes nothing")
		default:
			return errors.New("has a character that RFC 3986 wants percent-encoded")
		}
	}
	return nil
}

// scheme returns the length of a URI's scheme and colon, or 0.
func scheme(uri string) int {
	for i := 0; i < len(uri); i++ {
		switch c := uri[i]; {
		case c == ':' && i > 0:
			return i + 1
		case isLetter(c):
		case i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		default:
			return 0
		}
	}
	return 0
}

// uriCharacters are those that stand for themselves: RFC 3986, sections 2.2 and
// 2.3. The compiler lays the table out.
var uriCharacters = [256]bool{
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

// isUnreserved: RFC 3986, section 2.3.
func isUnreserved(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '-' || c == '.' || c == '_' || c == '~'
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isHex(c byte) bool    { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func unhex(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

const annotationsRule = "annotations must have an audience of user and assistant, a priority from 0 to 1, an ISO 8601 lastModified"

// validAnnotations. Members that are not known do no harm.
func validAnnotations(value []byte) bool {
	ok := true
	s := jsonrpc.Scan(value)
	for s.Next() {
		switch string(s.Name) {
		case "audience":
			elements, isArray := jsonrpc.Elements(s.Value)
			ok = ok && isArray
			for _, role := range elements {
				ok = ok && (string(role) == `"user"` || string(role) == `"assistant"`)
			}
		case "priority":
			priority, isNumber := number(s.Value)
			ok = ok && isNumber && priority >= 0 && priority <= 1
		case "lastModified":
			text, isText := jsonrpc.Text(s.Value)
			ok = ok && isText && len(text) >= len("2006-01-02") && text[4] == '-' && text[7] == '-'
		}
	}
	return ok && s.Err() == nil
}

const iconsRule = "icons must be objects whose src is an https: URL of at most 8 KiB or a data:image/ URL of at most 64 KiB, and whose mimeType, if any, is a media type"

const maxDataIcon = 64 << 10 // bytes of a data: URL

// validIcons. SVG is allowed: clients show icons as images, where its
// scripts do not run, and an https: icon could be SVG, too.
func validIcons(value []byte) bool {
	elements, ok := jsonrpc.Elements(value)
	for _, element := range elements {
		src, isText := jsonrpc.Text(jsonrpc.Member(element, "src"))
		ok = ok && isText && (strings.HasPrefix(src, "https:") && len(src) <= maxURI ||
			strings.HasPrefix(src, "data:image/") && len(src) <= maxDataIcon)
		if value := jsonrpc.Member(element, "mimeType"); value != nil {
			kind, isText := jsonrpc.Text(value)
			ok = ok && isText && validMediaType(kind)
		}
	}
	return ok
}

// number returns the value of a JSON number, near enough to compare it: the
// library's, which is exact, costs every page 4 KB.
func number(value []byte) (float64, bool) {
	digits, exponent, sign, at := 0.0, 0, 1.0, 0
	if len(value) > 0 && value[0] == '-' {
		sign, at = -1, 1
	}
	if at == len(value) || !isDigit(value[at]) {
		return 0, false
	}
	for fraction := false; at < len(value) && (isDigit(value[at]) || value[at] == '.'); at++ {
		if value[at] == '.' {
			fraction = true
			continue
		}
		digits = digits*10 + float64(value[at]-'0')
		if fraction {
			exponent--
		}
	}
	if at < len(value) { // e or E
		text := string(value[at+1:])
		shift, err := strconv.Atoi(text)
		if err != nil || shift > 400 || shift < -400 {
			return 0, false
		}
		exponent += shift
	}
	for ; exponent > 0; exponent-- {
		digits *= 10
	}
	divisor := 1.0
	for ; exponent < 0; exponent++ {
		divisor *= 10
	}
	return sign * digits / divisor, true
}
