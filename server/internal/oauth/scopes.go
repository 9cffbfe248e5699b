package oauth

import (
	"slices"
	"strings"
)

// Scopes of access tokens. There is none per page: all pages that a token reaches belong
// to its owner.
const (
	readResources = "resources:read"
	getPrompts    = "prompts:get"
	callTools     = "tools:call"
)

// AllScopes returns the three scopes.
func AllScopes() []string { return []string{readResources, getPrompts, callTools} }

// A ScopeNames maps scopes to the names that an issuer has for them. Scopes that are not
// in it keep their names.
type ScopeNames map[string]string

// issued returns the names of scopes at the issuer.
func (n ScopeNames) issued(scopes []string) []string {
	names := make([]string, len(scopes))
	for i, scope := range scopes {
		names[i] = scope
		if name := n[scope]; name != "" {
			names[i] = name
		}
	}
	return names
}

// granted returns the scopes of a token: `scope` (RFC 9068, section 2.2.3) or `scp`, a
// list in either form. Our own names are accepted, too: some issuers require a prefix in
// requests and leave it out in tokens.
func (n ScopeNames) granted(c claims) []string {
	names := c.list("scope")
	if len(names) == 0 {
		names = c.list("scp")
	}
	var words []string
	for _, name := range names {
		words = append(words, strings.Fields(name)...)
	}
	var scopes []string
	for _, scope := range AllScopes() {
		if slices.Contains(words, scope) || n[scope] != "" && slices.Contains(words, n[scope]) {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}
