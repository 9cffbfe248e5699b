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
	maxRoot = access.MaxName - 3 // length of a name without its number, "-2" to "-99"
	maxHost = 24                 // length of host and port in a root
)

// roots yields the names that pages of origin with the app name base may get, best
// first: notes, notes-app-example, and then an infinite sequence with hashes.
func roots(base, origin string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if !yield(access.TruncateName(base, maxRoot)) {
			return
		}
		host := access.TruncateName(hostName(origin), maxHost)
		if !yield(access.TruncateName(base, maxRoot-1-len(host)) + "-" + host) {
			return
		}
		for i := 0; ; i++ {
			sum := sha256.Sum256([]byte(origin + " " + strconv.Itoa(i)))
			hash := "-x" + hex.EncodeToString(sum[:4]) // x: it cannot be mistaken for a number
			if !yield(access.TruncateName(base, maxRoot-len(hash)) + hash) {
				return
			}
		}
	}
}

// collide reports whether two roots may not belong to different origins: they are equal,
// or one equals a numbered form of the other.
func collide(a, b string) bool {
	return a == b || isNumbered(a, b) || isNumbered(b, a)
}

// isNumbered reports whether name is root with a number of one or two digits. Longer
// numbers, like a port or a year, are part of a root.
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

// hostName converts the host and port of an origin to a part of a name.
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
