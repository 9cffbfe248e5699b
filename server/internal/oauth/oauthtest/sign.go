package oauthtest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"time"
)

// A Key signs tokens of one issuer. Signing does not use the library that verifies, so
// that it can produce what no library produces.
type Key struct {
	ID        string
	Algorithm string
	private   crypto.Signer
	extra     map[string]any // members of its JWK that With has changed
}

// NewKey returns a new key for ES256, ES384, RS256, PS256 or EdDSA.
func NewKey(algorithm string) *Key { return newKey(algorithm, 2048) }

// NewRSAKey returns a new key for RS256 with that many bits.
func NewRSAKey(bits int) *Key { return newKey("RS256", bits) }

func newKey(algorithm string, bits int) *Key {
	k := &Key{ID: rand.Text(), Algorithm: algorithm}
	var err error
	switch algorithm {
	case "ES256":
		k.private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case "ES384":
		k.private, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case "RS256", "PS256":
		k.private, err = rsa.GenerateKey(rand.Reader, bits)
	case "EdDSA":
		_, k.private, err = ed25519.GenerateKey(rand.Reader)
	default:
		err = fmt.Errorf("no algorithm %q", algorithm)
	}
	if err != nil {
		panic(err)
	}
	return k
}

// With returns a copy whose JWK has these members, too; nil removes one.
func (k *Key) With(members map[string]any) *Key {
	other := *k
	other.extra = members
	if id, ok := members["kid"].(string); ok {
		other.ID = id
	}
	return &other
}

// Public returns the public key.
func (k *Key) Public() crypto.PublicKey { return k.private.Public() }

// JWK returns the public key as a JSON Web Key (RFC 7517; RFC 7518, section 6; RFC 8037).
func (k *Key) JWK() map[string]any {
	jwk := map[string]any{"kid": k.ID, "alg": k.Algorithm, "use": "sig"}
	switch public := k.Public().(type) {
	case *ecdsa.PublicKey:
		point, err := public.Bytes()
		if err != nil {
			panic(err)
		}
		size := len(point) / 2
		jwk["kty"], jwk["crv"], jwk["x"], jwk["y"] = "EC", public.Curve.Params().Name, encode(point[1:1+size]), encode(point[1+size:])
	case *rsa.PublicKey:
		jwk["kty"], jwk["n"], jwk["e"] = "RSA", encode(public.N.Bytes()), encode(big.NewInt(int64(public.E)).Bytes())
	case ed25519.PublicKey:
		jwk["kty"], jwk["crv"], jwk["x"] = "OKP", "Ed25519", encode(public)
	}
	for name, value := range k.extra {
		jwk[name] = value
		if value == nil {
			delete(jwk, name)
		}
	}
	return jwk
}

// PrivateJWK returns the key with its secret, for ES256 keys only.
func (k *Key) PrivateJWK() map[string]any {
	jwk := k.JWK()
	secret, err := k.private.(*ecdsa.PrivateKey).Bytes()
	if err != nil {
		panic(err)
	}
	jwk["d"] = encode(secret)
	return jwk
}

// Sign returns a token. header replaces members of the header, which are alg, kid and
// typ at+jwt; nil removes one.
func (k *Key) Sign(header, claims map[string]any) string {
	merged := map[string]any{"alg": k.Algorithm, "kid": k.ID, "typ": "at+jwt"}
	maps.Copy(merged, header)
	for name, value := range merged {
		if value == nil {
			delete(merged, name)
		}
	}
	return k.SignRaw(marshal(merged), marshal(claims))
}

// SignRaw returns a token of these bytes.
func (k *Key) SignRaw(header, payload []byte) string {
	input := encode(header) + "." + encode(payload)
	return input + "." + encode(k.signature([]byte(input)))
}

// HMAC returns a token that is signed by HS256 (RFC 7518, section 3.2).
func HMAC(secret []byte, header, claims map[string]any) string {
	input := encode(marshal(header)) + "." + encode(marshal(claims))
	hash := hmac.New(sha256.New, secret)
	hash.Write([]byte(input))
	return input + "." + encode(hash.Sum(nil))
}

// signature is that of RFC 7518, sections 3.3 to 3.5, or RFC 8037.
func (k *Key) signature(input []byte) []byte {
	hash := map[string]crypto.Hash{"ES384": crypto.SHA384, "EdDSA": 0}[k.Algorithm]
	if hash == 0 && k.Algorithm != "EdDSA" {
		hash = crypto.SHA256
	}
	digest := input
	if hash != 0 {
		h := hash.New()
		h.Write(input)
		digest = h.Sum(nil)
	}
	if private, ok := k.private.(*ecdsa.PrivateKey); ok {
		r, s, err := ecdsa.Sign(rand.Reader, private, digest)
		if err != nil {
			panic(err)
		}
		size := (private.Curve.Params().BitSize + 7) / 8
		return append(r.FillBytes(make([]byte, size)), s.FillBytes(make([]byte, size))...)
	}
	var options crypto.SignerOpts = hash
	if k.Algorithm == "PS256" {
		options = &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: hash}
	}
	signed, err := k.private.Sign(rand.Reader, digest, options)
	if err != nil {
		panic(err)
	}
	return signed
}

// Claims returns the claims of an access token for resource that is valid for one hour.
// changes replaces some; nil removes one.
func (i *Issuer) Claims(resource string, changes map[string]any) map[string]any {
	now := i.now()
	claims := map[string]any{
		"iss": i.URL(), "aud": resource, "client_id": "assistant", "jti": rand.Text(), "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
		"scope": "resources:read prompts:get tools:call",
	}
	i.mu.Lock()
	maps.Copy(claims, i.claims)
	i.mu.Unlock()
	maps.Copy(claims, changes)
	for name, value := range claims {
		if value == nil {
			delete(claims, name)
		}
	}
	return claims
}

// AccessToken returns a signed access token with the claims of Claims.
func (i *Issuer) AccessToken(resource string, changes map[string]any) string {
	return i.Key().Sign(nil, i.Claims(resource, changes))
}

// JoinToken returns a token of 60 seconds by which a page of origin joins at pageURL.
func (i *Issuer) JoinToken(pageURL, origin string, changes map[string]any) string {
	claims := i.Claims(pageURL, map[string]any{"client_id": nil, "scope": nil, "origin": origin, "exp": i.now().Add(time.Minute).Unix()})
	maps.Copy(claims, changes)
	for name, value := range claims {
		if value == nil {
			delete(claims, name)
		}
	}
	return i.Key().Sign(map[string]any{"typ": "pagemcp-join+jwt"}, claims)
}

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

func marshal(value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return data
}
