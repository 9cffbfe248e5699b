// Package gateway is the core of a gateway: pages join it, and clients reach the pages
// of their owner over HTTP, WebSocket and ports. The program that embeds it supplies
// access control, an [access.Authenticator] and a [Doorkeeper], and storage, a
// [mcphttp.SessionStore] and an [access.Audit].
package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
	"github.com/pagemcp/pagemcp/wasm/engine/task"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Options of a Gateway. Fields are required unless documented otherwise.
type Options struct {
	Info            engine.Info // of /mcp, and of pages that declare nothing about themselves
	Lenient         bool        // the path may also be /{page}/mcp
	PageSize        int         // entries of a page of a list; 0: the engine's default
	Logging         bool        // forward log messages of pages to assistants
	NoResourceTools bool        // omit the generated tools

	Allow      func(principal engine.Principal, verb engine.Verb, uri string) bool // nil allows all; uri is the one at /mcp
	ReadOnly   func(principal engine.Principal) bool                               // see engine.Options; nil: no client may only read
	Sees       func(principal engine.Principal, page string) bool                  // whether changes of the lists of a page are for a client; nil: all are
	HasEnded   func(principal engine.Principal) bool                               // whether the name of a client is refused, for the audit log; nil: none is
	MaySample  func(origin string) bool                                            // whether pages may request the client's model and roots; nil allows none
	Doorkeeper Doorkeeper
	Sessions   SessionOptions

	// SchemaRemoved gets each tool that is listed, by its name at /mcp, and the rules of its schema
	// that the list lacks, or "". It must not block. May be nil.
	SchemaRemoved func(tool, rules string)

	Handlers map[string]http.HandlerFunc // further paths; may be nil
	Log      *slog.Logger

	MaxSockets, MaxPagesPerOrigin int // 0 means the default of package limits

	// What follows is for gateways with many owners.

	// OnDemand makes views by the first request of their owner, and closes them after
	// ViewIdle without use. Pages that are away are forgotten when no view of their owner is
	// left. Otherwise /mcp exists from the start, and pages stay until SweepPages.
	OnDemand bool
	ViewIdle time.Duration // default limits.SessionIdle
	MaxViews int           // of all owners; default: no limit

	// MayJoin is called before the WebSocket of a page is accepted: if the result is not nil,
	// the page gets 503. May be nil.
	MayJoin      func() *limits.Exceeded
	JoinTime     time.Duration // of Doorkeeper.Join; default limits.HandshakeTime
	MaxHandshake int64         // bytes of a frame before a page has joined; default limits.MaxHandshake

	NoSockets bool // no MCP over WebSocket

	// Unsettled reports whether pages may be on their way from another node: requests for a
	// page that is not known wait for it then. nil: there are no other nodes. It must not block.
	Unsettled func() bool
}

// SessionOptions are those of the classic sessions.
type SessionOptions struct {
	Store    mcphttp.SessionStore // nil: they end with the process
	Lifetime time.Duration        // without use
}

// A Gateway connects pages with clients. See the package comment.
type Gateway struct {
	Options    Options      // as passed to New
	Gate       *access.Gate // of all clients
	monitor    Monitor
	mirror     *remote.Mirror // of all pages
	mcp        *mcphttp.Server
	Sessions   *mcphttp.Sessions // of the classic revisions
	sockets    socket.Counter
	guard      *access.Guard
	views      atomic.Int64 // number of all owners together
	pageTools  sync.Map     // *resourceTools by the *engine.Engine of a view of one page
	endStreams context.CancelFunc
	ended      chan struct{} // closed by End

	mu          sync.Mutex
	owners      map[access.Owner]*views
	evicted     time.Time                 // when idle views were last removed because of MaxViews
	open        map[*socket.Socket]string // of the origin of the page at the other end, or ""
	openSockets sync.WaitGroup            // counts the sockets in open
	closed      bool
}

// A Monitor is an [access.Monitor] that also observes pages. Its methods never block.
type Monitor interface {
	access.Monitor
	PagesChanged()      // a page has joined, left or changed
	Forget(name string) // the name of a page is no longer reserved
}

// New returns a Gateway.
func New(options Options, gate *access.Gate, m Monitor) *Gateway {
	gw := &Gateway{
		Options: options, Gate: gate, monitor: m, ended: make(chan struct{}),
		owners: map[access.Owner]*views{}, open: map[*socket.Socket]string{},
		mirror:  remote.NewMirror(),
		sockets: socket.Counter{Max: options.MaxSockets, MaxPerOrigin: options.MaxPagesPerOrigin},
	}
	gate.Rights = gw
	if options.Unsettled != nil {
		gate.Await = gw.await
	}
	ending, endStreams := context.WithCancel(context.Background())
	gw.endStreams = endStreams
	gw.Sessions = &mcphttp.Sessions{Endpoints: gw, Gate: gate, Store: options.Sessions.Store, Lifetime: options.Sessions.Lifetime, Log: options.Log}
	gw.Sessions.Open()
	gw.mcp = &mcphttp.Server{Ending: ending, Endpoints: gw, Gate: gate, Sessions: gw.Sessions}
	return gw
}

// EngineOptions returns the options of every engine that assistants use. They do not
// depend on the pages: a classic session fixes the capabilities at its beginning, and
// pages come and go. Endpoints limit the size of messages; an engine accepts MaxSlack
// more, which another hop may have added.
func EngineOptions(logging bool) *engine.Options {
	return &engine.Options{
		Origin: "gateway", MaxMessage: limits.MaxMessage + limits.MaxSlack, Lenient: true,
		Tools: true, Prompts: true, Completions: true, Logging: logging,
		Extensions: []*engine.Extension{skill.Extension, task.Extension(nil)},
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
		if g.Options.NoSockets {
			http.NotFound(w, r)
			return
		}
		g.serveSocket(w, r)
	default:
		if g.Options.Lenient {
			path = access.PlainPath(path)
		}
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
func (g *Gateway) Acquire(owner access.Owner, path string) (mcphttp.Endpoint, error) {
	for {
		v := g.Views(owner)
		v.awaitPages()
		if endpoint, err := v.acquire(path); !errors.Is(err, errRetired) {
			return endpoint, err
		}
	}
}

// ServePort serves one client on p, at a path of owner, until p closes or ctx ends. The
// client is limited and audited like every other.
func (g *Gateway) ServePort(ctx context.Context, p jsonrpc.Port, owner access.Owner, path string, client access.Client) error {
	endpoint, err := g.Acquire(owner, path)
	if err != nil {
		return fmt.Errorf("serve %s: %w: %w", path, engine.ErrBusy, err)
	}
	defer endpoint.Release()
	client.Owner, client.View = owner, path
	return g.Gate.Serve(ctx, p, endpoint.Engine, client)
}

// Sweep ends idle connections between sessions and engines, and removes unused views.
// now is the current time.
func (g *Gateway) Sweep(now time.Time) {
	g.Sessions.Sweep(now)
	g.sweepViews(now, cmp.Or(g.Options.ViewIdle, limits.SessionIdle))
}

func (g *Gateway) all() []*views {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(maps.Values(g.owners))
}

// Close ends open subscriptions with their result and other requests with an error, then
// closes all sockets. Call Wait and End after it.
func (g *Gateway) Close() {
	open := g.stopTracking()
	g.endStreams()
	for _, v := range g.all() {
		v.closeEngines()
	}
	for _, s := range open {
		s.CloseWith(websocket.StatusGoingAway, "the gateway is shutting down")
		time.AfterFunc(limits.ShutdownTime, s.Abort) // if the peer does not close its side
	}
}

// stopTracking rejects further sockets, and returns the open ones.
func (g *Gateway) stopTracking() []*socket.Socket {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	return slices.Collect(maps.Keys(g.open))
}

// Wait returns when all sockets are closed.
func (g *Gateway) Wait() { g.openSockets.Wait() }

// End saves the sessions. Call it after Wait. Requests that come later get 503: the server
// of a host program may go on.
func (g *Gateway) End() {
	close(g.ended)
	for _, v := range g.all() {
		v.closePages()
	}
	g.Sessions.Close()
}

// Track registers an open socket of a page of origin, or of another client if origin is
// empty, so that Close and CloseOrigins close it. It returns false, and closes the
// socket, if the gateway is closing.
func (g *Gateway) Track(s *socket.Socket, origin string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		s.CloseWith(websocket.StatusGoingAway, "the gateway is shutting down")
		return false
	}
	g.open[s] = origin
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

// CloseOrigins closes the sockets of all pages of the origins that selects accepts, as
// refused, and returns when they are closed. A page that does not answer within
// limits.ShutdownTime is disconnected.
func (g *Gateway) CloseOrigins(selects func(origin string) bool) {
	open := g.socketsOf(selects)
	for _, s := range open {
		s.CloseWith(socket.CloseRefused, "revoked")
		abort := time.AfterFunc(limits.ShutdownTime, s.Abort)
		defer abort.Stop()
	}
	for _, s := range open {
		<-s.Done()
	}
}

func (g *Gateway) socketsOf(selects func(origin string) bool) (open []*socket.Socket) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for s, other := range g.open {
		if other != "" && selects(other) {
			open = append(open, s)
		}
	}
	return open
}

// logError logs an error that is not part of any response.
func (g *Gateway) logError(err error) { g.Options.Log.Error(err.Error()) }
