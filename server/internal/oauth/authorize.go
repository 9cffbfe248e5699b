package oauth

import (
	"slices"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

// scopesOf returns the scopes that a request needs. Methods that are not listed here are
// those of extensions, whose effect is unknown.
func scopesOf(act access.Act) []string {
	switch act.Method {
	case "initialize", "ping", "server/discover", "logging/setLevel", "tools/list":
		return nil
	case "resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe", "skills/list", "skills/get":
		return []string{ReadResources}
	case "prompts/list", "prompts/get":
		return []string{GetPrompts}
	case "subscriptions/listen":
		if act.Resources {
			return []string{ReadResources}
		}
		return nil
	case "completion/complete":
		if act.Resources {
			return []string{ReadResources}
		}
		return []string{GetPrompts}
	case "tools/call":
		if act.Generated {
			return []string{ReadResources}
		}
	}
	return []string{CallTools}
}

// authorize returns the response to a request at path whose token does not grant all that
// acts need, or nil. It names the granted scopes, too: a client that gets a new token with
// the named ones loses none.
func (a *Authenticator) authorize(granted Access, path string, acts ...access.Act) *access.Challenge {
	var missing []string
	for _, act := range acts {
		for _, scope := range scopesOf(act) {
			if !granted.Has(scope) && !slices.Contains(missing, scope) {
				missing = append(missing, scope)
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	var all []string
	for _, scope := range AllScopes() {
		if granted.Has(scope) || slices.Contains(missing, scope) {
			all = append(all, scope)
		}
	}
	a.observe(MissingScope)
	return a.InsufficientScope(path, all...)
}
