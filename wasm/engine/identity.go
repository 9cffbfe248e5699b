package engine

import (
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/wasm/internal/schema"
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

// identityOf returns the text that all spellings of a URI share: it is decoded, with the escapes of our
// own sources (~0 to ~3: web/src/sources/idb-keys.ts), and its query variables are in order.
func identityOf(uri string) string {
	if strings.IndexByte(uri, '%') < 0 && strings.IndexByte(uri, '~') < 0 && strings.IndexByte(uri, '&') < 0 {
		return lowerScheme(uri)
	}
	return decodedIdentity(lowerScheme(uri))
}

//go:noinline
func decodedIdentity(uri string) string {
	if path, query, ok := strings.Cut(uri, "?"); ok && strings.IndexByte(query, '&') >= 0 {
		query, fragment, hasFragment := strings.Cut(query, "#")
		uri = path + "?" + sortedQuery(query, func(name string) string { return string(appendDecoded(nil, name)) })
		if hasFragment {
			uri += "#" + fragment
		}
	}
	return string(appendDecoded(nil, uri))
}

// sortedQuery orders the variables of a query by a text for each name. Variables with the same text
// keep their order.
func sortedQuery(query string, by func(name string) string) string {
	variables := strings.Split(query, "&")
	slices.SortStableFunc(variables, func(a, b string) int {
		a, _, _ = strings.Cut(a, "=")
		b, _, _ = strings.Cut(b, "=")
		return strings.Compare(by(a), by(b))
	})
	return strings.Join(variables, "&")
}

// appendDecoded appends a URI without percent-encoding and escapes.
func appendDecoded(dst []byte, uri string) []byte {
	for i := 0; i < len(uri); {
		c, size := decodedAt(uri, i)
		if i += size; c == '~' && i < len(uri) {
			if next, size := decodedAt(uri, i); '0' <= next && next <= '3' {
				c = "~/%&"[next-'0']
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

func lowerScheme(uri string) string {
	for i := range schema.SchemeLength(uri) {
		if 'A' <= uri[i] && uri[i] <= 'Z' {
			scheme := schema.SchemeLength(uri)
			return strings.ToLower(uri[:scheme]) + uri[scheme:]
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
			if next, more := decodedAt(uri, i+size); '0' <= next && next <= '3' {
				size += more
			}
		}
		above = appendDecoded(above, uri[i:i+size])
		i += size
	}
	return false
}
