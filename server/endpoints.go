package server

import (
	"context"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// An endpoint is one URL at which an engine is served: /mcp with all pages, or
// /mcp/{page} with one. It exists while it is used, and some time longer if its page
// is here: a name that is asked for and that no page has costs nothing afterwards.
type endpoint struct {
	path   string
	engine *engine.Engine

	// Guarded by the gateway's mu.
	users      int       // requests, sessions that are awake, sockets
	used       time.Time // when the last of them went
	unmount    func()    // of its page; nil: there is none
	extensions []byte    // that it declares: JSON object, or nil
	about      about     // what it says of itself, if a page has told it
}

// acquire returns what is served at path, which is /mcp or /mcp/{page}, until
// release. Any valid name has an engine, also one that no page has yet, for an
// assistant may start before the browser. It is nil if too many such names are in
// use; a page that is here, or may come back, is always served.
func (g *Gateway) acquire(path string) *endpoint {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.endpoints[path]
	if at == nil {
		name, _ := pageOf(path)
		if len(g.endpoints) >= maxEndpoints && !g.evictOldest() && name != "" && g.pages[name] == nil {
			return nil
		}
		at = g.makeEndpoint(path, name)
	}
	at.users++
	return at
}

// release takes back one acquire.
func (g *Gateway) release(at *endpoint) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at.users--
	at.used = time.Now()
	if at.users == 0 && at.unmount == nil {
		g.evict(at)
	}
}

// makeEndpoint makes an engine for path. The lock is held, here and below.
func (g *Gateway) makeEndpoint(path, name string) *endpoint {
	options := g.options.engine()
	options.CursorKey, options.Report = [16]byte(g.identity.CursorKey), g.report
	options.Extend = func(ctx context.Context, method string, params []byte) ([]byte, error) {
		return g.extend(ctx, path, method, params)
	}
	at := &endpoint{path: path, engine: engine.New(g.options.info(), options)}
	g.endpoints[path] = at
	if !g.options.NoResourceTools {
		at.engine.Mount("", &resourceTools{gateway: g, at: at, page: name})
	}
	if p := g.pages[name]; p != nil {
		at.unmount = at.engine.Mount("", p.remote)
	}
	g.declare()
	return at
}

// evict drops an endpoint that is not used.
func (g *Gateway) evict(at *endpoint) {
	if g.closed || at.path == "/mcp" { // Close ends its engine
		return
	}
	if at.unmount != nil {
		at.unmount()
	}
	delete(g.endpoints, at.path)
}

// evictOldest drops the endpoint that is out of use for longest; false if all are
// used.
func (g *Gateway) evictOldest() bool {
	var oldest *endpoint
	for _, at := range g.endpoints {
		if at.users == 0 && (oldest == nil || at.used.Before(oldest.used)) {
			oldest = at
		}
	}
	if oldest == nil {
		return false
	}
	g.evict(oldest)
	return true
}

// sweepEndpoints removes endpoints that have not been used for a while.
func (g *Gateway) sweepEndpoints(now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, at := range g.endpoints {
		if at.users == 0 && now.Sub(at.used) >= sessionSleep {
			g.evict(at)
		}
	}
}
