// Package gateway is what any gateway needs, whoever may use it: pages join it, and
// clients reach the pages of their owner over HTTP, WebSocket and ports. Who is let in
// is decided by the [access.Authenticator] and [Doorkeeper] of its user, and what
// lasts is kept by [mcphttp.SessionStore] and [access.Audit].
package gateway

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Options are all required, unless said otherwise.
type Options struct {
	Info            engine.Info // of /mcp, and of pages that say nothing
	CursorKey       [16]byte    // signs cursors
	Lenient         bool        // clients need no handshake
	Logging         bool        // log messages of pages go to assistants
	NoResourceTools bool

	Allow      func(who engine.Principal, verb engine.Verb, uri string) bool // nil: allows all; uri is the one at /mcp
	Doorkeeper Doorkeeper
	Sessions   mcphttp.SessionStore
	Handlers   map[string]http.HandlerFunc // more paths; may be nil
	Log        *slog.Logger

	MaxSockets, MaxPagesPerOrigin, MaxSessions int // 0: the defaults of package limits
}

// A Gateway is what any gateway needs, whoever may use it: pages join it, and clients reach
// them over HTTP, WebSocket and ports.
type Gateway struct {
	Options  Options
	Gate     *access.Gate
	monitor  Monitor
	mcp      *mcphttp.Server
	Sessions *mcphttp.Sessions
	sockets  socket.Counter
	guard    *access.Guard
	closing  chan struct{} // closed by close

	mu          sync.Mutex
	owners      map[access.Owner]*views
	open        map[*socket.Socket]struct{}
	openSockets sync.WaitGroup // one for each of open
	closed      bool
}

// A Monitor sees the pages as well.
type Monitor interface {
	access.Monitor
	PagesChanged()    // pages came, went, or changed
	Forget(of string) // a page's name is not remembered any more
}

// New reads the sessions of an earlier run.
func New(options Options, gate *access.Gate, m Monitor) (*Gateway, error) {
	gw := &Gateway{
		Options: options, Gate: gate, monitor: m, closing: make(chan struct{}),
		owners: map[access.Owner]*views{}, open: map[*socket.Socket]struct{}{},
		sockets: socket.Counter{Max: options.MaxSockets, MaxPerOrigin: options.MaxPagesPerOrigin},
	}
	gw.Sessions = &mcphttp.Sessions{Endpoints: gw, Gate: gate, Store: options.Sessions, Report: gw.logError, Closing: gw.closing, Max: options.MaxSessions}
	if err := mcphttp.OpenSessions(gw.Sessions); err != nil {
		return nil, err
	}
	gw.mcp = &mcphttp.Server{Endpoints: gw, Gate: gate, Sessions: gw.Sessions, Lenient: options.Lenient}
	return gw, nil
}

// EngineOptions are those of every engine that assistants talk to. All declare
// the same, whatever pages there are: classic sessions fix it at their beginning,
// and pages come and go. How much assistants may send is each door's to check: an engine
// takes what another hop has added, too.
func EngineOptions(lenient, logging bool) *engine.Options {
	return &engine.Options{
		Origin: "gateway", MaxMessage: limits.MaxMessage + limits.MaxSlack, Lenient: lenient,
		Tools: true, Prompts: true, Completions: true, Logging: logging,
	}
}

// Handler returns the routes behind guard.
func (g *Gateway) Handler(guard *access.Guard) http.Handler {
	g.guard = guard
	guard.Next = http.HandlerFunc(g.Route)
	return guard
}

func (g *Gateway) Route(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if serve := g.Options.Handlers[path]; serve != nil {
		serve(w, r)
		return
	}
	switch path {
	case access.PagePath:
		g.servePage(w, r)
	case access.SocketPath:
		g.serveSocket(w, r)
	default:
		if _, ok := access.PageOf(path); !ok || r.URL.RawPath != "" {
			http.NotFound(w, r)
			return
		}
		g.mcp.Serve(w, r, path)
	}
}

// Views returns the views of an owner.
func (g *Gateway) Views(owner access.Owner) *views {
	g.mu.Lock()
	defer g.mu.Unlock()
	v := g.owners[owner]
	if v == nil {
		v = newViews(g, owner)
		g.owners[owner] = v
	}
	return v
}

// Acquire implements endpoints.
func (g *Gateway) Acquire(owner access.Owner, path string) (mcphttp.Endpoint, bool) {
	return g.Views(owner).acquire(path)
}

// ServePort serves one client of owner on p, at path, until p closes or ctx ends. Calls
// of that client are limited and audited like those of any other.
func (g *Gateway) ServePort(ctx context.Context, p jsonrpc.Port, owner access.Owner, path string, client access.Client) error {
	endpoint, ok := g.Acquire(owner, path)
	if !ok {
		return engine.ErrBusy
	}
	defer endpoint.Release()
	return endpoint.Engine.Serve(engine.WithPrincipal(ctx, engine.Principal(client.Principal)), g.Gate.Port(p, endpoint.Engine, client))
}

// Sweep lets sessions sleep and drops views that are not used; now is the present time.
func (g *Gateway) Sweep(now time.Time) {
	g.Sessions.Sweep(now)
	for _, v := range g.all() {
		v.sweep(now)
	}
}

func (g *Gateway) all() []*views {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(maps.Values(g.owners))
}

// Close ends in order: listens get their result, what runs an error, sockets are closed.
// wait and end come after it.
func (g *Gateway) Close() {
	close(g.closing)
	g.mu.Lock()
	g.closed = true
	open := slices.Collect(maps.Keys(g.open))
	g.mu.Unlock()
	for _, v := range g.all() {
		v.closeEngines()
	}
	for _, s := range open {
		s.CloseWith(websocket.StatusGoingAway, "the gateway is shutting down")
		time.AfterFunc(limits.ShutdownTime, s.Abort) // for a peer that does not answer
	}
}

// Wait returns when all sockets are gone.
func (g *Gateway) Wait() { g.openSockets.Wait() }

// End stores the sessions. It comes after wait, when no request is served any more.
func (g *Gateway) End() {
	for _, v := range g.all() {
		v.closePages()
	}
	g.Sessions.Close()
}

// Track remembers an open socket, unless the gateway is closing.
func (g *Gateway) Track(s *socket.Socket) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		s.CloseWith(websocket.StatusGoingAway, "the gateway is shutting down")
		return false
	}
	g.open[s] = struct{}{}
	g.openSockets.Add(1)
	return true
}

func (g *Gateway) Untrack(s *socket.Socket) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, s)
	g.openSockets.Done()
}

// report is for what went wrong and concerns no client.
func (g *Gateway) logError(err error) { g.Options.Log.Error(err.Error()) }
