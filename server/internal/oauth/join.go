package oauth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

// maxJoinLifetime is that of a join token: it is used at once.
const maxJoinLifetime = 300 * time.Second

// joinType is the header `typ` of a join token. It differs from that of access tokens, so
// that one kind cannot replace the other (RFC 8725, section 3.11).
const joinType = "pagemcp-join+jwt"

// A JoinConfig says which join tokens are accepted.
type JoinConfig struct {
	Issuer      string  // exact
	Keys        *KeySet // of the issuer
	PageURL     string  // the audience: the URL that pages connect to, wss://…/page
	TenantClaim string  // required in tokens if it is set
}

// A JoinValidator validates the tokens by which the backend of an app lets its pages join.
type JoinValidator struct{ config JoinConfig }

// NewJoinValidator returns a JoinValidator.
func NewJoinValidator(c JoinConfig) (*JoinValidator, error) {
	if c.Issuer == "" || c.Keys == nil {
		return nil, errors.New("an issuer of join tokens and its keys are required")
	}
	if !slices.ContainsFunc([]string{"wss://", "ws://"}, func(scheme string) bool { return strings.HasPrefix(c.PageURL, scheme) }) {
		return nil, fmt.Errorf("%q: the URL of pages must have the scheme wss", c.PageURL)
	}
	return &JoinValidator{c}, nil
}

// A Join is the result of validating a join token.
type Join struct {
	Owner           access.Owner
	Tenant, Subject string
	Origin          string // of the page
}

// Validate validates a join token of a page whose handshake had this Origin header. The
// caller must check that the origin is on its list. Results are not cached: each token
// is used once or twice. The error is an *InvalidToken or ErrKeysUnavailable.
func (v *JoinValidator) Validate(ctx context.Context, token, origin string) (Join, error) {
	check := func(payload []byte) error {
		_, err := v.read(payload, origin)
		return err
	}
	payload, _, err := v.config.Keys.verify(ctx, token, []string{joinType, "application/" + joinType}, check)
	if err != nil {
		return Join{}, err
	}
	result, err := v.read(payload, origin)
	if err != nil {
		return Join{}, withOwner(err, payload, v.config.TenantClaim, "sub")
	}
	return result, nil
}

// read validates the claims of a token.
func (v *JoinValidator) read(payload []byte, origin string) (Join, error) {
	c, err := parseClaims(payload)
	if err != nil {
		return Join{}, err
	}
	if err := c.checkIssuer(v.config.Issuer); err != nil {
		return Join{}, err
	}
	if !containsAudience(c.list("aud"), v.config.PageURL) {
		return Join{}, invalid(WrongAudience, "the claim aud of the join token is not the URL of pages")
	}
	var result Join
	if _, err = c.checkTimes(maxJoinLifetime); err != nil {
		return Join{}, err
	}
	if result.Origin, err = c.required("origin"); err != nil {
		return Join{}, err
	}
	if result.Origin != origin {
		return Join{}, invalid(WrongOrigin, "the claim origin of the join token is not the origin of the page")
	}
	if result.Subject, err = c.required("sub"); err != nil {
		return Join{}, err
	}
	if v.config.TenantClaim != "" {
		if result.Tenant, err = c.required(v.config.TenantClaim); err != nil {
			return Join{}, err
		}
	}
	result.Owner = OwnerKey(result.Tenant, result.Subject)
	return result, nil
}
