package oauth

import (
	"math"
	"slices"
	"strings"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// leeway is for clocks of nodes and issuers that differ (RFC 7519, section 4.1.4).
const leeway = 30 * time.Second

// maxDate is the largest NumericDate that is accepted: the year 9999. It keeps sums of
// times far from an overflow.
const maxDate = 253402300799 // seconds

// claims are the claims set of a token by name. Two members of one name are an error
// (RFC 7519, section 4).
type claims map[string]jsontext.Value

func parseClaims(payload []byte) (claims, error) {
	var c claims
	if err := json.Unmarshal(payload, &c); err != nil || c == nil {
		return nil, invalid(Malformed, "the claims of the token are not a JSON object with distinct names")
	}
	return c, nil
}

// text returns a claim that is a string, or "".
func (c claims) text(name string) string {
	var text string
	if json.Unmarshal(c[name], &text) != nil {
		return ""
	}
	return text
}

// required returns a claim that must be a non-empty string.
func (c claims) required(name string) (string, error) {
	if text := c.text(name); text != "" {
		return text, nil
	}
	return "", invalid(MissingClaim, "the claim "+name+" of the token is missing or not a string")
}

// list returns a claim that is a string or an array of strings, or nil.
func (c claims) list(name string) []string {
	var list []string
	if c[name].Kind() != '[' {
		if text := c.text(name); text != "" {
			return []string{text}
		}
	} else if json.Unmarshal(c[name], &list) != nil {
		return nil
	}
	return list
}

// date returns a claim that is a NumericDate, with fractions. ok is false if there is none.
func (c claims) date(name string) (at time.Time, ok bool, err error) {
	value, ok := c[name]
	if !ok {
		return time.Time{}, false, nil
	}
	var seconds *float64
	if json.Unmarshal(value, &seconds) != nil || seconds == nil || *seconds < 0 || *seconds > maxDate {
		return time.Time{}, false, invalid(Malformed, "the claim "+name+" of the token is not a date")
	}
	whole, fraction := math.Modf(*seconds)
	return time.Unix(int64(whole), int64(fraction*1e9)), true, nil
}

// checkIssuer compares `iss` exactly (RFC 9068, section 4; RFC 8725, section 3.8).
func (c claims) checkIssuer(issuer string) error {
	if c.text("iss") != issuer {
		return invalid(WrongIssuer, "the token is of another issuer")
	}
	return nil
}

// checkTimes requires `iat` and `exp`, which an RFC 7519 token may omit, and returns the
// expiry.
func (c claims) checkTimes(lifetime time.Duration) (time.Time, error) {
	now := time.Now()
	issued, hasIssued, err := c.date("iat")
	if err != nil {
		return time.Time{}, err
	}
	expires, hasExpiry, err := c.date("exp")
	if err != nil {
		return time.Time{}, err
	}
	start, hasStart, err := c.date("nbf")
	if err != nil {
		return time.Time{}, err
	}
	switch {
	case !hasIssued:
		return time.Time{}, invalid(MissingClaim, "the claim iat of the token is missing")
	case !hasExpiry:
		return time.Time{}, invalid(MissingClaim, "the claim exp of the token is missing")
	case !now.Before(expires.Add(leeway)):
		return time.Time{}, invalid(Expired, "the token has expired")
	case now.Add(leeway).Before(issued) || hasStart && now.Add(leeway).Before(start):
		return time.Time{}, invalid(NotYetValid, "the token is not valid yet: compare the clocks of the issuer and the gateway")
	case expires.Sub(issued) > lifetime:
		return time.Time{}, invalid(TooLong, "the lifetime of the token is longer than "+lifetime.String())
	}
	return expires, nil
}

// contains reports whether one of the audiences is among accepted. One trailing slash is
// ignored: issuers and clients add it to URLs (RFC 8707, section 2, names a URI).
func containsAudience(audiences []string, accepted ...string) bool {
	return slices.ContainsFunc(audiences, func(one string) bool {
		return slices.ContainsFunc(accepted, func(other string) bool {
			return strings.TrimSuffix(one, "/") == strings.TrimSuffix(other, "/")
		})
	})
}
