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
	Doors      map[string]http.HandlerFunc // more paths; may be nil
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
func New(options Options, g *access.Gate, m Monitor) (*Gateway, error) {
	h := &Gateway{
		Options: options, Gate: g, monitor: m, closing: make(chan struct{}),
		owners: map[access.Owner]*views{}, open: map[*socket.Socket]struct{}{},
		sockets: socket.Counter{Max: options.MaxSockets, MaxPerOrigin: options.MaxPagesPerOrigin},
	}
	h.Sessions = &mcphttp.Sessions{Endpoints: h, Gate: g, Store: options.Sessions, Report: h.report, Closing: h.closing, Max: options.MaxSessions}
	if err := mcphttp.OpenSessions(h.Sessions); err != nil {
		return nil, err
	}
	h.mcp = &mcphttp.Server{Endpoints: h, Gate: g, Sessions: h.Sessions, Lenient: options.Lenient}
	return h, nil
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
func (h *Gateway) Handler(guard *access.Guard) http.Handler {
	h.guard = guard
	guard.Next = http.HandlerFunc(h.Route)
	return guard
}

func (h *Gateway) Route(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if serve := h.Options.Doors[path]; serve != nil {
		serve(w, r)
		return
	}
	switch path {
	case access.PageDoor:
		h.servePage(w, r)
	case access.SocketDoor:
		h.serveSocket(w, r)
	default:
		if _, ok := access.PageOf(path); !ok || r.URL.RawPath != "" {
			http.NotFound(w, r)
			return
		}
		h.mcp.Serve(w, r, path)
	}
}

// Views returns the views of an owner.
func (h *Gateway) Views(who access.Owner) *views {
	h.mu.Lock()
	defer h.mu.Unlock()
	v := h.owners[who]
	if v == nil {
		v = newViews(h, who)
		h.owners[who] = v
	}
	return v
}

// Acquire implements endpoints.
func (h *Gateway) Acquire(who access.Owner, path string) (mcphttp.Endpoint, bool) {
	return h.Views(who).acquire(path)
}

// ServePort serves one client of owner on p, at path, until p closes or ctx ends. Calls
// of that client are limited and audited like those of any other.
func (h *Gateway) ServePort(ctx context.Context, p jsonrpc.Port, of access.Owner, path string, v access.Client) error {
	at, ok := h.Acquire(of, path)
	if !ok {
		return engine.ErrBusy
	}
	defer at.Release()
	return at.Engine.Serve(engine.WithPrincipal(ctx, engine.Principal(v.Principal)), h.Gate.Port(p, at.Engine, v))
}

// Sweep lets sessions sleep and drops views that are not used; now is the present time.
func (h *Gateway) Sweep(now time.Time) {
	h.Sessions.Sweep(now)
	for _, v := range h.all() {
		v.sweep(now)
	}
}

func (h *Gateway) all() []*views {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.owners))
}

// Close ends in order: listens get their result, what runs an error, sockets are closed.
// wait and end come after it.
func (h *Gateway) Close() {
	close(h.closing)
	h.mu.Lock()
	h.closed = true
	open := slices.Collect(maps.Keys(h.open))
	h.mu.Unlock()
	for _, v := range h.all() {
		v.closeEngines()
	}
	for _, s := range open {
		s.CloseWith(websocket.StatusGoingAway, "the gateway is shutting down")
		time.AfterFunc(limits.ShutdownTime, s.Abort) // for a peer that does not answer
	}
}

// Wait returns when all sockets are gone.
func (h *Gateway) Wait() { h.openSockets.Wait() }

// End stores the sessions. It comes after wait, when no request is served any more.
func (h *Gateway) End() {
	for _, v := range h.all() {
		v.closePages()
	}
	h.Sessions.Close()
}

// Track remembers an open socket, unless the gateway is closing.
func (h *Gateway) Track(s *socket.Socket) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		s.CloseWith(websocket.StatusGoingAway, "the gateway is shutting down")
		return false
	}
	h.open[s] = struct{}{}
	h.openSockets.Add(1)
	return true
}

func (h *Gateway) Untrack(s *socket.Socket) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, s)
	h.openSockets.Done()
}

// report is for what went wrong and concerns no client.
func (h *Gateway) report(err error) { h.Options.Log.Error(err.Error()) }
