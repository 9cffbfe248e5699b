package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// views holds the pages of one owner, and an engine for each path at which they are
// served. The cost of a join grows with the pages and views of its owner, not with those
// of others.
type views struct {
	gateway *Gateway
	owner   access.Owner

	mu      sync.Mutex
	byPath  map[string]*view
	pages   map[string]*page         // by name
	sources map[string]engine.Source // of the host program, by name
	closed  bool
}

// A view is one path at which an engine is served: /mcp with all pages, or /mcp/{page}
// with one. It exists while it is in use, and limits.SessionIdle longer if its page
// exists. A name that has no page costs nothing after the request.
type view struct {
	path   string
	engine *engine.Engine

	// Guarded by mu of the views.
	users      int       // requests, active sessions, sockets
	lastUsed   time.Time // when users became 0
	unmount    func()    // of its page or source; nil if there is none
	extensions []byte    // that it declares; JSON object or nil
	info       pageInfo  // that it declares; empty for the gateway's own
}

func newViews(g *Gateway, owner access.Owner) *views {
	v := &views{gateway: g, owner: owner, byPath: map[string]*view{}, pages: map[string]*page{}, sources: map[string]engine.Source{}}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.make("/mcp", "").users++ // /mcp is never removed
	return v
}

// acquire returns the endpoint at path, /mcp or /mcp/{page}, until its Release is
// called. Any valid name has an engine, even before its page joins: an assistant may
// start before the browser. ok is false if limits.MaxEndpoints names are in use and this
// one has no page or source.
func (v *views) acquire(path string) (endpoint mcphttp.Endpoint, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	at := v.byPath[path]
	if at == nil {
		name, _ := access.PageOf(path)
		if len(v.byPath) >= limits.MaxEndpoints && !v.evictOldest() && name != "" && v.source(name) == nil {
			return mcphttp.Endpoint{}, false
		}
		at = v.make(path, name)
	}
	at.users++
	return mcphttp.Endpoint{Owner: v.owner, Path: path, Engine: at.engine, Release: func() { v.release(at) }}, true
}

// release undoes one acquire.
func (v *views) release(at *view) {
	v.mu.Lock()
	defer v.mu.Unlock()
	at.users--
	at.lastUsed = time.Now()
	if at.users == 0 && at.unmount == nil {
		v.remove(at)
	}
}

// make creates the view of path. The caller holds the lock, here and below.
func (v *views) make(path, name string) *view {
	o := &v.gateway.Options
	options := EngineOptions(o.Lenient, o.Logging)
	options.CursorKey, options.Report = o.CursorKey, v.gateway.logError
	options.Allow = v.gateway.allow(name)
	options.Extend = func(ctx context.Context, method string, params []byte) ([]byte, error) {
		return v.callExtension(ctx, path, method, params)
	}
	at := &view{path: path, engine: engine.New(o.Info, options)}
	v.byPath[path] = at
	if !o.NoResourceTools {
		at.engine.Mount("", &resourceTools{views: v, view: at, page: name})
	}
	if s := v.source(name); s != nil {
		at.unmount = at.engine.Mount("", s)
	}
	v.updateDeclarations()
	return at
}

// source returns the page or source that is served at /mcp/{name}, or nil.
func (v *views) source(name string) engine.Source {
	if p := v.pages[name]; p != nil {
		return p.remote
	}
	return v.sources[name]
}

// Mount serves a source of the host program at /mcp, beside the pages, and alone at
// /mcp/{name}. The caller ensures that no page gets that name until it is unmounted.
func (v *views) Mount(name string, s engine.Source) (unmount func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sources[name] = s
	withdraw := v.byPath["/mcp"].engine.Mount(name+"+", s)
	if view := v.byPath["/mcp/"+name]; view != nil {
		view.unmount = view.engine.Mount("", s)
	}
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		delete(v.sources, name)
		withdraw()
		if view := v.byPath["/mcp/"+name]; view != nil && view.unmount != nil {
			view.unmount()
			view.unmount = nil
		}
	}
}

// remove removes an unused view.
func (v *views) remove(at *view) {
	if v.closed || at.path == "/mcp" { // closeEngines closes its engine
		return
	}
	if at.unmount != nil {
		at.unmount()
	}
	delete(v.byPath, at.path)
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

// sweep removes views that have been unused for limits.SessionIdle.
func (v *views) sweep(now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, at := range v.byPath {
		if at.users == 0 && now.Sub(at.lastUsed) >= limits.SessionIdle {
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
