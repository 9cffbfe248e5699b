package server

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

const (
	maxRoot = access.MaxName - 3 // of a name without its number: "-2" to "-99"
	maxHost = 24                 // of an origin's host and port in a root
)

// roots returns what an origin's pages that call themselves base may be called, best
// first: notes, notes-app-example, and then with a hash, which is not exhausted.
func roots(base, origin string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if !yield(truncateName(base, maxRoot)) {
			return
		}
		host := truncateName(hostName(origin), maxHost)
		if !yield(truncateName(base, maxRoot-1-len(host)) + "-" + host) {
			return
		}
		for i := 0; ; i++ {
			sum := sha256.Sum256([]byte(origin + " " + strconv.Itoa(i)))
			hash := "-x" + hex.EncodeToString(sum[:4]) // never a number
			if !yield(truncateName(base, maxRoot-len(hash)) + hash) {
				return
			}
		}
	}
}

// collide tells whether two roots may not belong to different origins: they are
// equal, or one reads like a numbered name of the other.
func collide(a, b string) bool {
	return a == b || isNumbered(a, b) || isNumbered(b, a)
}

// isNumbered tells whether name is root with a number of one or two digits. Longer
// ones are part of a root: a port, a year.
func isNumbered(name, root string) bool {
	number, ok := strings.CutPrefix(name, root+"-")
	if !ok || number == "" || len(number) > 2 {
		return false
	}
	for i := range len(number) {
		if number[i] < '0' || number[i] > '9' {
			return false
		}
	}
	return true
}

// withoutNumber returns the root of a numbered name.
func withoutNumber(name string) string {
	if i := strings.LastIndexByte(name, '-'); i > 0 && isNumbered(name, name[:i]) {
		return name[:i]
	}
	return name
}

// nameFrom spells what a page calls itself as a name: [a-z][a-z0-9-]*. There is
// no `+` and no `.` in it, so that the first one ends a prefix.
func nameFrom(requested string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(requested) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= access.MaxName {
			break
		}
	}
	if name := strings.Trim(b.String(), "-"); name != "" {
		return name
	}
	return "page"
}

// hostName spells the host and port of an origin as a part of a name.
func hostName(origin string) string {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return "other"
	}
	var b strings.Builder
	for _, r := range strings.ToLower(u.Host) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if !strings.HasSuffix(b.String(), "-") {
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

func truncateName(s string, limit int) string {
	if len(s) > limit {
		s = strings.TrimRight(s[:limit], "-")
	}
	return s
}
