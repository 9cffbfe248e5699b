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

// views are what one owner's clients see: the pages of that owner, and an engine for
// each path at which they are served. What a page that joins costs grows with the pages
// and views of its owner, not with those of others.
type views struct {
	gateway *Gateway
	owner   access.Owner

	mu      sync.Mutex
	byPath  map[string]*view
	pages   map[string]*page         // by name
	sources map[string]engine.Source // of the host program, by name
	closed  bool
}

// A view is one URL at which an engine is served: /mcp with all pages, or
// /mcp/{page} with one. It exists while it is used, and some time longer if its page
// is here: a name that is asked for and that no page has costs nothing afterwards.
type view struct {
	path   string
	engine *engine.Engine

	// Guarded by mu of the views.
	users      int       // requests, sessions that are awake, sockets
	lastUsed   time.Time // when the last of them went
	unmount    func()    // of its page; nil: there is none
	extensions []byte    // that it declares: JSON object, or nil
	info       pageInfo  // what it says of itself, if a page has told it
}

func newViews(g *Gateway, owner access.Owner) *views {
	v := &views{gateway: g, owner: owner, byPath: map[string]*view{}, pages: map[string]*page{}, sources: map[string]engine.Source{}}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.make("/mcp", "").users++ // it is never dropped
	return v
}

// acquire returns what is served at path, which is /mcp or /mcp/{page}, until
// release. Any valid name has an engine, also one that no page has yet, for an
// assistant may start before the browser. ok is false if too many such names are in
// use; a page that is here, or may come back, is always served.
func (v *views) acquire(path string) (held mcphttp.Endpoint, ok bool) {
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

// release takes back one acquire.
func (v *views) release(at *view) {
	v.mu.Lock()
	defer v.mu.Unlock()
	at.users--
	at.lastUsed = time.Now()
	if at.users == 0 && at.unmount == nil {
		v.remove(at)
	}
}

// make makes an engine for path. The lock is held, here and below.
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

// source returns what is served alone at /mcp/{name}; nil: nothing.
func (v *views) source(name string) engine.Source {
	if p := v.pages[name]; p != nil {
		return p.remote
	}
	return v.sources[name]
}

// Mount serves a source of the host program beside the pages, and alone at /mcp/{name}.
// No page may have that name until it is unmounted.
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

// evict drops a view that is not used.
func (v *views) remove(at *view) {
	if v.closed || at.path == "/mcp" { // closeEngines ends it
		return
	}
	if at.unmount != nil {
		at.unmount()
	}
	delete(v.byPath, at.path)
}

// evictOldest drops the view that is out of use for longest; false if all are
// used.
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

// sweep drops views that have not been used for a while.
func (v *views) sweep(now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, at := range v.byPath {
		if at.users == 0 && now.Sub(at.lastUsed) >= limits.SessionIdle {
			v.remove(at)
		}
	}
}

// closeEngines ends what runs in them, for good.
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

// closePages comes after closeEngines, when no page has a socket any more.
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

// Count returns how many views and pages there are.
func (v *views) Count() (views, pages int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.byPath), len(v.pages)
}
