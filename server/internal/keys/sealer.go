package keys

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

const (
	sealKeySize   = 32 // bytes: AES-256
	sealSaltSize  = 16 // bytes, random
	sealNonceSize = 12 // bytes, random
	sealTagSize   = 16 // bytes
	sealOverhead  = sealSaltSize + sealNonceSize + sealTagSize
)

// A Sealer encrypts and authenticates short texts for one purpose, such as session ids, by
// AES-256-GCM under a key ring. The first key of the ring seals, all of them open. What is
// sealed for one purpose does not open for another. It does not change.
//
// AES-GCM with random nonces allows 2^32 texts per key (NIST SP 800-38D, section 8.3): 136
// sessions per second for a year, and all nodes together. So each text has a key of its
// own, which HKDF derives from the purpose's key and a random salt (RFC 5869, section 2.3).
// Salt and nonce are 224 random bits: two texts with both equal are not to be expected
// before 2^96 of them.
type Sealer struct {
	purpose string
	keys    [][]byte // one for each of the ring's
}

// Sealer returns a Sealer for a purpose.
func (r Ring) Sealer(purpose string) Sealer {
	return Sealer{purpose, r.derive(sealLabel+purpose, sealKeySize)}
}

// Seal returns text sealed: salt, nonce, ciphertext, tag. Only Open with equal context
// returns the text.
func (s Sealer) Seal(text []byte, context ...string) []byte {
	sealed := make([]byte, sealSaltSize+sealNonceSize, len(text)+sealOverhead)
	rand.Read(sealed) // never returns an error
	return aead(s.keys[0], sealed).Seal(sealed, sealed[sealSaltSize:], text, s.additional(context))
}

// Open returns the text that was sealed with this context; false if it was not sealed under
// a key of the ring. It costs about a microsecond for each key that is tried.
func (s Sealer) Open(sealed []byte, context ...string) (text []byte, ok bool) {
	text, _, ok = s.OpenBy(sealed, context...)
	return text, ok
}

// OpenBy is Open, and returns the id of the key.
func (s Sealer) OpenBy(sealed []byte, context ...string) (text []byte, key string, ok bool) {
	if len(sealed) < sealOverhead {
		return nil, "", false
	}
	additional := s.additional(context)
	for _, key := range s.keys {
		nonce, ciphertext := sealed[sealSaltSize:sealSaltSize+sealNonceSize], sealed[sealSaltSize+sealNonceSize:]
		if text, err := aead(key, sealed).Open(nil, nonce, ciphertext, additional); err == nil {
			return text, sealKeyID(key), true
		}
	}
	return nil, "", false
}

// sealKeyID returns the id of a key, which is no secret.
func sealKeyID(key []byte) string {
	sum := sha256.Sum256(key)
	return string(sum[:8])
}

// ID returns the id of the key that seals.
func (s Sealer) ID() string { return sealKeyID(s.keys[0]) }

// Has reports whether the key with this id is one of the ring's.
func (s Sealer) Has(id string) bool {
	return slices.ContainsFunc(s.keys, func(key []byte) bool { return sealKeyID(key) == id })
}

// aead returns the cipher of one text by the salt at its beginning.
func aead(key, sealed []byte) cipher.AEAD {
	own, err := hkdf.Expand(sha256.New, key, string(sealed[:sealSaltSize]), sealKeySize)
	if err != nil { // only for lengths above 255 hashes
		panic(err)
	}
	block, err := aes.NewCipher(own)
	if err != nil { // only for other key sizes
		panic(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil { // only for other block sizes
		panic(err)
	}
	return gcm
}

// additional returns the additional data of a text: the purpose and the context, each
// prefixed by its length, so that ("ab", "c") and ("a", "bc") differ.
func (s Sealer) additional(context []string) []byte {
	var data []byte
	for _, part := range append([]string{s.purpose}, context...) {
		data = append(binary.AppendUvarint(data, uint64(len(part))), part...)
	}
	return data
}
