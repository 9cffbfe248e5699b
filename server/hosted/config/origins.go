package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

// An OriginList holds the web origins of pages (RFC 6454): exact ones, and patterns like
// https://*.app.example. It does not change.
type OriginList struct {
	exact    []string
	patterns []originPattern
}

// An originPattern accepts https origins whose host is one label and suffix.
type originPattern struct{ suffix string } // ".app.example" or ".app.example:8443"

const patternStart = "https://*."

// add adds an origin or a pattern. `*` stands for exactly one label, the leftmost. The host
// behind it must have two labels or more, since all sites of a top-level domain have one in
// common.
func (l *OriginList) add(origin string) error {
	if !strings.Contains(origin, "*") {
		l.exact = append(l.exact, origin)
		return access.CheckOrigin(origin)
	}
	host, ok := strings.CutPrefix(origin, patternStart)
	if !ok || strings.Contains(host, "*") {
		return fmt.Errorf("origin %q: `*` stands for the leftmost label of an https host, as in https://*.app.example", origin)
	}
	if err := access.CheckOrigin("https://" + host); err != nil {
		return fmt.Errorf("origin %q: behind `*.`: %w", origin, err)
	}
	name, _, _ := strings.Cut(host, ":")
	labels := strings.Split(name, ".")
	if last := labels[len(labels)-1]; len(labels) < 2 || slices.Contains(labels, "") || last[0] >= '0' && last[0] <= '9' {
		return fmt.Errorf("origin %q: want a domain of two labels or more behind `*.`, as in https://*.app.example", origin)
	}
	l.patterns = append(l.patterns, originPattern{"." + host})
	return nil
}

// Contains reports whether origin, a header as the browser sends it, is on the list.
func (l OriginList) Contains(origin string) bool {
	if slices.Contains(l.exact, origin) {
		return true
	}
	return slices.ContainsFunc(l.patterns, func(p originPattern) bool { return p.matches(origin) })
}

// matches compares bytes and parses nothing: an origin that two parsers would understand
// differently is not accepted.
func (p originPattern) matches(origin string) bool {
	host, ok := strings.CutPrefix(origin, "https://")
	if !ok {
		return false
	}
	label, ok := strings.CutSuffix(host, p.suffix)
	return ok && isLabel(label)
}

// isLabel reports whether text is one label of a host, as browsers send it: at most 63
// characters (RFC 1035, section 2.3.4), in lower case and Punycode. They send underscores,
// too, which are common in names of development sites.
func isLabel(text string) bool {
	if text == "" || len(text) > 63 {
		return false
	}
	for i := range len(text) {
		if c := text[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}
