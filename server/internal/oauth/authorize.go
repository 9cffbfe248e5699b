package oauth

import (
	"slices"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// scopeOf returns the scope that a right requires, or "".
func scopeOf(right engine.Right) string {
	switch right {
	case engine.RightConnect:
		return ""
	case engine.RightRead:
		return readResources
	case engine.RightPrompt:
		return getPrompts
	}
	return callTools
}

// authorize returns the response to a request at path whose token does not grant all that
// rights require, or nil. It names the granted scopes, too: a client that gets a new token with
// the named ones loses none.
func (a *Authenticator) authorize(granted Access, path string, rights ...engine.Right) *access.Challenge {
	var missing []string
	for _, right := range rights {
		if scope := scopeOf(right); scope != "" && !granted.Has(scope) && !slices.Contains(missing, scope) {
			missing = append(missing, scope)
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
	return a.insufficientScope(path, all...)
}
