package oauth

import "errors"

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
	text   string
}

// Error implements error.
func (e *InvalidToken) Error() string { return e.text }

func invalid(reason Reason, text string) error { return &InvalidToken{reason, text} }

// ErrKeysUnavailable means that the token could not be verified, because the keys of its
// issuer are not known here. It may be valid, so the response is 503 and never 401, which
// makes clients discard it.
var ErrKeysUnavailable = errors.New("the keys of the issuer are not available")

// ReasonOf returns the reason of an error of this package.
func ReasonOf(err error) Reason {
	if refused := (*InvalidToken)(nil); errors.As(err, &refused) {
		return refused.Reason
	}
	return KeysUnavailable
}
