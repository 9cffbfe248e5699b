package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// An AuthenticatorConfig describes the resource server.
type AuthenticatorConfig struct {
	PublicURL       string // scheme and host; the endpoints are /mcp and /mcp/{page} below it
	Validator       *Validator
	ChallengeScopes []string     // that the first challenge names; default: all three
	OnRefusal       func(Reason) // called for each rejected request; may be nil
}

// An Authenticator authenticates assistants by OAuth access tokens.
type Authenticator struct {
	config AuthenticatorConfig
	valid  context.Context // of all callers; ends with close
	close  context.CancelFunc
}

// NewAuthenticator returns an Authenticator. Close must be called.
func NewAuthenticator(c AuthenticatorConfig) (*Authenticator, error) {
	if err := checkPublicURL(c.PublicURL); err != nil {
		return nil, err
	}
	if c.Validator == nil {
		return nil, errors.New("a validator is required")
	}
	c.PublicURL = strings.TrimSuffix(c.PublicURL, "/")
	if len(c.ChallengeScopes) == 0 {
		c.ChallengeScopes = AllScopes()
	}
	for _, scope := range c.ChallengeScopes {
		if !slices.Contains(AllScopes(), scope) {
			return nil, fmt.Errorf("there is no scope %q: want one of %v", scope, AllScopes())
		}
	}
	valid, cancel := context.WithCancel(context.Background())
	return &Authenticator{config: c, valid: valid, close: cancel}, nil
}

// checkPublicURL accepts an origin: paths of well-known documents are below the host.
func checkPublicURL(address string) error {
	if err := checkURL(address); err != nil {
		return err
	}
	if u, err := url.Parse(address); err != nil || u.Path != "" && u.Path != "/" || u.RawQuery != "" {
		return fmt.Errorf("%q: want scheme and host alone", address)
	}
	return nil
}

// Close ends the validity of all callers, and with it their streams.
func (a *Authenticator) Close() { a.close() }

// Identify returns the caller of a request and the subject of its token, or the response to it.
func (a *Authenticator) Identify(r *http.Request) (caller access.Caller, subject string, challenge *access.Challenge) {
	granted, challenge := a.Access(r)
	if challenge != nil {
		return caller, "", challenge
	}
	return access.Caller{
		Issuer:    a.config.Validator.config.Issuer,
		Principal: "client:" + granted.ClientID,
		Owner:     granted.Owner,
		Tenant:    granted.Tenant,
		Authorize: func(path string, rights ...engine.Right) *access.Challenge {
			return a.authorize(granted, path, rights...)
		},
		Valid:   a.valid,
		Expires: granted.Expires.Add(leeway),
	}, granted.Subject, nil
}

// Access returns what the token of r grants. A second call for one token costs a lookup.
func (a *Authenticator) Access(r *http.Request) (Access, *access.Challenge) {
	path := endpointPath(r.URL.Path)
	token, refused := bearer(r)
	if refused != "" {
		a.observe(BadRequest)
		return Access{}, a.challenge(http.StatusBadRequest, path, "invalid_request", refused, a.config.ChallengeScopes)
	}
	if token == "" {
		a.observe(Missing)
		return Access{}, a.challenge(http.StatusUnauthorized, path, "", "an OAuth access token is required", a.config.ChallengeScopes)
	}
	granted, err := a.config.Validator.Validate(r.Context(), token, a.config.PublicURL+path)
	if err == nil {
		return granted, nil
	}
	a.observe(ReasonOf(err))
	if invalid := (*InvalidToken)(nil); errors.As(err, &invalid) {
		challenge := a.challenge(http.StatusUnauthorized, path, "invalid_token", err.Error(), a.config.ChallengeScopes)
		challenge.Reason, challenge.Owner = string(invalid.Reason), invalid.Owner
		return Access{}, challenge
	}
	return Access{}, &access.Challenge{
		Status: http.StatusServiceUnavailable, Text: "the keys of the token's issuer are not available; retry", Reason: string(KeysUnavailable),
		Header: http.Header{"Retry-After": {strconv.Itoa(int(RetryAfter(err) / time.Second))}},
	}
}

func (a *Authenticator) observe(reason Reason) {
	if a.config.OnRefusal != nil {
		a.config.OnRefusal(reason)
	}
}

// bearer returns the token of r, or "" if there is none. refused is the reason why the
// request is malformed. Only the header is accepted (RFC 6750, section 2.1): a URL is in
// logs and histories, so a token there is refused even beside a header (MCP 2026-07-28,
// basic/authorization).
func bearer(r *http.Request) (token, refused string) {
	if inQuery(r.URL.RawQuery) {
		return "", "the access token is in the query; send it in the header Authorization"
	}
	values := r.Header.Values("Authorization")
	if len(values) > 1 {
		return "", "the request has two headers Authorization"
	}
	if len(values) == 0 {
		return "", ""
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", ""
	}
	token = strings.Trim(token, " ")
	if len(token) > maxToken {
		return "", "the access token is longer than 8 KiB"
	}
	if token == "" || strings.ContainsFunc(token, isOutsideToken) {
		return "", "the header Authorization is malformed"
	}
	return token, ""
}

// isOutsideToken reports whether char cannot be in a b64token (RFC 6750, section 2.1).
func isOutsideToken(char rune) bool {
	return (char < 'a' || char > 'z') && (char < 'A' || char > 'Z') && (char < '0' || char > '9') && !strings.ContainsRune("-._~+/=", char)
}

// inQuery reports whether a query has the parameter access_token, in any spelling that
// some parser accepts.
func inQuery(query string) bool {
	for pair := range strings.FieldsFuncSeq(query, func(char rune) bool { return char == '&' || char == ';' }) {
		name, _, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(name); err == nil {
			name = decoded
		}
		if strings.EqualFold(strings.TrimSpace(name), "access_token") {
			return true
		}
	}
	return false
}
