package schema

import "strings"

const MediaTypeRule = "is not a media type such as text/plain; charset=utf-8"

// ValidMediaType reports whether text is a media type. RFC 9110, section 8.3.1.
func ValidMediaType(text string) bool {
	kind, rest := cutToken(text)
	if kind == "" || !strings.HasPrefix(rest, "/") {
		return false
	}
	subtype, rest := cutToken(rest[1:])
	if subtype == "" {
		return false
	}
	for rest != "" {
		if rest = strings.TrimLeft(rest, " \t"); rest == "" || rest[0] != ';' {
			return false
		}
		rest = strings.TrimLeft(rest[1:], " \t")
		name, after := cutToken(rest)
		if name == "" {
			continue // parameters may be empty
		}
		if after == "" || after[0] != '=' {
			return false
		}
		var value string
		if value, rest = cutToken(after[1:]); value != "" {
			continue
		}
		var ok bool
		if rest, ok = afterQuoted(rest); !ok {
			return false
		}
	}
	return true
}

// cutToken returns the token that text begins with, and the rest. RFC 9110, section 5.6.2.
func cutToken(text string) (token, rest string) {
	for i := 0; i < len(text); i++ {
		if c := text[i]; !IsLetter(c) && !IsDigit(c) && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// afterQuoted returns what follows the quoted string that text begins with. RFC 9110,
// section 5.6.4, of ASCII alone.
func afterQuoted(text string) (rest string, ok bool) {
	if text == "" || text[0] != '"' {
		return "", false
	}
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return text[i+1:], true
		case c == '\\':
			i++
			if i == len(text) || text[i] < ' ' && text[i] != '\t' || text[i] > '~' {
				return "", false
			}
		case c < ' ' && c != '\t' || c > '~':
			return "", false
		}
	}
	return "", false
}
