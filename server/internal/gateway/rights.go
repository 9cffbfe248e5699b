package gateway

import (
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A Gateway is an [access.Rights] of what its options say.

// HasEnded implements access.Rights.
func (g *Gateway) HasEnded(principal string) bool {
	return g.Options.HasEnded != nil && g.Options.HasEnded(engine.Principal(principal))
}

// MayOnlyRead implements access.Rights.
func (g *Gateway) MayOnlyRead(principal string) bool {
	return g.Options.ReadOnly != nil && g.Options.ReadOnly(engine.Principal(principal))
}

// Denies implements access.Rights.
func (g *Gateway) Denies(client access.Client, verb engine.Verb, uri string) bool {
	page, _ := access.PageOf(client.Path())
	allow := g.allow(page)
	return allow != nil && !allow(engine.Principal(client.Principal), verb, uri)
}

// IsGenerated implements access.Rights. At /mcp/{page} it reports what was true when the tools
// of the page were last requested, which a call of a generated tool does. It takes no lock:
// requests may end while views change.
func (g *Gateway) IsGenerated(e *engine.Engine, tool string) bool {
	if g.Options.NoResourceTools || !IsGenerated(tool) {
		return false
	}
	ofPage, ok := g.pageTools.Load(e)
	return !ok || !ofPage.(*resourceTools).wasReplaced(tool)
}
