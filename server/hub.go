package server

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// hubOptions are all required, unless said otherwise.
type hubOptions struct {
	info      engine.Info // of /mcp, and of pages that say nothing
	cursorKey [16]byte    // signs cursors
	lenient   bool        // clients need no handshake
	logging   bool        // log messages of pages go to assistants

	noResourceTools bool

	doorkeeper doorkeeper
	sessions   sessionStore
	doors      map[string]http.HandlerFunc // more paths; may be nil
	say        func(format string, args ...any)
}

// A hub is what any gateway needs, whoever may use it: pages join it, and clients reach
// them over HTTP, WebSocket and ports.
type hub struct {
	options  hubOptions
	gate     *gate
	monitor  pageMonitor
	mcp      *mcpServer
	sessions *sessions
	sockets  sockets
	guard    *guard
	closing  chan struct{} // closed by close

	mu     sync.Mutex
	owners map[owner]*views
	open   map[*socket]struct{}
	joined sync.WaitGroup // one for each of open
	closed bool
}

// A pageMonitor sees the pages as well.
type pageMonitor interface {
	monitor
	changed()         // pages came, went, or changed
	forget(of string) // a page's name is not remembered any more
}

// newHub reads the sessions of an earlier run.
func newHub(options hubOptions, g *gate, m pageMonitor) (*hub, error) {
	h := &hub{
		options: options, gate: g, monitor: m, closing: make(chan struct{}),
		owners: map[owner]*views{}, open: map[*socket]struct{}{},
	}
	h.sessions = &sessions{endpoints: h, gate: g, store: options.sessions, report: h.report, closing: h.closing}
	if err := openSessions(h.sessions); err != nil {
		return nil, err
	}
	h.mcp = &mcpServer{endpoints: h, gate: g, sessions: h.sessions, lenient: options.lenient}
	return h, nil
}

// engineOptions are those of every engine that assistants talk to. All declare
// the same, whatever pages there are: classic sessions fix it at their beginning,
// and pages come and go. How much assistants may send is each door's to check: an engine
// takes what another hop has added, too.
func engineOptions(lenient, logging bool) *engine.Options {
	return &engine.Options{
		Origin: "gateway", MaxMessage: maxMessage + maxSlack, Lenient: lenient,
		Tools: true, Prompts: true, Completions: true, Logging: logging,
	}
}

// handler returns the routes behind guard.
func (h *hub) handler(guard *guard) http.Handler {
	h.guard = guard
	guard.next = http.HandlerFunc(h.route)
	return guard
}

func (h *hub) route(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if serve := h.options.doors[path]; serve != nil {
		serve(w, r)
		return
	}
	switch path {
	case pageDoor:
		h.servePage(w, r)
	case socketDoor:
		h.serveSocket(w, r)
	default:
		if _, ok := pageOf(path); !ok || r.URL.RawPath != "" {
			http.NotFound(w, r)
			return
		}
		h.mcp.serve(w, r, path)
	}
}

// of returns the views of an owner.
func (h *hub) of(who owner) *views {
	h.mu.Lock()
	defer h.mu.Unlock()
	v := h.owners[who]
	if v == nil {
		v = newViews(h, who)
		h.owners[who] = v
	}
	return v
}

// acquire implements endpoints.
func (h *hub) acquire(who owner, path string) (endpoint, bool) { return h.of(who).acquire(path) }

// servePort serves one client of owner on p, at path, until p closes or ctx ends. Calls
// of that client are limited and audited like those of any other.
func (h *hub) servePort(ctx context.Context, p jsonrpc.Port, of owner, path string, v visit) error {
	at, ok := h.acquire(of, path)
	if !ok {
		return engine.ErrBusy
	}
	defer at.release()
	return at.engine.Serve(engine.WithPrincipal(ctx, engine.Principal(v.who)), h.gate.port(p, at.engine, v))
}

// sweep lets sessions sleep and drops views that are not used; now is the present time.
func (h *hub) sweep(now time.Time) {
	h.sessions.sweep(now)
	for _, v := range h.all() {
		v.sweep(now)
	}
}

func (h *hub) all() []*views {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.owners))
}

// close ends in order: listens get their result, what runs an error, sockets are closed.
// wait and end come after it.
func (h *hub) close() {
	close(h.closing)
	h.mu.Lock()
	h.closed = true
	open := slices.Collect(maps.Keys(h.open))
	h.mu.Unlock()
	for _, v := range h.all() {
		v.closeEngines()
	}
	for _, s := range open {
		s.closeWith(websocket.StatusGoingAway, "the gateway is shutting down")
		time.AfterFunc(shutdownTime, s.abort) // for a peer that does not answer
	}
}

// wait returns when all sockets are gone.
func (h *hub) wait() { h.joined.Wait() }

// end stores the sessions. It comes after wait, when no request is served any more.
func (h *hub) end() {
	for _, v := range h.all() {
		v.closePages()
	}
	h.sessions.close()
}

// track remembers an open socket, unless the gateway is closing.
func (h *hub) track(s *socket) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		s.closeWith(websocket.StatusGoingAway, "the gateway is shutting down")
		return false
	}
	h.open[s] = struct{}{}
	h.joined.Add(1)
	return true
}

func (h *hub) untrack(s *socket) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, s)
	h.joined.Done()
}

// report is for what went wrong and concerns no client.
func (h *hub) report(err error) { h.options.say("%v", err) }
