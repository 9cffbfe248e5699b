package oauth

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxKeys       = 128  // of a set; rejected as a whole above that
	maxCandidates = 4    // keys that are tried for one token
	minRSA        = 2048 // bits; RFC 7518, section 3.3
	maxRSA        = 8192 // bits; the cost of a verification grows with the square
)

// algorithms returns the permitted algorithms of both kinds of tokens: asymmetric, so that
// no secret is shared with an issuer (RFC 8725, sections 3.1 and 3.2).
func algorithms() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{jose.ES256, jose.ES384, jose.PS256, jose.RS256, jose.EdDSA}
}

// A key verifies signatures of the listed algorithms.
type key struct {
	id         string
	algorithms []jose.SignatureAlgorithm
	public     any
}

// A snapshot is one published set of keys. It does not change.
type snapshot struct {
	keys     []key
	rejected int       // keys of the document that cannot be used here
	began    time.Time // of the fetch; zero: the set is a file's
	fetched  time.Time // zero: does not expire
}

// find returns the keys that may have signed a token. Without a kid, which is optional
// (RFC 7515, section 4.1.4), each key of the algorithm may have.
func (s *snapshot) find(id string, algorithm jose.SignatureAlgorithm) []key {
	var found []key
	for _, one := range s.keys {
		if (id == "" || one.id == id) && slices.Contains(one.algorithms, algorithm) && len(found) < maxCandidates {
			found = append(found, one)
		}
	}
	return found
}

// parseKeys reads a JWK Set (RFC 7517, section 5). Keys that cannot be used here are left
// out, as that section demands. A set without a usable key is valid: the issuer has
// withdrawn its keys.
func parseKeys(data []byte) (*snapshot, error) {
	var set struct {
		Keys *[]jsontext.Value `json:"keys"`
	}
	if err := json.Unmarshal(data, &set); err != nil {
		return nil, fmt.Errorf("read the key set: %w", err)
	}
	if set.Keys == nil {
		return nil, errors.New("read the key set: it has no member `keys`")
	}
	if len(*set.Keys) > maxKeys {
		return nil, fmt.Errorf("read the key set: %d keys, at most %d are accepted", len(*set.Keys), maxKeys)
	}
	result := &snapshot{}
	for _, data := range *set.Keys {
		if one, ok := parseKey(data); ok {
			result.keys = append(result.keys, one)
		} else {
			result.rejected++
		}
	}
	return result, nil
}

// parseKey accepts public keys for signatures. A private key is rejected: it is published,
// so anybody can sign with it.
func parseKey(data jsontext.Value) (key, bool) {
	var usage struct {
		Use string    `json:"use"`
		Ops *[]string `json:"key_ops"`
	}
	var parsed jose.JSONWebKey
	if json.Unmarshal(data, &usage) != nil || parsed.UnmarshalJSON(data) != nil || !parsed.IsPublic() {
		return key{}, false
	}
	if usage.Use != "" && usage.Use != "sig" || usage.Ops != nil && !slices.Contains(*usage.Ops, "verify") {
		return key{}, false
	}
	fitting := fittingAlgorithms(parsed.Key)
	if parsed.Algorithm != "" {
		only := jose.SignatureAlgorithm(parsed.Algorithm)
		if !slices.Contains(fitting, only) {
			return key{}, false
		}
		fitting = []jose.SignatureAlgorithm{only}
	}
	return key{parsed.KeyID, fitting, parsed.Key}, len(fitting) > 0
}

// fittingAlgorithms returns the algorithms that a public key is for, by its type and size.
func fittingAlgorithms(public any) []jose.SignatureAlgorithm {
	switch public := public.(type) {
	case *ecdsa.PublicKey:
		switch public.Curve {
		case elliptic.P256():
			return []jose.SignatureAlgorithm{jose.ES256}
		case elliptic.P384():
			return []jose.SignatureAlgorithm{jose.ES384}
		}
	case *rsa.PublicKey:
		if bits := public.N.BitLen(); bits >= minRSA && bits <= maxRSA {
			return []jose.SignatureAlgorithm{jose.PS256, jose.RS256}
		}
	case ed25519.PublicKey:
		return []jose.SignatureAlgorithm{jose.EdDSA}
	}
	return nil
}
