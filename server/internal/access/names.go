package access

import "strings"

// MaxName is the length of a page's name.
//
// It leaves 8 characters of the 50 of "notes__add" to the name of a tool.
const MaxName = 40 // characters

// ValidName reports whether name is a page name: it can be a segment of a URL, and stand
// before the `+` of a prefix.
func ValidName(name string) bool {
	if name == "" || len(name) > MaxName || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// SpellName converts the name that a page declares to [a-z][a-z0-9-]*, which ValidName
// accepts. It contains no `+` and no `.`, so that the first of these ends a prefix.
func SpellName(requested string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(requested) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= MaxName {
			break
		}
	}
	if name := strings.Trim(b.String(), "-"); name != "" {
		return name
	}
	return "page"
}

// TruncateName returns at most limit characters of name, which do not end with `-`.
func TruncateName(name string, limit int) string {
	if len(name) > limit {
		name = strings.TrimRight(name[:limit], "-")
	}
	return name
}

// CutName splits the name that a tool, prompt or task has at /mcp into that of its page and
// its own. Names of pages have neither separator.
func CutName(name string) (page, own string, ok bool) {
	at := strings.IndexByte(name, '.')
	if under := strings.Index(name, "__"); under >= 0 && (at < 0 || under < at) {
		return name[:under], name[under+2:], true
	}
	if at < 0 {
		return "", "", false
	}
	return name[:at], name[at+1:], true
}
