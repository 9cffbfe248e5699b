package gateway

import (
	"context"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// Extensions of the protocol belong to pages: the gateway declares those of a page and
// forwards unknown methods to it. At /mcp/{page} that is this page. At /mcp it is the
// only page with extensions; if several have some, the target of a method would be
// ambiguous, so none are declared there.

// extensionPage returns the page whose extensions are declared at path, or nil. The
// caller holds the lock.
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

// updateDeclarations updates what each view declares, after a page has joined or its
// grace time has ended. The caller holds the lock.
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

// callExtension forwards a method that the engine at path does not know to the page with
// extensions.
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
