package gateway

import (
	"context"
	"slices"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Extensions of the protocol belong to pages: the gateway declares those of a page and
// forwards unknown methods to it. At /mcp/{page} that is this page. At /mcp it is the
// only page with extensions; if several have some, the target of a method would be
// ambiguous, so none are declared there.
//
// Skills and tasks are exceptions: their URIs and ids name the page, so the engines serve those of
// all pages together, and declare them while a page has them.

// extensionPage returns the page whose extensions are declared at path, and these, or nil.
// The caller holds the lock.
func (v *views) extensionPage(path string) (only *page, extensions []byte) {
	for _, p := range v.pagesAt(path) {
		own := otherExtensions(p.remote.Extensions())
		if own == nil {
			continue
		}
		if only != nil {
			return nil, nil
		}
		only, extensions = p, own
	}
	return only, extensions
}

// pagesAt returns the pages that are served at path and have not expired. The caller holds
// the lock.
func (v *views) pagesAt(path string) (pages []*page) {
	name, _ := access.PageOf(path)
	for _, p := range v.pages {
		if !p.expired && (name == "" || p.name == name) {
			pages = append(pages, p)
		}
	}
	return pages
}

// isJoined reports whether an extension is one whose parts the engines serve together.
func isJoined(extension string) bool {
	return extension == engine.ExtensionSkills || extension == engine.ExtensionTasks
}

// otherExtensions returns extensions without skills and tasks: a JSON object, or nil if
// there is no other one.
func otherExtensions(extensions []byte) []byte {
	var rest []byte
	others := false
	jsonrpc.Members(extensions, func(name string, value []byte) *jsonrpc.Error {
		if isJoined(name) {
			others = true
		} else {
			rest = append(jsonrpc.AppendString(append(rest, ','), name), ':')
			rest = append(rest, value...)
		}
		return nil
	})
	switch {
	case !others:
		return extensions // as they came
	case rest == nil:
		return nil
	}
	rest[0] = '{'
	return append(rest, '}')
}

// hasSkills reports whether a page that is served at path has skills. The caller holds the lock.
func (v *views) hasSkills(path string) bool {
	return slices.ContainsFunc(v.pagesAt(path), func(p *page) bool { return p.remote.HasSkills() })
}

// hasTasks reports whether a page that is served at path has tools that run as tasks. The caller
// holds the lock.
func (v *views) hasTasks(path string) bool {
	return slices.ContainsFunc(v.pagesAt(path), func(p *page) bool { return p.remote.HasTasks() })
}

// declaredChanged updates the views after a page has declared something else.
func (v *views) declaredChanged() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.updateDeclarations()
}

// updateDeclarations updates what each view declares, after a page has joined or its
// grace time has ended. The caller holds the lock.
func (v *views) updateDeclarations() {
	v.updateTabs()
	for path, at := range v.byPath {
		at.engine.SetSkills(v.hasSkills(path))
		at.engine.SetTasks(v.hasTasks(path))
		if _, extensions := v.extensionPage(path); string(extensions) != string(at.extensions) {
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
	p, _ := v.extensionPage(path)
	v.mu.Unlock()
	if p == nil {
		return nil, engine.ErrNotFound
	}
	if decide := v.gateway.Options.Allow; decide != nil && !decide(engine.PrincipalOf(ctx), engine.VerbCall, "method:"+p.name+"."+method) {
		return nil, engine.ErrNotFound
	}
	return p.remote.Request(ctx, method, params)
}
