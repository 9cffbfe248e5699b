package gateway

import (
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// allow returns the policy of the engine that serves page alone, or all pages if page
// is empty. It decides by the names that things have at /mcp, so that a client does
// not get at /mcp/{page} what it may not have at /mcp.
func (g *Gateway) allow(page string) func(engine.Principal, engine.Verb, string) bool {
	decide := g.Options.Allow
	if decide == nil || page == "" {
		return decide
	}
	return func(who engine.Principal, verb engine.Verb, uri string) bool {
		if name, isTool := strings.CutPrefix(uri, "tool:"); isTool {
			// One of these names is ours, or the page's own, which then replaces it.
			if isGenerated(name) && !decide(who, verb, uri) {
				return false
			}
		}
		return decide(who, verb, qualifiedURI(page, uri))
	}
}

// atAllPages returns what something of a page is called at /mcp.
func qualifiedURI(page, uri string) string {
	for _, scheme := range [...]string{"tool:", "prompt:"} {
		if name, ok := strings.CutPrefix(uri, scheme); ok {
			return scheme + page + "." + name
		}
	}
	return page + "+" + uri
}

func isGenerated(tool string) bool {
	return slices.ContainsFunc(resourceToolList[:], func(t resourceTool) bool { return t.name == tool })
}
