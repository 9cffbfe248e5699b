package cluster

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
)

// idSize is that of a node's or link's id in characters: 10 random bytes in Base32. Ids
// are never configured, so that cloned configurations do not share one.
const idSize = 16

// idEncoding writes characters that can be part of a NATS subject.
var idEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func newID() string {
	var id [10]byte
	rand.Read(id[:]) // never fails
	return idEncoding.EncodeToString(id[:])
}

// isKey reports whether s has size characters of idEncoding: it can then be a token of a
// subject. `.`, `*`, `>` and blanks cannot.
func isKey(s string, size int) bool {
	return len(s) == size && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// subjects are those of one cluster. The number is the version of all that is sent besides
// links, which have versions of their own.
type subjects struct{ prefix string }

func newSubjects(cluster string) subjects { return subjects{"pagemcp.1." + cluster + "."} }

func (s subjects) heartbeat() string         { return s.prefix + "hb" }
func (s subjects) question() string          { return s.prefix + "who" }
func (s subjects) event(owner string) string { return s.prefix + "ev." + owner }
func (s subjects) control(node string) string {
	return s.prefix + "n." + node + ".ctl"
}
func (s subjects) link(node, link string) string {
	return s.prefix + "n." + node + ".l." + link
}

// parseLink returns the ids in the subject of a link.
func (s subjects) parseLink(subject string) (node, link string, ok bool) {
	rest, ok := strings.CutPrefix(subject, s.prefix+"n.")
	node, link, found := strings.Cut(rest, ".l.")
	return node, link, ok && found && isKey(node, idSize) && isKey(link, idSize)
}
