package oauth

import (
	"errors"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

// A Reason is the cause of a rejection, as the label of a metric. The set is finite.
type Reason string

// Reasons.
const (
	Missing         Reason = "missing"   // no bearer token in the request
	BadRequest      Reason = "request"   // two headers, a token in the query, or too long
	Malformed       Reason = "malformed" // not a JWS, or claims of a wrong type
	WrongAlgorithm  Reason = "algorithm"
	WrongType       Reason = "type" // header `typ`
	UnknownKey      Reason = "key"
	BadSignature    Reason = "signature"
	WrongIssuer     Reason = "issuer"
	WrongAudience   Reason = "audience"
	Expired         Reason = "expired"
	NotYetValid     Reason = "future"
	TooLong         Reason = "lifetime"
	MissingClaim    Reason = "claim"
	WrongOrigin     Reason = "origin"
	MissingScope    Reason = "scope" // of a valid token
	KeysUnavailable Reason = "keys"
)

// An InvalidToken is the error of a token that is rejected. Its text contains nothing of
// the token, so it can be sent in a header.
type InvalidToken struct {
	Reason Reason
	Owner  access.Owner // if the signature is valid and the claims name one; for the audit log
	text   string
}

// Error implements error.
func (e *InvalidToken) Error() string { return e.text }

func invalid(reason Reason, text string) error { return &InvalidToken{Reason: reason, text: text} }

// OwnerOf returns the owner of a rejected token whose signature is valid, or "".
func OwnerOf(err error) access.Owner {
	if refused := (*InvalidToken)(nil); errors.As(err, &refused) {
		return refused.Owner
	}
	return ""
}

// withOwner adds the owner that payload, whose signature is valid, names to the error about it.
func withOwner(err error, payload []byte, tenantClaim, subjectClaim string) error {
	refused := (*InvalidToken)(nil)
	if !errors.As(err, &refused) {
		return err
	}
	c, parseErr := parseClaims(payload)
	if parseErr != nil {
		return err
	}
	tenant := ""
	if tenantClaim != "" {
		tenant = c.text(tenantClaim)
	}
	if subject := c.text(subjectClaim); subject != "" {
		return &InvalidToken{refused.Reason, OwnerKey(tenant, subject), refused.text}
	}
	return err
}

// ErrKeysUnavailable means that the token could not be verified, because the keys of its
// issuer are not known here. It may be valid, so the response is 503 and never 401, which
// makes clients discard it.
var ErrKeysUnavailable = errors.New("the keys of the issuer are not available")

// An unavailableError is ErrKeysUnavailable with the time until the keys are fetched again.
type unavailableError struct{ retry time.Duration }

func (e *unavailableError) Error() string { return ErrKeysUnavailable.Error() }

func (e *unavailableError) Unwrap() error { return ErrKeysUnavailable }

// retryAway is the time for a retry if nothing better is known.
const retryAway = 5 * time.Second

// RetryAfter returns after which time a token with ErrKeysUnavailable is worth another try:
// whole seconds, at least one.
func RetryAfter(err error) time.Duration {
	away := (*unavailableError)(nil)
	if !errors.As(err, &away) {
		return retryAway
	}
	return max((away.retry + time.Second - 1).Truncate(time.Second), time.Second)
}

// ReasonOf returns the reason of an error of this package.
func ReasonOf(err error) Reason {
	if refused := (*InvalidToken)(nil); errors.As(err, &refused) {
		return refused.Reason
	}
	return KeysUnavailable
}
