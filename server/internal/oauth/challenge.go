package oauth

import (
	"net/http"
	"strings"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

// challenge returns a response with WWW-Authenticate (RFC 6750, section 3; RFC 9728,
// section 5.1). Without credentials in the request it has no error code.
func (a *Authenticator) challenge(status int, path, code, text string, scopes []string) *access.Challenge {
	var parameters []string
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`) // names of claims are configured
	add := func(name, value string) { parameters = append(parameters, name+`="`+escape.Replace(value)+`"`) }
	if code != "" {
		add("error", code)
		add("error_description", text)
	}
	add("resource_metadata", a.config.PublicURL+metadataPath+path)
	add("scope", strings.Join(a.config.Validator.config.Scopes.issued(scopes), " "))
	return &access.Challenge{
		Status: status, Text: text,
		Header: http.Header{"Www-Authenticate": {"Bearer " + strings.Join(parameters, ", ")}},
	}
}

// insufficientScope returns the response to a request to path that needs scopes which its
// token does not grant. needed are all scopes of the request, with the granted ones:
// a client replaces its token by one with exactly these (MCP 2026-07-28,
// basic/authorization, Scope Challenge Handling).
func (a *Authenticator) insufficientScope(path string, needed ...string) *access.Challenge {
	text := "the request needs the scope " + strings.Join(a.config.Validator.config.Scopes.issued(needed), " ")
	return a.challenge(http.StatusForbidden, endpointPath(path), "insufficient_scope", text, needed)
}

// endpointPath returns path if it is an MCP endpoint, and else the main one: challenges
// contain no text of a client.
func endpointPath(path string) string {
	if _, ok := access.PageOf(path); ok {
		return path
	}
	return "/mcp"
}
