package gateway

import (
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// allow returns the policy of the engine that serves one page, or all pages if page is
// empty. Decisions use the names at /mcp, so that a client cannot get at /mcp/{page}
// what it may not get at /mcp.
func (g *Gateway) allow(page string) func(engine.Principal, engine.Verb, string) bool {
	decide := g.Options.Allow
	if decide == nil || page == "" {
		return decide
	}
	return func(principal engine.Principal, verb engine.Verb, uri string) bool {
		if name, isTool := strings.CutPrefix(uri, "tool:"); isTool {
			// The name may be that of a generated tool, or of a tool of the page that
			// replaces it. Both must be allowed.
			if isGenerated(name) && !decide(principal, verb, uri) {
				return false
			}
		}
		return decide(principal, verb, qualifiedURI(page, uri))
	}
}

// qualifiedURI returns the URI at /mcp of an entry of page. Tools and prompts are
// qualified by a dot.
func qualifiedURI(page, uri string) string {
	for _, scheme := range [...]string{"tool:", "prompt:"} {
		if name, ok := strings.CutPrefix(uri, scheme); ok {
			return scheme + page + "." + name
		}
	}
	return page + "+" + uri
}

// isGenerated reports whether the gateway has a tool with this name.
func isGenerated(tool string) bool {
	return slices.ContainsFunc(resourceToolList[:], func(t resourceTool) bool { return t.name == tool })
}
