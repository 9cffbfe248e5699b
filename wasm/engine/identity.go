package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/pagemcp/pagemcp/wasm/schema"
)

// A URI has two forms besides the one that a client has spelled. schema.Canonical differs only in
// what RFC 3986 calls equivalent: resources are looked up by it, and policy decides by it. identityOf
// is wider: clients may decode a URI before they use it, as VS Code does. Whoever subscribes to
// one spelling hears of a change under any other, and what is withheld is withheld under all of them;
// what two resources share then costs one of them an update too many, or a read.

// CanonicalURI returns the form of a URI in which equivalent ones are equal: RFC 3986, section 6.2.2, and
// ! * ' ( ) and characters beyond ASCII are percent-encoded. What is no URI is returned as it is.
func CanonicalURI(uri string) string {
	if form, err := schema.Canonical(uri); err == nil {
		return form
	}
	return uri
}

// Names returns an error unless a URI names something that is served, or could be: a resource, or what a
// template describes, which may be gone by now. It may wait for sources.
func (e *Engine) Names(ctx context.Context, uri string) error {
	canonical, err := schema.Canonical(uri)
	if err != nil {
		return errors.New("it " + err.Error())
	}
	for l := e.lookup(canonical); l.next(); {
		templates, _ := l.mount.source.List(ctx, Templates, "")
		for _, t := range templates.Items {
			if m, err := newMatcher(t.Key); err == nil {
				if _, ok := m.match(l.own); ok {
					return nil
				}
			}
		}
		if finder, ok := l.mount.source.(Finder); ok {
			if found, err := finder.Has(ctx, l.own); found || err != nil && !tryNextSource(err) {
				return nil // or it cannot say
			}
		}
	}
	return errors.New("no registration, template or source has such a resource")
}

// identityOf returns the text that all spellings of a URI share: it is decoded, with the escapes of our
// own sources (~0 to ~9: web/src/sources/idb-open.ts), and its query variables are in order.
func identityOf(uri string) string {
	if strings.IndexByte(uri, '%') < 0 && strings.IndexByte(uri, '~') < 0 && strings.IndexByte(uri, '&') < 0 {
		return lowerScheme(uri)
	}
	return decodedIdentity(lowerScheme(uri))
}

//go:noinline
func decodedIdentity(uri string) string {
	return string(appendDecoded(nil, sortedQuery(uri, func(name string) string { return string(appendDecoded(nil, name)) })))
}

// sortedQuery orders the variables of a URI's query by a text for each name. Variables with the same text
// keep their order.
func sortedQuery(uri string, by func(name string) string) string {
	end := strings.IndexByte(uri, '#')
	if end < 0 {
		end = len(uri)
	}
	begin := strings.IndexByte(uri[:end], '?') + 1
	if begin == 0 || strings.IndexByte(uri[begin:end], '&') < 0 {
		return uri
	}
	var variables, texts []string
	for rest, more := uri[begin:end], true; more; {
		var variable string
		variable, rest, more = strings.Cut(rest, "&")
		name, _, _ := strings.Cut(variable, "=")
		text := by(name)
		if len(texts) > maxQuery {
			return uri
		}
		texts, variables = append(texts, text), append(variables, variable)
		for at := len(texts) - 1; at > 0 && text < texts[at-1]; at-- {
			texts[at-1], texts[at] = texts[at], texts[at-1]
			variables[at-1], variables[at] = variables[at], variables[at-1]
		}
	}
	return uri[:begin] + strings.Join(variables, "&") + uri[end:]
}

// maxQuery bounds the variables of a query that are ordered: no template has more.
const maxQuery = 2 * maxVariables

// appendDecoded appends a URI without percent-encoding and escapes.
func appendDecoded(dst []byte, uri string) []byte {
	for i := 0; i < len(uri); {
		c, size := decodedAt(uri, i)
		if i += size; c == '~' && i < len(uri) {
			if next, size := decodedAt(uri, i); '0' <= next && next <= '9' {
				c = "~/%&\t\n\r\\?#"[next-'0']
				i += size
			}
		}
		dst = append(dst, c)
	}
	return dst
}

// decodedAt returns the byte at a place, and the length of its spelling.
func decodedAt(uri string, i int) (c byte, size int) {
	if uri[i] == '%' && i+2 < len(uri) && schema.IsHex(uri[i+1]) && schema.IsHex(uri[i+2]) {
		return schema.Unhex(uri[i+1])<<4 | schema.Unhex(uri[i+2]), 3
	}
	return uri[i], 1
}

// lowerScheme does without strings.ToLower: its tables of Unicode are 10 KB of every page.
func lowerScheme(uri string) string {
	scheme := schema.SchemeLength(uri)
	for i := range scheme {
		if 'A' <= uri[i] && uri[i] <= 'Z' {
			lower := []byte(uri)
			for i := range scheme {
				if 'A' <= lower[i] && lower[i] <= 'Z' {
					lower[i] |= 0x20
				}
			}
			return string(lower)
		}
	}
	return uri
}

// isAtOrBelow calls has with the identities of a URI and of all that it is below: it continues them by a
// separator, however that is spelled, without an escape.
func isAtOrBelow(uri string, has func(identity string) bool) bool {
	if has(identityOf(uri)) {
		return true
	}
	uri = lowerScheme(uri)
	above := make([]byte, 0, len(uri))
	for i := 0; i < len(uri); {
		c, size := decodedAt(uri, i)
		if (c == '/' || c == '?' || c == ';' || c == '#') && has(string(above)) {
			return true
		}
		if c == '~' && i+size < len(uri) {
			if next, more := decodedAt(uri, i+size); '0' <= next && next <= '9' {
				size += more
			}
		}
		above = appendDecoded(above, uri[i:i+size])
		i += size
	}
	return false
}
