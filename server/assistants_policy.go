package server

import (
	"strings"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// Policy of named assistants: what a right does not say is denied. All decisions are made at
// use, by the name, so that they hold for every way in and end with the token.

// allow is [gateway.Options.Allow]. Clients without a token of their name may do everything.
func (a *assistants) allow(who engine.Principal, verb engine.Verb, uri string) bool {
	one := a.named(string(who))
	switch {
	case one == nil:
		return true
	case one.hasEnded():
		return false
	case one.ReadOnly && verb == engine.VerbCall && strings.HasPrefix(uri, "method:"):
		return false // the effect of a method of an extension is unknown
	}
	return len(one.Apps) == 0 || one.mayUse(uri)
}

// readOnly is [gateway.Options.ReadOnly].
func (a *assistants) readOnly(who engine.Principal) bool {
	one := a.named(string(who))
	return one != nil && one.ReadOnly
}

// hasEnded is [gateway.Options.HasEnded].
func (a *assistants) hasEnded(who engine.Principal) bool {
	one := a.named(string(who))
	return one != nil && one.hasEnded()
}

// sees is [gateway.Options.Sees].
func (a *assistants) sees(who engine.Principal, page string) bool {
	one := a.named(string(who))
	return one == nil || !one.hasEnded() && one.seesPage(page)
}

// mayUse reports whether a URI, as gateway.Options.Allow gets it, is of one of the assistant's
// pages, or a tool of the gateway, which sends requests as its caller.
func (one *assistant) mayUse(uri string) bool {
	for _, scheme := range [...]string{"tool:", "prompt:", "method:"} {
		name, ok := strings.CutPrefix(uri, scheme)
		if !ok {
			continue
		}
		page, _, ofPage := access.CutName(name)
		if !ofPage {
			return scheme == "tool:" && gateway.IsGenerated(name)
		}
		return one.seesPage(page)
	}
	page, _, ofPage := strings.Cut(uri, "+")
	return ofPage && one.seesPage(page)
}

// seesPage reports whether a page exists for the assistant: it has the name of one of its
// apps, or that name with a number, which further pages of the same origin get.
func (one *assistant) seesPage(page string) bool {
	for _, app := range one.Apps {
		if page == app {
			return true
		}
		root := access.TruncateName(app, maxRoot)
		if strings.HasPrefix(page, root) && (page == root || isNumbered(page, root)) { // the prefix first: it is cheaper
			return true
		}
	}
	return len(one.Apps) == 0
}
