package oauth

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

const (
	maxLifetime = 24 * time.Hour // of an access token
	maxClientID = 2 << 10        // characters
)

// A Config says which access tokens are accepted.
type Config struct {
	Issuer        string   // exact
	Keys          *KeySet  // of the issuer
	Audience      []string // accepted at all endpoints; the URL of an endpoint is accepted there
	SubjectClaim  string   // default: sub
	TenantClaim   string   // required in tokens if it is set
	AcceptTypJWT  bool     // for issuers that do not implement RFC 9068, section 2.1
	Scopes        ScopeNames
	DefaultScopes []string // of a token without any of the three scopes
}

// An Access is the result of validating an access token. Its slices are shared, and must
// not be changed.
type Access struct {
	Owner    access.Owner
	Tenant   string // "" without TenantClaim
	Subject  string // any characters
	ClientID string // printable ASCII
	Scopes   []string
	Expires  time.Time

	audience []string
}

// Has reports whether scope is granted.
func (a Access) Has(scope string) bool { return slices.Contains(a.Scopes, scope) }

// A Validator validates access tokens by RFC 9068, section 4.
type Validator struct {
	config Config
	types  []string
	cache  *cache
}

// NewValidator returns a Validator.
func NewValidator(c Config) (*Validator, error) {
	if c.Issuer == "" || c.Keys == nil || len(c.Audience) == 0 || slices.Contains(c.Audience, "") {
		return nil, errors.New("an issuer, its keys and an audience are required")
	}
	for _, scope := range c.DefaultScopes {
		if !slices.Contains(AllScopes(), scope) {
			return nil, fmt.Errorf("there is no scope %q: want one of %v", scope, AllScopes())
		}
	}
	for scope, name := range c.Scopes {
		if !slices.Contains(AllScopes(), scope) || !isScope(name) {
			return nil, fmt.Errorf("scope %q cannot be mapped to %q: want one of %v, and a name without blanks", scope, name, AllScopes())
		}
	}
	if c.SubjectClaim == "" {
		c.SubjectClaim = "sub"
	}
	v := &Validator{config: c, types: []string{"at+jwt", "application/at+jwt"}, cache: newCache()}
	if c.AcceptTypJWT {
		v.types = append(v.types, "JWT")
	}
	return v, nil
}

// Validate returns what token grants at endpoint, which is a URL. The error is an
// *InvalidToken or ErrKeysUnavailable.
func (v *Validator) Validate(ctx context.Context, token, endpoint string) (Access, error) {
	if len(token) > maxToken {
		return Access{}, invalid(Malformed, "the token is longer than 8 KiB")
	}
	hash := sha256.Sum256([]byte(token))
	if set, _ := v.config.Keys.current(); set != nil {
		if result, ok := v.cache.get(hash, set); ok { // possibly by a request to another endpoint
			if err := v.checkAudience(result, endpoint); err != nil {
				return Access{}, err
			}
			return result, nil
		}
	}
	payload, set, err := v.config.Keys.verify(ctx, token, v.types, func(payload []byte) error {
		_, err := v.read(payload)
		return err
	})
	if err != nil {
		return Access{}, err
	}
	result, err := v.read(payload)
	if err == nil {
		err = v.checkAudience(result, endpoint)
	}
	if err != nil {
		return Access{}, withOwner(err, payload, v.config.TenantClaim, v.config.SubjectClaim)
	}
	v.cache.put(hash, set, result)
	return result, nil
}

// checkAudience compares `aud` (RFC 9068, section 4; RFC 8707, section 2).
func (v *Validator) checkAudience(a Access, endpoint string) error {
	if containsAudience(a.audience, endpoint) || containsAudience(a.audience, v.config.Audience...) {
		return nil
	}
	return invalid(WrongAudience, "the token is for "+named(a.audience)+", and this endpoint is "+endpoint)
}

// named returns audiences for a header of an answer (RFC 6750, section 3): an issuer may take them from a client.
func named(audiences []string) string {
	const most, longest = 3, 200 // bytes
	if len(audiences) == 0 {
		return "no audience"
	}
	text := strings.Join(audiences[:min(len(audiences), most)], " and ")
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '?'
		}
		return r
	}, text)
	return text[:min(len(text), longest)]
}

// read validates the claims of a token.
func (v *Validator) read(payload []byte) (Access, error) {
	c, err := parseClaims(payload)
	if err != nil {
		return Access{}, err
	}
	if err := c.checkIssuer(v.config.Issuer); err != nil {
		return Access{}, err
	}
	result := Access{audience: c.list("aud")}
	if result.Expires, err = c.checkTimes(maxLifetime); err != nil {
		return Access{}, err
	}
	if _, err := c.required("sub"); err != nil {
		return Access{}, err
	}
	if result.Subject, err = c.required(v.config.SubjectClaim); err != nil {
		return Access{}, err
	}
	if v.config.TenantClaim != "" {
		if result.Tenant, err = c.required(v.config.TenantClaim); err != nil {
			return Access{}, err
		}
	}
	if result.ClientID, err = clientID(c); err != nil {
		return Access{}, err
	}
	result.Owner = OwnerKey(result.Tenant, result.Subject)
	if result.Scopes = v.config.Scopes.granted(c); len(result.Scopes) == 0 {
		result.Scopes = slices.Clone(v.config.DefaultScopes)
	}
	return result, nil
}

// clientID returns the claim that names the client: client_id (RFC 9068, section 2.2), or
// the one that issuers have instead. It is in audit entries and in messages to pages, so
// only the characters of RFC 6749, appendix A.1, are accepted.
func clientID(c claims) (string, error) {
	for _, name := range []string{"client_id", "azp", "cid", "appid"} {
		id := c.text(name)
		if id == "" {
			continue
		}
		outside := func(char byte) bool { return char < ' ' || char > '~' }
		if len(id) > maxClientID || slices.ContainsFunc([]byte(id), outside) {
			return "", invalid(MissingClaim, "the claim "+name+" of the token is not a client id")
		}
		return id, nil
	}
	return "", invalid(MissingClaim, "the token has no claim client_id, azp, cid or appid")
}

// isScope reports whether name is a scope-token of RFC 6749, section 3.3.
func isScope(name string) bool {
	outside := func(char byte) bool { return char <= ' ' || char > '~' || char == '"' || char == '\\' }
	return name != "" && !slices.ContainsFunc([]byte(name), outside)
}
