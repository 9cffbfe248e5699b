package gateway

import (
	"context"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// Extensions of the protocol are the pages' affair: the gateway declares what its
// page declares, and passes on methods that it does not know itself. At
// /mcp/{page} that is that page. At /mcp it is the one page with extensions; if
// there are several, nobody could tell whom a method is for, so none are declared
// there (R-361, decision 6.18).

// extensible returns the page whose extensions a view has, or nil. The lock is
// held.
func (v *views) extensionPage(path string) (only *page) {
	if name, _ := access.PageOf(path); name != "" {
		if p := v.pages[name]; p != nil && !p.expired && p.remote.Extensions() != nil {
			return p
		}
		return nil
	}
	for _, p := range v.pages {
		if p.expired || p.remote.Extensions() == nil {
			continue
		}
		if only != nil {
			return nil
		}
		only = p
	}
	return only
}

// declare renews what views declare: a page has come, or has gone for good. The
// lock is held.
func (v *views) updateDeclarations() {
	for path, at := range v.byPath {
		var extensions []byte
		if p := v.extensionPage(path); p != nil {
			extensions = p.remote.Extensions()
		}
		if string(extensions) != string(at.extensions) {
			at.extensions = extensions
			at.engine.SetExtensions(extensions)
		}
		if reported := v.pageInfo(path); reported != at.info {
			at.info = reported
			if info := reported.engineInfo(); reported != (pageInfo{}) {
				at.engine.SetInfo(info)
			} else {
				at.engine.SetInfo(v.gateway.Options.Info)
			}
		}
	}
}

// extend passes on a method that the engine at path does not know.
func (v *views) callExtension(ctx context.Context, path, method string, params []byte) ([]byte, error) {
	v.mu.Lock()
	p := v.extensionPage(path)
	v.mu.Unlock()
	if p == nil {
		return nil, engine.ErrNotFound
	}
	if decide := v.gateway.Options.Allow; decide != nil && !decide(engine.PrincipalOf(ctx), engine.VerbCall, "method:"+p.name+"."+method) {
		return nil, engine.ErrNotFound
	}
	return p.remote.Request(ctx, method, params)
}
