package gateway

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/fit"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// views holds the pages of one owner, and an engine for each path at which they are
// served. The cost of a join grows with the pages and views of its owner, not with those
// of others.
type views struct {
	gateway *Gateway
	owner   access.Owner
	mirror  *remote.MirrorShare

	mu      sync.Mutex
	byPath  map[string]*view
	pages   map[string]*page // by name
	closed  bool
	retired bool // removed from the gateway: see [Gateway.retire]

	tabs atomic.Pointer[tabsOfApps] // see otherTabs

	arrived chan struct{} // closed when the next page has joined; nil if nothing waits for that
}

// A view is one path at which an engine is served: /mcp with all pages, or /mcp/{page}
// with one. It exists while it is in use, and limits.SessionIdle longer if its page
// exists. A name that has no page costs nothing after the request.
type view struct {
	path   string
	engine *engine.Engine
	tools  *resourceTools // nil without generated tools

	// Guarded by mu of the views.
	users    int       // requests, active sessions, sockets
	lastUsed time.Time // when users became 0
	unmount  func()    // of its page or source; nil if there is none
	info     pageInfo  // that it declares; empty for the gateway's own
}

// fitter shows tools and prompts to clients of a view: no name of a page's own becomes that of a
// generated tool.
var fitter = fit.Fitter{Taken: IsGenerated}

func newViews(g *Gateway, owner access.Owner) *views {
	v := &views{gateway: g, owner: owner, mirror: g.mirror.Share(), byPath: map[string]*view{}, pages: map[string]*page{}}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.updateTabs()
	if !g.Options.OnDemand {
		v.make("/mcp", "").users++ // never removed
	}
	return v
}

// acquire returns the endpoint at path, /mcp or /mcp/{page}, until its Release is
// called. Any valid name has an engine, even before its page joins: an assistant may
// start before the browser. It fails if limits.MaxEndpoints names are in use and this
// one has no page or source, or if all owners together have too many views. The error is
// errRetired if the owner has other views by now.
func (v *views) acquire(path string) (mcphttp.Endpoint, error) {
	makeRoom := v.gateway.makeRoom() // takes locks of other views
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.retired {
		return mcphttp.Endpoint{}, errRetired
	}
	at := v.byPath[path]
	if at == nil {
		name, _ := access.PageOf(path)
		if len(v.byPath) >= limits.MaxEndpoints && !v.evictOldest() && name != "" && v.source(name) == nil {
			return mcphttp.Endpoint{}, mcphttp.ErrTooMany
		}
		if !makeRoom {
			return mcphttp.Endpoint{}, mcphttp.ErrFull
		}
		at = v.make(path, name)
	}
	at.users++
	return mcphttp.Endpoint{Owner: v.owner, Path: path, Engine: at.engine, Generated: at.isGenerated, Release: func() { v.release(at) }}, nil
}

// release undoes one acquire.
func (v *views) release(at *view) {
	v.mu.Lock()
	defer v.mu.Unlock()
	at.users--
	at.lastUsed = time.Now()
	if at.users == 0 && at.unmount == nil && at.path != "/mcp" {
		v.remove(at)
	}
}

// make creates the view of path. The caller holds the lock, here and below.
func (v *views) make(path, name string) *view {
	o := &v.gateway.Options
	options := EngineOptions(o.Logging)
	options.PageSize = o.PageSize
	options.MaxInFlight = limits.MaxAllInFlight // the port of each client has a limit for each page
	options.Report = v.gateway.logError
	options.Allow, options.ReadOnly, options.Sees = v.gateway.allow(name), o.ReadOnly, v.gateway.sees(name)
	fit := fitter
	if fit.Removed = o.SchemaRemoved; name != "" && fit.Removed != nil {
		fit.Removed = func(tool, rules string) { o.SchemaRemoved(name+"__"+tool, rules) }
	}
	options.Fit = fit
	at := &view{path: path, engine: engine.New(o.Info, options)}
	v.byPath[path] = at
	v.gateway.views.Add(1)
	at.engine.Mount("", awayTasks{views: v, name: name})
	if !o.NoResourceTools {
		at.tools = &resourceTools{views: v, view: at, page: name}
		at.engine.Mount("", at.tools)
		if name != "" {
			v.gateway.pageTools.Store(at.engine, at.tools)
		}
	}
	if s := v.source(name); s != nil {
		at.unmount = at.engine.Mount("", s)
	}
	if name == "" {
		for _, p := range v.pages {
			v.mountPage(p)
		}
		if o.OnDemand {
			at.engine.Mount("", awayPages{})
		}
	}
	v.updateDeclarations()
	return at
}

// isGenerated reports whether a tool is a generated one that the page does not replace, as
// far as the page responds.
func (at *view) isGenerated(ctx context.Context, tool string) bool {
	if at.tools == nil || !IsGenerated(tool) {
		return false
	}
	replaced, err := at.tools.replaced(ctx)
	return err == nil && !replaced[tool]
}

// source returns the page that is served at /mcp/{name}, or nil.
func (v *views) source(name string) engine.Source {
	if p := v.pages[name]; p != nil {
		return p.remote
	}
	return nil
}

// remove removes an unused view.
func (v *views) remove(at *view) {
	if v.closed { // closeEngines closes its engine
		return
	}
	if at.unmount != nil {
		at.unmount()
	}
	if at.path == "/mcp" {
		for _, p := range v.pages {
			p.unmountPage()
		}
	}
	delete(v.byPath, at.path)
	v.gateway.pageTools.Delete(at.engine)
	v.gateway.views.Add(-1)
}

// evictOldest removes the view that is unused for longest. It returns false if all are
// in use.
func (v *views) evictOldest() bool {
	var oldest *view
	for _, at := range v.byPath {
		if at.users == 0 && (oldest == nil || at.lastUsed.Before(oldest.lastUsed)) {
			oldest = at
		}
	}
	if oldest == nil {
		return false
	}
	v.remove(oldest)
	return true
}

// sweep removes views that have been unused for idle.
func (v *views) sweep(now time.Time, idle time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, at := range v.byPath {
		if at.users == 0 && now.Sub(at.lastUsed) >= idle {
			v.remove(at)
		}
	}
}

// closeEngines closes all engines: their requests end.
func (v *views) closeEngines() {
	v.mu.Lock()
	v.closed = true
	engines := make([]*engine.Engine, 0, len(v.byPath))
	for _, at := range v.byPath {
		engines = append(engines, at.engine)
	}
	v.mu.Unlock()
	for _, e := range engines {
		e.Close()
	}
}

// closePages closes the Remotes. Call it after closeEngines, when no page has a socket.
func (v *views) closePages() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, p := range v.pages {
		p.remote.Close()
		if p.grace != nil {
			p.grace.Stop()
		}
	}
}

// Count returns the numbers of views and pages.
func (v *views) Count() (views, pages int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.byPath), len(v.pages)
}
