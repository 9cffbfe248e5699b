package gateway

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/plain"
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
			if IsGenerated(name) && !decide(principal, verb, uri) {
				return false
			}
		}
		return decide(principal, verb, qualifiedURI(page, uri))
	}
}

// inputPolicy returns the policy for what a page requests of clients: users see which page
// and origin asks, and pages use the client's model and see its roots only if the user, or
// the operator of a hosted gateway, allows that for their origin.
func (v *views) inputPolicy(p *page) engine.InputPolicy {
	v.mu.Lock()
	defer v.mu.Unlock()
	policy := engine.InputPolicy{From: p.name}
	if p.origin != "" {
		policy.From += " (" + plain.Text(p.origin, limits.MaxURI) + ")" // characters
	}
	if may := v.gateway.Options.MaySample; may == nil || !may(p.origin) {
		policy.Refuse = "The page " + policy.From + " requests the model or the roots of the assistant, which is not allowed: start the gateway with --allow-sampling and its origin, or add the origin to pages.sampling of a hosted gateway"
	}
	return policy
}

// qualifiedURI returns the URI at /mcp of an entry of page.
func qualifiedURI(page, uri string) string {
	for _, kind := range [...]struct{ scheme, separator string }{{"tool:", "__"}, {"prompt:", "__"}} {
		if name, ok := strings.CutPrefix(uri, kind.scheme); ok {
			return kind.scheme + page + kind.separator + name
		}
	}
	return page + "+" + uri
}

// sees returns engine.Options.Sees of the engine that serves one page, or all pages if page
// is empty. What has no prefix there is the gateway's own.
func (g *Gateway) sees(page string) func(engine.Principal, string) bool {
	decide := g.Options.Sees
	if decide == nil {
		return nil
	}
	return func(principal engine.Principal, prefix string) bool {
		name := cmp.Or(page, strings.TrimSuffix(prefix, "+"))
		return name == "" || decide(principal, name)
	}
}

// IsGenerated reports whether the gateway has a tool with this name.
func IsGenerated(tool string) bool {
	return slices.ContainsFunc(resourceToolList[:], func(t resourceTool) bool { return t.name == tool })
}
