package oauth

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"
	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxToken is the length of a token. Longer ones are rejected before they are parsed.
const maxToken = 8 << 10 // bytes

// A header is the JOSE header of a token, as far as it is used. `jku`, `x5u`, `x5c` and
// `jwk`, which name a key, are ignored: keys come from the issuer's key set alone (RFC
// 8725, section 3.10).
type header struct {
	Algorithm string         `json:"alg"`
	Type      string         `json:"typ"`
	KeyID     string         `json:"kid"`
	Critical  jsontext.Value `json:"crit"`
	Base64    jsontext.Value `json:"b64"`
}

// verify returns the payload of a token whose type is one of types and whose signature is
// valid, and the set that has its key. If the key is unknown, check gets the payload without
// a signature: a token that is invalid for another reason causes no fetch.
func (s *KeySet) verify(ctx context.Context, token string, types []string, check func(payload []byte) error) ([]byte, *snapshot, error) {
	head, err := parseHeader(token)
	if err != nil {
		return nil, nil, err
	}
	if !slices.ContainsFunc(types, func(one string) bool { return strings.EqualFold(one, head.Type) }) {
		return nil, nil, invalid(WrongType, "the header typ of the token is not "+types[0])
	}
	algorithm := jose.SignatureAlgorithm(head.Algorithm)
	if !slices.Contains(algorithms(), algorithm) {
		return nil, nil, invalid(WrongAlgorithm, "the algorithm of the token is not ES256, ES384, PS256, RS256 or EdDSA")
	}
	signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{algorithm})
	if err != nil {
		return nil, nil, invalid(Malformed, "the token is not a JWS in compact form")
	}
	keys, set := s.known(head.KeyID, algorithm)
	if len(keys) == 0 {
		if err = check(signed.UnsafePayloadWithoutVerification()); err == nil {
			keys, set, err = s.find(ctx, head.KeyID, algorithm)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	for _, one := range keys {
		if payload, err := signed.Verify(one.public); err == nil {
			return payload, set, nil
		}
	}
	return nil, nil, invalid(BadSignature, "the signature of the token is not valid")
}

// parseHeader checks the form of a token and reads its header. base64 must be canonical:
// one token has one spelling. Members with equal names are an error (RFC 7515, section 4).
// No extension is understood, so `crit` is rejected (section 4.1.11), and with it
// unencoded payloads (RFC 7797).
func parseHeader(token string) (header, error) {
	malformed := invalid(Malformed, "the token is not a JWS in compact form")
	if len(token) > maxToken {
		return header{}, invalid(Malformed, "the token is longer than 8 KiB")
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 { // a JWE has five
		return header{}, malformed
	}
	var decoded [3][]byte
	for i, part := range parts {
		var err error
		// Package base64 skips line breaks.
		if decoded[i], err = base64.RawURLEncoding.Strict().DecodeString(part); err != nil || part == "" || strings.ContainsAny(part, "\r\n") {
			return header{}, malformed
		}
	}
	var head header
	if err := json.Unmarshal(decoded[0], &head); err != nil {
		return header{}, malformed
	}
	if head.Critical != nil || head.Base64 != nil {
		return header{}, invalid(Malformed, "the token has the header crit or b64, which is not supported")
	}
	return head, nil
}
