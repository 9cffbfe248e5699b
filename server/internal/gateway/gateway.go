// Package gateway is the core of a gateway: pages join it, and clients reach the pages
// of their owner over HTTP, WebSocket and ports. The program that embeds it supplies
// access control, an [access.Authenticator] and a [Doorkeeper], and storage, a
// [mcphttp.SessionStore] and an [access.Audit].
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

// Options of a Gateway. Fields are required unless documented otherwise.
type Options struct {
	Info            engine.Info // of /mcp, and of pages that declare nothing about themselves
	CursorKey       [16]byte    // signs pagination cursors
	Lenient         bool        // clients need no handshake
	Logging         bool        // forward log messages of pages to assistants
	NoResourceTools bool        // omit the generated tools

	Allow      func(principal engine.Principal, verb engine.Verb, uri string) bool // nil allows all; uri is the one at /mcp
	Doorkeeper Doorkeeper
	Sessions   mcphttp.SessionStore
	Handlers   map[string]http.HandlerFunc // further paths; may be nil
	Log        *slog.Logger

	MaxSockets, MaxPagesPerOrigin, MaxSessions int // 0 means the default of package limits
}

// A Gateway connects pages with clients. See the package comment.
type Gateway struct {
	Options  Options      // as passed to New
	Gate     *access.Gate // of all clients
	monitor  Monitor
	mcp      *mcphttp.Server
	Sessions *mcphttp.Sessions // of the classic revisions
	sockets  socket.Counter
	guard    *access.Guard
	closing  chan struct{} // closed by Close
	ended    chan struct{} // closed by End

	mu          sync.Mutex
	owners      map[access.Owner]*views
	open        map[*socket.Socket]struct{}
	openSockets sync.WaitGroup // counts the sockets in open
	closed      bool
}

// A Monitor is an [access.Monitor] that also observes pages. Its methods never block.
type Monitor interface {
	access.Monitor
	PagesChanged()      // a page has joined, left or changed
	Forget(name string) // the name of a page is no longer reserved
}

// New returns a Gateway and loads the stored sessions.
func New(options Options, gate *access.Gate, m Monitor) (*Gateway, error) {
	gw := &Gateway{
		Options: options, Gate: gate, monitor: m, closing: make(chan struct{}), ended: make(chan struct{}),
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

// EngineOptions returns the options of every engine that assistants use. They do not
// depend on the pages: a classic session fixes the capabilities at its beginning, and
// pages come and go. Endpoints limit the size of messages; an engine accepts MaxSlack
// more, which another hop may have added.
func EngineOptions(lenient, logging bool) *engine.Options {
	return &engine.Options{
		Origin: "gateway", MaxMessage: limits.MaxMessage + limits.MaxSlack, Lenient: lenient,
		Tools: true, Prompts: true, Completions: true, Logging: logging,
	}
}

// Handler returns guard with the routes of the gateway behind it.
func (g *Gateway) Handler(guard *access.Guard) http.Handler {
	g.guard = guard
	guard.Next = http.HandlerFunc(g.Route)
	return guard
}

// Route serves a request that has passed the guard; after End it answers 503.
func (g *Gateway) Route(w http.ResponseWriter, r *http.Request) {
	if g.hasEnded() {
		w.Header().Set("Retry-After", "1") // seconds: another process may take over
		http.Error(w, "the gateway is closed", http.StatusServiceUnavailable)
		return
	}
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

func (g *Gateway) hasEnded() bool {
	select {
	case <-g.ended:
		return true
	default:
		return false
	}
}

// Views returns the views of an owner. They are made when they are first needed.
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

// Acquire implements [mcphttp.Endpoints].
func (g *Gateway) Acquire(owner access.Owner, path string) (mcphttp.Endpoint, bool) {
	return g.Views(owner).acquire(path)
}

// ServePort serves one client on p, at a path of owner, until p closes or ctx ends. The
// client is limited and audited like every other.
func (g *Gateway) ServePort(ctx context.Context, p jsonrpc.Port, owner access.Owner, path string, client access.Client) error {
	endpoint, ok := g.Acquire(owner, path)
	if !ok {
		return engine.ErrBusy
	}
	defer endpoint.Release()
	return endpoint.Engine.Serve(engine.WithPrincipal(ctx, engine.Principal(client.Principal)), g.Gate.Port(p, endpoint.Engine, client))
}

// Sweep ends idle connections between sessions and engines, and removes unused views.
// now is the current time.
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

// Close ends open subscriptions with their result and other requests with an error, then
// closes all sockets. Call Wait and End after it.
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
		time.AfterFunc(limits.ShutdownTime, s.Abort) // if the peer does not close its side
	}
}

// Wait returns when all sockets are closed.
func (g *Gateway) Wait() { g.openSockets.Wait() }

// End stores the sessions. Call it after Wait. Requests that come later get 503: the server
// of a host program may go on.
func (g *Gateway) End() {
	close(g.ended)
	for _, v := range g.all() {
		v.closePages()
	}
	g.Sessions.Close()
}

// Track registers an open socket, so that Close closes it. It returns false, and closes
// the socket, if the gateway is closing.
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

// Untrack removes a socket that is closed.
func (g *Gateway) Untrack(s *socket.Socket) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, s)
	g.openSockets.Done()
}

// logError logs an error that is not part of any response.
func (g *Gateway) logError(err error) { g.Options.Log.Error(err.Error()) }
