package oauth

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strings"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

// OwnerKey returns the key of the user subject of tenant. Subjects come from issuers and
// may contain any character; a key is 26 characters of a-z and 2-7, so it can be a part of
// a NATS subject or a file name.
func OwnerKey(tenant, subject string) access.Owner {
	return access.Owner(hashKey("owner", tenant, subject))
}

// PageKey returns the key of a page of owner. page is the id that the page has chosen.
func PageKey(owner access.Owner, origin, page string) string {
	return hashKey("page", string(owner), origin, page)
}

// keyLength is that of a key: 130 bits, so that two parts with one key cannot be found.
const keyLength = 26 // characters

// hashKey prefixes each part by its length, so that ("ab", "c") and ("a", "bc") differ.
func hashKey(parts ...string) string {
	hash := sha256.New()
	for _, part := range parts {
		hash.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		hash.Write([]byte(part))
	}
	return strings.ToLower(base32.StdEncoding.EncodeToString(hash.Sum(nil)))[:keyLength]
}
