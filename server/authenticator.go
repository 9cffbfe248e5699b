package server

import (
	"fmt"
	"net/http"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

// An authenticator tells assistants apart by their tokens: see [assistants]. clientInfo, which
// an assistant says of itself, is for display.
type authenticator struct {
	token      *token
	assistants *assistants
}

// Authenticate implements access.Authenticator.
func (a *authenticator) Authenticate(r *http.Request) (access.Caller, *access.Challenge) {
	hash, ok := a.token.presented(r)
	main, named := a.token.accepts(hash), a.assistants.find(hash)
	switch {
	case ok && main != nil:
		return a.token.caller(main), nil
	case ok && named != nil && (!a.token.disabled || !named.hasEnded()):
		return a.ofAssistant(r, named)
	case a.token.disabled:
		return access.Caller{Principal: anyonePrincipal}, nil
	}
	return access.Caller{}, a.token.reject(r)
}

// ofAssistant returns the caller of a request with a named token.
func (a *authenticator) ofAssistant(r *http.Request, one *assistant) (access.Caller, *access.Challenge) {
	if refusal := one.refusal(); refusal != "" {
		return access.Caller{}, &access.Challenge{
			Status: http.StatusUnauthorized, Text: refusal, Reason: "expired", Header: http.Header{"Www-Authenticate": {"Bearer"}},
		}
	}
	path := r.URL.Path
	if a.token.lenient {
		path = access.PlainPath(path)
	}
	if page, ok := access.PageOf(path); ok && page != "" && !one.seesPage(page) {
		return access.Caller{}, &access.Challenge{
			Status: http.StatusForbidden, Reason: "page",
			Text: fmt.Sprintf("the token of %q is not for the page %q: `pagemcp token list` shows its pages", one.Name, page),
		}
	}
	return access.Caller{Principal: one.Name, Valid: one.valid}, nil
}

// refusal returns why a name is refused, or "".
func (one *assistant) refusal() string {
	switch {
	case !one.Revoked.IsZero():
		return fmt.Sprintf("the token of %q was revoked; `pagemcp token add %[1]s` makes another one", one.Name)
	case one.hasEnded():
		return fmt.Sprintf("the token of %q has expired; `pagemcp token add %[1]s` makes another one", one.Name)
	}
	return ""
}
