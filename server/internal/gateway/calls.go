package gateway

import (
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
)

// Calls returns how many calls of tools of a page have no result yet. They end as
// interrupted if its socket is closed.
func (g *Gateway) Calls(owner access.Owner, name string) int {
	if remote := g.remoteOf(owner, name); remote != nil {
		return remote.Calls()
	}
	return 0
}

// remoteOf returns the Remote of a page, or nil if there is no such page.
func (g *Gateway) remoteOf(owner access.Owner, name string) *remote.Remote {
	g.mu.Lock()
	v := g.owners[owner]
	g.mu.Unlock()
	if v == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if p := v.pages[name]; p != nil {
		return p.remote
	}
	return nil
}
